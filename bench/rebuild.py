"""
Rebuild all read models from a log of hands, compared with a replay by ``eventsourcing``.

The library's replay of one table's history reads and decodes each event, and applies it. A rebuild
of ours does that for all projections, and writes their rows. Each rebuild runs in a process of its
own, which reports its peak memory.
"""

import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import uvloop

from bench.counting import PASSWORD, SECRET, Bench, bench
from bench.floors import Figure, figure
from bench.replay import PeerTable, peer, play
from engine.coordination.aggregates import DECIDERS
from service.base.settings import Settings
from service.base.sources import DatabaseClock
from service.director.runtime import settle
from service.log.streams import table_stream
from service.projections.rebuilding.rebuild import rebuild

LEAGUES = 2
TABLES = 6
"""Tables of a league."""

HANDS = 300
"""Hands of a table. Of all of them there are 190,000 events."""

ROUNDS = 5


class Rebuilt(NamedTuple):
    """The cost of one rebuild."""

    seconds: float
    processor: float
    memory: int
    """The peak resident size in bytes."""


async def fill(server: Bench) -> tuple[int, list[list[dict[str, object]]]]:
    """Play, and return the number of events, and the documents of one table."""
    clock = DatabaseClock()
    writer = server.writer(clock, DECIDERS)
    await writer.start()
    events, documents = 0, []
    for _ in range(LEAGUES):
        league = f"lge_{uuid4().hex}"
        for _ in range(TABLES):
            found = await play(writer, clock, league, table_stream(f"tbl_{uuid4().hex}"), HANDS)
            events += len(found)
            documents = [found]
    await writer.aclose()
    return events, documents


def rebuilt(url: str, secret: str = SECRET) -> Rebuilt:
    """Rebuild in this process."""
    settle()
    begun, used = time.perf_counter(), time.process_time()
    broken = uvloop.run(rebuild(Settings(database_url=url, secret_key=secret)))
    if broken:
        raise RuntimeError(str(broken))
    seconds, processor = time.perf_counter() - begun, time.process_time() - used
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return Rebuilt(seconds, processor, int(status["VmHWM"].split()[0]) * 1024)


def compare(server: Bench) -> Figure:
    """Print how many events a second all projections together process, and the ratio."""
    events, [documents] = uvloop.run(fill(server))
    application, table = peer(server, documents)
    url = server.cluster.url("ours", "holotable_project", PASSWORD)
    mine, theirs, costs = [], [], []
    for _ in range(ROUNDS):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            cost = pool.submit(rebuilt, url).result()
        costs.append(cost)
        mine.append(events / cost.seconds)
        begun = time.perf_counter()
        found: PeerTable = application.repository.get(table)
        theirs.append(found.counted / (time.perf_counter() - begun))
    application.close()
    memory = max(each.memory for each in costs) / 2**20
    print(
        f"rebuild of all projections from {events:,} events of {LEAGUES} leagues, {ROUNDS} rounds: "
        f"median {statistics.median(mine):,.0f} events/s ({min(mine):,.0f} to {max(mine):,.0f}), "
        f"{statistics.median(each.processor for each in costs) / events * 1e6:.1f} µs of processor "
        f"an event, at most {memory:,.0f} MB; eventsourcing replays "
        f"{statistics.median(theirs):,.0f}/s ({min(theirs):,.0f} to {max(theirs):,.0f})"
    )
    return figure("rebuild", "events/s", mine, theirs, "a replay by eventsourcing")


def main() -> list[Figure]:
    """Play, rebuild, and print."""
    with bench() as server:
        return [compare(server)]


if __name__ == "__main__":
    main()
