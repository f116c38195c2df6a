"""Since when leagues stand still, as one process knows it."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from engine.values import identifier
from service.api.http.declaring.doors import Doors
from service.base.database import pool
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
CAME, NATIVE = UUID(int=1), UUID(int=2)


def at(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


async def test_closures_of_a_cell_count_for_a_league_only_from_its_arrival(
    database: TestDatabase,
) -> None:
    """It came at minute 10, and brought its outages. The cell had been closed since minute 1."""
    turn = "INSERT INTO append_turn (league, suspended_at, here_since) VALUES ($1, $2, $3)"
    outage = "INSERT INTO outage (process, since_at, until_at, league) VALUES ($1, $2, $3, $4)"
    async with await pool(database.url("postgres")) as connections:
        doors = Doors(connections, lambda _: None)

        async def seen() -> tuple[datetime | None, datetime | None]:
            await doors.look()
            return tuple(doors.closed_since(identifier("lge", each)) for each in (CAME, NATIVE))

        await connections.execute(turn, CAME, None, at(10))
        assert await seen() == (None, None)
        await connections.execute(outage, "before", at(2), at(9), CAME)
        await connections.execute(
            "INSERT INTO maintenance (since_at, retry_seconds) VALUES ($1, 60)", at(1)
        )
        assert await seen() == (at(10), at(1))
        assert doors.maintenance == 60
        assert doors.suspended == {}
        await connections.execute(outage, "around", at(9), at(11), CAME)
        assert await seen() == (at(2), at(1)), "its own outages reach back before its arrival"
        await connections.execute("DELETE FROM outage")
        await connections.execute("DELETE FROM maintenance")
        await connections.execute(outage, "maintenance", at(1), at(20), None)
        assert await seen() == (None, None)
        await connections.execute("UPDATE append_turn SET suspended_at = $1", at(15))
        assert await seen() == (at(10), None)
        await connections.execute(turn, NATIVE, at(15), None)
        assert await seen() == (at(10), at(1))
        assert doors.suspended[identifier("lge", CAME)] == at(15)
