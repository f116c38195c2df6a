"""Several processes that write to one league: each reads on before it decides."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import asyncpg
import pytest

from engine.values import number_of
from service.base.addresses import asyncpg_dsn
from service.base.errors import EventUnreadable
from service.base.shipped import ROOT
from service.log.read import CHUNK
from service.log.store import PostgresStore, Store
from service.log.turns import Turns
from service.log.writer import Decide, States, StreamEvents, Writer
from tests.support.counters import DECIDERS, Counted, command, counting, new_league, stream
from tests.support.databases import SECRET_KEY, TestDatabase
from tests.support.logs import utcnow
from tests.support.poison import owning, plant
from tests.support.waiting import until, until_awaited

pytestmark = pytest.mark.anyio


class Counting:
    """Counts the decisions of commands."""

    def __init__(self) -> None:
        self.decided = 0

    def of(self, decide: Decide) -> Decide:
        async def counted(states: States) -> Sequence[StreamEvents]:
            self.decided += 1
            return await decide(states)

        return counted


@pytest.fixture
async def pair(store: Store) -> AsyncIterator[tuple[Writer, Writer]]:
    """Two writers on one log, as two processes have them."""
    made = Writer(store, DECIDERS, utcnow), Writer(store, DECIDERS, utcnow)
    for each in made:
        await each.start()
    yield made
    for each in made:
        await each.aclose()


async def test_processes_that_take_turns_decide_each_command_once(
    pair: tuple[Writer, Writer],
) -> None:
    league, counted, commands = new_league(), Counting(), 40
    for number in range(commands):
        decide = counted.of(counting(stream(number % 3), guards=(stream(3),)))
        await pair[number // 3 % 2].submit(league, command(), decide)
    met = 2 * 3  # each process learns once, at the latest in its first round, that it is not alone
    assert commands < counted.decided <= commands + met
    for each in pair:
        totals = [(await each.load(league, stream(n))).state.total for n in range(3)]
        assert sum(totals) == commands


async def test_a_process_alone_reads_nothing_between_its_batches(store: Store) -> None:
    reads = Counter[str]()

    class Watched:
        """The log, with a count of reads."""

        def __getattr__(self, name: str) -> object:
            reads[name] += 1
            return getattr(store, name)

    writer = Writer(Watched(), DECIDERS, utcnow)  # type: ignore[arg-type]
    await writer.start()
    league = new_league()
    await writer.submit(league, command(), counting(stream(1)))
    reads.clear()
    for _ in range(10):
        await writer.submit(league, command(), counting(stream(1)))
    await writer.aclose()
    assert reads["append"] == 10
    assert not reads["league"] and not reads["stream"] and not reads["ends"]


async def test_a_process_that_was_away_for_long_begins_at_the_logs_end(
    pair: tuple[Writer, Writer],
) -> None:
    league, (ours, theirs) = new_league(), pair

    async def many(states: States) -> list[StreamEvents]:
        await states.load(stream(1))
        return [StreamEvents(stream(1), tuple(Counted(by=1) for _ in range(CHUNK)))]

    await ours.submit(league, command(), counting(stream(1)))
    await theirs.submit(league, command(), many)
    await theirs.submit(league, command(), counting(stream(2)))
    counted = Counting()
    receipt = await ours.submit(league, command(), counted.of(counting(stream(1))))
    assert receipt.recorded[0].version == CHUNK + 2
    assert counted.decided == 2
    await theirs.submit(league, command(), counting(stream(1)))
    await ours.submit(league, command(), counted.of(counting(stream(1))))
    assert counted.decided == 3


async def test_a_refusal_after_reading_on_is_of_the_newest_state(
    pair: tuple[Writer, Writer],
) -> None:
    league, (ours, theirs) = new_league(), pair
    for writer in (ours, theirs, ours):
        await writer.submit(league, command(), counting(stream(1)))
    await theirs.submit(league, command(), counting(stream(1), 999_990))
    answers = await asyncio.gather(
        *(ours.submit(league, command(), counting(stream(1), 4)) for _ in range(3)),
        return_exceptions=True,
    )
    assert [isinstance(each, Exception) for each in answers] == [False, True, True]


async def test_a_copy_of_another_history_is_not_read_on(pair: tuple[Writer, Writer]) -> None:
    """After a failover, the log may hold other events than this process has seen."""
    league, (ours, theirs) = new_league(), pair
    for writer in (ours, theirs, ours, theirs):
        await writer.submit(league, command(), counting(stream(1)))
    place = (number_of(league), stream(1))
    kept = ours._cache._kept[place]
    ours._cache._kept[place] = type(kept)(kept.state, kept.version, bytes(32), kept.at)
    receipt = await ours.submit(league, command(), counting(stream(1)))
    assert receipt.recorded[0].version == 5
    assert (await ours.load(league, stream(1))).state.total == 5


async def test_an_unreadable_event_of_another_stream_stops_nobody(database: TestDatabase) -> None:
    made = [Writer(PostgresStore(database.url(), SECRET_KEY), DECIDERS, utcnow) for _ in range(2)]
    for each in made:
        await each.start()
    ours, theirs = made
    league = new_league()
    for writer in (ours, theirs, ours, theirs):
        await writer.submit(league, command(), counting(stream(1)))
        await writer.submit(league, command(), counting(stream(2)))
    async with owning(database) as planter:
        await plant(planter, league, "counted", {"by": "many"}, version=1, stream=stream(2))
    await theirs.submit(league, command(), counting(stream(1)))
    await ours.submit(league, command(), counting(stream(1)))
    with pytest.raises(EventUnreadable):
        await ours.submit(league, command(), counting(stream(2)))
    assert (await ours.load(league, stream(1))).state.total == 6
    for each in made:
        await each.aclose()


async def test_an_append_that_was_lost_twice_suspects_every_copy(
    pair: tuple[Writer, Writer],
) -> None:
    """A guard that has not moved is not blamed for the first refusal, and is read at the second."""
    league, (ours, theirs) = new_league(), pair
    await ours.submit(league, command(), counting(stream(1), guards=(stream(2),)))
    turns = 0

    async def overtaken(states: States) -> Sequence[StreamEvents]:
        nonlocal turns
        turns += 1
        decided = await counting(stream(1), guards=(stream(2),))(states)
        if turns <= 2:
            await theirs.submit(league, command(), counting(stream(1)))
        return decided

    receipt = await ours.submit(league, command(), overtaken)
    assert turns == 3 and receipt.recorded[0].version == 4


STANDING_STILL = """
import asyncio, os, signal, sys
from service.log.store import PostgresStore
from service.log.writer import Writer
from tests.support.counters import DECIDERS, command, counting, stream
from tests.support.logs import utcnow

