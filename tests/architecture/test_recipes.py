"""The diffs of ``docs/recipes`` fit the code as it is."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.recipes import copied

ROOT = Path(__file__).resolve().parents[2]
RECIPES = sorted(path for path in (ROOT / "docs/recipes").glob("*.md") if path.stem != "README")
DIFF = re.compile(r"^```diff\n(.*?)^```", re.MULTILINE | re.DOTALL)
CHANGED = re.compile(r"^--- a/(\S+)", re.MULTILINE)


CATALOGUE = "-m service.log.catalogue"
VERSIONED = [path for path in RECIPES if CATALOGUE in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("recipe", VERSIONED, ids=lambda path: path.stem)
def test_the_new_event_versions_of_a_recipe_can_be_written(recipe: Path, tmp_path: Path) -> None:
    """A recipe that forgets an upcaster or a set of versions ends in ``SchemaChanged``."""
    text = recipe.read_text(encoding="utf-8")
    apply(DIFF.findall(text), copied(tmp_path))
    written = subprocess.run(
        [sys.executable, *CATALOGUE.split()],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (written.returncode, written.stderr) == (0, "")
    assert f"```\n{written.stdout}```\n" in text


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_every_diff_of_a_recipe_applies(recipe: Path, tmp_path: Path) -> None:
    diffs = DIFF.findall(recipe.read_text(encoding="utf-8"))
    for name in {name for diff in diffs for name in CHANGED.findall(diff)}:
        if (ROOT / name).exists():  # the others are made by an earlier diff
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    apply(diffs, tmp_path)


def apply(diffs: list[str], folder: Path) -> None:
    for diff in diffs:
        # The ceiling keeps git from taking a repository above for the one to change.
        applied = subprocess.run(
            ["git", "apply", "-"],
            cwd=folder,
            env={"GIT_CEILING_DIRECTORIES": str(folder.parent)},
            input=diff,
            capture_output=True,
            text=True,
            check=False,
        )
        assert applied.returncode == 0, f"{diff.splitlines()[0]}: {applied.stderr}"
