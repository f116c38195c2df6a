"""The report is the same in any order of units and for any division of the bytes."""

import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import asyncpg
import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of
from service.audit.bytes.tree import Vouched
from service.audit.report import Report
from service.audit.run.league import audit_league
from service.audit.run.plan import Plan, make_plan
from service.audit.run.units import Part, finish, perform
from service.base.database import async_engine
from service.log.keys import Keys, driver_of
from service.projections.following.runner import Runner
from service.tasks.audits import as_text
from service.transparency.ledger import TILE
from tests.service.league_night import Night, played
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

CHIP = """
    UPDATE events SET data = replace(data::text, '"paid":2', '"paid":3')::json
     WHERE league = $1 AND position = (SELECT max(position) FROM events
        WHERE league = $1 AND type = 'seat_acted' AND data::text LIKE '%"paid":2,%')
"""
GAP = "DELETE FROM events WHERE league = $1 AND position = 255"
HEAD = "UPDATE events SET hash = sha256(hash) WHERE league = $1 AND position = 255"
BLANK = """
    UPDATE events SET data = replace(data::text, ',', ', ')::json
     WHERE league = $1 AND position = 256
"""
FORGED = "UPDATE events SET metadata = '{}' WHERE league = $1 AND position BETWEEN 254 AND 257"

NOBODYS = r"""
    UPDATE events
       SET data = replace(data::text, '"tournament":"trn_', '"tournament":"\u0000_')::json
     WHERE league = $1 AND type = 'table_opened'
"""
"""A document that PostgreSQL refuses to return as text."""


@pytest.fixture
async def night(database: TestDatabase) -> Night:
    """One append that crosses two chunk ends, and a night after it."""
    found = await played(database, members=600)
    projecting = async_engine(database.url("holotable_project"), 2)
    await Runner(projecting).catch_up()
    await projecting.dispose()
    return found


@pytest.fixture
async def connection(database: TestDatabase) -> AsyncIterator[AsyncConnection]:
    engine = async_engine(database.url("holotable_audit"), 2)
    async with engine.connect() as found:
        yield found
    await engine.dispose()


async def done(connection: AsyncConnection, plan: Plan, order: list[int]) -> Report:
    """Perform the units of *plan* in *order*."""

    async def told(_weight: int) -> None:
        pass

    keys = await Keys(SECRET_KEY).of(await driver_of(connection), number_of(plan.league))
    parts: list[Part] = []
    for number in order:
        parts.append(await perform(connection, keys, plan, plan.units[number], told))
    return await finish(connection, plan, parts, 0)


@pytest.mark.parametrize("done_to_it", [None, CHIP, GAP, HEAD, BLANK, FORGED, NOBODYS])
async def test_units_in_any_order_and_chunks_of_any_size_give_one_report(
    database: TestDatabase, night: Night, connection: AsyncConnection, done_to_it: str | None
) -> None:
    if done_to_it is not None:
        superuser = await asyncpg.connect(database.url("postgres"))
        await superuser.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        assert not (await superuser.execute(done_to_it, number_of(night.league))).endswith(" 0")
        await superuser.close()
    whole = await audit_league(connection, Keys(SECRET_KEY), night.league)
    assert whole.passed is (done_to_it is None), whole.text()
    plan = await make_plan(await driver_of(connection), night.league, None, None, chunk=TILE)
    assert sum(unit.kind == "places" for unit in plan.units) >= 3
    assert {unit.kind for unit in plan.units} == {
        "places", "tournament", "season", "league", "projection", "jobs",
    }  # fmt: skip
    orders = [list(range(len(plan.units))) for _ in range(4)]
    orders[1].reverse()
    for seed in (2, 3):
        random.Random(seed).shuffle(orders[seed])

    for order in orders:
        assert replace(await done(connection, plan, order), seconds=whole.seconds) == whole


async def test_a_part_that_another_process_made_is_the_part(
    night: Night, connection: AsyncConnection
) -> None:
    """Plans and parts travel between processes as JSON."""
    driver = await driver_of(connection)
    plan = await make_plan(driver, night.league, None, None, chunk=TILE)
    assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan


def test_a_plan_is_kept_as_text_also_of_a_log_with_stored_subtrees() -> None:
    plan = Plan(
        league="lge_" + "0" * 32, tournament=None, now=datetime(2026, 11, 22, tzinfo=UTC),
        until=4307, vouched=(Vouched(size=4300, root=bytes(32), by="holotable.local"),),
        grown={8: 15, 16: 0}, generator=None, units=(),
    )  # fmt: skip
    assert msgspec.json.decode(as_text(plan), type=Plan) == plan


async def test_voided_events_at_the_end_of_a_chunk_keep_their_places(
    database: TestDatabase, night: Night, connection: AsyncConnection
) -> None:
    """The append that crosses the end lost events on both sides of it."""
    superuser = await asyncpg.connect(database.url("postgres"))
    await superuser.execute("ALTER TABLE events DISABLE TRIGGER ALL")
    await superuser.execute(
        FORGED.replace("BETWEEN 254 AND 257", "BETWEEN 254 AND 256"), number_of(night.league)
    )
    await superuser.close()
    made = await make_plan(await driver_of(connection), night.league, None, None, chunk=TILE)
    places = tuple(unit for unit in made.units if unit.kind == "places")
    for voided, faulty in (((), True), ((254, 255, 256), False), ((255, 256), True)):
        plan = replace(made, units=places, voided=voided)
        report = await done(connection, plan, list(range(len(places))))
        assert any(check.failed for check in report.checks if check.name == "event_ids") is faulty
