"""How a fault is planted in a copy of the engine, and how a test is run against it."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 60

ACCIDENTS = re.compile(
    r"\b(SyntaxError|NameError|ImportError|ModuleNotFoundError|AttributeError|TypeError)\b"
)
"""What a fault that was planted badly raises; no rule was tested then."""


class FaultRotten(Exception):
    """The text that a fault replaces is not there exactly once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """
    One rule, played wrongly.

    Args:
        name: What is wrong, as a rule would be told.
        file: Below ``engine/``.
        sound: A text that stands in it exactly once.
        faulty: What stands there instead.
        caught_by: The test that fails, as pytest names it.
    """

    name: str
    file: str
    sound: str
    faulty: str
    caught_by: str

    def plant(self, folder: Path) -> None:
        """
        Copy the engine to *folder* with this fault in it.

        Raises:
            FaultRotten: If the sound text does not stand there exactly once.
        """
        copy = folder / "engine"
        shutil.copytree(ROOT / "engine", copy)
        path = copy / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.sound) != 1:
            raise FaultRotten(f"{self.file} holds {text.count(self.sound)} times: {self.sound!r}")
        path.write_text(text.replace(self.sound, self.faulty), encoding="utf-8")


def run(folder: Path, test: str) -> subprocess.CompletedProcess[str]:
    """Run *test* of this repository against the engine in *folder*."""
    return subprocess.run(
        [
            sys.executable,
            "-B",
            "-m",
            "pytest",
            "-x",
            "-q",
            "--no-header",
            "-p",
            "no:cacheprovider",
            "-o",
            f"pythonpath={folder} {ROOT}",
            test,
        ],
        cwd=ROOT,
        # Tests of rules need no plugin; loading them would take half of the time.
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
