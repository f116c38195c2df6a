"""
The read models in an SQLite in memory, for the service's own projections and their runner.

A transaction takes virtual time at every statement, and a crash in between rolls it back.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from datetime import datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from engine.values import identifier, number_of
from service.log.catalogue import event_types
from service.log.read import VOIDED
from service.projections import schema
from service.projections.applying.advancing import advance, applied
from service.projections.applying.events import READ
from service.projections.applying.projection import NOTHING
from service.projections.models.all import ALL
from tests.simulation.relations import Log

Delay = Callable[[], Awaitable[None]]


class Reads:
    """
    The read models of one database.

    Args:
        store: The log of the same database.
        now: The database's clock.
    """

    def __init__(self, store: Log, now: Callable[[], datetime]) -> None:
        self.store = store
        self._engine = sa.create_engine(
            "sqlite://", poolclass=StaticPool, connect_args={"isolation_level": None}
        )
        self._held_by: object = None

        @sa.event.listens_for(self._engine, "connect")
        def _prepare(connection: Any, _record: object) -> None:
            connection.execute("ATTACH ':memory:' AS reads")
            connection.create_function("service_time", 0, lambda: now().isoformat())
            connection.create_function("set_config", 3, lambda _name, value, _local: value)

        schema.metadata.create_all(self._engine)
        self.connection = self._engine.connect()

    def close(self) -> None:
        """Forget all rows."""
        self.connection.close()
        self._engine.dispose()

    @asynccontextmanager
    async def begin(self, holder: object) -> AsyncIterator[None]:
        """Begin a transaction of *holder*.

        The simulation has one projector, so none has to wait.
        """
        assert self._held_by is None, "there is one projector"
        self._held_by = holder
        self.connection.exec_driver_sql("BEGIN")
        try:
            yield
        except BaseException:
            self.abandon(holder)
            raise
        self.connection.exec_driver_sql("COMMIT")
        self._held_by = None

    def abandon(self, holder: object) -> None:
        """Roll the transaction of *holder* back, if it has one."""
        if self._held_by is holder is not None:
            self.connection.exec_driver_sql("ROLLBACK")
            self._held_by = None

    def recommit(self) -> None:
        """Commit, and go on in another transaction."""
        self.connection.exec_driver_sql("COMMIT")
        self.connection.exec_driver_sql("BEGIN")

    def rows(self, statement: Any, given: Any = None) -> Any:
        """Return the rows of *statement*. The log answers statements about the log."""
        if not isinstance(statement, sa.TextClause):
            return self.connection.execute(statement, given)
        text = " ".join(statement.text.split())
        if "CROSS JOIN unnest(CAST(:names AS text[]))" in text:
            return _Rows(self._behind(given))
        raise NotImplementedError(text)

    def events(
        self, league: UUID, after: int, until: int, passed_over: Collection[str]
    ) -> list[tuple[Any, ...]]:
        """Return the events after a position up to another one, except those of some types."""
        return [
            (*row[:3], row.type, row.schema_version, row.at, row.data)
            for row in self.store.rows(league)[after + 1 : until + 1]
            if row.type not in passed_over
        ]

    def _behind(self, given: dict[str, Any]) -> list[Any]:
        found = []
        done = {(row.name, row.league): row for row in self.connection.execute(_CHECKPOINTS)}
        some = given.get("leagues")
        for number in self.store.leagues if some is None else some:
            league, head = identifier("lge", number), len(self.store.rows(number)) - 1
            for name in given["names"]:
                row = done.get((name, league))
                if row is None or row.position < head:
                    version, broken = (None, None) if row is None else (row.version, row.broken_at)
                    found.append(
                        SimpleNamespace(
                            league=league, head=head, name=name, version=version, broken_at=broken,
                            misplaced=False,
                        )
                    )  # fmt: skip
        return found

    def dump(self, league: str) -> dict[str, list[str]]:
        """Return the rows of a league by relation, as text and in order."""
        return {
            relation.name: sorted(
                str(tuple(row))
                for row in self.connection.execute(
                    sa.select(relation).where(relation.c.league == league)
                )
            )
            for projection in ALL
            for relation in projection.relations
        }


_CHECKPOINTS = sa.select(schema.checkpoint)


class _Rows:
    """The answer to a statement about the log."""

    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows

    def all(self) -> list[Any]:
        """Return all rows."""
        return self._rows


class Database:
    """
    The projector's connection pool.

    Args:
        delay: Takes time, and may fail as a connection does.
        holder: The process.
    """

    def __init__(self, reads: Reads, delay: Delay, holder: object) -> None:
        self._reads = reads
        self._delay = delay
        self._holder = holder

    @asynccontextmanager
    async def begin(self) -> AsyncIterator["Asked"]:
        """Begin a transaction."""
        async with self._reads.begin(self._holder):
            yield Asked(self._reads, self._delay)
            await self._delay()

    connect = begin


_PASSED_OVER = re.compile(re.escape(READ).replace("%s", "([a-z_,]*)"))
"""The statement that reads events, with the types that it passes over."""


class Asked:
    """A connection to the read models."""

    def __init__(self, reads: Reads, delay: Delay) -> None:
        self._reads = reads
        self._delay = delay

    async def execute(self, statement: Any, given: Any = None) -> Any:
        """Answer *statement*."""
        await self._delay()
        return self._reads.rows(statement, given)

    async def commit(self) -> None:
        """Commit, and go on in another transaction."""
        self._reads.recommit()
        await self._delay()

    async def fetch(self, statement: str, *asked: Any) -> list[Any]:
        """Return events, or those that void others, of which the simulation has none."""
        if statement == VOIDED:
            return []
        passed_over = _PASSED_OVER.fullmatch(statement)
        assert passed_over is not None
        await self._delay()
        return self._reads.events(*asked, passed_over[1].split(","))


async def rebuilt(store: Log, now: Callable[[], datetime], league: str) -> Reads:
    """Return the read models of a league, built again from its whole log."""
    copy = Reads(store, now)
    asked: Any = Asked(copy, _at_once)
    until = len(store.rows(number_of(league))) - 1
    async with copy.begin(copy):
        for projection in ALL:
            while await applied(asked, projection, league) < until:
                await advance(asked, projection, league, event_types(), until)
    return copy


async def _at_once() -> None:
    """Take no time."""


def broken(reads: Reads) -> list[str]:
    """Return the projections that have stopped, with their reasons."""
    return [
        f"{row.name}: {row.reason}"
        for row in reads.connection.execute(_CHECKPOINTS)
        if row.broken_at is not None
    ]


def behind(reads: Reads, league: str) -> int:
    """Return the number of positions that the slowest projection still has to apply."""
    head = len(reads.store.rows(number_of(league))) - 1
    done = {row.name: row.position for row in reads.connection.execute(_CHECKPOINTS)}
    return max(head - int(done.get(projection.name, NOTHING)) for projection in ALL)
