"""Rebuild all read models from a log of hands played by the engine."""

import statistics
import time
from uuid import uuid4

import uvloop

from bench.counting import PASSWORD, SECRET, Bench, bench
from bench.replay import play
from engine.coordination.aggregates import DECIDERS
from service.base.settings import Settings
from service.base.sources import DatabaseClock
from service.director.runtime import settle
from service.projections.rebuild import rebuild

TABLES = 12
HANDS = 100
ROUNDS = 3


async def measure(server: Bench) -> None:
    """Print how many events a second all projections together take in."""
    clock = DatabaseClock()
    writer = server.writer(clock, DECIDERS)
    await writer.start()
    league, events = f"lge_{uuid4().hex}", 0
    for _ in range(TABLES):
        stream = f"table-{uuid4().hex}"
        events += len(await play(writer, clock, league, stream, HANDS))
    await writer.aclose()
    settle()
    settings = Settings(
        database_url=server.cluster.url("ours", "holotable_project", PASSWORD), secret_key=SECRET
    )
    rates = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        await rebuild(settings)
        rates.append(events / (time.perf_counter() - begun))
    print(
        f"rebuild of all projections from {events:,} events, {ROUNDS} rounds: median "
        f"{statistics.median(rates):,.0f} events/s ({min(rates):,.0f} to {max(rates):,.0f}) "
        "(at least 100,000, aim 250,000)"
    )


def main() -> None:
    """Play, rebuild, and print."""
    with bench() as server:
        uvloop.run(measure(server))


if __name__ == "__main__":
    main()
