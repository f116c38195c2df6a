"""
Append one event at a time to 64 streams at once, compared with ``eventsourcing``.

Both decide, encode and commit durably on the same server. Ours also hashes and chains. The two
take turns, so that other load on the machine meets both.
"""

import asyncio
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import asyncpg
import uvloop
from eventsourcing.application import Application

from bench.counting import Bench, PeerTable, Wagers, bench, command, wagering
from bench.floors import Figure, figure
from engine.values import Stream
from service.base.sources import DatabaseClock
from service.director.runtime import settle
from service.log.writer import Writer

STREAMS = 64
ROUNDS = 5
SECONDS = 2.0
"""Seconds of each side in each round, after half a second that is not counted."""

WARM_SECONDS = 0.5
PEER_CONNECTIONS = 16


async def measure(server: Bench) -> Figure:
    """Print both rates and their ratio."""
    clock = DatabaseClock()
    connection = await asyncpg.connect(server.ours)
    await clock.measure(connection)
    await connection.close()
    writer = server.writer(clock)
    await writer.start()
    league = f"lge_{uuid4().hex}"
    streams = [Stream[Wagers](f"table-{uuid4().hex}") for _ in range(STREAMS)]
    application = server.peer(PEER_CONNECTIONS)
    tables = [PeerTable() for _ in range(STREAMS)]
    for table in tables:
        application.save(table)
    settle()
    mine, theirs = [], []
    with ThreadPoolExecutor(STREAMS) as pool:
        for _ in range(ROUNDS):
            mine.append(await ours(writer, clock, league, streams))
            theirs.append(await asyncio.to_thread(peers, application, tables, pool))
    application.close()
    await writer.aclose()
    ratios = sorted(our / their for our, their in zip(mine, theirs, strict=True))
    print(
        f"append, {STREAMS} streams at once, {ROUNDS} rounds of {SECONDS:.0f} s: median "
        f"{statistics.median(mine):,.0f} events/s ({min(mine):,.0f} to {max(mine):,.0f}); "
        f"eventsourcing with {PEER_CONNECTIONS} connections {statistics.median(theirs):,.0f}/s "
        f"({min(theirs):,.0f} to {max(theirs):,.0f})"
    )
    print(f"ratio {statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})")
    return figure("append", "events/s", mine, theirs, "eventsourcing on the same server")


async def ours(
    writer: Writer, clock: DatabaseClock, league: str, streams: list[Stream[Wagers]]
) -> float:
    """Return our events per second in one round."""
    begun = time.perf_counter() + WARM_SECONDS

    async def one(stream: Stream[Wagers]) -> int:
        made = 0
        while time.perf_counter() < begun + SECONDS:
            await writer.submit(league, command(clock), wagering(stream))
            made += begun <= time.perf_counter() < begun + SECONDS
        return made

    return sum(await asyncio.gather(*map(one, streams))) / SECONDS


def peers(
    application: Application[UUID], tables: list[PeerTable], pool: ThreadPoolExecutor
) -> float:
    """Return the library's events per second in one round."""
    begun = time.perf_counter() + WARM_SECONDS

    def one(table: PeerTable) -> int:
        made = 0
        while time.perf_counter() < begun + SECONDS:
            table.wager(seat=1, amount=5, rule="betting.raise")
            application.save(table)
            made += begun <= time.perf_counter() < begun + SECONDS
        return made

    return sum(pool.map(one, tables)) / SECONDS


def main() -> list[Figure]:
    """Append, and print."""
    with bench() as server:
        return [uvloop.run(measure(server))]


if __name__ == "__main__":
    main()
