"""The database refuses batches that do not follow from their heads, from any sender."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID, uuid4

import asyncpg
import pytest

from engine.values import number_of
from service.log import append as appending
from service.log import canonical
from service.log.canonical import NO_HASH
from service.log.memory import MemoryStore
from service.log.record import Append, Head, NewEvent, Outcome, StatementFailed
from service.log.store import PostgresStore, Store
from tests.support.counters import new_league, stream
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

LEAGUE = number_of(new_league())
A, B = stream(1), stream(2)


def event(
    head: Head, *, at: datetime | None = None, league: UUID = LEAGUE, by: int = 1
) -> NewEvent:
    """Return the honest event that follows *head*."""
    at, id_ = at or head.first_at or datetime.now(UTC), uuid4()
    data, metadata = b'{"by":%d,"type":"counted"}' % by, b"{}"
    leaf = canonical.leaf(
        league,
        head.hash,
        head.stream,
        head.version + 1,
        id_,
        canonical.microseconds(at),
        "counted",
        1,
        data,
        sha256(metadata).digest(),
        None,
    )
    hash_ = sha256(leaf).digest()
    return NewEvent(
        head.stream, head.version + 1, id_, "counted", 1, at, data, None, metadata, hash_
    )


def start(name: str) -> Head:
    """Return the head of an empty stream, to be written."""
    return Head(name, 0, NO_HASH, True, datetime.now(UTC))


def after(new: NewEvent) -> Head:
    """Return the head that an event leaves, to be written."""
    return Head(new.stream, new.stream_version, new.hash, True, new.at)


def one(heads: list[Head], *events: NewEvent) -> Append:
    return Append(events[0].event_id, heads, list(events))


def chain(head: Head, count: int) -> list[NewEvent]:
    """Return consecutive honest events."""
    made = [event(head)]
    while len(made) < count:
        made.append(event(after(made[-1])))
    return made


def versions_leap() -> list[Append]:
    leap = start(A)._replace(version=100)
    return [one([start(A)], event(leap))]


def a_leap_within() -> list[Append]:
    first = event(start(A))
    return [one([start(A)], first, event(after(first)._replace(version=2)))]


def a_wrong_hash() -> list[Append]:
    return [one([start(A)], event(start(A))._replace(hash=sha256(b"else").digest()))]


def a_hash_of_other_bytes() -> list[Append]:
    return [one([start(A)], event(start(A))._replace(data=b'{"by":9,"type":"counted"}'))]


def a_hash_of_other_metadata() -> list[Append]:
    return [one([start(A)], event(start(A))._replace(metadata=b'{"actor":"else"}'))]


def a_hash_of_no_box() -> list[Append]:
    return [one([start(A)], event(start(A))._replace(sealed=b"\x01"))]


def a_hash_of_another_instant() -> list[Append]:
    new = event(start(A))
    return [one([start(A)], new._replace(at=new.at - timedelta(microseconds=1)))]


def a_hash_of_another_type() -> list[Append]:
    return [one([start(A)], event(start(A))._replace(type="hidden"))]


def a_hash_of_another_id() -> list[Append]:
    return [one([start(A)], event(start(A))._replace(event_id=uuid4()))]


def a_wrong_previous_hash() -> list[Append]:
    return [one([start(A)], event(start(A)._replace(hash=sha256(b"else").digest())))]


def a_wrong_previous_hash_within() -> list[Append]:
    first = event(start(A))
    return [one([start(A)], first, event(after(first)._replace(hash=NO_HASH)))]


def no_head() -> list[Append]:
    return [one([], event(start(A)))]


def no_head_for_one_of_two() -> list[Append]:
    return [one([start(A)], event(start(A)), event(start(B)))]


def only_a_guard() -> list[Append]:
    return [one([start(A)._replace(written=False)], event(start(A)))]


def a_head_of_another_append() -> list[Append]:
    first = event(start(A))
    return [one([start(A)], first), one([start(B)], event(start(B)), event(after(first)))]


def a_doubled_version() -> list[Append]:
    return [one([start(A)], event(start(A)), event(start(A)))]


def a_gap() -> list[Append]:
    first, _, third = chain(start(A), 3)
    return [one([start(A)], first, third)]


def the_wrong_order() -> list[Append]:
    first, second = chain(start(A), 2)
    return [one([start(A)], second, first)]


def the_wrong_order_of_appends() -> list[Append]:
    first, second = chain(start(A), 2)
    return [one([after(first)], second), one([start(A)], first)]


def a_foreign_league() -> list[Append]:
    return [one([start(A)], event(start(A), league=UUID(int=7)))]


def entangled_streams() -> list[Append]:
    """Each stream's second event chains to the other's first."""
    a, b = event(start(A)), event(start(B))
    crossed = [event(after(b)._replace(stream=A)), event(after(a)._replace(stream=B))]
    return [one([start(A), start(B)], a, b, *crossed)]


def a_head_that_the_call_does_not_leave() -> list[Append]:
    first = event(start(A))
    other = after(first)._replace(hash=sha256(b"else").digest())
    return [one([start(A)], first), one([other], event(other))]


def a_stream_named_twice() -> list[Append]:
    return [one([start(A), start(A)], event(start(A)))]


def time_that_falls() -> list[Append]:
    first = event(start(A))
    earlier = first.at - timedelta(seconds=1)
    return [one([start(A)], first, event(after(first), at=earlier))]


def time_ahead() -> list[Append]:
    return [one([start(A)], event(start(A), at=datetime.now(UTC) + timedelta(seconds=30)))]


FORGED: list[Callable[[], list[Append]]] = [
    versions_leap,
    a_leap_within,
    a_wrong_hash,
    a_hash_of_other_bytes,
    a_hash_of_other_metadata,
    a_hash_of_no_box,
    a_hash_of_another_instant,
    a_hash_of_another_type,
    a_hash_of_another_id,
    a_wrong_previous_hash,
    a_wrong_previous_hash_within,
    no_head,
    no_head_for_one_of_two,
    only_a_guard,
    a_head_of_another_append,
    a_doubled_version,
    a_gap,
    the_wrong_order,
    the_wrong_order_of_appends,
    a_foreign_league,
    entangled_streams,
    a_head_that_the_call_does_not_leave,
    a_stream_named_twice,
    time_that_falls,
    time_ahead,
]


def utcnow() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
async def logs(database: TestDatabase) -> AsyncIterator[list[Store]]:
    """The log in memory, and PostgreSQL's with the API's login."""
    kept: list[Store] = [
        MemoryStore(now=utcnow),
        PostgresStore(database.url("holotable_api"), SECRET_KEY),
    ]
    for each in kept:
        await each.start()
    yield kept
    for each in kept:
        await each.aclose()


async def test_every_kind_of_forged_batch_is_refused_as_a_whole(logs: list[Store]) -> None:
    for log in logs:
        for forged in FORGED:
            with pytest.raises(StatementFailed):
                await log.append(LEAGUE, 0, forged())
            assert await log.league(LEAGUE) == [], forged.__name__


async def test_forged_batches_are_refused_on_a_log_that_has_events(logs: list[Store]) -> None:
    for log in logs:
        mine, theirs = event(start(A)), event(start(B))
        await log.append(LEAGUE, 0, [one([start(A)], mine), one([start(B)], theirs)])
        head = after(mine)
        wrong = [
            one([head], event(head._replace(version=101))),
            one([head], event(head._replace(hash=theirs.hash))),
            one([head], event(head, at=mine.at - timedelta(microseconds=1))),
            one([head._replace(written=False)], event(head)),
            one([], event(head)),
        ]
        for each in wrong:
            with pytest.raises(StatementFailed):
                await log.append(LEAGUE, 0, [each])
        stale = one([start(A)], event(start(A)))
        assert (await log.append(LEAGUE, 0, [stale])).failed == {0}
        assert len(await log.league(LEAGUE)) == 2


async def test_what_builds_on_the_call_and_what_waits_behind_a_guard_is_made(
    logs: list[Store],
) -> None:
    for log in logs:
        a, b = chain(start(A), 3), chain(start(B), 2)
        guard = after(a[1])._replace(written=False, first_at=None)
        outcome = await log.append(
            LEAGUE,
            0,
            [
                one([start(A)], a[0], a[1]),
                one([guard, start(B)], *b),
                Append(uuid4(), [guard]),
                one([after(a[1])], a[2]),
            ],
        )
        assert outcome == Outcome(0, {0: 0, 1: 2, 2: 4, 3: 4})
        assert [row.stream for row in await log.league(LEAGUE)] == [A, A, B, B, A]


async def test_positions_follow_the_appends_also_if_events_come_in_another_order(
    database: TestDatabase,
) -> None:
    """Otherwise a stream's later version would have the earlier position."""
    connection = await asyncpg.connect(database.url("holotable_api"))
    first, second = chain(start(A), 2)
    made = [one([start(A)], first), one([after(first)], second)]
    heads, events = appending.parameters(made, checked=False)
    firsts = [each.event_0 for each in made]
    await connection.fetchrow(appending.CALL, LEAGUE, 0, firsts, heads, events[::-1])
    rows = await connection.fetch("SELECT stream_version FROM events ORDER BY position")
    assert [row["stream_version"] for row in rows] == [1, 2]
    await connection.close()


