"""
Appending one event at a time from 64 streams at once, against ``eventsourcing``.

Both decide, encode and commit durably on the same server; ours also seals,
hashes and chains.
"""

import asyncio
import gc
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import asyncpg
import uvloop

from bench.counting import Bench, PeerTable, bench, command, wagering
from service.sources import DatabaseClock

STREAMS = 64
SECONDS = 5.0
PEER_CONNECTIONS = 16


async def ours(server: Bench) -> float:
    """Return our events per second."""
    clock = DatabaseClock()
    connection = await asyncpg.connect(server.ours)
    await clock.measure(connection)
    await connection.close()
    writer = server.writer(clock)
    await writer.start()
    league = f"lge_{uuid4().hex}"
    made = 0

    async def one(stream: str, until: float) -> None:
        nonlocal made
        while time.perf_counter() < until:
            await writer.submit(league, command(clock), wagering(stream))
            made += 1

    gc.freeze()
    gc.set_threshold(50_000, 50, 1_000)  # as every process of the service does
    streams = [f"table-{uuid4().hex}" for _ in range(STREAMS)]
    await asyncio.gather(*(one(stream, time.perf_counter() + 0.5) for stream in streams))
    made = 0
    begun = time.perf_counter()
    await asyncio.gather(*(one(stream, begun + SECONDS) for stream in streams))
    rate = made / (time.perf_counter() - begun)
    await writer.aclose()
    return rate


def theirs(server: Bench) -> float:
    """Return the library's events per second."""
    application = server.peer(PEER_CONNECTIONS)
    tables = [PeerTable() for _ in range(STREAMS)]
    for table in tables:
        application.save(table)

    def one(table: PeerTable, until: float) -> int:
        made = 0
        while time.perf_counter() < until:
            table.wager(seat=1, amount=5, rule="betting.raise")
            application.save(table)
            made += 1
        return made

    with ThreadPoolExecutor(STREAMS) as pool:
        begun = time.perf_counter()
        made = sum(pool.map(lambda table: one(table, begun + SECONDS), tables))
        rate = made / (time.perf_counter() - begun)
    application.close()
    return rate


def main() -> None:
    """Print both rates and their ratio."""
    with bench() as server:
        mine = uvloop.run(ours(server))
        peer = theirs(server)
    print(f"append, {STREAMS} streams at once: {mine:,.0f} events/s; eventsourcing {peer:,.0f}/s")
    print(f"ratio {mine / peer:.1f} (at least 10, aim 20)")


if __name__ == "__main__":
    main()
