"""The commands that wait at the writer are bounded in number and in time."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from msgspec.structs import replace

from engine.values import number_of
from service.base.addresses import asyncpg_dsn
from service.base.errors import Overloaded, StoreUnavailable
from service.log import waiting
from service.log.orders import HOUSE
from service.log.read import read_league
from service.log.store import PostgresStore
from service.log.writer import Writer
from tests.service.log.test_writer import BLOCKED
from tests.support.counters import DECIDERS, command, counting, new_league, stream
from tests.support.databases import SECRET_KEY, TestDatabase
from tests.support.logs import utcnow
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

WAITING = 2


@pytest.fixture
async def writer(database: TestDatabase) -> AsyncIterator[Writer]:
    """A writer at which two commands of a league may wait."""
    store = PostgresStore(database.url(), SECRET_KEY)
    made = Writer(store, DECIDERS, utcnow, waiting=WAITING)
    await made.start()
    yield made
    await made.aclose()


@pytest.fixture
async def holder(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    """A session that can hold up every append."""
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    yield connection
    await connection.close()


async def test_a_full_queue_refuses_at_once_and_the_house_goes_on(
    writer: Writer, holder: asyncpg.Connection
) -> None:
    """Another league has a queue of its own. All that was accepted is in the log once."""
    league, other = new_league(), new_league()
    await writer.submit(league, command(), counting(stream(1)))
    held = holder.transaction()
    await held.start()
    await holder.execute("LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE")

    async def blocked() -> bool:
        return bool(await holder.fetchval(BLOCKED))

    tasks = [asyncio.create_task(writer.submit(league, command(), counting(stream(1))))]
    await until_awaited(blocked)
    tasks += [
        asyncio.create_task(writer.submit(league, command(), counting(stream(1))))
        for _ in range(WAITING)
    ]
    await asyncio.sleep(0)  # each has entered the queue
    refused = command()
    with pytest.raises(Overloaded):
        await writer.submit(league, refused, counting(stream(1)))
    of_house = replace(command(), actor=HOUSE)
    tasks.append(asyncio.create_task(writer.submit(league, of_house, counting(stream(1)))))
    elsewhere = asyncio.create_task(writer.submit(other, command(), counting(stream(1))))
    await asyncio.sleep(0)
    assert not any(each.done() for each in (*tasks, elsewhere))
    await held.rollback()
    receipts = await asyncio.gather(*tasks, elsewhere)
    assert [receipt.duplicate for receipt in receipts] == [False] * len(receipts)
    rows = await read_league(holder, number_of(league), -1, 100)
    assert [row.position for row in rows] == list(range(5))
    assert refused.command_id not in {row.about().command_id for row in rows}


async def test_a_command_that_waited_too_long_for_its_turn_is_refused_and_not_done_later(
    writer: Writer, holder: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league()
    held = holder.transaction()
    await writer.submit(league, command(), counting(stream(1)))
    await held.start()
    await holder.execute("LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE")

    async def blocked() -> bool:
        return bool(await holder.fetchval(BLOCKED))

    first = asyncio.create_task(writer.submit(league, command(), counting(stream(1))))
    await until_awaited(blocked)
    monkeypatch.setattr(waiting, "PATIENT_SECONDS", -1.0)
    late, of_house = command(), replace(command(), actor=HOUSE)
    tasks = [
        asyncio.create_task(writer.submit(league, each, counting(stream(1))))
        for each in (late, of_house)
    ]
    await asyncio.sleep(0)
    await held.rollback()
    assert (await first).first_position == 1
    with pytest.raises(StoreUnavailable, match="nothing was done"):
        await tasks[0]
    assert (await tasks[1]).first_position == 2
    monkeypatch.setattr(waiting, "PATIENT_SECONDS", 60.0)
    assert (await writer.submit(league, late, counting(stream(1)))).first_position == 3
