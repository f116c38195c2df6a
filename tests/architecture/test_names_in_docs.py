"""Pages name only files and tests that exist. No word is explained twice."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    # A decision names the files of its day, and only its wording is ever edited.
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "adr"),
]

_PART = re.compile(r"`((?:[\w-]+/)+\w+\.py)`")
_FILE = re.compile(r"(?:engine|service|tests|migrations|docs|api-spec|deploy)/[\w./-]+\.\w+")
_MADE = re.compile(r"^--- /dev/null\n\+\+\+ b/(\S+)", re.MULTILINE)
_BLOCK = re.compile(r"^```\w*\n.*?^```", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"^\| ([^|]+) \| ~~", re.MULTILINE)
_ROOM = re.compile(r"`(\w+(?:/|\.py))`")


def test_every_file_that_a_page_names_exists() -> None:
    """Blocks of code are left out, and so are the files that a recipe's own diffs make."""
    missing = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named = set(_FILE.findall(_BLOCK.sub("", text))) - set(_MADE.findall(text))
        missing[page.name] = {each for each in named if not (ROOT / each).exists()}

    assert {name: found for name, found in missing.items() if found} == {}


def test_every_end_of_a_path_that_a_page_names_is_the_end_of_one() -> None:
    """A page may leave out the first folders, such as ``service/api``."""
    files = [f"/{path.relative_to(ROOT)}" for path in ROOT.glob("[a-z]*/**/*.py")]
    missing = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named = set(_PART.findall(_BLOCK.sub("", text))) - set(_MADE.findall(text))
        missing[page.name] = {
            each for each in named if not any(f.endswith(f"/{each}") for f in files)
        }

    assert {name: found for name, found in missing.items() if found} == {}


def test_every_file_that_a_recipe_changes_exists() -> None:
    """A recipe with a diff of a moved file would no longer apply."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        changed = re.findall(r"^--- a/(\S+)", text, re.MULTILINE)
        assert [each for each in changed if not (ROOT / each).exists()] == [], page.name


def test_every_test_that_a_recipe_runs_exists_or_is_made_by_it() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        run = re.findall(r"(?<=[ (])tests/[\w./-]+", "\n".join(re.findall(r"-m pytest.*", text)))
        made = set(_MADE.findall(text))
        assert [each for each in run if each not in made and not (ROOT / each).exists()] == []


@pytest.mark.parametrize("package", ["engine", "service"])
def test_the_architecture_has_a_line_for_each_room(package: str) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    chapter = page.partition(f"## The rooms of `{package}/`")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in chapter.splitlines() if line.startswith("| `")]
    named = sorted(room for row in rows for room in _ROOM.findall(row))
    rooms = [
        f"{path.name}/" if path.is_dir() else path.name
        for path in (ROOT / package).iterdir()
        if path.name not in {"__init__.py", "__main__.py", "__pycache__"}
        and (path.is_dir() or path.suffix == ".py")
    ]
    assert named == sorted(rooms)


def test_the_glossary_explains_each_word_once() -> None:
    rows = _WORD.findall(GLOSSARY.read_text(encoding="utf-8"))
    words = Counter(word.strip() for row in rows for word in row.split(","))

    assert len(words) > 150
    assert [word for word, times in words.items() if times > 1] == []
