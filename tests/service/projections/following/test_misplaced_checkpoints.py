"""A checkpoint where no projector has put it is believed by nobody, and a rebuild mends it."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import psycopg
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from service.audit.run.league import audit_league
from service.base.database import async_engine
from service.cli import quarantine
from service.cli.checks.finding import CheckFailed
from service.cli.doctor import CHECKS
from service.director.runtime import Runtime
from service.log.keys import Keys
from service.people.memberships import merged_into, roles_of
from service.projections.following.measuring import measured
from service.projections.following.runner import Runner
from service.projections.following.troubles import Troubles
from service.projections.models.all import ALL
from service.projections.reads import queries
from service.projections.reads.progress import positions, wait_for
from service.projections.rebuilding.comparing import Difference, compare
from service.projections.rebuilding.rebuild import rebuild
from tests.service.director.test_directing import announced
from tests.service.league_night import played
from tests.service.tasks.test_measuring import told
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

MODEL = "tournaments"
FAR = 2**63 - 1
PATIENCE = 60.0
"""Seconds in which the old code would not have read up to a position that the log lacks."""


@pytest.fixture
async def superuser(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database.url("postgres"))
    await connection.execute(
        "ALTER TABLE reads.checkpoint DROP CONSTRAINT checkpoint_position_check"
    )
    yield connection
    await connection.close()


async def head_of(superuser: asyncpg.Connection) -> int:
    return int(await superuser.fetchval("SELECT max(position) FROM events"))


async def put(superuser: asyncpg.Connection, position: int, name: str = MODEL) -> None:
    put = "UPDATE reads.checkpoint SET position = $1 WHERE name = $2"
    assert await superuser.execute(put, position, name) == "UPDATE 1"


async def names_at_last(superuser: asyncpg.Connection) -> dict[str, int]:
    rows = await superuser.fetch("SELECT name, position FROM reads.checkpoint")
    return {row["name"]: row["position"] for row in rows}


async def test_an_audit_fails_at_once_wherever_a_checkpoint_was_put(
    database: TestDatabase, superuser: asyncpg.Connection
) -> None:
    night = await played(database, steps_max=8)
    projecting = async_engine(database.url("holotable_project"), 2)
    await Runner(projecting).catch_up()
    await projecting.dispose()
    head = await head_of(superuser)
    engine = async_engine(database.url("holotable_audit"), 2)
    for position in (head + 1, head + 1000, head + 10**9, FAR, -2, -FAR):
        await put(superuser, position)
        async with engine.connect() as connection, asyncio.timeout(PATIENCE):
            report = await audit_league(connection, Keys(SECRET_KEY), night.league)
        faults = [(fault.stream, fault.what) for each in report.checks for fault in each.faults]
        said = f"its checkpoint is at position {position}, where no projector has put it"
        assert [(stream, str(what)) for stream, what in faults] == [(MODEL, said)]
        assert report.not_compared == (MODEL,)
    await put(superuser, head)
    async with engine.connect() as connection:
        assert (await audit_league(connection, Keys(SECRET_KEY), night.league)).passed
    await engine.dispose()


@pytest.mark.parametrize("beyond", [1, 10**15])
async def test_a_projector_stops_at_a_misplaced_checkpoint_until_the_rebuild(
    database: TestDatabase,
    runtime: Runtime,
    superuser: asyncpg.Connection,
    projecting: AsyncEngine,
    capsys: pytest.CaptureFixture[str],
    beyond: int,
) -> None:
    """It never passes over an event, also if the log reaches the position, or it starts again."""
    league, _ = await announced(runtime, 0)
    runner = Runner(projecting)
    await runner.catch_up()
    place = await head_of(superuser) + beyond
    await put(superuser, place)
    await runner.catch_up()
    assert list(runner.stopped) == [(MODEL, league)]

    await announced(runtime, 0, league_id=league)
    await runner.catch_up()
    await Runner(projecting).catch_up()
    head = await head_of(superuser)
    assert await names_at_last(superuser) == {each.name: head for each in ALL} | {MODEL: place}
    assert not await wait_for(positions(projecting), MODEL, league, 0, 0)

    said = f"{MODEL} stopped in {league}: its checkpoint is at position {place}, where no projector"
    settings = database.settings("holotable_api")
    with pytest.raises(CheckFailed, match=said) as failed:
        await CHECKS["projections"](superuser, settings)
    [fault] = failed.value.faults
    assert fault.step == f"`holotable projections rebuild {MODEL}` as holotable_project"
    assert await Troubles(runtime.pool).warnings() == ["projection_outdated"]
    migrate = database.settings("holotable_migrate")
    assert await quarantine.release(migrate, league, f"projection/{MODEL}", skip=False) == 2
    assert await CHECKS["quarantine"](superuser, settings) == "no league is held"
    different = Difference(league, MODEL, "checkpoint", 1, 0, f"position {place}")
    async with asyncio.timeout(PATIENCE):
        assert await compare(database.settings("holotable_audit")) == [different]
        await rebuild(database.settings("holotable_project"), MODEL)

    await announced(runtime, 0, league_id=league)
    await runner.catch_up()
    head = await head_of(superuser)
    assert runner.stopped == {}
    assert await names_at_last(superuser) == {each.name: head for each in ALL}
    assert await compare(database.settings("holotable_audit")) == []
    await CHECKS["projections"](superuser, settings)
    assert await wait_for(positions(projecting), MODEL, league, head, 0)
    assert capsys.readouterr().out.count("its checkpoint is at position") == 2  # two runners


async def test_no_number_in_a_checkpoint_hides_how_far_others_are_behind(
    database: TestDatabase, runtime: Runtime, superuser: asyncpg.Connection, projecting: AsyncEngine
) -> None:
    league, _ = await announced(runtime, 0)
    await Runner(projecting).catch_up()
    await announced(runtime, 0)
    behind, outdated = (
        f"holotable_projection_{each} {MODEL}" for each in ("behind_events", "outdated")
    )

    def seen() -> dict[str, float]:
        with psycopg.connect(database.url("holotable_project")) as connection:
            found = told(measured(connection))
        return {name: its for name, its in found.items() if "behind_seconds" not in name}

    before = seen()
    assert before[behind] > 1
    for position in (FAR, 10**9, -FAR - 1):
        await put(superuser, position)
        assert seen() == before | {outdated: 1}
    assert league


async def test_roles_and_lists_follow_the_log_if_the_checkpoint_is_misplaced(
    database: TestDatabase, runtime: Runtime, superuser: asyncpg.Connection, projecting: AsyncEngine
) -> None:
    """A ban or a new member counts at once, however far the read model says it has come."""
    league, _ = await announced(runtime, 0)
    await Runner(projecting).catch_up()
    [owner] = [row[0] for row in await superuser.fetch("SELECT owner FROM reads.league")]
    await superuser.execute("DELETE FROM reads.member")
    engine = async_engine(database.url("holotable_api"), 1)
    async with engine.connect() as connection:
        assert await roles_of(connection, owner) == {}
        for position in (await head_of(superuser) + 1, FAR, -FAR - 1):
            await put(superuser, position, "members")
            assert await roles_of(connection, owner) == {league: "owner"}
            assert await merged_into(connection, owner) == []
            assert await queries.position_of(connection, "members", league) == -1
    await engine.dispose()


async def test_a_checkpoint_of_a_league_that_is_not_there_stops_no_rebuild(
    database: TestDatabase, runtime: Runtime, superuser: asyncpg.Connection, projecting: AsyncEngine
) -> None:
    await announced(runtime, 0)
    await Runner(projecting).catch_up()
    for name in ("lge_" + "0" * 32, "no league"):
        added = (
            "INSERT INTO reads.checkpoint (name, league, version, position) VALUES ($1, $2, 1, $3)"
        )
        await superuser.execute(added, MODEL, name, FAR)
    with pytest.raises(CheckFailed):
        await CHECKS["projections"](superuser, database.settings("holotable_api"))

    async with asyncio.timeout(PATIENCE):
        await rebuild(database.settings("holotable_project"), MODEL)

    await CHECKS["projections"](superuser, database.settings("holotable_api"))
    assert await names_at_last(superuser) == {each.name: await head_of(superuser) for each in ALL}


async def test_an_event_that_only_an_older_program_does_not_know_stops_no_newer_one(
    runtime: Runtime, superuser: asyncpg.Connection, projecting: AsyncEngine
) -> None:
    """It may record the event as unknown in the moment in which the newer one has applied it."""
    league, _ = await announced(runtime, 0)
    await Runner(projecting).catch_up()
    await superuser.execute(
        "UPDATE reads.checkpoint SET broken_at = position, reason = 'its type is not known',"
        " broken_since = now() WHERE name = $1",
        MODEL,
    )
    await announced(runtime, 0, league_id=league)
    runner = Runner(projecting)
    await runner.catch_up()
    assert runner.stopped == {}
    head = await superuser.fetchval("SELECT max(position) FROM events")
    row = await superuser.fetchrow(
        "SELECT position, broken_at FROM reads.checkpoint WHERE name = $1", MODEL
    )
    assert tuple(row) == (head, None)
