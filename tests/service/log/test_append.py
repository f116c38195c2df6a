"""One test suite for both logs: PostgreSQL's and the one in memory."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec
import pytest

from engine.values import number_of
from service.base.errors import EventUnreadable, IdempotencyKeyReused, StoreUnavailable
from service.log.canonical import NotCanonical
from service.log.memory import MemoryStore
from service.log.read import verify
from service.log.record import Recorded
from service.log.store import Store
from service.log.writer import States, StreamEvents, Writer
from tests.support.counters import (
    DECIDERS,
    Counted,
    Hidden,
    TooMuch,
    command,
    counting,
    hidden,
    new_league,
    stream,
)
from tests.support.logs import utcnow, writing

pytestmark = pytest.mark.anyio


@pytest.fixture
async def writer(store: Store) -> AsyncIterator[Writer]:
    """A writer on the log."""
    async with writing(store, DECIDERS) as made:
        yield made


async def everything(writer: Writer, league: str) -> list[Recorded]:
    """Return all rows of a league."""
    return await writer.store.league(number_of(league), -1, 100_000)


def independent_hash(row: Recorded, previous: bytes) -> bytes:
    """Compute a row's hash from the text of the ADR, sharing no code with the service."""

    def digest(data: bytes) -> bytes:
        return hashlib.sha256(data).digest()

    since_1970 = row.at - datetime(1970, 1, 1, tzinfo=UTC)
    micros = (since_1970.days * 86_400 + since_1970.seconds) * 1_000_000
    entry = b"holotable/1" + row.league.bytes + previous + digest(row.stream.encode())
    entry += row.stream_version.to_bytes(8, "big") + row.event_id.bytes
    entry += (micros + since_1970.microseconds).to_bytes(8, "big") + digest(row.type.encode())
    entry += row.schema_version.to_bytes(2, "big") + digest(row.data) + digest(row.metadata)
    entry += bytes(32) if row.sealed is None else digest(row.sealed)
    assert len(entry) == 253
    return digest(b"\x00" + entry)


async def test_positions_are_dense_from_zero_and_versions_from_one(writer: Writer) -> None:
    league = new_league()
    receipts = await asyncio.gather(
        *(writer.submit(league, command(), counting(stream(n % 5), 1)) for n in range(50))
    )
    rows = await everything(writer, league)
    assert [row.position for row in rows] == list(range(50))
    assert {receipt.first_position for receipt in receipts} == set(range(50))
    for number in range(5):
        versions = [row.stream_version for row in rows if row.stream == stream(number)]
        assert versions == list(range(1, 11))
    assert (await writer.load(league, stream(0))).state.total == 10


async def test_the_chain_is_what_an_independent_computation_gives(writer: Writer) -> None:
    league = new_league()

    async def hide(states: States) -> list[StreamEvents]:
        await states.load(stream(1))
        return [StreamEvents(stream(1), (hidden(), Counted(by=2, note="é")))]

    await writer.submit(league, command(), hide)
    await writer.submit(league, command(), counting(stream(1), 3))
    previous = bytes(32)
    for row in await everything(writer, league):
        assert row.hash == independent_hash(row, previous)
        previous = row.hash
    assert (await writer.load(league, stream(1))).hash == previous


async def test_events_come_back_as_they_went(writer: Writer) -> None:
    league = new_league()

    async def hide(_states: States) -> list[StreamEvents]:
        return [StreamEvents(stream(1), (hidden(),))]

    receipt = await writer.submit(league, command(), hide)
    assert receipt.recorded[0].event == hidden()
    (row,) = await everything(writer, league)
    opened = writer.codec.decode(row, await writer.store.keys(number_of(league)))
    assert opened == hidden()
    assert isinstance(writer.codec.decode(row, None), Hidden)


async def test_a_repeated_command_gets_its_first_answer(writer: Writer) -> None:
    league = new_league()
    first = await writer.submit(league, command("once"), counting(stream(1), 5))
    again = await writer.submit(league, command("once"), counting(stream(1), 5))
    assert again.duplicate and not first.duplicate
    assert again.recorded == first.recorded
    assert len(await everything(writer, league)) == 1


async def test_a_repetition_in_the_same_batch_is_a_repetition(writer: Writer) -> None:
    league = new_league()
    receipts = await asyncio.gather(
        *(writer.submit(league, command("once"), counting(stream(1))) for _ in range(8))
    )
    assert sorted(receipt.duplicate for receipt in receipts) == [False] + [True] * 7
    assert len(await everything(writer, league)) == 1


