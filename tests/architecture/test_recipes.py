"""The diffs of ``docs/recipes`` fit the code as it is."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPES = sorted(path for path in (ROOT / "docs/recipes").glob("*.md") if path.stem != "README")
DIFF = re.compile(r"^```diff\n(.*?)^```", re.MULTILINE | re.DOTALL)
CHANGED = re.compile(r"^--- a/(\S+)", re.MULTILINE)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_every_diff_of_a_recipe_applies(recipe: Path, tmp_path: Path) -> None:
    diffs = DIFF.findall(recipe.read_text(encoding="utf-8"))
    for name in {name for diff in diffs for name in CHANGED.findall(diff)}:
        if (ROOT / name).exists():  # the others are made by an earlier diff
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    for diff in diffs:
        # The ceiling keeps git from taking a repository above for the one to change.
        applied = subprocess.run(
            ["git", "apply", "-"],
            cwd=tmp_path,
            env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
            input=diff,
            capture_output=True,
            text=True,
            check=False,
        )
        assert applied.returncode == 0, f"{diff.splitlines()[0]}: {applied.stderr}"
