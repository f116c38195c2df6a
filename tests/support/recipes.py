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


def follow(name: str, folder: Path) -> None:
    """Follow the recipe called *name* in *folder*."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    text = (RECIPES / f"{name}.md").read_text(encoding="utf-8")
    for kind, body in _BLOCK.findall(text):
        if kind == "diff":
            print("apply", *re.findall(r"^\+\+\+ b/(\S+)", body, re.MULTILINE))
            subprocess.run(["git", "apply", "-"], cwd=folder, input=body, text=True, check=True)
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