async def test_a_repetition_is_answered_before_it_could_be_refused(writer: Writer) -> None:
    league = new_league()
    await writer.submit(league, command("all"), counting(stream(1), 1_000_000))
    again = await writer.submit(league, command("all"), counting(stream(1), 1_000_000))
    assert again.duplicate
    with pytest.raises(TooMuch):
        await writer.submit(league, command("more"), counting(stream(1), 1))


async def test_another_request_under_the_same_command_is_refused(writer: Writer) -> None:
    league = new_league()
    await writer.submit(league, command("once", b"1"), counting(stream(1)))
    with pytest.raises(IdempotencyKeyReused):
        await writer.submit(league, command("once", b"2"), counting(stream(1)))


async def test_a_command_that_changes_nothing_has_no_position(writer: Writer) -> None:
    league = new_league()
    receipt = await writer.submit(league, command(), counting(stream(1), 0))
    assert receipt.first_position is None and receipt.recorded == ()
    assert await everything(writer, league) == []


async def test_a_stale_copy_is_caught_up_and_decided_again(store: Store) -> None:
    league = new_league()
    ours, theirs = Writer(store, DECIDERS, utcnow), Writer(store, DECIDERS, utcnow)
    await ours.start()
    await theirs.start()
    await ours.submit(league, command(), counting(stream(1), 1))
    await theirs.submit(league, command(), counting(stream(1), 10))
    await ours.submit(league, command(), counting(stream(1), 100))
    assert (await theirs.load(league, stream(1))).state.total == 111
    assert (await theirs.load(league, stream(1), fresh=False)).state.total == 111
    await ours.aclose()


async def test_a_refusal_is_never_based_on_a_stale_copy(store: Store) -> None:
    league = new_league()
    ours, theirs = Writer(store, DECIDERS, utcnow), Writer(store, DECIDERS, utcnow)
    await ours.start()
    await theirs.start()
    await ours.submit(league, command(), counting(stream(1), 1_000_000))
    await theirs.submit(league, command(), counting(stream(1), -500))
    receipt = await ours.submit(league, command(), counting(stream(1), 100))
    assert receipt.recorded[0].version == 3
    await ours.aclose()


async def test_a_guard_that_has_moved_has_the_command_decided_again(store: Store) -> None:
    league = new_league()
    ours, theirs = Writer(store, DECIDERS, utcnow), Writer(store, DECIDERS, utcnow)
    await ours.start()
    await theirs.start()
    gate = stream(9, "tournament")
    await ours.load(league, gate)
    seen: list[int] = []

    async def while_open(states: States) -> list[StreamEvents]:
        total = (await states.load(gate)).state.total
        seen.append(total)
        await states.load(stream(1))
        return [StreamEvents(stream(1), (Counted(by=total),)), StreamEvents(gate)]

    await ours.submit(league, command(), while_open)
    await theirs.submit(league, command(), counting(gate, 7))
    receipt = await ours.submit(league, command(), while_open)
    assert seen == [0, 0, 7]
    assert receipt.recorded[0].event == Counted(by=7)
    (row,) = [row for row in await everything(ours, league) if row.stream_version == 2]
    assert row.about().guards[0].stream == gate and row.about().guards[0].version == 1
    await ours.aclose()


async def test_an_append_is_all_or_nothing_over_its_streams(writer: Writer) -> None:
    league = new_league()

    async def both(_states: States) -> list[StreamEvents]:
        return [
            StreamEvents(stream(1), (Counted(by=1),)),
            StreamEvents(stream(2, "tournament"), (Counted(by=1), Counted(by=2))),
        ]

    receipt = await writer.submit(league, command(), both)
    assert (receipt.first_position, receipt.last_position) == (0, 2)

    async def broken(_states: States) -> list[StreamEvents]:
        return [
            StreamEvents(stream(1), (Counted(by=1),)),
            StreamEvents(stream(2, "tournament"), (Counted(by=2**60),)),
        ]

    with pytest.raises(NotCanonical):
        await writer.submit(league, command(), broken)
    assert len(await everything(writer, league)) == 3


async def test_one_defective_command_does_not_harm_its_neighbours(writer: Writer) -> None:
    league = new_league()

    async def defective(_states: States) -> list[StreamEvents]:
        raise ZeroDivisionError

    answers = await asyncio.gather(
        writer.submit(league, command(), counting(stream(1))),
        writer.submit(league, command(), defective),
        writer.submit(league, command(), counting(stream(1))),
        return_exceptions=True,
    )
    assert isinstance(answers[1], ZeroDivisionError)
    assert (await writer.load(league, stream(1))).state.total == 2


