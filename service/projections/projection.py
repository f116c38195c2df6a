"""
A projection: a name, a version, and a handler for each event that changes its rows.

Rows and checkpoint change in one transaction by compare-and-set, so two runners can
never apply a batch twice. An event that cannot be applied stops the projection in that
league and is never skipped. A handler never reads the time, a random number or another
read model, so the same log always gives the same rows.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

import asyncpg
import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.coordination.aggregates import DECIDERS
from engine.values import CATEGORIES, identifier, number_of
from service.base.errors import EventUnreadable
from service.log.catalogue import tag_of
from service.log.codec import Codec
from service.log.keys import driver_of
from service.log.read import KNOWN, LEAGUES, voided
from service.projections.changes import Changes
from service.projections.schema import checkpoint

CHUNK = 5_000
"""Positions in one transaction: enough to spread its cost, few enough to show progress."""

NOTHING = -1
"""Checkpoint of a projection that has applied nothing. A league's first event has position 0."""

_PREFIXES = {category: prefix for prefix, category in CATEGORIES.items()}
_codec = Codec(DECIDERS)
_WHOLE = {"broken_at": None, "reason": None, "broken_since": None}
"""The checkpoint columns that are cleared when the checkpoint moves on."""


class ProjectionBroken(Exception):
    """An event could not be applied. The league waits here until an operator releases it."""

    def __init__(self, name: str, league: str, position: int, reason: str) -> None:
        super().__init__(f"{name} of {league} stopped before position {position}: {reason}")
        self.name, self.league, self.position, self.reason = name, league, position, reason


class CheckpointMoved(Exception):
    """Another runner applied this batch first, so this transaction must be rolled back."""


class VersionDiffers(Exception):
    """The rows were made by another version of the projection and need a rebuild."""


Event = TypeVar("Event", bound=msgspec.Struct)
Read_co = TypeVar("Read_co", bound=msgspec.Struct, covariant=True)


class Happened(msgspec.Struct, Generic[Read_co], frozen=True, gc=False):
    """
    An event as projections see it, with its league, position and stream.

    The event is the engine's type, upcast to the current schema version. Its hidden values stay
    sealed, because a projection holds no keys.
    """

    league: str
    position: int
    stream: str
    stream_version: int
    at: datetime
    event: Read_co

    @property
    def type(self) -> str:
        """Name of the event in storage."""
        return str(self.event.__struct_config__.tag)

    @property
    def subject(self) -> str:
        """Identifier of the aggregate that the stream belongs to."""
        return _subject_of(self.stream)


@lru_cache(maxsize=16_384)
def _subject_of(stream: str) -> str:
    category, _, digits = stream.partition("-")
    return f"{_PREFIXES[category]}_{digits}"


Handler = Callable[[Changes, Happened[Any]], None]  # of its own event
"""Handles one type of event. :func:`on` has checked that the handler fits the type."""

Load = Callable[[AsyncConnection, Changes, list[Happened[msgspec.Struct]]], Awaitable[None]]
Settle = Callable[[Changes], None]
_Entry = tuple[str, Handler]


def on(event: type[Event], handler: Callable[[Changes, Happened[Event]], None]) -> _Entry:
    """Return the entry for :attr:`Projection.handlers` that handles one type of event."""
    return tag_of(event), handler


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """One read model."""

    name: str
    version: int
    relations: tuple[sa.Table, ...]
    handlers: Mapping[str, Handler]
    """
    By event type, made with :func:`on`. Other known types are passed over. An unknown type
    stops the projection.
    """

    load: Load | None = None
    """Loads rows of this projection that the handlers need from earlier batches."""

    settle: Settle | None = None
    """Writes, after the last event of a batch, the rows that depend on several events together."""

    async def gather(
        self, connection: AsyncConnection, batch: list[Happened[msgspec.Struct]]
    ) -> Changes:
        """
        Return the read-model rows that *batch* inserts, updates or deletes.

        Raises:
            ProjectionBroken: If a handler cannot apply an event.
        """
        changes = Changes()
        if not batch:
            return changes
        if self.load is not None:
            await self.load(connection, changes, batch)
        handlers, at = self.handlers, batch[-1]
        try:
            for at in batch:
                handlers[at.type](changes, at)
            if self.settle is not None:
                self.settle(changes)
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            reason = f"{at.type}: {type(error).__name__} {error}"
            raise ProjectionBroken(self.name, at.league, at.position, reason) from error
        return changes


