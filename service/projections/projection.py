"""
A projection: a name, a version, the events it handles, and what each does to its rows.

Rows and checkpoint change in one transaction by compare-and-set, so that two
runners can never apply a batch twice; an event that cannot be applied stops
that league's projection and is never skipped.  Nothing here asks for the time,
draws a number or looks at another read model: the same log gives the same rows.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.coordination.aggregates import DECIDERS
from engine.values import CATEGORIES, identifier, number_of
from service.base.errors import EventUnreadable
from service.log.catalogue import tag_of
from service.log.codec import Codec
from service.log.read import voided
from service.projections.changes import Changes
from service.projections.schema import checkpoint

CHUNK = 5_000
"""Positions in one transaction: long enough to amortise it, short enough to watch."""

NOTHING = -1
"""Checkpoint of who has applied nothing; the first event of a league has position 0."""

_PREFIXES = {category: prefix for prefix, category in CATEGORIES.items()}
_codec = Codec(DECIDERS)
_WHOLE = {"broken_at": None, "reason": None, "broken_since": None}
"""What a checkpoint says that moves on."""


class ProjectionBroken(Exception):
    """An event could not be applied; the league's projection stands before it until mended."""

    def __init__(self, name: str, league: str, position: int, reason: str) -> None:
        super().__init__(f"{name} of {league} stopped before position {position}: {reason}")
        self.name, self.league, self.position, self.reason = name, league, position, reason


class CheckpointMoved(Exception):
    """Somebody else applied this batch first; nothing of ours was kept."""


class VersionDiffers(Exception):
    """The rows were made by another version of the projection: they want a rebuild."""


Event = TypeVar("Event", bound=msgspec.Struct)
Read_co = TypeVar("Read_co", bound=msgspec.Struct, covariant=True)


class Happened(msgspec.Struct, Generic[Read_co], frozen=True):
    """
    An event as projections see it, and where it stands.

    It is the engine's event of today's version.  Its hidden places are closed: a projection
    holds no keys.
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
        """Identifier of the aggregate in whose stream this stands."""
        category, _, digits = self.stream.partition("-")
        return f"{_PREFIXES[category]}_{digits}"


Handler = Callable[[Changes, Happened[Any]], None]
"""Handles one type of event; :func:`on` has checked that it is the one it is kept under."""

Load = Callable[[AsyncConnection, Changes, list[Happened[msgspec.Struct]]], Awaitable[None]]
Settle = Callable[[Changes], None]
_Entry = tuple[str, Handler]


def on(event: type[Event], handler: Callable[[Changes, Happened[Event]], None]) -> _Entry:
    """Return the entry of a projection's handlers for one type of event."""
    return tag_of(event), handler


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """One read model."""

    name: str
    version: int
    relations: tuple[sa.Table, ...]
    handlers: Mapping[str, Handler]
    """
    By event type, made with :func:`on`.  Every other known type is passed over, an unknown
    one stops.
    """

    load: Load | None = None
    """Fetches what handlers must know of earlier batches; of this projection's own rows only."""

    settle: Settle | None = None
    """Works out, after the last event of a batch, what follows from several events together."""

    async def gather(
        self, connection: AsyncConnection, batch: list[Happened[msgspec.Struct]]
    ) -> Changes:
        """
        Return what *batch* changes.

        Raises:
            ProjectionBroken: If an event has no handler's shape.
        """
        changes = Changes()
        if self.load is not None and batch:
            await self.load(connection, changes, batch)
        for happened in batch:
            with self._loudly(happened):
                self.handlers[happened.type](changes, happened)
        if self.settle is not None and batch:
            with self._loudly(batch[-1]):
                self.settle(changes)
        return changes

    @contextmanager
    def _loudly(self, at: Happened[msgspec.Struct]) -> Iterator[None]:
        try:
            yield
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            reason = f"{at.type}: {type(error).__name__} {error}"
            raise ProjectionBroken(self.name, at.league, at.position, reason) from error