@pytest.mark.parametrize("field", range(7))
async def test_a_head_with_a_member_missing_is_refused(database: TestDatabase, field: int) -> None:
    connection = await asyncpg.connect(database.url("holotable_api"))
    made = one([start(A)], event(start(A)))
    heads, events = appending.parameters([made], checked=False)
    call = (appending.CALL, LEAGUE, 0, [made.event_0])
    holed = [tuple(None if n == field else value for n, value in enumerate(heads[0]))]
    if field == 6:  # the function no longer reads the instant of the first event
        await connection.fetchrow(*call, holed, events)
    else:
        with pytest.raises(asyncpg.PostgresError):
            await connection.fetchrow(*call, holed, events)
    assert await connection.fetchval("SELECT count(*) FROM events") == int(field == 6)
    await connection.close()


@pytest.mark.parametrize("field", [0, 1, 2, 3, 4, 5, 6, 7, 9, 10])
async def test_an_event_with_a_part_missing_is_refused(database: TestDatabase, field: int) -> None:
    connection = await asyncpg.connect(database.url("holotable_api"))
    made = one([start(A)], event(start(A)))
    heads, events = appending.parameters([made], checked=False)
    holed = [tuple(None if n == field else value for n, value in enumerate(events[0]))]
    with pytest.raises(asyncpg.PostgresError):
        await connection.fetchrow(appending.CALL, LEAGUE, 0, [made.event_0], heads, holed)
    assert await connection.fetchval("SELECT count(*) FROM events") == 0
    await connection.close()