READ = """
    SELECT position, stream, stream_version, type, schema_version, at, json_send(data)
      FROM events
     WHERE league = $1 AND position > $2 AND position <= $3 AND NOT type = ANY('{%s}'::text[])
     ORDER BY position
"""
"""The events of a league between two positions, except those of some types."""


Stored = asyncpg.Record
"""The columns of :data:`READ`."""


class Unreadable(NamedTuple):
    """A stored event that is malformed, or whose type or version is unknown."""

    position: int
    type: str
    reason: str


Read = Happened[msgspec.Struct] | Unreadable
"""A row of the log, decoded without keys."""

_SOME = "WITH known AS (SELECT unnest(CAST(:leagues AS uuid[])) AS league)"

# Leagues without news are left out here, so a look at all leagues is one statement.
_BEHIND = """
    , heads AS MATERIALIZED (
        SELECT 'lge_' || replace(known.league::text, '-', '') AS league, last.position AS head
          FROM known
         CROSS JOIN LATERAL (SELECT position FROM events e WHERE e.league = known.league
                              ORDER BY position DESC LIMIT 1) last
    )
    SELECT heads.league, heads.head, program.name, done.version, done.broken_at
      FROM heads
     CROSS JOIN unnest(CAST(:names AS text[])) AS program(name)
      LEFT JOIN reads.checkpoint done ON done.league = heads.league AND done.name = program.name
     WHERE done.position IS NULL OR done.position < heads.head
     ORDER BY heads.league
"""
_HEAD = sa.text("SELECT position FROM events WHERE league = :league ORDER BY position DESC LIMIT 1")


async def head(connection: AsyncConnection, league: str) -> int:
    """Return the last position of *league*'s log, or -1. All positions up to it are visible."""
    found = await connection.execute(_HEAD, {"league": number_of(league)})
    position = found.scalar_one_or_none()
    return NOTHING if position is None else int(position)


async def behind(
    connection: AsyncConnection, names: Sequence[str], some: Collection[UUID] | None = None
) -> Sequence[sa.Row[str, int, str, int | None, int | None]]:
    """
    Return the leagues and projections that have events to apply, in one statement.

    Each row has ``league``, ``head`` and ``name``, and ``version`` and ``broken_at`` of the
    checkpoint, which are None if there is none.

    Args:
        some: Look at these leagues only.
    """
    if some is None:
        found = await connection.execute(sa.text(KNOWN + _BEHIND), {"names": list(names)})
    else:
        asked = {"names": list(names), "leagues": list(some)}
        found = await connection.execute(sa.text(_SOME + _BEHIND), asked)
    return found.all()


async def leagues(connection: AsyncConnection) -> list[str]:
    """Return every league that has a log."""
    found = await connection.execute(sa.text(LEAGUES))
    return [identifier("lge", each) for each in found.scalars()]


async def applied(connection: AsyncConnection, projection: Projection, league: str) -> int:
    """
    Return the last position applied, or -1 if there is none.

    Raises:
        VersionDiffers: If another version of the projection made the rows.
    """
    found = await connection.execute(
        sa.select(checkpoint.c.version, checkpoint.c.position).where(
            checkpoint.c.name == projection.name, checkpoint.c.league == league
        )
    )
    row = found.first()
    if row is None:
        return NOTHING
    if row.version != projection.version:
        raise VersionDiffers(
            f"{projection.name} of {league} is at version {row.version}, "
            f"this program has {projection.version}: rebuild it"
        )
    return int(row.position)


async def stored(
    connection: AsyncConnection, league: str, after: int, until: int, passed_over: frozenset[str]
) -> Sequence[Stored]:
    """Return the rows of the log after a position up to another one that were not voided."""
    driver, number = await driver_of(connection), number_of(league)
    rows = await driver.fetch(_reading(passed_over), number, after, until)
    away = await voided(driver, number) if rows else frozenset()
    return [row for row in rows if row[0] not in away] if away else rows