_READ = sa.text(
    """
    SELECT position, stream, stream_version, type, schema_version, at, data::text AS data
    FROM events
    WHERE league = :league AND position > :after AND position <= :until
      AND NOT type = ANY(CAST(:passed_over AS text[]))
    ORDER BY position
    """
)
_Stored = sa.Row[int, str, int, str, int, datetime, str]
"""What :data:`_READ` returns."""

_ALL = """
    WITH RECURSIVE known AS (
        (SELECT league FROM events ORDER BY league LIMIT 1)
        UNION ALL
        SELECT (SELECT e.league FROM events e WHERE e.league > k.league ORDER BY e.league LIMIT 1)
          FROM known k WHERE k.league IS NOT NULL
    )
"""
"""Every league that has a log, by jumping from one to the next in its index."""

_SOME = "WITH known AS (SELECT unnest(CAST(:leagues AS uuid[])) AS league)"

# What has nothing new is left out here, so a look at leagues without news is one statement.
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
    """Return the last position of *league*'s log, -1 if it is empty; all below it is visible."""
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
        found = await connection.execute(sa.text(_ALL + _BEHIND), {"names": list(names)})
    else:
        asked = {"names": list(names), "leagues": list(some)}
        found = await connection.execute(sa.text(_SOME + _BEHIND), asked)
    return found.all()


async def leagues(connection: AsyncConnection) -> list[str]:
    """Return every league that has a log, by jumping from one to the next in its index."""
    following = sa.text("SELECT league FROM events WHERE league > :after ORDER BY league LIMIT 1")
    found: list[str] = []
    after = UUID(int=0)
    while (row := (await connection.execute(following, {"after": after})).first()) is not None:
        after = row.league
        found.append(identifier("lge", after))
    return found


async def applied(connection: AsyncConnection, projection: Projection, league: str) -> int:
    """
    Return the last position applied; -1 if none.

    Raises:
        VersionDiffers: If what stands there was made by another version.
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


async def advance(
    connection: AsyncConnection,
    projection: Projection,
    league: str,
    known: frozenset[str],
    until: int,
    chunk: int = CHUNK,
) -> int:
    """
    Apply the next chunk inside the caller's transaction; return the new checkpoint.

    The checkpoint goes to the position that was *scanned*, handled or not.

    Args:
        known: Every event type of the catalogue; what is not in it stops the projection.
        until: Positions after this one are left alone.

    Raises:
        ProjectionBroken: If an event cannot be applied.
        CheckpointMoved: If another runner was quicker.
    """
    before = await applied(connection, projection, league)
    scanned = min(before + chunk, until)
    if scanned <= before:
        return before
    found = await connection.execute(
        _READ,
        {
            "league": number_of(league),
            "after": before,
            "until": scanned,
            "passed_over": sorted(known - projection.handlers.keys()),
        },
    )
    rows: Sequence[_Stored] = found.all()
    away = await voided(connection, league) if rows else frozenset()
    batch = [_happened(projection, league, row) for row in rows if row.position not in away]
    try:
        changes = await projection.gather(connection, batch)
    except ProjectionBroken as error:
        # Whoever was quicker has written rows too, which do not go with what was read here.
        if await applied(connection, projection, league) != before:
            raise CheckpointMoved from error
        raise
    await changes.write(connection)
    await _move(connection, projection, league, before, scanned)
    return scanned


def _happened(projection: Projection, league: str, row: _Stored) -> Happened[msgspec.Struct]:
    """
    Return the event in a row of the log; there is no other way from a row to an event here.

    Raises:
        ProjectionBroken: If the event is of an unknown type or version, or malformed.
    """
    position, stream, stream_version, type_, schema_version, at, data = row
    try:
        event = _codec.public(stream, type_, schema_version, data.encode())
    except EventUnreadable as error:
        raise ProjectionBroken(projection.name, league, position, error.detail) from error
    return Happened(league, position, stream, stream_version, at, event)


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
    """Write beside the checkpoint of a league which event stops the projection there, and why."""
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
