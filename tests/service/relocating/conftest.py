"""The two cells of the tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.transparency.note import SigningKey
from tests.service.relocating.cells import Cell
from tests.support.databases import SECRET_KEY, TestDatabase, TestServer
from tests.support.signers import running_signer

OLD_KEY = SigningKey("old.example", bytes(range(32)))
NEW_KEY = SigningKey("new.example", bytes(range(1, 33)))
OTHER = "6b" * 32


@pytest.fixture
def old(database: TestDatabase, tmp_path: Path) -> Iterator[Cell]:
    """The cell that a league leaves."""
    folder = tmp_path / "old"
    folder.mkdir()
    with running_signer(OLD_KEY, folder / "memory") as url:
        yield Cell(database, SECRET_KEY, url, folder)


@pytest.fixture
def new(cluster: TestServer, tmp_path: Path) -> Iterator[Cell]:
    """The cell that a league comes to."""
    folder = tmp_path / "new"
    folder.mkdir()
    with cluster.fresh() as database, running_signer(NEW_KEY, folder / "memory") as url:
        yield Cell(database, OTHER, url, folder)
