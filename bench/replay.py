"""
Replaying one stream's history on one core, against ``eventsourcing``.

Ours: read, verify every hash, decode strictly, open the sealed deals (one event
in twenty), evolve.  Theirs: ``repository.get``.
"""

import gc
import time
from uuid import UUID, uuid4

import uvloop

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
ROUNDS = 3


async def ours(server: Bench) -> float:
    """Return our events per second."""
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
    best = 0.0
    for _ in range(ROUNDS):
        cold = Writer(store, DECIDERS, clock.now)  # reads, appends nothing, is never started
        begun = time.perf_counter()
        loaded = await cold.load(league, stream)
        best = max(best, loaded.version / (time.perf_counter() - begun))
    await writer.aclose()
    return best


def theirs(server: Bench) -> float:
    """Return the library's events per second."""
    application = server.peer(1)
    table = PeerTable()
    for _ in range(EVENTS // BATCH):
        for _ in range(BATCH):
            table.wager(seat=1, amount=5, rule="betting.raise")
        application.save(table)
    best = 0.0
    number: UUID = table.id
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        found: PeerTable = application.repository.get(number)
        best = max(best, found.version / (time.perf_counter() - begun))
    application.close()
    return best


def main() -> None:
    """Print both rates and their ratio."""
    with bench() as server:
        mine = uvloop.run(ours(server))
        peer = theirs(server)
    print(f"replay, hashes verified: {mine:,.0f} events/s; eventsourcing {peer:,.0f}/s")
    print(f"ratio {mine / peer:.1f} (at least 3, aim 5)")


if __name__ == "__main__":
    main()