async def main(url, key, league):
    writer = Writer(PostgresStore(url, key), DECIDERS, utcnow)
    await writer.start()
    decide, stops = counting(stream(1)), [signal.SIGSTOP]

    async def stopping(states):
        if stops:
            os.kill(os.getpid(), stops.pop())
        return await decide(states)

    for number in range(3):
        print("your turn", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await writer.submit(league, command(), stopping if number == 2 else decide)
    print("done", flush=True)
    await writer.aclose()

asyncio.run(main(*sys.argv[1:]))
"""


async def test_a_process_that_stands_still_in_its_turn_stops_nobody(
    database: TestDatabase,
) -> None:
    league = new_league()
    writer = Writer(PostgresStore(database.url(), SECRET_KEY), DECIDERS, utcnow)
    await writer.start()
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", STANDING_STILL, database.url(), SECRET_KEY, league,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    assert other.stdin is not None and other.stdout is not None
    for number in range(3):
        assert await other.stdout.readline() == b"your turn\n"
        await writer.submit(league, command(), counting(stream(1)))
        other.stdin.write(b"go on\n")
        if number == 2:
            await asyncio.to_thread(until, lambda: stopped(other.pid))
    begun = time.monotonic()
    for _ in range(20):
        await writer.submit(league, command(), counting(stream(1)))
    took = time.monotonic() - begun
    os.kill(other.pid, signal.SIGCONT)
    assert await other.stdout.readline() == b"done\n"
    assert await other.wait() == 0
    assert (await writer.load(league, stream(1))).state.total == 26
    await writer.aclose()
    assert took < 5, "one wait of 0.3 s, and the time of twenty appends on any machine"


SINCE = """
    SELECT pid, clock_timestamp() - xact_start > interval '0.7 s' AS long FROM pg_stat_activity
     WHERE application_name = 'holotable-turn' AND datname = current_database()
"""


async def test_a_turn_lasts_as_long_as_a_slow_append_and_keeps_its_session(
    database: TestDatabase,
) -> None:
    turns = Turns(asyncpg_dsn(database.url()), 1)
    async with await turns.start(), await asyncpg.create_pool(database.url("postgres")) as asking:
        seen = []
        for _ in range(2):
            async with turns.of(number_of(new_league())):
                [first] = await asking.fetch(SINCE)

                async def over() -> bool:
                    found = await asking.fetch(SINCE)
                    return not found or bool(found[0]["long"])

                await until_awaited(over)
                seen += [first["pid"], *(each["pid"] for each in await asking.fetch(SINCE))]
    assert len(seen) == 4 and len(set(seen)) == 1


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("T")
