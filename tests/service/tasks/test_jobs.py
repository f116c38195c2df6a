"""Jobs are armed once, claimed once, fenced, and claimed again when their lease runs out."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import asyncpg
import psycopg
import pytest

from service.base import heartbeats
from service.base.database import pool
from service.tasks import jobs
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

LEAGUE = UUID(int=1)
LEASE = timedelta(seconds=30)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def job(occurrence: str = "start:trn_1:event", due_at: datetime = LONG_AGO) -> jobs.Job:
    return jobs.Job(
        occurrence=occurrence, task="tournament.start", args={"id": "trn_1"}, due_at=due_at
    )


def after(time: timedelta = timedelta()) -> datetime:
    return datetime.now(UTC) + time


@pytest.fixture
def worker(database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
        yield connection


async def state_of(database: TestDatabase, column: str = "state") -> object:
    connection = await asyncpg.connect(database.url("holotable_worker"))
    try:
        return await connection.fetchval(f"SELECT {column} FROM job")
    finally:
        await connection.close()


async def test_an_occurrence_armed_twice_is_one_job(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    async with await pool(database.url("holotable_api")) as api:
        await jobs.arm(api, job())
    jobs.arm_now(worker, job())
    assert len(jobs.claim(worker, LEASE)) == 1
    assert jobs.claim(worker, LEASE) == []


async def test_a_job_is_not_claimed_before_it_is_due(worker: psycopg.Connection) -> None:
    jobs.arm_now(worker, job(due_at=datetime.now(UTC) + timedelta(hours=1)))
    assert jobs.claim(worker, LEASE) == []


async def test_two_dispatchers_never_claim_the_same_job(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    for number in range(20):
        jobs.arm_now(worker, job(f"start:{number}"))
    with psycopg.connect(database.url("holotable_worker")) as first:
        mine = jobs.claim(first, LEASE, limit=12)  # not committed, so its rows are locked
        others = jobs.claim(worker, LEASE, limit=20)
    assert len(mine) == 12
    assert len(others) == 8
    assert {claimed.job_id for claimed in mine}.isdisjoint(claimed.job_id for claimed in others)


async def test_a_lease_that_runs_out_lets_another_claim_it_and_fences_the_first(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    jobs.arm_now(worker, job())
    (first,) = jobs.claim(worker, timedelta())
    (second,) = jobs.claim(worker, LEASE)
    assert second.job_id == first.job_id
    async with await pool(database.url("holotable_worker")) as connections:
        assert not await jobs.begin(connections, first.job_id, first.claim, after(LEASE))
        assert not await jobs.finish(
            connections, first.job_id, first.claim, again_at=None, refused=None
        )
        assert await jobs.begin(connections, second.job_id, second.claim, after(LEASE))
        assert await jobs.finish(
            connections, second.job_id, second.claim, again_at=None, refused=None
        )
        assert not await jobs.begin(connections, second.job_id, second.claim, after(LEASE))
    assert await state_of(database) == "done"


async def test_a_failed_job_comes_back_later_and_dies_in_the_end(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    jobs.arm_now(worker, job())
    async with await pool(database.url("holotable_worker")) as connections:
        for _ in range(jobs.ATTEMPTS_MAX):
            worker.execute("UPDATE job SET due_at = clock_timestamp()")
            (claimed,) = jobs.claim(worker, LEASE)
            await jobs.begin(connections, claimed.job_id, claimed.claim, after(LEASE))
            await jobs.fail(connections, claimed.job_id, claimed.claim, "a defect", after())
    assert await state_of(database) == "dead"
    assert await state_of(database, "last_error") == "a defect"


async def test_a_job_that_waits_for_the_database_never_dies_and_comes_back_within_a_minute(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    jobs.arm_now(worker, job())
    async with await pool(database.url("holotable_worker")) as connections:
        for _ in range(2 * jobs.ATTEMPTS_MAX):
            worker.execute("UPDATE job SET due_at = clock_timestamp()")
            (claimed,) = jobs.claim(worker, LEASE)
            await jobs.begin(connections, claimed.job_id, claimed.claim, after(LEASE))
            now, away = after(), "the database was away"
            await jobs.fail(connections, claimed.job_id, claimed.claim, away, now, cause="waits")
    assert await state_of(database) == "ready"
    assert await state_of(database, "due_at") == now + timedelta(seconds=32)


async def test_a_job_whose_workers_all_die_is_declared_dead(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    jobs.arm_now(worker, job())
    async with await pool(database.url("holotable_worker")) as connections:
        for _ in range(jobs.ATTEMPTS_MAX):
            (claimed,) = jobs.claim(worker, LEASE)
            assert await jobs.begin(connections, claimed.job_id, claimed.claim, after(timedelta()))
    assert jobs.claim(worker, LEASE) == []
    assert await state_of(database) == "dead"


async def test_a_job_that_only_waits_in_the_broker_does_not_die_of_it(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    jobs.arm_now(worker, job())
    for _ in range(jobs.ATTEMPTS_MAX + 2):
        assert len(jobs.claim(worker, timedelta())) == 1
    assert await state_of(database) == "sent"


async def test_a_lease_runs_from_the_beginning_and_is_renewed(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    jobs.arm_now(worker, job())
    (claimed,) = jobs.claim(worker, timedelta())
    async with await pool(database.url("holotable_worker")) as connections:
        await jobs.begin(connections, claimed.job_id, claimed.claim, after(LEASE))
        assert jobs.claim(worker, LEASE) == []
        await jobs.renew(connections, claimed.job_id, claimed.claim, after(timedelta()))
        (other,) = jobs.claim(worker, LEASE)
        await jobs.renew(connections, claimed.job_id, claimed.claim, after(timedelta()))
        assert jobs.claim(worker, LEASE) == [], "a lost claim renews nothing"
    assert other.claim > claimed.claim


async def test_an_outage_ends_the_leases_of_short_tasks(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    jobs.arm_now(worker, job())
    jobs.claim(worker, LEASE)
    jobs.release(worker, ["audit.run"])
    assert jobs.claim(worker, LEASE) == []
    jobs.release(worker, ["tournament.start"])
    assert len(jobs.claim(worker, LEASE)) == 1


async def test_a_hopeless_job_is_dead_at_once(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    jobs.arm_now(worker, job())
    (claimed,) = jobs.claim(worker, LEASE)
    async with await pool(database.url("holotable_worker")) as connections:
        await jobs.fail(
            connections, claimed.job_id, claimed.claim, "a defect", after(), cause="hopeless"
        )
    assert await state_of(database) == "dead"


async def test_a_wake_up_that_comes_while_a_job_runs_is_not_lost(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    jobs.arm_now(worker, job("watch:tbl_1"))
    (claimed,) = jobs.claim(worker, LEASE)
    soon = datetime.now(UTC) + timedelta(seconds=1)
    jobs.wake(worker, "watch:tbl_1", soon)
    async with await pool(database.url("holotable_worker")) as connections:
        await jobs.finish(
            connections,
            claimed.job_id,
            claimed.claim,
            again_at=soon + timedelta(minutes=5),
            refused=None,
        )
    assert await state_of(database) == "ready"
    assert await state_of(database, "due_at") == soon


async def test_a_silence_between_heartbeats_is_an_outage_for_what_was_open_then(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    async with await pool(database.url("holotable_worker")) as connections:
        assert not await heartbeats.beat(connections, "worker", timedelta(seconds=5))
        assert not await heartbeats.beat(connections, "worker", timedelta(seconds=5))
        worker.execute("UPDATE heartbeat SET at = at - interval '1 minute'")
        assert await heartbeats.beat(connections, "worker", timedelta(seconds=5))
        now = datetime.now(UTC)

        async def ask(opened: int, closes: int) -> heartbeats.Interruption:
            return await heartbeats.interruption(
                connections,
                LEAGUE,
                now + timedelta(seconds=opened),
                now + timedelta(seconds=closes),
                timedelta(seconds=5),
            )

        assert await ask(-40, -20) == "over"
        assert await ask(1, 20) == "none"


async def test_nothing_runs_out_while_the_api_is_silent(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    async with await pool(database.url("holotable_api")) as connections:
        await heartbeats.beat(connections, "api", timedelta(seconds=5))
        worker.execute("UPDATE heartbeat SET at = at - interval '1 minute'")
        now = datetime.now(UTC)
        assert (
            await heartbeats.interruption(
                connections, LEAGUE, now - timedelta(seconds=9), now, timedelta(seconds=5)
            )
            == "lasting"
        )


SOON, LATER = (LONG_AGO + timedelta(hours=n) for n in (1, 2))


async def test_a_job_that_comes_again_is_one_row_at_its_earliest_time(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    for due_at in (LATER, SOON, LATER):
        jobs.come_again(worker, job(due_at=due_at))
    assert await state_of(database, "due_at") == SOON
    assert len(jobs.claim(worker, LEASE)) == 1


@pytest.mark.parametrize("hopeless", [False, True])
async def test_a_job_that_is_done_or_dead_comes_again(
    database: TestDatabase, worker: psycopg.Connection, hopeless: bool
) -> None:
    jobs.come_again(worker, job())
    (claimed,) = jobs.claim(worker, LEASE)
    async with await pool(database.url("holotable_worker")) as connections:
        await jobs.begin(connections, claimed.job_id, claimed.claim, after(LEASE))
        if hopeless:
            now = after()
            await jobs.fail(connections, claimed.job_id, claimed.claim, "no", now, cause="hopeless")
        else:
            await jobs.finish(
                connections, claimed.job_id, claimed.claim, again_at=None, refused="no"
            )
    jobs.come_again(worker, job(due_at=SOON))
    assert (await state_of(database), await state_of(database, "attempts")) == ("ready", 0)
    assert await state_of(database, "due_at") == SOON


async def test_a_job_told_to_come_again_while_it_runs_runs_once_more(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    jobs.come_again(worker, job())
    (claimed,) = jobs.claim(worker, LEASE)
    for due_at in (LATER, SOON, LATER):
        jobs.come_again(worker, job(due_at=due_at))
    assert await state_of(database) == "sent"
    async with await pool(database.url("holotable_worker")) as connections:
        await jobs.finish(connections, claimed.job_id, claimed.claim, again_at=None, refused=None)
    assert (await state_of(database), await state_of(database, "due_at")) == ("ready", SOON)


async def test_jobs_that_fail_wait_behind_those_that_have_not(
    database: TestDatabase, worker: psycopg.Connection
) -> None:
    """A league with duties that always raise does not delay the jobs of other leagues."""
    for number in range(20):
        jobs.arm_now(worker, job(f"failing:{number}"))
    worker.execute("UPDATE job SET attempts = 3")
    jobs.arm_now(worker, job("sound", due_at=LONG_AGO + timedelta(hours=1)))
    (first,) = jobs.claim(worker, LEASE, limit=1)
    found = worker.execute("SELECT occurrence FROM job WHERE job_id = %s", [first.job_id])
    assert found.fetchone() == ("sound",)
    assert len(jobs.claim(worker, LEASE)) == 20


async def test_tasks_of_a_newer_program_wait_for_a_newer_worker(
    worker: psycopg.Connection,
) -> None:
    jobs.arm_now(worker, job())
    assert jobs.claim(worker, LEASE, tasks=["table.watch"]) == []
    assert len(jobs.claim(worker, LEASE, tasks=["tournament.start"])) == 1