async def test_a_process_whose_count_is_ahead_writes_by_the_logs_own_clock(store: Store) -> None:
    league, said = new_league(), utcnow() + timedelta(hours=1)
    fast = Writer(store, DECIDERS, lambda: said)
    await fast.start()
    receipt = await fast.submit(league, command(), counting(stream(1)))
    (first,) = receipt.recorded
    assert first.row.at < utcnow() + timedelta(seconds=1)
    assert first.row.about().read_at == said
    await fast.aclose()


async def test_a_log_that_is_ahead_refuses_nobody_and_time_rises_in_its_league(
    store: Store,
) -> None:
    league = new_league()
    now = [utcnow()]
    writer = Writer(store, DECIDERS, lambda: now[0])
    await writer.start()
    first = await writer.submit(league, command(), counting(stream(1)))
    now[0] -= timedelta(minutes=1)
    other = await writer.submit(league, command(), counting(stream(2)))
    again = await writer.submit(league, command(), counting(stream(1)))
    instants = [each.recorded[0].row.at for each in (first, other, again)]
    step = timedelta(microseconds=1)
    assert instants == [instants[0], instants[0] + step, instants[0] + 2 * step]
    assert first.recorded[0].row.about().read_at is None
    assert again.recorded[0].row.about().read_at == now[0]
    await writer.aclose()
    fresh = Writer(store, DECIDERS, lambda: now[0])  # it has read nothing of the league yet
    await fresh.start()
    later = await fresh.submit(league, command(), counting(stream(3)))
    assert later.recorded[0].row.at == instants[-1] + step
    await fresh.aclose()


async def test_leagues_do_not_see_each_other(writer: Writer) -> None:
    one, other = new_league(), new_league()
    await writer.submit(one, command("same"), counting(stream(1), 1))
    receipt = await writer.submit(other, command("same"), counting(stream(1), 2))
    assert not receipt.duplicate and receipt.first_position == 0


async def test_a_long_stream_is_read_in_chunks(store: Store) -> None:
    league = new_league()
    writer = Writer(store, DECIDERS, utcnow)
    await writer.start()

    async def many(_states: States) -> list[StreamEvents]:
        return [StreamEvents(stream(1), tuple(Counted(by=1) for _ in range(1_500)))]

    await writer.submit(league, command(), many)
    await writer.submit(league, command(), many)
    other = Writer(store, DECIDERS, utcnow)
    assert (await other.load(league, stream(1))).state.total == 3_000
    await writer.aclose()


async def test_the_last_head_of_an_epoch_is_not_believed_in_the_next() -> None:
    """
    This uses the log in memory. Only the owner can raise PostgreSQL's epoch: see the role tests.
    """
    store = MemoryStore(now=utcnow)
    writer = Writer(store, DECIDERS, utcnow)
    await writer.start()
    league = new_league()
    await writer.submit(league, command(), counting(stream(1)))
    await store.raise_epoch(number_of(league))
    receipt = await writer.submit(league, command(), counting(stream(1)))
    assert receipt.epoch == 1
    await writer.aclose()


async def test_a_changed_row_is_noticed_when_it_is_read(writer: Writer) -> None:
    league = new_league()
    await writer.submit(league, command(), counting(stream(1)))
    (row,) = await everything(writer, league)
    assert verify([row]) == row.hash
    with pytest.raises(EventUnreadable):
        verify([row._replace(data=row.data.replace(b"1", b"2"))])
    with pytest.raises(EventUnreadable):
        writer.codec.decode(row._replace(data=b'{"type":"gone"}'), None)


async def test_what_waits_when_the_writer_closes_is_told_so(store: Store) -> None:
    writer = Writer(store, DECIDERS, utcnow)
    await writer.start()
    started = asyncio.Event()

    async def slow(_states: States) -> list[StreamEvents]:
        started.set()
        await asyncio.Event().wait()
        return []

    waiting = asyncio.create_task(writer.submit(new_league(), command(), slow))
    await started.wait()
    await writer.aclose()
    with pytest.raises(StoreUnavailable):
        await waiting


async def test_metadata_names_who_asked_and_never_what(writer: Writer) -> None:
    league = new_league()
    await writer.submit(league, command("once", b'{"card":"C+01"}'), counting(stream(1)))
    (row,) = await everything(writer, league)
    about = msgspec.json.decode(row.metadata)
    assert about["actor"] == "plr_" + "1" * 32
    assert UUID(about["command_id"]).version == 5
    plain = hashlib.sha256(b'{"card":"C+01"}').hexdigest()
    assert about["request_digest"] != plain and len(about["request_digest"]) == 64
