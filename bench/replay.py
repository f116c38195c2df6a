"""
Replay one table's history on one core, compared with ``eventsourcing``.

The history holds hands played by the engine. Ours reads, verifies every hash, decodes strictly,
opens sealed values and evolves. Theirs calls ``repository.get`` for an aggregate whose events
hold the same documents in the open. The two take turns, so that other load on the machine meets
both.
"""

import statistics
import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

import msgspec
import uvloop
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench import hands
from bench.counting import Bench, bench, command
from bench.floors import Figure, figure
from engine.coordination.aggregates import DECIDERS
from engine.table.model.state import State, opened_of
from engine.values import Sealed, SealedCard, Stream, number_of
from service.base.sources import DatabaseClock
from service.director.runtime import settle
from service.log.canonical import NO_HASH
from service.log.codec import Codec
from service.log.read import verify
from service.log.store import Store, chunks
from service.log.streams import table_stream
from service.log.writer import States, StreamEvents, Writer

HANDS = 200
ROUNDS = 7


class PeerTable(Aggregate):
    """A table in the library's form, without rules."""

    @event("Opened")
    def __init__(self) -> None:
        self.counted = 0

    @event("Happened")
    def happen(self, kind: str, document: dict[str, Any]) -> None:
        """Record one of our events."""
        self.counted += 1


async def measure(server: Bench) -> Figure:
    """Print both rates and their ratio."""
    clock = DatabaseClock()
    writer = server.writer(clock, DECIDERS)
    await writer.start()
    league, stream = f"lge_{uuid4().hex}", table_stream(f"tbl_{uuid4().hex}")
    documents = await play(writer, clock, league, stream, HANDS)
    application, table = peer(server, documents)
    settle()
    codec = Codec(DECIDERS)
    mine, theirs = [], []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        state, version = await replay(writer.store, codec, number_of(league), stream)
        mine.append(version / (time.perf_counter() - begun))
        begun = time.perf_counter()
        found: PeerTable = application.repository.get(table)
        theirs.append(found.counted / (time.perf_counter() - begun))
        assert version == found.counted
    assert state == (await writer.load(league, stream)).state
    application.close()
    await writer.aclose()
    _report(len(documents), mine, theirs)
    return figure("replay", "events/s", mine, theirs, "eventsourcing, which verifies nothing")


async def play(
    writer: Writer, clock: DatabaseClock, league: str, stream: Stream[State], count: int
) -> list[dict[str, Any]]:
    """Play *count* hands, one append for each; return the events with hidden values open."""
    documents: list[dict[str, Any]] = []
    decider = DECIDERS["table"]

    async def decide(states: States) -> list[StreamEvents]:
        state = opened_of((await states.load(stream)).state)
        events: list[Any] = []
        while not events or state.decision is not None:
            happened, state = decider.carry_out(state, hands.following(state, clock.now))
            events += happened
        documents.extend(msgspec.to_builtins(each, enc_hook=_in_the_open) for each in events)
        return [StreamEvents(stream, tuple(events))]

    async def opening(states: States) -> list[StreamEvents]:
        state = (await states.load(stream)).state
        first = hands.opening(f"tbl_{stream.partition('-')[2]}", clock.now())
        events = decider.decide(state, first)
        documents.extend(msgspec.to_builtins(each, enc_hook=_in_the_open) for each in events)
        return [StreamEvents(stream, events)]

    await writer.submit(league, command(clock), opening)
    for _ in range(count):
        await writer.submit(league, command(clock), decide)
    return documents


async def replay(store: Store, codec: Codec, league: UUID, stream: str) -> tuple[Any, int]:
    """Return the state that the whole stream leads to, and its version."""
    keys = await store.keys(league)
    decider = DECIDERS["table"]
    state, head, version = decider.initial, NO_HASH, 0
    async for rows in chunks(store, league, stream):
        head = verify(rows, head)
        for row in rows:
            state = decider.evolve(state, codec.decode(row, keys))
        version = rows[-1].stream_version
    return state, version


def peer(server: Bench, documents: Sequence[dict[str, Any]]) -> tuple[Application[UUID], UUID]:
    """Return the library's application, and the aggregate with the same history."""
    application = server.peer(1)
    table = PeerTable()
    for number, document in enumerate(documents, start=1):
        table.happen(document["type"], document)
        if number % 500 == 0:
            application.save(table)
    application.save(table)
    return application, table.id


def _in_the_open(hidden: Any) -> Any:
    if isinstance(hidden, SealedCard):
        return [hidden.card, hidden.salt.hex(), hidden.pile, hidden.position, hidden.audiences]
    if isinstance(hidden, Sealed):
        value = msgspec.to_builtins(hidden.value)
        return [value, hidden.salt.hex(), hidden.audiences]
    raise TypeError(type(hidden).__name__)


def _report(events: int, mine: list[float], theirs: list[float]) -> None:
    ratios = sorted(our / their for our, their in zip(mine, theirs, strict=True))
    print(
        f"replay of {events:,} events of {HANDS} hands, hashes verified, {ROUNDS} rounds: median "
        f"{statistics.median(mine):,.0f} events/s ({min(mine):,.0f} to {max(mine):,.0f}); "
        f"eventsourcing {statistics.median(theirs):,.0f}/s "
        f"({min(theirs):,.0f} to {max(theirs):,.0f})"
    )
    print(f"ratio {statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})")


def main() -> list[Figure]:
    """Play, replay, and print."""
    with bench() as server:
        return [uvloop.run(measure(server))]


if __name__ == "__main__":
    main()
