"""The log's events as projections read them: without keys, league by league."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.coordination.aggregates import DECIDERS
from engine.values import identifier, number_of
from service.base.errors import EventUnreadable
from service.log.codec import Codec
from service.log.keys import driver_of
from service.log.read import KNOWN, LEAGUES, voided
from service.projections.applying.checkpoints import misplaced
from service.projections.applying.projection import NOTHING, Happened

_codec = Codec(DECIDERS)

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
_BEHIND = f"""
    , heads AS MATERIALIZED (
        SELECT 'lge_' || replace(known.league::text, '-', '') AS league, last.position AS head
          FROM known
         CROSS JOIN LATERAL (SELECT position FROM events e WHERE e.league = known.league
                              ORDER BY position DESC LIMIT 1) last
    )
    SELECT heads.league, heads.head, program.name, done.version, done.position, done.broken_at,
           {misplaced("heads.head")} AS misplaced
      FROM heads
     CROSS JOIN unnest(CAST(:names AS text[])) AS program(name)
      LEFT JOIN reads.checkpoint done ON done.league = heads.league AND done.name = program.name
     WHERE done.position IS NULL OR done.position < heads.head OR {misplaced("heads.head")}
     ORDER BY heads.league
"""  # noqa: S608 - a constant

_HEAD = sa.text("SELECT position FROM events WHERE league = :league ORDER BY position DESC LIMIT 1")


async def head(connection: AsyncConnection, league: str) -> int:
    """Return the last position of *league*'s log, or -1. All positions up to it are visible."""
    found = await connection.execute(_HEAD, {"league": number_of(league)})
    position = found.scalar_one_or_none()
    return NOTHING if position is None else int(position)


async def behind(
    connection: AsyncConnection, names: Sequence[str], some: Collection[UUID] | None = None
) -> Sequence[sa.Row[str, int, str, int | None, int | None, int | None, bool]]:
    """
    Return the leagues and projections that have events to apply, in one statement.

    Each row has ``league``, ``head`` and ``name``, and ``version``, ``position`` and ``broken_at``
    of the checkpoint, which are None if there is none. A row that is ``misplaced`` may lack events
    that its position says it has.

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
