"""Two cells: two databases with a settings' key, an API and a signer each."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg

from engine.values import number_of
from service.base.settings import Settings, environment
from service.process.app import build
from tests.service.api.conftest import Api
from tests.support.commands import Ended, in_fork
from tests.support.databases import TestDatabase

WHY = ("--reason", "a drill")


class Cell:
    """A cell with the means of its operator."""

    def __init__(
        self, database: TestDatabase, secret_key: str, signer: str | None, folder: Path
    ) -> None:
        self.database = database
        self.secret_key = secret_key
        self.signer = signer
        self.folder = folder
        self.passphrase = folder / "passphrase"
        self.passphrase.write_text("a long way off\n")

    def settings(self, role: str, **changes: Any) -> Settings:
        """Return the settings of a process of this cell."""
        told = {"secret_key": self.secret_key, "signer_url": self.signer}
        return self.database.settings(role, **(told | changes))

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Api]:
        """Serve this cell's API."""
        app = build(self.settings("holotable_api", own_writes_milliseconds=0))
        async with app.lifespan():
            transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
                yield Api(http, app)

    def told(self, *asked: str) -> Ended:
        """Run a command of this cell's operator."""
        return in_fork(asked, environment(self.settings("holotable_migrate")))

    def done(self, *asked: str) -> str:
        """Run a command that must succeed, and return its output."""
        ended = self.told(*asked)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def refused(self, *asked: str) -> str:
        """Run a command that must be refused, and return its words."""
        ended = self.told(*asked)
        assert ended.returncode == 1, (ended.returncode, ended.stdout, ended.stderr)
        return ended.stderr

    def packing(self, league: str, file: Path) -> tuple[str, ...]:
        """Return the command that packs a league."""
        sealed = ("--passphrase-file", str(self.passphrase))
        return ("league", "pack", league, str(file), "--to", "cell 2", *sealed)

    def unpacking(self, file: Path, *more: str) -> tuple[str, ...]:
        """Return the command that unpacks a file."""
        return ("league", "unpack", str(file), "--passphrase-file", str(self.passphrase), *more)

    def suspended_and_packed(self, league: str, file: Path) -> str:
        """Suspend and pack a league."""
        self.done("league", "suspend", league, *WHY)
        return self.done(*self.packing(league, file))

    def rows(self, query: str, *about: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query of a superuser."""
        with psycopg.connect(self.database.url("postgres")) as connection:
            return connection.execute(query.encode(), about).fetchall()

    def log(self, league: str) -> list[tuple[Any, ...]]:
        """Return every event of a league, byte for byte."""
        query = """
            SELECT position, stream, stream_version, event_id, type, schema_version, at,
                   data::text, sealed, metadata::text, hash
              FROM events WHERE league = %s ORDER BY position
        """
        return self.rows(query, number_of(league))


def code(begins: str, said: str) -> str:
    """Return the code in the output of a command."""
    found = re.search(rf"\b{begins}[0-9a-f]{{32}}\b", said)
    assert found is not None, said
    return found[0]


def moved(old: Cell, new: Cell, league: str, file: Path, *more: str) -> None:
    """Carry a packed league over, and open it in its new cell."""
    arrival = code("arr_", new.done(*new.unpacking(file, *more)))
    release = code("rel_", old.done("league", "release", league, arrival, *WHY))
    new.done("league", "restore", league, "--release", release, *WHY)
