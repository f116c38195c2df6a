"""Work that falls due: workers with wrong clocks, a broker to disturb, and counts of events."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import psycopg

from engine import season, tournament
from engine.rulesets import preset, ruleset_hash
from engine.season.schedule.commands import ScheduleClose
from engine.tournament.model.commands import Announce
from engine.values import LeagueId, TournamentId, identifier
from service.base import database as databases
from service.base.settings import environment
from service.director import submitting
from service.director.runtime import Runtime
from tests.service.director.test_clocks import rules
from tests.service.director.test_directing import announced, decided
from tests.service.schedule.test_fixtures import opened, plan, planned
from tests.service.tasks.test_worker import await_ready
from tests.support.databases import TestDatabase

SKEWED = """
import itertools, sys, time
from datetime import datetime, timedelta

import service.cli.main
import service.base.sources
import service.tasks

seconds = float(sys.argv.pop())
really, reads = time.time, itertools.count()

def skew():
    # Wrong all the time, and set by an hour, forth and back, between one look and the next.
    return seconds * (60 if next(reads) % 2 else 1)

class Skewed(datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz) + timedelta(seconds=skew())

service.base.sources.datetime = Skewed
time.time = lambda: really() + seconds
sys.argv = ["holotable", "worker"]
service.cli.main.main()
"""
"""A worker with a wrong clock: the one module that reads the time returns another time."""

CHAOS = """
    CREATE TABLE chaos (what text NOT NULL);
    CREATE SEQUENCE chaos_number;
    CREATE FUNCTION chaos() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
        IF pg_trigger_depth() > 1 THEN
            RETURN NULL;
        ELSIF nextval('public.chaos_number') % 3 = 0 THEN
            DELETE FROM pgmq.q_play WHERE msg_id = NEW.msg_id;
            INSERT INTO public.chaos VALUES ('lost');
        ELSE
            INSERT INTO pgmq.q_play (vt, message, headers)
            VALUES (NEW.vt, NEW.message, NEW.headers);
            INSERT INTO public.chaos VALUES ('doubled');
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER chaos AFTER INSERT ON pgmq.q_play FOR EACH ROW EXECUTE FUNCTION chaos();
"""
"""The broker loses every third message, and delivers all others twice."""


@contextmanager
def broker(database: TestDatabase) -> Iterator[str]:
    """Make the broker's database, and yield its address for a superuser."""
    server = database.server.cluster.url()
    name = f"{database.name}_broker"
    databases.create_database(server, name, owner=databases.BROKER)
    yield database.server.url(name, "postgres")
    databases.drop_database(server, name)


