"""
The planting of a fault in the engine, for a function that runs in a forked process.

A fork server imports the libraries that every run needs, but neither the engine nor a test. Each
run is a fork of this server. It replaces the text of one module while Python imports the module.
Nothing is copied, and no file changes.
"""

import importlib
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
"""Errors of a badly planted fault. A run with such an error has tested no rule."""

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "pytest",
        "hypothesis",
        "litestar",
        "alembic.context",
        "argon2",
        "cryptography.hazmat.primitives.asymmetric.ed25519",
        "cryptography.hazmat.primitives.ciphers.aead",
        "psycopg_pool",
        "sqlalchemy.ext.asyncio",
        "structlog",
        "psycopg",
        "asyncpg",
        "rich_click",
        "httpx",
    ]
)


class FaultRotten(Exception):
    """The sound text of a fault does not occur exactly once in its file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """
    One fault in the rules of play or of seasons, or in the service.

    Args:
        name: A description of the fault in a player's words.
        file: The path of the file below ``engine/``, or below *package*.
        sound: A text that the file contains exactly once.
        faulty: The text that replaces *sound*.
        caught_by: The node id of the test that fails.
        package: The package of the file.
    """

    name: str
    file: str
    sound: str
    faulty: str
    caught_by: str
    package: str = "engine"

    @property
    def path(self) -> Path:
        """The absolute path of the file."""
        return ROOT / self.package / self.file

    @property
    def module(self) -> str:
        """The name under which the file is imported."""
        parts = Path(self.package, self.file).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def text(self) -> str:
        """
        Return the text of the file with this fault.

        Raises:
            FaultRotten: If the file does not contain the sound text exactly once.
        """
        text = self.path.read_text(encoding="utf-8")
        if text.count(self.sound) != 1:
            raise FaultRotten(f"{self.file} holds {text.count(self.sound)} times: {self.sound!r}")
        return text.replace(self.sound, self.faulty)


class _Loader(SourceFileLoader):
    """The loader of a faulty module. It neither reads nor keeps bytecode."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.module, str(fault.path))
        self._text = fault.text()

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    """The finder of the faulty module. It leaves all other modules to Python."""

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
    fault: Fault, act: Callable[..., int], *arguments: str, output: Path
) -> tuple[int, str]:
    """
    Run *act* in its own process, with *fault* planted in the engine.

    Args:
        fault: The fault.
        act: A function in a module that imports nothing from the engine or the service.
        arguments: The arguments for *act*.
        output: A file for everything that the process prints.

    Returns:
        The result of *act*, and the printed text.
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


def _run(fault: Fault, act: Callable[..., int], arguments: tuple[str, ...], output: Path) -> None:
    with output.open("wb") as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
    os.chdir(ROOT)
    plant(fault)
    sys.exit(act(*arguments))


def plant(fault: Fault) -> None:
    """Plant *fault* in this process, before it imports anything of the engine or the service."""
    assert not any(name.partition(".")[0] in ("engine", "service") for name in sys.modules)
    sys.meta_path.insert(0, _Finder(fault))


def run_test(test: str) -> int:
    """Run *test* of this repository, and return the exit code of pytest."""
    # Tests of rules need no plugins, and loading plugins would take half of the time.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return pytest.main(["-x", "-q", "--no-header", "-p", "no:cacheprovider", test])


def generate(*arguments: str) -> int:
    """Run ``holotable generate`` with *arguments*. Its modules are imported with the fault."""
    sys.argv = ["holotable", "generate", *arguments]
    importlib.import_module("service.cli.main").main()
    return 0


def simulate(*arguments: str) -> int:
    """Run the simulation of the whole with *arguments*. Its modules are imported with the fault."""
    return int(importlib.import_module("tests.simulation.soak").main(list(arguments)))
