"""The diffs of ``docs/recipes`` fit the code as it is."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.recipes import ROOT, applied, diffs_of

CATALOGUE = "-m service.log.catalogue"
RECIPES = sorted(path for path in (ROOT / "docs/recipes").glob("*.md") if path.stem != "README")
VERSIONED = [path for path in RECIPES if CATALOGUE in path.read_text(encoding="utf-8")]
"""The recipes that give events new versions."""

READ = ("engine", "service", "api-spec/events", "api-spec/event-sets.json", "docs/rulebook.md")
"""The files that the catalogue of events reads."""

CHANGED = re.compile(r"^--- a/(\S+)", re.MULTILINE)


@pytest.mark.parametrize("recipe", VERSIONED, ids=lambda path: path.stem)
def test_the_new_event_versions_of_a_recipe_can_be_written(recipe: Path, tmp_path: Path) -> None:
    """A recipe that forgets an upcaster or a set of versions ends in ``SchemaChanged``."""
    for name in READ:
        bring(name, tmp_path)
    apply_all(recipe, tmp_path)
    written = subprocess.run(
        [sys.executable, *CATALOGUE.split()],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (written.returncode, written.stderr) == (0, "")
    assert f"```\n{written.stdout}```\n" in recipe.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "recipe", [each for each in RECIPES if each not in VERSIONED], ids=lambda path: path.stem
)
def test_every_diff_of_a_recipe_applies(recipe: Path, tmp_path: Path) -> None:
    apply_all(recipe, tmp_path)


def bring(name: str, folder: Path) -> None:
    """Copy a file or folder, with its compiled modules: they need not be compiled again."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    if (ROOT / name).is_dir():
        shutil.copytree(ROOT / name, folder / name)
    elif (ROOT / name).exists():  # the others are made by an earlier diff
        shutil.copy2(ROOT / name, folder / name)


def apply_all(recipe: Path, folder: Path) -> None:
    """Apply the diffs of *recipe* in *folder*, with the files that they change."""
    diffs = diffs_of(recipe.read_text(encoding="utf-8"))
    for name in {name for diff in diffs for name in CHANGED.findall(diff)}:
        if not (folder / name).exists():
            bring(name, folder)
    for diff in diffs:
        result = applied(diff, folder)
        assert result.returncode == 0, f"{diff.splitlines()[0]}: {result.stderr}"