@contextmanager
def workers(
    database: TestDatabase, *skews: float, processes: int = 2, lease: int = 1
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run a worker for each of *skews*, the error of its clock in seconds. Stop them at the end."""
    settings = database.settings(
        "holotable_worker",
        broker_url=database.broker_url,
        worker_processes=processes,
        tick_milliseconds=50,
        lease_seconds=lease,
        visibility_seconds=lease + 2,
        sweep_seconds=1,
    )
    inherited = {name: it for name, it in os.environ.items() if not name.startswith("HOLOTABLE_")}
    with ExitStack() as stack:
        running = []
        for skew in skews:
            process = subprocess.Popen(
                [sys.executable, "-c", SKEWED, str(skew)]
                if skew
                else [sys.executable, "-m", "service.cli.main", "worker"],
                env=inherited | environment(settings),
                stdout=subprocess.PIPE,
            )
            stack.callback(_end, process)
            running.append(process)
        for process in running:
            assert process.stdout is not None
            stack.enter_context(closing(process.stdout))
            await_ready(process.stdout)
        yield running
        assert [process.poll() for process in running] == [None] * len(running)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    finally:
        process.kill()
        process.wait(20)


@dataclass
class DueWork:
    """The work that a test arranges, and the exact number of events that must follow."""

    runtime: Runtime
    expected: Counter[str] = field(default_factory=Counter)
    leagues: list[str] = field(default_factory=list)

    async def arrange(self, due: datetime, *, planned_at: datetime | None = None) -> None:
        """Arrange work of every kind that is due at *due*."""
        for entrants in (4, 4, 0):
            league, _ = await announced(self.runtime, entrants, starts_at=due)
            self.leagues.append(league)
            started = entrants > 0
            self.expect(registration_opened=1, tournament_announced=1)
            self.expect(
                registration_closed=started,
                play_started=started,
                table_opened=started,
                hand_opened=started,
                tournament_cancelled=not started,
            )
        league, season_id = await opened(self.runtime)
        self.leagues.append(league)
        await self.open_later(league, due)
        close = ScheduleClose(closes_at=due, now=min(due, self.runtime.clock.now()) - _A_MINUTE)
        await decided(self.runtime, league, season_id, season.decider, close)
        self.expect(season_closed=1)

    async def open_later(self, league: str, due: datetime) -> None:
        """Announce a tournament with a registration that opens at *due*."""
        name = TournamentId(identifier("trn", self.runtime.entropy.uuid()))
        game = preset("better")
        announce = Announce(
            tournament=name,
            league=LeagueId(league),
            name="Later",
            ruleset=game,
            ruleset_name="better",
            ruleset_hash=ruleset_hash(game),
            table_seats=4,
            starting_stack=200,
            entrants_max=8,
            decision_seconds=30,
            starts_at=due + timedelta(days=1),
            registration_opens_at=due,
        )
        await decided(self.runtime, league, name, tournament.decider, announce)
        self.expect(tournament_announced=1, registration_opened=1)

    async def recur(self, first: datetime, at: datetime | None = None, **changes: Any) -> None:
        """Plan an hourly tournament from *first* on, announced two hours ahead."""
        league, season_id = await opened(self.runtime)
        self.leagues.append(league)
        asked = plan(first, "FREQ=HOURLY", ahead_hours=2, **changes)
        await planned(self.runtime, league, season_id, asked, at=at)

    async def start(self, *lengths: int, at: datetime | None = None) -> tuple[str, str]:
        """Start a tournament with levels by the clock, as if the time were *at*."""
        league, name = await announced(
            self.runtime, 3, rules=rules(*lengths), starting_stack=100_000
        )
        self.leagues.append(league)
        await submitting.start_tournament(
            self.runtime, league, name, at or self.runtime.clock.now()
        )
        self.expect(
            registration_opened=1,
            tournament_announced=1,
            registration_closed=1,
            play_started=1,
            table_opened=1,
            hand_opened=1,
            clock_started=1,
        )
        return league, name

    def expect(self, **effects: int) -> None:
        """Add to the events that must have happened in the end."""
        self.expected.update(effects)

    async def settled(self) -> bool:
        """Return True once every expected event has happened and no due job is left."""
        if await self.effects() < self.expected:
            return False
        left = await self.runtime.pool.fetchval(
            "SELECT count(*) FROM job WHERE state = 'sent'"
            " OR (state = 'ready' AND due_at <= clock_timestamp())"
        )
        return left == 0 and await self.effects() >= self.expected

    async def effects(self) -> Counter[str]:
        """Return the number of events of each expected type."""
        rows = await self.runtime.pool.fetch(
            "SELECT type, count(*) FROM events WHERE type = ANY ($1) GROUP BY type",
            list(self.expected),
        )
        return Counter(dict(rows))

    async def early(self, since: datetime) -> list[str]:
        """Return the types of events that were due at *since* but happened earlier."""
        kinds: Sequence[str] = ("tournament_cancelled", "season_closed")
        rows = await self.runtime.pool.fetch(
            "SELECT type FROM events WHERE type = ANY ($1) AND at < $2", kinds, since
        )
        return [row["type"] for row in rows]

    async def misjudged(self) -> timedelta:
        """Return the largest difference between the house's time of an event and the log's."""
        found: timedelta = await self.runtime.pool.fetchval(
            "SELECT max(greatest(at - received_at, received_at - at)) FROM ("
            " SELECT at, (metadata ->> 'received_at')::timestamptz AS received_at FROM events"
            " WHERE metadata ->> 'actor' = 'house') AS done"
        )
        return found


_A_MINUTE = timedelta(minutes=1)


async def queued(broker_url: str) -> int:
    """Return the number of messages that wait or are in work."""
    async with await psycopg.AsyncConnection.connect(broker_url) as connection:
        row = await (await connection.execute("SELECT count(*) FROM pgmq.q_play")).fetchone()
    assert row is not None
    return int(row[0])
