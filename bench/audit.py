"""
Auditing a league on one core: every hand decided again, its deck drawn, its chain and pots proved.

The hands were really played, six seats, one append a command.  Beside it the log as
bytes alone: chains and tree over many events, copied into the log as synthetic rows.
"""

import asyncio
import os
import statistics
import time
from uuid import uuid4

import uvloop

from bench import hands
from bench.counting import SECRET, Bench, bench, command
from engine.aggregates import DECIDERS
from service.audit.audit import audit_league
from service.database import async_engine
from service.desk import settle
from service.keys import Keys
from service.sources import DatabaseClock
from service.writer import Entry, States, Writer

TABLES = 64
HANDS = int(os.environ.get("BENCH_AUDIT_HANDS", "3200"))
EVENTS = int(os.environ.get("BENCH_AUDIT_EVENTS", "1000000"))
ROUNDS = 3


async def measure(server: Bench) -> None:
    """Print hands a second, and events a second of the bytes alone."""
    league = f"lge_{uuid4().hex}"
    await play(server, league)
    settle()
    rates = []
    for _ in range(ROUNDS):
        hands_found, events, seconds = await audited(server, league)
        rates.append(hands_found / seconds)
    print(
        f"audit of {hands_found:,} hands of six, {events:,} events, one core, {ROUNDS} rounds: "
        f"median {statistics.median(rates):,.0f} hands/s ({min(rates):,.0f} to {max(rates):,.0f}) "
        f"(at least 500, aim 1,000)"
    )


async def play(server: Bench, league: str) -> None:
    """Play the hands at so many tables at once, one append for every command."""
    clock = DatabaseClock()
    writer = server.writer(clock, DECIDERS)
    await writer.start()
    begun = time.perf_counter()
    await asyncio.gather(
        *(_play_table(writer, clock, league, HANDS // TABLES) for _ in range(TABLES))
    )
    print(f"{HANDS:,} hands at {TABLES} tables played in {time.perf_counter() - begun:.0f} s")
    await writer.aclose()


async def _play_table(writer: Writer, clock: DatabaseClock, league: str, count: int) -> None:
    number = uuid4().hex
    stream = f"table-{number}"
    decider = DECIDERS["table"]

    async def opening(_states: States) -> list[Entry]:
        first = hands.opening(f"tbl_{number}", clock.now())
        return [Entry(stream, decider.decide(decider.initial, first))]

    async def following(states: States) -> list[Entry]:
        state = (await states.load(stream)).state
        return [Entry(stream, decider.decide(state, hands.following(state, clock.now)))]

    await writer.submit(league, command(clock), opening)
    settled = 0
    while settled < count:
        await writer.submit(league, command(clock), following)
        state = (await writer.load(league, stream)).state
        settled += state.decision is None


async def audited(server: Bench, league: str) -> tuple[int, int, float]:
    """Audit the league; return how many hands and events it read, and the processor's seconds."""
    engine = async_engine(server.ours, 2)
    begun = time.perf_counter()
    async with engine.connect() as connection:
        report = await audit_league(connection, Keys(SECRET), league)
    seconds = time.perf_counter() - begun
    await engine.dispose()
    bad = [check for check in report.checks if check.failed]
    if bad:
        print(report.text())
    return report.hands, report.events, seconds


def main() -> None:
    """Play, audit, and print."""
    with bench() as server:
        uvloop.run(measure(server))


if __name__ == "__main__":
    main()
