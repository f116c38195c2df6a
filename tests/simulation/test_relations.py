"""The relations in memory give the answers of PostgreSQL to the same random calls."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, cast
from uuid import UUID

import asyncpg
import psycopg
import pytest

from service.base import heartbeats
from service.base.database import pool
from service.log.record import Recorded
from service.sandbox.generating.chance import Dice
from service.tasks import arming, jobs
from tests.simulation.database import Chaos, Pool
from tests.simulation.relations import Connection, Relations, UnknownStatement
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

CALLS = 400
LEAGUE = UUID(int=1)
BEGAN = datetime(2026, 1, 2, 18, tzinfo=UTC)
TASKS = ("table.watch", "tournament.level", "tournament.start")
COLUMNS = [
    "occurrence", "task", "state", "claim", "attempts",
    "due_at", "lease_until", "wake_at", "last_error",
]  # fmt: skip


class _Time:
    """The time of both databases."""

    def __init__(self, database: TestDatabase) -> None:
        self.now = BEGAN
        self._connection = psycopg.connect(database.url("postgres"), autocommit=True)

    def pass_(self, seconds: int) -> None:
        """Let time pass in both."""
        self.now += timedelta(seconds=seconds)
        self._connection.execute(
            "CREATE OR REPLACE FUNCTION service_time() RETURNS timestamptz LANGUAGE sql VOLATILE "
            f"AS $$ SELECT '{self.now.isoformat()}'::timestamptz $$"
        )

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def time(database: TestDatabase) -> Iterator[_Time]:
    made = _Time(database)
    made.pass_(0)
    yield made
    made.close()


class _Empty:
    """A log without events."""

    leagues: list[UUID] = []  # noqa: RUF012 - nobody adds to it

    def rows(self, _league: UUID) -> list[Recorded]:
        return []


class _Quick(Chaos):
    """A way that never breaks and takes no time."""

    async def reach(self) -> None:
        """Reach the database at once."""

    async def come_back(self) -> None:
        """Come back at once."""


class _Caller:
    """Makes random calls of the service's functions, in PostgreSQL and in memory."""

    def __init__(
        self,
        time: _Time,
        worker: psycopg.Connection,
        api: asyncpg.Pool,
        relations: Relations,
    ) -> None:
        self._time = time
        self._dice = Random(21)
        self._connections = (worker, cast("psycopg.Connection", Connection(relations)))
        memory = cast("asyncpg.Pool", Pool(relations, _Quick(Dice("none"))))
        self._pools = (api, memory)
        self._claims: list[tuple[jobs.ClaimedJob, jobs.ClaimedJob]] = []
        self._instants = 0

    async def call(self) -> None:
        """Make one random call in both, and compare the results."""
        dice = self._dice
        match dice.randrange(12):
            case 0 | 1:
                self._both(jobs.arm_now, self._job())
            case 2:
                self._both(jobs.come_again, self._job())
            case 3:
                self._both(jobs.wake, self._job().occurrence, self._instant())
            case 4:
                self._both(jobs.release, dice.sample(TASKS, 2))
            case 5 | 6:
                self._claim()
            case 7 | 8 if self._claims:
                await self._end(*dice.choice(self._claims))
            case 9:
                self._both(arming.wake_all, self._instant())
            case 10:
                await self._beat()
            case _:
                self._time.pass_(dice.randrange(12))

    def _instant(self) -> datetime:
        """Return an instant near the present.

        No two are equal, because only the instant orders rows.
        """
        self._instants += 1
        near = timedelta(seconds=self._dice.randrange(-20, 20), microseconds=self._instants)
        return self._time.now + near

    def _job(self) -> jobs.Job:
        number = self._dice.randrange(12)
        return jobs.Job(
            occurrence=f"job:{number}",
            task=TASKS[number % 3],
            args={"number": str(number)},
            due_at=self._instant(),
        )

    def _both(self, function: Any, *given: object) -> None:
        one, other = [function(each, *given) for each in self._connections]
        assert one == other

    def _claim(self) -> None:
        # All that are due: rows with the same instant have no order among them.
        lease, limit = timedelta(seconds=self._dice.randrange(1, 20)), 100
        tasks = self._dice.sample(TASKS, 2) if self._dice.randrange(2) else None
        found = [
            {
                each.args["number"]: each
                for each in jobs.claim(connection, lease, limit, tasks, self._time.now)
            }
            for connection in self._connections
        ]
        assert sorted(found[0]) == sorted(found[1])
        self._claims += [(found[0][number], found[1][number]) for number in sorted(found[0])]

    async def _end(self, *claimed: jobs.ClaimedJob) -> None:
        how, instant = self._dice.randrange(5), self._instant()
        until, rare = self._time.now + timedelta(seconds=9), self._dice.randrange(4) == 0
        cause = self._dice.choice(("job", "waits", "hopeless"))
        told: list[Any] = []
        for there, job in zip(self._pools, claimed, strict=True):
            match how:
                case 0 | 1:
                    begun = await jobs.begin(there, job.job_id, job.claim, until)
                    told.append(begun and (begun.task, begun.args, begun.claim))
                case 2:
                    again = instant if rare else None
                    ended = jobs.finish(there, job.job_id, job.claim, again_at=again, refused="no")
                    told.append(await ended)
                case 3:
                    await jobs.renew(there, job.job_id, job.claim, until)
                case _:
                    now = self._time.now
                    await jobs.fail(there, job.job_id, job.claim, "why", now, cause=cause)
        assert told[:1] == told[1:]

    async def _beat(self) -> None:
        interval, returning = timedelta(seconds=3), self._dice.randrange(2) == 0
        opened, deadline = sorted((self._instant(), self._instant()))
        process = self._dice.choice(("worker", "api"))
        told: list[Any] = []
        for connection, there in zip(self._connections, self._pools, strict=True):
            if process == "worker":
                beat = heartbeats.beat_now(connection, process, interval, returning=returning)
            else:
                beat = await heartbeats.beat(there, process, interval, returning=returning)
            told.append(
                (
                    beat,
                    await heartbeats.outages_since(there, LEAGUE, opened),
                    await heartbeats.outages_known(there, LEAGUE, opened, self._time.now, interval),
                    await heartbeats.interruption(there, LEAGUE, opened, deadline, interval),
                )
            )
        assert told[0] == told[1]


async def test_jobs_and_heartbeats_are_those_of_postgresql(
    database: TestDatabase, time: _Time
) -> None:
    relations = Relations(_Empty(), lambda: time.now)
    compared = set()
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as worker:
        async with await pool(database.url("holotable_worker")) as api:
            caller = _Caller(time, worker, api, relations)
            for _ in range(CALLS):
                await caller.call()
                columns = ", ".join(COLUMNS)
                rows = worker.execute(f"SELECT {columns} FROM job ORDER BY occurrence").fetchall()
                own = [relations.jobs[name] for name in sorted(relations.jobs, key=_number)]
                memory = [tuple(getattr(row, column) for column in COLUMNS) for row in own]
                assert sorted(rows) == sorted(memory)
                compared |= {row.state for row in own}

    assert compared == {"ready", "sent", "done", "dead"}


def _number(occurrence: str) -> int:
    return int(occurrence.partition(":")[2])


def test_a_statement_that_the_simulation_does_not_know_is_an_error() -> None:
    relations = Relations(_Empty(), lambda: BEGAN)

    with pytest.raises(UnknownStatement):
        relations.ask("DELETE FROM job", ())
