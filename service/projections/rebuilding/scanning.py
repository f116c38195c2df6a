"""
One scan of the log, league by league, for many projections.

Each event is read and decoded once. The next pages are fetched while one is decoded, and while the
rows of a batch are written.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections.applying.events import Read, Stored, decoded, stored
from service.projections.applying.projection import NOTHING

PAGE = 10_000
"""Positions that one statement reads."""

POSITIONS = 100_000
"""The most positions in a batch. In a larger batch, more changes of one row become one."""

BYTES = 8_000_000
"""A batch ends with the page that reaches this size, because decoded events are kept."""

_AHEAD = 8
"""Pages that are fetched before they are needed, at most. They hold about as much as a batch."""

_TOGETHER = 200
"""Events decoded between two turns of the event loop."""


class Part(NamedTuple):
    """Consecutive events of one league."""

    league: str
    events: list[Read]
    after: int
    """The position before the first one scanned."""

    until: int
    """The last position scanned."""


class _Page(NamedTuple):
    league: str
    rows: Sequence[Stored]
    after: int
    until: int
    size: int
    """The size of its documents in bytes."""


async def batches(
    connection: AsyncConnection, goals: Mapping[str, int], passed_over: frozenset[str]
) -> AsyncIterator[list[Part]]:
    """
    Yield the events of each league up to its goal, except those of some types, in order.

    A batch holds one league's part after another, as many as are together below both bounds.
    """
    batch: list[Part] = []
    scanned = size = 0
    async for page in _pages(connection, goals, passed_over):
        events: list[Read] = []
        for at in range(0, len(page.rows), _TOGETHER):
            events += decoded(page.league, page.rows[at : at + _TOGETHER])
            # The database sends more only once this process has read what has arrived.
            await asyncio.sleep(0)
        if batch and batch[-1].league == page.league:
            before = batch.pop()
            batch.append(Part(page.league, before.events + events, before.after, page.until))
        else:
            batch.append(Part(page.league, events, page.after, page.until))
        scanned, size = scanned + page.until - page.after, size + page.size
        if scanned >= POSITIONS or size >= BYTES:
            yield batch
            batch, scanned, size = [], 0, 0
    if batch:
        yield batch


async def _pages(
    connection: AsyncConnection, goals: Mapping[str, int], passed_over: frozenset[str]
) -> AsyncIterator[_Page]:
    """Yield rows of the log, and fetch the next ones meanwhile."""
    turn = asyncio.Lock()

    async def fetch(league: str, after: int, until: int) -> _Page:
        async with turn:
            rows = await stored(connection, league, after, until, passed_over)
        return _Page(league, rows, after, until, sum([len(row[-1]) for row in rows]))

    wanted = (asyncio.create_task(fetch(*span)) for span in _spans(goals))
    fetching = deque(islice(wanted, 1))
    try:
        while fetching:
            page = await fetching.popleft()
            room = min(_AHEAD, 1 + BYTES // max(1, page.size))
            fetching.extend(islice(wanted, max(0, room - len(fetching))))
            yield page
    finally:
        for each in fetching:
            each.cancel()
        await asyncio.gather(*fetching, return_exceptions=True)


def _spans(goals: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    """Yield each page's league, the position before it, and its last one."""
    for league, goal in goals.items():
        for after in range(NOTHING, goal, PAGE):
            yield league, after, min(after + PAGE, goal)
