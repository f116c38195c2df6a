"""Loading a table from its last hand, with its hashes checked, once for simultaneous callers."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from engine.coordination.aggregates import DECIDERS
from engine.values import number_of
from service.base.errors import EventUnreadable
from service.log.memory import MemoryStore
from service.log.record import Recorded
from service.log.store import Store
from service.log.writer import States, StreamEvents, Writer
from tests.engine.table.tables import Floor, add_nothing, keep_all
from tests.support.counters import command, new_league, stream
from tests.support.logs import utcnow, writing

pytestmark = pytest.mark.anyio

TABLE = stream(1)


@pytest.fixture
async def writer(store: Store) -> AsyncIterator[Writer]:
    """A writer on the log."""
    async with writing(store, DECIDERS) as made:
        yield made


def play(floor: Floor) -> None:
    """Play one hand to its end."""
    floor.open_hand()
    while (decision := floor.table.decision) is not None:
        if decision.phase == "select":
            floor.everyone_selects(keep_all)
        elif decision.phase == "improve":
            floor.everyone_improves(add_nothing)
        else:
            seat = decision.seats[0]
            verbs = [each.verb for each in floor.view(seat).legal]
            floor.act(seat, "check" if "check" in verbs else "call")


async def write(writer: Writer, league: str, events: Sequence[Any]) -> None:
    """Append *events* to the table's stream."""

    async def decide(states: States) -> list[StreamEvents]:
        await states.load(TABLE)
        return [StreamEvents(TABLE, tuple(events))]

    await writer.submit(league, command(), decide)


async def test_a_table_loaded_from_its_last_hand_is_the_one_that_was_played(
    writer: Writer, store: Store
) -> None:
    league, floor, written = new_league(), Floor(stacks=(500, 500, 500)), 0
    for _ in range(4):
        floor.open_hand() if floor.table.hand_number == 3 else play(floor)
        await write(writer, league, floor.events[written:])
        written = len(floor.events)
        cold = await Writer(store, DECIDERS, utcnow).load(league, TABLE)
        warm = await writer.load(league, TABLE, fresh=False)
        assert cold == warm
        assert cold.state == floor.state


async def test_only_the_last_hand_is_read(writer: Writer, store: Store) -> None:
    league, floor = new_league(), Floor(stacks=(500, 500, 500))
    for _ in range(3):
        play(floor)
    await write(writer, league, floor.events)
    rows = await store.books(number_of(league), TABLE, "hand_opened")
    last = max(row.stream_version for row in rows if row.type == "hand_opened")
    versions = [row.stream_version for row in rows]
    assert versions == [1, *range(last - 1, len(floor.events) + 1)]
    assert last > len(floor.events) / 2


async def test_a_short_table_is_read_whole(writer: Writer, store: Store) -> None:
    league, floor = new_league(), Floor(stacks=(500, 500))
    floor.open_hand()
    for count in (1, len(floor.events)):
        rows = await store.books(number_of(league), TABLE, "hand_opened")
        await write(writer, league, floor.events[len(rows) : count])
        rows = await store.books(number_of(league), TABLE, "hand_opened")
        assert [row.stream_version for row in rows] == list(range(1, count + 1))


@pytest.mark.parametrize("place", ["first", "hand_opened", "last"])
async def test_what_is_read_is_verified(place: str) -> None:
    store = MemoryStore(now=utcnow)
    writer = Writer(store, DECIDERS, utcnow)
    await writer.start()
    league, floor = new_league(), Floor(stacks=(500, 500))
    for _ in range(2):
        play(floor)
    await write(writer, league, floor.events)
    await writer.aclose()
    rows: list[Recorded] = store._streams[number_of(league), TABLE]
    opened = max(index for index, row in enumerate(rows) if row.type == "hand_opened")
    index = {"first": 0, "hand_opened": opened, "last": len(rows) - 1}[place]
    rows[index] = rows[index]._replace(metadata=rows[index].metadata + b" ")
    with pytest.raises(EventUnreadable):
        await Writer(store, DECIDERS, utcnow).load(league, TABLE)


async def test_everybody_who_asks_at_once_sees_what_another_process_wrote(
    writer: Writer, store: Store
) -> None:
    league, floor = new_league(), Floor(stacks=(500, 500))
    await write(writer, league, floor.events)
    other = Writer(store, DECIDERS, utcnow)
    await asyncio.gather(*(other.load(league, TABLE) for _ in range(5)))
    for _ in range(3):
        before = len(floor.events)
        play(floor)
        under_way = asyncio.ensure_future(other.load(league, TABLE))
        await asyncio.sleep(0)
        await write(writer, league, floor.events[before:])
        seen = await asyncio.gather(*(other.load(league, TABLE) for _ in range(20)))
        assert {each.version for each in seen} == {len(floor.events)}
        assert (await under_way).version in (before, len(floor.events))


async def test_the_head_of_a_stream_is_its_last_event(writer: Writer, store: Store) -> None:
    league, floor = new_league(), Floor(stacks=(500, 500))
    play(floor)
    assert await store.head(number_of(league), TABLE) is None
    await write(writer, league, floor.events)
    here = await writer.load(league, TABLE, fresh=False)
    others = [store.head(number_of(each), TABLE) for each in (new_league(), league, league)]
    assert await asyncio.gather(*others) == [None, *[(here.version, here.hash)] * 2]


async def test_only_what_has_moved_is_read_again(writer: Writer, store: Store, monkeypatch) -> None:
    moved, still, read = new_league(), new_league(), []
    for league in (moved, still):
        floor = Floor(stacks=(500, 500))
        play(floor)
        await write(writer, league, floor.events)
    other = Writer(store, DECIDERS, utcnow)
    before = [await other.load(each, TABLE) for each in (moved, still)]
    written = len(floor.events)
    floor.open_hand()
    await write(writer, moved, floor.events[written:])
    ask = store.stream

    async def watched(league, *rest):
        read.append(league)
        return await ask(league, *rest)

    monkeypatch.setattr(store, "stream", watched)
    after = await asyncio.gather(*(other.load(each, TABLE) for each in (still, moved, still)))
    assert after[0] is after[2] is before[1]
    assert after[1].state == floor.state != before[0].state
    assert set(read) == {number_of(moved)}


async def test_a_log_says_where_each_league_ends(writer: Writer, store: Store) -> None:
    league, empty, floor = new_league(), new_league(), Floor(stacks=(500, 500, 500))
    play(floor)
    await write(writer, league, floor.events)
    last = (await store.league(number_of(league)))[-1]
    ends = await store.ends([number_of(league), number_of(empty)])
    assert ends == {number_of(league): (last.position, last.hash)}
