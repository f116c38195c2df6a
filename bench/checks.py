"""
Measure the cost of the checks in ``append_events``, against its predecessor of migration 0001.

Both get the same honest calls on one durable server, in leagues of their own and from one
connection. So the difference is the server's work.
"""

import statistics
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import uvloop

from bench.counting import PASSWORD, Bench, bench
from service.base.migrations import load
from service.log import append, canonical
from service.log.record import Append, Head, NewEvent

ROUNDS = 7
SIZES = ((1, 200), (16, 60), (64, 30), (500, 6))
"""Appends in a call, and the calls of each side in a round."""

DATA = b'{"amount":5,"note":"' + b"x" * 500 + b'","type":"wagered"}'
METADATA = b'{"actor":"' + b"y" * 300 + b'"}'


def calls(league: UUID, size: int, count: int) -> list[tuple[Any, ...]]:
    """Return *count* calls of *size* appends of one event each, to *size* streams."""
    heads = {f"table-{uuid4().hex}": (0, canonical.NO_HASH) for _ in range(size)}
    return [(league, 0, *_call(league, heads)) for _ in range(count)]


def _call(league: UUID, heads: dict[str, tuple[int, bytes]]) -> tuple[Any, ...]:
    appends, now = [], datetime.now(UTC)
    for stream, (version, before) in heads.items():
        id_ = uuid4()
        about = (stream, version + 1, id_)
        entry = canonical.leaf(
            league, before, *about, canonical.microseconds(now), "wagered", 1, DATA,
            sha256(METADATA).digest(), None,
        )  # fmt: skip
        hash_ = sha256(entry).digest()
        new = NewEvent(*about, "wagered", 1, now, DATA, None, METADATA, hash_)
        appends.append(Append(id_, [Head(stream, version, before, True, now)], [new]))
        heads[stream] = (version + 1, hash_)
    return [each.event_0 for each in appends], *append.parameters(appends, checked=False)


async def measure(server: Bench) -> None:
    """Print the cost of a call before and now, by its size."""
    owner = await asyncpg.connect(server.cluster.url("ours"))
    before = load("append_events", "0001")
    await owner.execute("SET ROLE holotable_owner")
    await owner.execute(before.replace("append_events(", "append_events_before(", 1))
    await owner.execute("GRANT EXECUTE ON FUNCTION append_events_before TO holotable_api")
    await owner.close()
    connection = await asyncpg.connect(server.cluster.url("ours", "holotable_api", PASSWORD))
    for size, count in SIZES:
        took: dict[str, list[float]] = {"append_events_before": [], "append_events": []}
        for turn in range(ROUNDS + 1):
            for name, times in took.items():
                each = await _timed(connection, name, calls(uuid4(), size, count))
                if turn:  # the first round plans and warms
                    times.append(each)
        old, new = (statistics.median(times) * 1e6 for times in took.values())
        print(
            f"{size:4} events a call: before {old:8,.0f} us, now {new:8,.0f} us "
            f"({new / old:.2f} times, {(new - old) / size:.1f} us an event)"
        )
    await connection.close()


async def _timed(connection: Any, name: str, made: Sequence[tuple[Any, ...]]) -> float:
    statement = append.CALL.replace("append_events(", f"{name}(")
    prepared = await connection.prepare(statement)
    begun = time.perf_counter()
    for each in made:
        row = await prepared.fetchrow(*each)
        assert row["failed"] == []
    return (time.perf_counter() - begun) / len(made)


def main() -> None:
    """Append, and print."""
    with bench() as server:
        uvloop.run(measure(server))


if __name__ == "__main__":
    main()
