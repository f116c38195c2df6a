"""
Plant a fault in the engine, and run something against it in a forked process.

A fork server imports what every run needs, but neither the engine nor a test.  Each
run is a fork of it that replaces the text of one module while Python imports it.
Nothing is copied, and no file changes.
"""

import multiprocessing
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 120

ACCIDENTS = re.compile(
    r"\b(SyntaxError|NameError|ImportError|ModuleNotFoundError|AttributeError|TypeError)\b"
)
"""Errors that a badly planted fault raises; no rule was tested then."""

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "pytest",
        "hypothesis",
        "litestar",
        "sqlalchemy.ext.asyncio",
        "psycopg",
        "asyncpg",
        "rich_click",
        "httpx",
    ]
)


class FaultRotten(Exception):
    """The engine does not hold the text that a fault replaces exactly once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """
    One rule, played wrongly.

    Args:
        name: What is wrong, as a player would say it.
        file: Path below ``engine/``.
        sound: A text that the file holds exactly once.
        faulty: The text that replaces it.
        caught_by: Node id of the test that fails.
    """

    name: str
    file: str
    sound: str
    faulty: str
    caught_by: str

    @property
    def path(self) -> Path:
        """Path of the file."""
        return ROOT / "engine" / self.file

    @property
    def module(self) -> str:
        """Name under which the file is imported."""
        parts = Path("engine", self.file).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def text(self) -> str:
        """
        Return the text of the file with this fault in it.

        Raises:
            FaultRotten: If the file does not hold the sound text exactly once.
        """
        text = self.path.read_text(encoding="utf-8")
        if text.count(self.sound) != 1:
            raise FaultRotten(f"{self.file} holds {text.count(self.sound)} times: {self.sound!r}")
        return text.replace(self.sound, self.faulty)


class _Loader(SourceFileLoader):
    """Loads a faulty module; its bytecode is neither read nor kept."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.module, str(fault.path))
        self._text = fault.text()

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    """Finds one module, and leaves all others to Python."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self._loader = _Loader(fault)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self._fault.module:
            return None
        return spec_from_file_location(name, self._fault.path, loader=self._loader)


def against(
    fault: Fault | None, act: Callable[..., int], *arguments: str, output: Path
) -> tuple[int, str]:
    """
    Run *act* in a process of its own, with *fault* planted in the engine.

    Args:
        fault: ``None`` leaves the engine sound.
        act: A function of a module that imports nothing of the engine or the service.
        arguments: What *act* is called with.
        output: A file for everything that the process prints.

    Returns:
        What *act* returned, and what the process printed.
    """
    fork = _FORKS.Process(target=_run, args=(fault, act, arguments, output))
    fork.start()
    fork.join(SECONDS_MAX)
    if fork.exitcode is None:
        fork.kill()
        fork.join()
    printed = output.read_text(encoding="utf-8")
    assert fork.exitcode is not None and fork.exitcode >= 0, printed
    return fork.exitcode, printed


def _run(
    fault: Fault | None, act: Callable[..., int], arguments: tuple[str, ...], output: Path
) -> None:
    with output.open("wb") as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
    os.chdir(ROOT)
    assert not any(name.partition(".")[0] in ("engine", "service") for name in sys.modules)
    if fault is not None:
        sys.meta_path.insert(0, _Finder(fault))
    sys.exit(act(*arguments))


def run_test(test: str) -> int:
    """Run *test* of this repository; return the exit code of pytest."""
    # Tests of rules need no plugin; loading them would take half of the time.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return pytest.main(["-x", "-q", "--no-header", "-p", "no:cacheprovider", test])
