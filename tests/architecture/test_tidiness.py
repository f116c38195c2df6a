"""What a reviewer should not have to look for."""

import ast
import re
from pathlib import Path

import pytest
from click import Command, Group

from service.cli import cli

ROOT = Path(__file__).resolve().parents[2]
LINES_MAX = 400
FUNCTION_LINES_MAX = 50
SOURCES = sorted(
    path
    for folder in ("engine", "service", "migrations", "bench", "tests")
    for path in (ROOT / folder).rglob("*.py")
    if path != Path(__file__)
)
CODE = [path for path in SOURCES if path.relative_to(ROOT).parts[0] != "tests"]
SERVICE = [path for path in SOURCES if path.relative_to(ROOT).parts[0] == "service"]
ENGINE = [path for path in SOURCES if path.relative_to(ROOT).parts[0] == "engine"]
DOCUMENTS = [
    path for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if path.is_file()
]
CLOCKS = {"now", "utcnow", "today", "time", "monotonic", "perf_counter"}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def longest_function(path: Path) -> tuple[int, str]:
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lengths = [((node.end_lineno or 0) - node.lineno + 1, node.name) for node in functions]
    return max(lengths, default=(0, ""))


def clock_reads(path: Path) -> list[str]:
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CLOCKS
        and ast.unparse(node.func.value) in {"datetime", "datetime.datetime", "date", "time"}
    ]


@pytest.mark.parametrize("path", CODE, ids=name)
def test_a_file_can_be_known_whole(path: Path) -> None:
    """A file above the limit is asking for a noun."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES_MAX


@pytest.mark.parametrize("path", CODE, ids=name)
def test_a_function_fits_on_a_screen(path: Path) -> None:
    """A long function hides a name that nobody has said aloud."""
    assert longest_function(path) <= (FUNCTION_LINES_MAX, "~")


@pytest.mark.parametrize("path", ENGINE, ids=name)
def test_the_engine_reads_no_clock(path: Path) -> None:
    """Time enters as a field of commands; a rule that reads a clock cannot be decided again."""
    assert clock_reads(path) == []


@pytest.mark.parametrize("path", SERVICE, ids=name)
def test_threads_are_taken_from_bounded_pools_only(path: Path) -> None:
    """Asyncio's own threads are shared by everything: what one client makes heavy stops all."""
    unbounded = r"\bto_thread\(|\brun_in_executor\b|\bThreadPoolExecutor\b"

    assert path.name == "pools.py" or re.findall(unbounded, path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", SERVICE, ids=name)
def test_forwarded_addresses_are_read_in_one_place(path: Path) -> None:
    """Whoever reads them elsewhere believes what any client writes."""
    elsewhere = path.relative_to(ROOT / "service").as_posix() != "api/proxies.py"

    assert not elsewhere or re.findall(r"b?\"[a-z-]*forwarded", path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_an_exception_from_a_check_names_it(path: Path) -> None:
    """A bare exception would also hide what is found later."""
    text = path.read_text(encoding="utf-8")

    assert re.findall(r"#\s*noqa(?!:)|#\s*type:\s*ignore(?!\[)", text) == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_nothing_is_left_for_later(path: Path) -> None:
    """What is missing stands in the tracker, not in the code."""
    assert re.findall(r"\b(TODO|FIXME)\b", path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_every_link_in_the_documents_leads_somewhere(path: Path) -> None:
    """A dead link in the first minute costs a reader."""
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text(encoding="utf-8"))

    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_every_command_in_the_readme_exists() -> None:
    """The first thing a stranger types must run."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    used = set(re.findall(r"(?:^|\s|`)holotable ([a-z]+)", text))

    assert used <= set(cli.commands)


def test_every_make_target_in_the_documents_exists() -> None:
    """Targets are the same on a laptop and in CI."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))
    used = {
        target
        for path in DOCUMENTS
        for target in re.findall(r"(?:^|`)make ([a-z]+)", path.read_text("utf-8"), re.MULTILINE)
    }

    assert used <= targets


def every_command(group: Group) -> list[Command]:
    return [
        command
        for child in group.commands.values()
        for command in ([child] if not isinstance(child, Group) else every_command(child))
    ]


def test_every_command_says_what_it_does() -> None:
    """``--help`` explains itself."""
    assert [command.name for command in every_command(cli) if not command.help] == []
