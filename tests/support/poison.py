"""Malformed events, which the log's owner inserts past every check."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import asyncpg

from engine.values import number_of
from service.log.catalogue import events_by_category, tag_of
from service.log.upcasters import current_version
from tests.support.databases import TestDatabase

MALFORMED = (
    "{}",
    "[]",
    "7",
    '{"type": 5}',
    json.dumps(dict.fromkeys(("due", "until", "next_at", "starts_at", "recurrence"), 7)),
    json.dumps({"type": "break_started", "due": "tomorrow"}),
)

UNREADABLE = json.dumps({"correlation_id": "\0"})
"""Metadata that PostgreSQL stores as ``json`` and whose member no statement can read."""

CATEGORIES = {
    tag_of(event): category for category, events in events_by_category().items() for event in events
}
PLANT = """
    INSERT INTO events (league, position, stream, stream_version, event_id, type,
                        schema_version, at, data, metadata, hash)
    SELECT $1, coalesce(max(position), -1) + 1, $2,
           coalesce(max(stream_version) FILTER (WHERE stream = $2), 0) + 1,
           gen_random_uuid(), $3, $4, clock_timestamp(), $5, $7::text::json, $6
      FROM events WHERE league = $1 RETURNING position
"""


@asynccontextmanager
async def owning(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    """Connect as the role that owns the log and can insert any row."""
    connection = await asyncpg.connect(database.url("holotable_migrate"))
    await connection.execute("SET ROLE holotable_owner")
    yield connection
    await connection.close()


async def plant(
    owner: asyncpg.Connection,
    league: str,
    kind: str,
    data: Any,
    *,
    version: int | None = None,
    stream: str | None = None,
    metadata: str = "{}",
) -> int:
    """Insert an event into the log past every check, and return its position."""
    version = current_version(kind) if version is None else version
    stream = stream or f"{CATEGORIES.get(kind, 'tournament')}-{uuid4().hex}"
    text = data if isinstance(data, str) else json.dumps(data)
    position: int = await owner.fetchval(
        PLANT, number_of(league), stream, kind, version, text, bytes(32), metadata
    )
    return position


async def bare_league(owner: asyncpg.Connection) -> str:
    """Make a league that has a key but no event, and return its identifier."""
    number = uuid4()
    await owner.execute("INSERT INTO key VALUES ($1, gen_random_uuid(), '')", number)
    return f"lge_{number.hex}"