@lru_cache
def _reading(passed_over: frozenset[str]) -> str:
    """
    Return the statement that passes over some types of the catalogue.

    It names them, because PostgreSQL hashes a list that it knows when it plans. It would compare
    each type in a parameter with that of each row.
    """
    return READ % ",".join(sorted(passed_over))


def decoded(league: str, rows: Sequence[Stored]) -> list[Read]:
    """Return the events in *rows*. Nothing else turns a row into an event here."""
    read = _codec.public
    found: list[Read] = []
    for position, stream, stream_version, type_, schema_version, at, data in rows:
        try:
            event = read(stream, type_, schema_version, data)
        except EventUnreadable as error:
            found.append(Unreadable(position, type_, error.detail))
        else:
            found.append(Happened(league, position, stream, stream_version, at, event))
    return found


async def advance(
    connection: AsyncConnection,
    projection: Projection,
    league: str,
    known: frozenset[str],
    until: int,
    chunk: int = CHUNK,
) -> int:
    """
    Apply the next chunk inside the caller's transaction. Return the new checkpoint.

    The checkpoint moves to the last position that was scanned, even if no event was handled.

    Args:
        known: Every event type of the catalogue. Any other type stops the projection.
        until: The last position to scan.

    Raises:
        ProjectionBroken: If an event cannot be applied.
        CheckpointMoved: If another runner was quicker.
    """
    before = await applied(connection, projection, league)
    scanned = min(before + chunk, until)
    if scanned <= before:
        return before
    passed_over = known.difference(projection.handlers)
    events = decoded(league, await stored(connection, league, before, scanned, passed_over))
    try:
        await apply(connection, projection, league, events, before, scanned)
    except ProjectionBroken as error:
        # A quicker runner has written rows too, and they do not match the events read here.
        if await applied(connection, projection, league) != before:
            raise CheckpointMoved from error
        raise
    return scanned


async def apply(
    connection: AsyncConnection,
    projection: Projection,
    league: str,
    events: Sequence[Read],
    before: int,
    after: int,
) -> None:
    """
    Apply the *events* of one projection, and move its checkpoint from *before* to *after*.

    Raises:
        ProjectionBroken: If an event cannot be read or applied.
        CheckpointMoved: If the checkpoint was not at *before*.
    """
    batch = []
    for each in events:
        if isinstance(each, Unreadable):
            raise ProjectionBroken(projection.name, league, each.position, each.reason)
        batch.append(each)
    changes = await projection.gather(connection, batch)
    await changes.write(connection)
    await _move(connection, projection, league, before, after)


async def _move(
    connection: AsyncConnection, projection: Projection, league: str, before: int, after: int
) -> None:
    if before == NOTHING:
        made = insert(checkpoint).values(
            name=projection.name, league=league, version=projection.version, position=after
        )
        moved = await connection.execute(
            made.on_conflict_do_update(
                index_elements=["name", "league"],
                set_={"position": after, **_WHOLE},
                where=checkpoint.c.position == NOTHING,
            )
        )
    else:
        moved = await connection.execute(
            sa.update(checkpoint)
            .where(
                checkpoint.c.name == projection.name,
                checkpoint.c.league == league,
                checkpoint.c.version == projection.version,
                checkpoint.c.position == before,
            )
            .values(position=after, **_WHOLE)
        )
    if moved.rowcount != 1:
        raise CheckpointMoved(f"{projection.name} of {league} is no longer at {before}")


async def mark_broken(
    connection: AsyncConnection, projection: Projection, error: ProjectionBroken
) -> None:
    """Record on a league's checkpoint the event that stops the projection, and the reason."""
    said = error.reason.replace("\0", " ")[:500]  # PostgreSQL stores no NUL
    broken = {
        "broken_at": error.position,
        "reason": said,
        "broken_since": sa.func.service_time(),
    }
    made = insert(checkpoint).values(
        name=error.name,
        league=error.league,
        version=projection.version,
        position=NOTHING,
        **broken,
    )
    await connection.execute(
        made.on_conflict_do_update(index_elements=["name", "league"], set_=broken)
    )
