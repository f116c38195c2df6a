"""
``python -m tests.chaos.program FOLDER FAULT command …``: the program in another version.

FOLDER holds its migrations, and FAULT names a fault of ``tests/simulation/faults.py`` that is
planted in it. ``-`` stands for none.
"""

import importlib
import sys
from pathlib import Path

from tests.faults.planting import plant
from tests.simulation.faults import FAULTS


def main(folder: str, fault: str, *command: str) -> None:
    """Run a command in this version."""
    if fault != "-":
        plant(next(each for each in FAULTS if each.name == fault))
    if folder != "-":
        revisions = importlib.import_module("service.base.revisions")
        revisions.FOLDER = Path(folder)  # type: ignore[attr-defined]
    sys.argv = ["holotable", *command]
    importlib.import_module("service.cli.main").main()


if __name__ == "__main__":
    main(*sys.argv[1:])
