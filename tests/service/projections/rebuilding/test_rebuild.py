"""A rebuilt read model equals the live one row by row, and replaces it without a gap."""

import asyncio

import asyncpg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from service.base.database import async_engine
from service.cli.doctor import CHECKS
from service.projections.applying.events import head
from service.projections.following.runner import Runner
from service.projections.models.all import ProjectionUnknown
from service.projections.reads import queries
from service.projections.rebuilding import rebuild as rebuilding
from service.projections.rebuilding import scanning
from service.projections.rebuilding.comparing import compare
from service.projections.rebuilding.rebuild import RebuildRefused, _alone, rebuild
from tests.service.league_night import played
from tests.service.projections.test_projections import rows_of
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

PROJECT = "holotable_project"


async def test_rebuilt_rows_are_the_live_rows(database: TestDatabase) -> None:
    """The same log always gives the same rows."""
    await played(database)
    engine = async_engine(database.url(PROJECT), 2)
    await Runner(engine, chunk=9).catch_up()
    before = await rows_of(engine)

    seen: list[tuple[int, int]] = []
    settings = database.settings(PROJECT)
    await rebuild(settings, "all", lambda done, total: seen.append((done, total)))

    after = await rows_of(engine)
    await engine.dispose()
    assert after == before
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.parametrize(
    "bounds",
    [{"PAGE": 7, "POSITIONS": 20, "_TOGETHER": 2}, {"PAGE": 7, "BYTES": 1}],
    ids=["positions", "bytes"],
)
async def test_batches_may_end_anywhere(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch, bounds: dict[str, int]
) -> None:
    """A batch ends at the first bound, in the middle of a hand or between two pages."""
    night = await played(database)
    engine = async_engine(database.url(PROJECT), 2)
    await Runner(engine).catch_up()
    before = await rows_of(engine)
    for name, bound in bounds.items():
        monkeypatch.setattr(scanning, name, bound)
    ends: list[int] = []

    await rebuild(database.settings(PROJECT), "all", lambda done, _total: ends.append(done))

    async with engine.connect() as connection:
        events = await head(connection, night.league) + 1
    assert ends[-1] == events
    assert len(ends) > events // 30
    assert await rows_of(engine) == before
    await engine.dispose()


async def test_a_projection_that_the_database_refuses_stops_no_other(
    database: TestDatabase,
) -> None:
    """The others are rebuilt, its own rows stay, and the error tells which one it is."""
    await played(database)
    engine = async_engine(database.url(PROJECT), 2)
    await Runner(engine).catch_up()
    before = await rows_of(engine)
    connection = await asyncpg.connect(database.url("postgres"))
    # The rows of a rebuild are made under the same constraints as those in use.
    await connection.execute("ALTER TABLE reads.seat ADD CHECK (seat < 1) NOT VALID")
    await connection.execute('UPDATE reads.entrant SET "placing" = 9')
    await connection.close()

    with pytest.raises(IntegrityError) as refused:
        await rebuild(database.settings(PROJECT))

    assert refused.value.__notes__ == ["The projection tables was not rebuilt."]
    assert await rows_of(engine) == before
    await engine.dispose()


async def test_the_runner_goes_on_after_a_rebuild(database: TestDatabase) -> None:
    """The new relations keep checkpoint and grants, so readers and runner go on."""
    await played(database, "first")
    engine = async_engine(database.url(PROJECT), 2)
    reading = async_engine(database.url(), 2)
    runner = Runner(engine)
    await runner.catch_up()
    await rebuild(database.settings(PROJECT), "tournaments")
    night = await played(database, "second")

    await runner.catch_up()

    async with reading.connect() as connection:
        [tournament] = await queries.tournaments(connection, night.league)
    assert tournament.state == "finished"
    assert await compare(database.settings(PROJECT)) == []
    await engine.dispose()
    await reading.dispose()


async def test_lost_rows_come_back(database: TestDatabase) -> None:
    """A read model never holds the only copy of anything."""
    await played(database)
    engine = async_engine(database.url(PROJECT), 2)
    await Runner(engine).catch_up()
    before = await rows_of(engine)
    connection = await asyncpg.connect(database.url("postgres"))
    await connection.execute('UPDATE reads.entrant SET "placing" = 9; DELETE FROM reads.hand')
    await connection.close()
    settings = database.settings("holotable_audit")

    differences = await compare(settings)
    await rebuild(database.settings(PROJECT))

    assert {difference.relation for difference in differences} == {"entrant", "hand"}
    assert await rows_of(engine) == before
    assert await compare(settings) == []
    await engine.dispose()


async def test_a_second_rebuild_is_refused_while_one_runs(database: TestDatabase) -> None:
    """Both rebuilds would write into the same relations."""
    engine = async_engine(database.url(PROJECT), 2)
    async with _alone(engine):
        with pytest.raises(RebuildRefused):
            await rebuild(database.settings(PROJECT))
    await engine.dispose()


async def test_a_replacement_lets_readers_and_the_projector_pass(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long statement of an audit delays only the replacement. A new league fails no rebuild."""
    monkeypatch.setattr(rebuilding, "_PATIENCE", sa.text("SET LOCAL lock_timeout = '300ms'"))
    await played(database, "first")
    engine = async_engine(database.url(PROJECT), 2)
    runner = Runner(engine)
    await runner.catch_up()
    auditor = await asyncpg.connect(database.url("postgres"))
    player = await asyncpg.connect(database.url("postgres"))
    auditing = auditor.transaction()
    await auditing.start()
    await auditor.fetch("SELECT FROM reads.hand")
    replacing = asyncio.create_task(rebuild(database.settings(PROJECT), "hands"))

    async def replacement_waits() -> bool:
        return bool(await player.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"))

    await until_awaited(replacement_waits)
    await player.fetch("SELECT FROM reads.hand", timeout=20)
    await played(database, "second")
    await runner.catch_up()
    assert not replacing.done()
    await auditing.rollback()
    await replacing

    assert await compare(database.settings(PROJECT)) == []
    await auditor.close()
    await player.close()
    await engine.dispose()


async def test_an_unknown_name_is_refused(database: TestDatabase) -> None:
    """The message lists the known names."""
    with pytest.raises(ProjectionUnknown, match="standings"):
        await rebuild(database.settings(PROJECT), "weather")


async def test_a_rebuild_leaves_no_right_behind(database: TestDatabase) -> None:
    """The new relations once kept the right to be truncated, and the doctor was red for ever."""
    connection = await asyncpg.connect(database.url("holotable_migrate"))
    settings = database.settings(PROJECT)
    await rebuild(settings)
    assert "and no others" in await CHECKS["logins"](connection, settings)
    await connection.execute("SET ROLE holotable_owner")
    await connection.execute("SELECT reads_begin_rebuild('{hand}', 'hands')")
    assert "and no others" in await CHECKS["logins"](connection, settings)  # one was killed
    await connection.close()
