"""
Replaying one stream's history on one core, against ``eventsourcing``.

Ours: read, verify every hash, decode strictly, open the sealed deals (one event
in twenty), evolve.  Theirs: ``repository.get``.  The two take turns, so that what
else the machine does meets both, and the best round of each counts.
"""

import gc
import time
from uuid import UUID, uuid4

import uvloop
from eventsourcing.application import Application

from bench.counting import (
    DECIDERS,
    Bench,
    Dealt,
    PeerTable,
    Wagered,
    bench,
    command,
    dealt,
)
from service.eventstore.store import PostgresStore
from service.sources import DatabaseClock
from service.writer import Entry, States, Writer

EVENTS = 20_000
BATCH = 1_000
DEAL_EVERY = 20
ROUNDS = 5


async def measure(server: Bench) -> tuple[float, float]:
    """Return our events per second, and the library's."""
    clock = DatabaseClock()
    writer = server.writer(clock)
    await writer.start()
    league, stream = f"lge_{uuid4().hex}", f"table-{uuid4().hex}"

    async def play(_states: States) -> list[Entry]:
        events: list[Wagered | Dealt] = [
            dealt() if number % DEAL_EVERY == 0 else Wagered(seat=1, amount=5)
            for number in range(BATCH)
        ]
        return [Entry(stream, tuple(events))]

    for _ in range(EVENTS // BATCH):
        await writer.submit(league, command(clock), play)
    store = writer.store
    assert isinstance(store, PostgresStore)
    gc.freeze()
    gc.set_threshold(50_000, 50, 1_000)  # as every process of the service does
    application, table = peer(server)
    best = theirs = 0.0
    for _ in range(ROUNDS):
        cold = Writer(store, DECIDERS, clock.now)  # reads, appends nothing, is never started
        begun = time.perf_counter()
        loaded = await cold.load(league, stream)
        best = max(best, loaded.version / (time.perf_counter() - begun))
        begun = time.perf_counter()
        found: PeerTable = application.repository.get(table)
        theirs = max(theirs, found.version / (time.perf_counter() - begun))
    application.close()
    await writer.aclose()
    return best, theirs


def peer(server: Bench) -> tuple[Application[UUID], UUID]:
    """Return the library's application, and the aggregate it has written as often."""
    application = server.peer(1)
    table = PeerTable()
    for _ in range(EVENTS // BATCH):
        for _ in range(BATCH):
            table.wager(seat=1, amount=5, rule="betting.raise")
        application.save(table)
    return application, table.id


def main() -> None:
    """Print both rates and their ratio."""
    with bench() as server:
        mine, theirs = uvloop.run(measure(server))
    print(f"replay, hashes verified: {mine:,.0f} events/s; eventsourcing {theirs:,.0f}/s")
    print(f"ratio {mine / theirs:.1f} (at least 3, aim 5)")


if __name__ == "__main__":
    main()
