"""
``python -m tests.support.recipes NAME``: follow a recipe of ``docs/recipes`` in a copy.

This applies every diff and runs every command in order, and prints the output of each. The recipe
itself names commands that fail on purpose.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "recipes"
SAID_MAX = 1_500
"""The most characters of a command's output that are printed, counted from its end."""

_BLOCK = re.compile(r"^```(diff|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MIGRATION = re.compile(r"^\+\+\+ b/migrations/versions/(\d{4})_", re.MULTILINE)
_FOLLOWS = re.compile(r'^\+down_revision = "(\d{4})"', re.MULTILINE)


def copied(folder: Path) -> Path:
    """Copy the files that git tracks to *folder*. The copy shares the virtual environment."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


def diffs_of(text: str) -> list[str]:
    """Return the diffs of a recipe, in order."""
    return [renumbered(body) for kind, body in _BLOCK.findall(text) if kind == "diff"]


def applied(diff: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Apply *diff* to the files in *folder*."""
    return subprocess.run(
        ["git", "apply", "-"],
        cwd=folder,
        # The ceiling keeps git from taking a repository above for the one to change.
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)},
        input=diff,
        capture_output=True,
        text=True,
        check=False,
    )


def renumbered(diff: str) -> str:
    """Return *diff*. A migration in it gets the next free number, as the recipe asks."""
    made, follows = _MIGRATION.search(diff), _FOLLOWS.search(diff)
    if made is None or follows is None:
        return diff
    newest = max(each.name[:4] for each in (ROOT / "migrations" / "versions").glob("[0-9]*.py"))
    now = {follows[1]: newest, made[1]: f"{int(newest) + 1:04}"}
    return re.sub("|".join(now), lambda found: now[found[0]], diff)


def follow(name: str, folder: Path) -> None:
    """Follow the recipe called *name* in *folder*."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    text = (RECIPES / f"{name}.md").read_text(encoding="utf-8")
    for kind, body in _BLOCK.findall(text):
        if kind == "diff":
            print("apply", *re.findall(r"^\+\+\+ b/(\S+)", body, re.MULTILINE))
            result = applied(renumbered(body), folder)
            print(result.stderr, end="")
            result.check_returncode()
            continue
        for command in body.strip().splitlines():
            began = time.monotonic()
            ran = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            print(f"$ {command}\n{ran.stdout[-SAID_MAX:].rstrip()}")
            print(f"# exit code {ran.returncode}, {time.monotonic() - began:.0f} s", flush=True)


def main(names: list[str]) -> int:
    """Follow the recipes called *names*, each in its own copy."""
    for name in names:
        with tempfile.TemporaryDirectory(prefix="recipe-") as folder:
            follow(name, copied(Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
