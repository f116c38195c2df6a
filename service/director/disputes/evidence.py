"""
The evidence that the service attaches to a claim. Nobody can choose it or leave parts out.

Evidence holds events with their receive times, and commands refused meanwhile. It also holds the
signed head that covers the events, and earlier disputes ruled by the same rules.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg
import msgspec
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.dispute.values import Evidence, Recorded, Refused, Subject
from engine.values import DisputeId, PlayerId, number_of, stream_of
from service.log.orders import HOUSE
from service.log.record import Metadata
from service.log.streams import table_stream
from service.projections.reads import dispute_queries, queries

EVENTS_MAX = 400
"""The most events of one claim. The newest are attached, and the rest are counted."""

REFUSED_MAX = 200
EARLIER_MAX = 50

_EVENTS = """
    SELECT position, stream_version, type, hash, at, metadata FROM events
     WHERE league = $1 AND stream = $2 AND position BETWEEN $3 AND $4
     ORDER BY stream_version DESC LIMIT $5
"""
_COUNT = """
    SELECT count(*) FROM events
     WHERE league = $1 AND stream = $2 AND position BETWEEN $3 AND $4
"""
_REFUSED = """
    SELECT received_at, account, code FROM refused_command
     WHERE stream = $1 AND league = $2 AND received_at BETWEEN $3 AND $4
     ORDER BY id DESC LIMIT $5
"""
_HEAD = """
    SELECT epoch, size, root FROM checkpoint
     WHERE league = $1 AND size > $2
       AND epoch = coalesce((SELECT epoch FROM league_epoch WHERE league = $1), 0)
     ORDER BY size LIMIT 1
"""
_LAST = 2**62


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of the log that a dispute is about."""

    stream: str
    first: int
    last: int
    """The first and last positions. The last may be beyond the end of the log."""


async def stretch_of(engine: AsyncEngine, subject: Subject) -> Stretch:
    """Return the stretch of a hand's events. For other subjects it is their whole stream."""
    if subject.hand is None:
        return Stretch(stream_of(str(subject.tournament or subject.season)), 0, _LAST)
    async with engine.connect() as connection:
        row = await queries.hand(connection, subject.hand)
    if row is None:
        return Stretch(stream_of(str(subject.table)), 0, _LAST)
    last = row.last_position if row.state in ("settled", "voided") else _LAST
    return Stretch(table_stream(row.table), row.first_position, last)


async def gather(
    pool: asyncpg.Pool,
    engine: AsyncEngine,
    league: str,
    subject: Subject,
    rules: Sequence[str],
    now: datetime,
) -> Evidence:
    """
    Return the evidence about *subject* at this moment.

    Args:
        pool: Connections with the right to read the log, its heads and refused commands.
        rules: The slugs of the rules that the claim names.
    """
    number, where = number_of(league), await stretch_of(engine, subject)
    bounds = (number, where.stream, where.first, where.last)
    rows = list(reversed(await pool.fetch(_EVENTS, *bounds, EVENTS_MAX)))
    count = await pool.fetchval(_COUNT, *bounds)
    events = tuple(_recorded(row) for row in rows)
    refused: tuple[Refused, ...] = ()
    if events:
        until = events[-1].at if where.last < _LAST else now
        refused = await _refused(pool, number, where.stream, events[0].at, until)
    head = await pool.fetchrow(_HEAD, number, events[-1].position if events else _LAST)
    earlier: list[str] = []
    if rules:
        async with engine.connect() as connection:
            earlier = await dispute_queries.disputes_ruled(
                connection, league, rules, limit=EARLIER_MAX
            )
    return Evidence(
        stream=where.stream,
        events=events,
        left_out=count - len(events),
        digest=hashlib.sha256(b"".join(row["hash"] for row in rows)).hexdigest(),
        refused=refused,
        epoch=None if head is None else head["epoch"],
        size=None if head is None else head["size"],
        root=None if head is None else head["root"].hex(),
        earlier=tuple(DisputeId(each) for each in earlier),
        replay=_replay(subject),
    )


def _replay(subject: Subject) -> str | None:
    if subject.hand is None:
        return None
    address = f"/v1/hands/{subject.hand}/replay"
    return address if subject.step is None else f"{address}?step={subject.step}"


def _recorded(row: asyncpg.Record) -> Recorded:
    sent = msgspec.json.decode(row["metadata"], type=Metadata)
    return Recorded(
        position=row["position"],
        version=row["stream_version"],
        type=row["type"],
        hash=row["hash"].hex(),
        at=row["at"],
        received_at=None if sent.actor == HOUSE else sent.received_at,
    )


async def _refused(
    pool: asyncpg.Pool, league: UUID, stream: str, since: datetime, until: datetime
) -> tuple[Refused, ...]:
    rows = await pool.fetch(_REFUSED, stream, league, since, until, REFUSED_MAX)
    return tuple(
        Refused(
            received_at=row["received_at"],
            player=PlayerId(f"plr_{row['account'].hex}"),
            code=row["code"],
        )
        for row in reversed(rows)
    )
