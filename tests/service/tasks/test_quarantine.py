"""A league's broken events stop that league alone, with an alarm, until an operator acts."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from uuid import uuid4

import asyncpg
import httpx
import psycopg
import pytest

from service.cli import quarantine as commands
from service.cli.checks.finding import CheckFailed
from service.cli.doctor import CHECKS
from service.director.runtime import Runtime, open_runtime
from service.people import quarantine
from service.process.app import build
from service.projections.following.troubles import Troubles
from service.tasks import arming, jobs
from service.tasks.asking import ASKING
from service.tasks.child import Child
from service.tasks.ticker import Ticker
from tests.service.director.test_directing import announced
from tests.support.databases import TestDatabase
from tests.support.poison import MALFORMED, UNREADABLE, bare_league, owning, plant

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
async def owner(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    async with owning(database) as connection:
        yield connection


@pytest.fixture
async def runtime(database: TestDatabase) -> AsyncIterator[Runtime]:
    async with open_runtime(database.settings("holotable_api")) as made:
        yield made


@pytest.fixture
def worker(database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
        yield connection


def armed(worker: psycopg.Connection, league: str) -> set[str]:
    """Return the tasks of all jobs of *league*."""
    rows = worker.execute("SELECT task FROM job WHERE args ->> 'league' = %s", [league])
    return {task for (task,) in rows}


def quarantined(worker: psycopg.Connection) -> list[tuple[str, str, int]]:
    """Return the league, consumer and position of every quarantine."""
    rows = worker.execute("SELECT league, consumer, position FROM quarantine")
    return [(f"lge_{league.hex}", consumer, position) for league, consumer, position in rows]


TROUBLES = ("projections", "quarantine", "audits")


async def test_an_event_that_cannot_be_read_stops_its_own_league_alone(
    database: TestDatabase, runtime: Runtime, owner: asyncpg.Connection, worker: psycopg.Connection
) -> None:
    poisoned, _ = await announced(runtime, 0)
    position = await plant(owner, poisoned, "break_started", {}, metadata=UNREADABLE)
    await announced(runtime, 0, league_id=poisoned)
    healthy, _ = await announced(runtime, 0)

    ticker = Ticker(database.settings("holotable_worker"), lambda _job: None)
    ticker.tick()

    assert quarantined(worker) == [(poisoned, "arming", position)]
    # Events before the broken one have armed their jobs. Events after it wait.
    assert len(armed(worker, poisoned)) == len(armed(worker, healthy)) == 1
    later, _ = await announced(runtime, 0)
    ticker.tick()
    ticker.stop()
    assert armed(worker, later) == {"tournament.start"}


async def test_every_type_of_event_malformed_in_every_way_leaves_the_healthy_league_alone(
    database: TestDatabase, runtime: Runtime, owner: asyncpg.Connection, worker: psycopg.Connection
) -> None:
    planted: dict[str, int] = {}
    for kind in ASKING:
        for data in MALFORMED:
            league = await bare_league(owner)
            planted[league] = await plant(owner, league, kind, data)
    for version in (99, 32_000):
        league = await bare_league(owner)
        planted[league] = await plant(owner, league, "break_started", {}, version=version)
    stray = await bare_league(owner)
    planted[stray] = await plant(owner, stray, "break_started", {}, stream=f"table-{uuid4().hex}")
    healthy, _ = await announced(runtime, 0)

    arming.follow(worker, NOW, database.settings("holotable_worker"))

    assert {league: at for league, _, at in quarantined(worker)} == planted
    assert armed(worker, healthy) == {"tournament.start"}


@pytest.mark.parametrize("data", MALFORMED[:4])
async def test_a_forged_record_of_a_repair_voids_nothing_and_stops_nobody(
    database: TestDatabase,
    runtime: Runtime,
    owner: asyncpg.Connection,
    worker: psycopg.Connection,
    data: str,
) -> None:
    """Every reader of a league reads the records of repairs, so a forged one reaches them all."""
    poisoned, _ = await announced(runtime, 0)
    await plant(owner, poisoned, "positions_voided", data)
    arming.follow(worker, NOW, database.settings("holotable_worker"))
    assert quarantined(worker) == []
    assert armed(worker, poisoned) == {"tournament.start"}


async def test_a_released_league_goes_on_where_it_stopped(
    database: TestDatabase, runtime: Runtime, owner: asyncpg.Connection, worker: psycopg.Connection
) -> None:
    settings = database.settings("holotable_worker")
    league, _ = await announced(runtime, 0)
    bad = [await plant(owner, league, "break_started", {}) for _ in range(2)]
    await announced(runtime, 0, league_id=league)
    arming.follow(worker, NOW, settings)
    migrate = database.settings("holotable_migrate")

    # A release without a repair stops again here. A skip goes on to the next broken event.
    assert await commands.release(migrate, league, "arming", skip=False) == 0
    arming.follow(worker, NOW, settings)
    assert quarantined(worker) == [(league, "arming", bad[0])]
    for position in bad:
        assert quarantined(worker) == [(league, "arming", position)]
        assert await commands.release(migrate, league, "arming", skip=True) == 0
        arming.follow(worker, NOW, settings)

    assert quarantined(worker) == []
    starts = worker.execute("SELECT count(*) FROM job WHERE task = 'tournament.start'").fetchone()
    assert starts == (2,)
    deeds = await runtime.pool.fetch("SELECT kind, about FROM operator_deed ORDER BY id")
    assert {row["kind"] for row in deeds} == {"quarantine_released"}
    assert [row["about"] for row in deeds] == [
        f"arming@{bad[0]}",
        f"arming@{bad[0]} skipped",
        f"arming@{bad[1]} skipped",
    ]


async def test_an_operator_sees_what_is_held_and_why(
    database: TestDatabase,
    runtime: Runtime,
    owner: asyncpg.Connection,
    worker: psycopg.Connection,
    capfd: pytest.CaptureFixture[str],
) -> None:
    league, _ = await announced(runtime, 0)
    position = await plant(owner, league, "break_started", {"due": 7})
    arming.follow(worker, NOW, database.settings("holotable_worker"))
    capfd.readouterr()

    settings = database.settings("holotable_api")
    assert await commands.show_all(settings) == 0
    assert await commands.show(settings, league, "arming") == 0
    listed, shown = capfd.readouterr().out.split("1 held\n")
    assert f"{league} arming at position {position}: EventUnreadable" in listed
    assert '"type": "break_started"' in shown
    assert '{\\"due\\": 7}' in shown
    assert await commands.show(settings, league, "projection/tables") == 2
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await commands.release(settings, league, "arming", skip=False)


async def test_a_dead_job_is_held_and_runs_again_once_it_is_released(
    database: TestDatabase, runtime: Runtime, worker: psycopg.Connection
) -> None:
    league, _ = await announced(runtime, 0)
    arming.follow(worker, NOW, database.settings("holotable_worker"))
    worker.execute("UPDATE job SET state = 'dead', last_error = 'a defect'")

    (held,) = await quarantine.held(runtime.pool)
    assert (held.league, held.consumer, held.reason) == (
        league,
        "job/tournament.start",
        "a defect",
    )
    migrate = database.settings("holotable_migrate")
    assert await commands.release(migrate, league, "job/tournament.start", skip=True) == 2
    assert await commands.release(migrate, league, "job/tournament.start", skip=False) == 0
    assert worker.execute("SELECT state, attempts FROM job").fetchall() == [("ready", 0)]


async def test_readiness_and_the_doctor_tell_of_troubles_and_the_service_stays_up(
    database: TestDatabase, runtime: Runtime, owner: asyncpg.Connection, worker: psycopg.Connection
) -> None:
    settings = database.settings("holotable_api")
    league, _ = await announced(runtime, 0)
    assert await Troubles(runtime.pool).warnings() == []
    told = {name: await CHECKS[name](owner, settings) for name in TROUBLES}
    assert told["audits"] == "the last of every league passed"

    await plant(owner, league, "break_started", {})
    arming.follow(worker, NOW, settings)
    worker.execute(
        "INSERT INTO audit_report (id, league, scope, state, finished_at)"
        " VALUES ('nightly_1', %(it)s, %(it)s, 'failed', now())",
        {"it": league},
    )
    await owner.execute("INSERT INTO reads.checkpoint VALUES ('tables', $1, 99, 0)", league)
    for name in TROUBLES:
        with pytest.raises(CheckFailed):
            await CHECKS[name](owner, settings)
    app = build(settings)
    transport = httpx.ASGITransport(app=app)
    async with (
        app.lifespan(),
        httpx.AsyncClient(transport=transport, base_url="http://test") as http,
    ):
        answer = await http.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "warnings": ["audit_failed", "quarantined", "projection_outdated"],
    }

    # Any audit of the league that passes ends the alarm.
    worker.execute(
        "INSERT INTO audit_report (id, league, scope, state, finished_at)"
        " VALUES ('adt_1', %(it)s, %(it)s, 'passed', now())",
        {"it": league},
    )
    assert await CHECKS["audits"](owner, settings) == "the last of every league passed"


async def test_the_doctor_misses_a_kind_of_process_that_has_fallen_silent(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    """A frozen worker closes no connection and ends no process. Only its heartbeat stops."""
    settings, api = database.settings("holotable_api"), database.url("holotable_api")
    connection = await asyncpg.connect(api)
    check = CHECKS["heartbeats"]
    assert await check(connection, settings) == "running: none started yet"
    worker.execute("INSERT INTO heartbeat VALUES ('worker', service_time())")
    with psycopg.connect(database.url("holotable_project"), application_name="holotable-listen"):
        assert await check(connection, settings) == "running: worker"
    worker.execute("UPDATE heartbeat SET at = at - interval '1 minute'")
    with pytest.raises(CheckFailed, match="no worker for 60 s"):
        await check(connection, settings)
    await connection.close()


async def test_a_defect_of_the_clockwork_has_its_process_replaced(database: TestDatabase) -> None:
    """Otherwise a process with a dead ticker would look alive and arm nothing."""
    settings = database.settings("holotable_worker", nightly_audit="noon")
    broken = threading.Event()
    ticker = Ticker(settings, lambda _job: None, broken=broken.set)
    ticker.start()
    assert await asyncio.to_thread(broken.wait, 20)
    ticker.stop()


async def test_a_loop_of_duties_that_ends_has_its_process_replaced(database: TestDatabase) -> None:
    broken = threading.Event()
    child = Child(database.settings("holotable_worker"), broken.set)
    child.start()
    child._loop.call_soon_threadsafe(child._loop.stop)
    assert await asyncio.to_thread(broken.wait, 20)
    child.stop()


async def test_a_job_that_cannot_be_sent_keeps_no_other_from_being_sent(
    database: TestDatabase, runtime: Runtime, worker: psycopg.Connection
) -> None:
    first, second = [(await announced(runtime, 0))[0] for _ in range(2)]
    sent: list[str] = []

    def send(job: jobs.ClaimedJob) -> None:
        if job.args["league"] == first:
            raise TypeError("it cannot be written")
        sent.append(job.args["league"])

    settings = database.settings("holotable_worker")
    arming.follow(worker, NOW, settings)
    worker.execute("UPDATE job SET due_at = now() - interval '1 hour'")
    ticker = Ticker(settings, send)
    ticker.tick()
    ticker.stop()
    assert sent == [second]
