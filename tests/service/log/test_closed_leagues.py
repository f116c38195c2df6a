"""A league that an operator has closed takes no command, whichever process decided it and when."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.values import number_of
from service.base import heartbeats
from service.base.database import async_engine, pool
from service.base.errors import LeagueSuspended, StreamNotFound, UnderMaintenance
from service.log.writer import Writer
from service.people import maintenance, suspending
from tests.service.log.test_writer import BLOCKED, start, superuser, writer
from tests.support.counters import command, counting, new_league, stream
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

__all__ = ["start", "superuser", "writer"]

WHY = "a drill"


@pytest.fixture
async def operators(database: TestDatabase) -> AsyncIterator[AsyncEngine]:
    """Connections with the login of an operator's commands."""
    made = async_engine(database.url("holotable_migrate"), 2)
    yield made
    await made.dispose()


async def blocked(superuser: asyncpg.Connection) -> bool:
    return bool(await superuser.fetchval(BLOCKED))


async def test_a_suspended_league_takes_nothing_and_others_go_on(
    writer: Writer, operators: AsyncEngine
) -> None:
    league, other = new_league(), new_league()
    first = command()
    receipt = await writer.submit(league, first, counting(stream(1)))
    async with operators.begin() as connection:
        assert await suspending.suspend_league(connection, league, "operator", WHY)
        assert not await suspending.suspend_league(connection, league, "operator", WHY)
    with pytest.raises(LeagueSuspended):
        await writer.submit(league, command(), counting(stream(1)))
    again = await writer.submit(league, first, counting(stream(1)))
    assert again.last_position == receipt.last_position
    await writer.submit(other, command(), counting(stream(1)))
    assert (await writer.load(league, stream(1))).state.total == 1
    async with operators.begin() as connection:
        assert await suspending.restore_league(connection, league, "operator", WHY)
        assert not await suspending.restore_league(connection, league, "operator", WHY)
    await writer.submit(league, command(), counting(stream(1)))
    assert (await writer.load(league, stream(1))).state.total == 2


async def test_a_command_that_was_decided_before_the_suspension_is_refused_after_it(
    writer: Writer, operators: AsyncEngine, superuser: asyncpg.Connection
) -> None:
    league = new_league()
    await writer.submit(league, command(), counting(stream(1)))
    async with operators.begin() as connection:
        await suspending.suspend_league(connection, league, "operator", WHY)
        late = asyncio.create_task(writer.submit(league, command(), counting(stream(1))))
        await until_awaited(lambda: blocked(superuser))
    with pytest.raises(LeagueSuspended):
        await late
    assert (await writer.load(league, stream(1))).state.total == 1


async def test_a_suspension_that_is_rolled_back_refuses_nothing(
    writer: Writer, operators: AsyncEngine, superuser: asyncpg.Connection
) -> None:
    league = new_league()
    await writer.submit(league, command(), counting(stream(1)))
    async with operators.connect() as connection:
        await suspending.suspend_league(connection, league, "operator", WHY)
        late = asyncio.create_task(writer.submit(league, command(), counting(stream(1))))
        await until_awaited(lambda: blocked(superuser))
        await connection.rollback()
    await late
    assert await superuser.fetchval("SELECT count(*) FROM operator_deed") == 0


async def test_maintenance_closes_every_league_also_one_that_is_founded_meanwhile(
    writer: Writer, operators: AsyncEngine, superuser: asyncpg.Connection
) -> None:
    league = new_league()
    await writer.submit(league, command(), counting(stream(1)))
    async with operators.begin() as connection:
        assert await maintenance.begin(connection, "operator", WHY, 7)
        waiting = [
            asyncio.create_task(writer.submit(each, command(), counting(stream(1))))
            for each in (league, new_league())
        ]
        await until_awaited(lambda: blocked(superuser))
    for each in waiting:
        with pytest.raises(UnderMaintenance) as refused:
            await each
        assert refused.value.seconds == 7
    async with operators.begin() as connection:
        assert not await maintenance.begin(connection, "operator", WHY, 7)
    async with operators.begin() as connection:
        assert await maintenance.end(connection, "operator", WHY)
        assert not await maintenance.end(connection, "operator", WHY)
    await writer.submit(league, command(), counting(stream(1)))
    kinds = await superuser.fetch("SELECT kind, league, reason FROM operator_deed ORDER BY id")
    assert [tuple(each) for each in kinds] == [
        ("maintenance_began", None, WHY),
        ("maintenance_ended", None, WHY),
    ]


async def test_a_suspension_is_an_outage_of_its_league_alone_and_maintenance_of_all(
    database: TestDatabase, writer: Writer, operators: AsyncEngine
) -> None:
    league, other = new_league(), new_league()
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    for each in (league, other):
        await writer.submit(each, command(), counting(stream(1)))
    async with operators.begin() as connection:
        await suspending.suspend_league(connection, league, "operator", WHY)
    async with operators.begin() as connection:
        await suspending.restore_league(connection, league, "operator", WHY)
    async with await pool(database.url("holotable_worker")) as connections:

        async def outages() -> list[int]:
            return [
                len(await heartbeats.outages_since(connections, number_of(each), long_ago))
                for each in (league, other)
            ]

        assert await outages() == [1, 0]
        async with operators.begin() as connection:
            await maintenance.begin(connection, "operator", WHY, 7)
        async with operators.begin() as connection:
            await maintenance.end(connection, "operator", WHY)
        assert await outages() == [2, 1]


async def test_an_outage_from_before_a_league_came_counts_from_its_arrival(
    database: TestDatabase, writer: Writer, superuser: asyncpg.Connection
) -> None:
    league, other = new_league(), new_league()
    for each in (league, other):
        await writer.submit(each, command(), counting(stream(1)))
    now, second = datetime.now(UTC), timedelta(seconds=1)
    long_ago, began, came, ended = [now - timedelta(minutes=each) for each in (90, 60, 30, 20)]
    kept = "INSERT INTO outage (process, since_at, until_at) VALUES ('api', $1, $2)"
    await superuser.execute(kept, began, ended)
    await superuser.execute("INSERT INTO heartbeat (process, at) VALUES ('worker', $1)", began)
    here = "UPDATE append_turn SET here_since = $2 WHERE league = $1"
    await superuser.execute(here, number_of(league), came)
    async with await pool(database.url("holotable_worker")) as connections:
        for name, since, over in ((league, came, "none"), (other, began, "over")):
            one = number_of(name)
            assert await heartbeats.outages_since(connections, one, long_ago) == [(since, ended)]
            known = await heartbeats.outages_known(connections, one, long_ago, now, second)
            assert sorted(known) == [(since, ended), (since, now)]
            earlier = await heartbeats.outages_known(connections, one, long_ago, came, second)
            assert earlier == ([] if name == league else [(began, came), (began, came)])
            bounds = long_ago, came - second
            assert await heartbeats.interruption(connections, one, *bounds, second) == over
            late = long_ago, came + second
            assert await heartbeats.interruption(connections, one, *late, second) == "over"


async def test_what_does_not_exist_cannot_be_suspended(operators: AsyncEngine) -> None:
    async with operators.connect() as connection:
        for named in ("lge_7", new_league(), "Cloud City"):
            with pytest.raises(StreamNotFound):
                await suspending.suspend_league(connection, named, "operator", WHY)
