"""Fixtures for tests of every part, the order in which tests run, and the place for their files."""

import gc
import os
import random
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:  # ``make quick`` loads neither the service nor a database driver
    from tests.support.databases import TestDatabase, TestServer

# A test that failed must fail again in the next run. ``make soak`` and ``make soak-tables`` test
# with new random values.
settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("repeatable")

MEMORY = Path("/dev/shm")
ROOM_MIN = 4 << 30
"""Bytes. A worker and the stack of one test fill less than a tenth of it."""


def pytest_configure() -> None:
    """Keep temporary files in memory. Making a server there needs a quarter of the time."""
    if "TMPDIR" in os.environ or not MEMORY.is_dir():
        return
    found = os.statvfs(MEMORY)
    if found.f_bavail * found.f_frsize >= ROOM_MIN and not found.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--shuffle``."""
    parser.addoption(
        "--shuffle",
        metavar="SEED",
        help="run files, and the tests of each file, in an order drawn from SEED",
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    """Print the seed of a shuffled order, so that the run can be repeated."""
    seed = config.getoption("shuffle")
    return f"order: --shuffle {seed}" if seed else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """
    Import all tests without garbage collection, because nearly every object lives until the end.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the files with slow tests first, or use the order of ``--shuffle``."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    parts = list(files.values())
    if seed := config.getoption("shuffle"):
        chance = random.Random(seed)  # the same order in every worker
        chance.shuffle(parts)
        for part in parts:
            chance.shuffle(part)
    else:  # a long file that begins last leaves the other workers idle
        parts.sort(key=lambda part: all(item.get_closest_marker("slow") is None for item in part))
    items[:] = [item for part in parts for item in part]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio only, which is what the service runs on."""
    return "asyncio"


@pytest.fixture(scope="session")
def cluster() -> Iterator["TestServer"]:
    """
    A PostgreSQL server for each worker of pytest, with production roles and a migrated template.
    """
    from tests.support import pool_watch
    from tests.support.databases import running_server

    pool_watch.watch()
    with running_server() as server:
        yield server


@pytest.fixture
def database(cluster: "TestServer") -> Iterator["TestDatabase"]:
    """An empty migrated database that no other test uses meanwhile."""
    with cluster.fresh() as made:
        yield made
