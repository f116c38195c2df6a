"""
One scan of a league's log for many projections.

Each event is read and decoded once. The next page is fetched while one is decoded.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections.projection import NOTHING, Read, Stored, decoded, stored

PAGE = 10_000
"""Positions that one statement reads."""

POSITIONS = 100_000
"""The most positions in a batch. In a larger batch, more changes of one row become one."""

BYTES = 8_000_000
"""A batch ends with the page that reaches this size, because decoded events are kept."""


_TOGETHER = 200
"""Events decoded between two turns of the loop."""


class Batch(NamedTuple):
    """Consecutive events of a league."""

    events: list[Read]
    until: int
    """The last position scanned."""


class _Page(NamedTuple):
    rows: Sequence[Stored]
    until: int


async def batches(
    connection: AsyncConnection, league: str, until: int, passed_over: Collection[str]
) -> AsyncIterator[Batch]:
    """Yield the events of *league* up to a position, except those of some types, in order."""
    events: list[Read] = []
    after, size = NOTHING, 0
    async for page in _pages(connection, league, until, passed_over):
        for at in range(0, len(page.rows), _TOGETHER):
            events += decoded(league, page.rows[at : at + _TOGETHER])
            # The database sends on only if this process takes in what has arrived.
            await asyncio.sleep(0)
        size += sum([len(row[-1]) for row in page.rows])
        if page.until == until or page.until - after >= POSITIONS or size >= BYTES:
            yield Batch(events, page.until)
            events, after, size = [], page.until, 0


async def _pages(
    connection: AsyncConnection, league: str, until: int, passed_over: Collection[str]
) -> AsyncIterator[_Page]:
    """Yield rows of the log, and fetch the next ones meanwhile."""

    def ask(after: int) -> asyncio.Task[Sequence[Stored]]:
        wanted = stored(connection, league, after, min(after + PAGE, until), passed_over)
        return asyncio.create_task(wanted)

    after, following = NOTHING, ask(NOTHING)
    try:
        while after < until:
            rows = await following
            after = min(after + PAGE, until)
            if after < until:
                following = ask(after)
            yield _Page(rows, after)
    finally:
        following.cancel()
