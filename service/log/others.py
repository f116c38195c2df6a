"""
Events that other processes append to the leagues of this one.

If another process made a copy stale, the log refuses an append that was decided on it. While other
processes write to streams that are in use here, the writer therefore waits for its turn. It reads
the league's new events before it decides a batch. One query brings all copies up to date, and no
other process decides on the same states meanwhile.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from service.log.batch import Attempt
from service.log.read import CHUNK
from service.log.states import StateCache
from service.log.store import Store
from service.log.waiting import League, Waiting

_BATCHES = 50
"""The batches for which a league counts as shared after another process wrote to a stream here."""

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class Others:
    """
    Brings copies of states up to date with other processes' appends.

    Args:
      store: The log.
      cache: The copies.
    """

    def __init__(self, store: Store, cache: StateCache) -> None:
        self._store = store
        self._cache = cache

    @asynccontextmanager
    async def turn(self, league: League) -> AsyncIterator[None]:
        """Read on in *league* if it is shared, and keep other processes from deciding meanwhile."""
        if league.latest is None:
            await self._begin(league)
        if not league.shared:
            yield
            return
        league.shared -= 1
        async with self._store.turn(league.number):
            await self._read_on(league)
            yield

    async def _read_on(self, league: League) -> None:
        rows = await self._store.league(league.number, league.seen)
        if len(rows) == CHUNK:
            await self._begin(league)
        elif rows:
            league.seen = rows[-1].position
            league.latest = max(league.latest or _BEGINNING, *(row.at for row in rows))
            if self._cache.read_on(rows, await self._store.keys(league.number)):
                league.shared = _BATCHES

    def overtook(self, league: League, item: Waiting, attempt: Attempt) -> None:
        """Note that another process was quicker than *item*. It will be decided again."""
        league.shared = _BATCHES
        if item.attempts:  # reading on did not help, so a copy may belong to another history
            self._cache.suspect(league.number, attempt.streams)

    def kept(self, league: League, made: Mapping[int, int], attempts: Sequence[Attempt]) -> None:
        """
        Note appends of this process, whose states are cached.

        Args:
          made: The first position of each append that was made, by its index in the batch.
          attempts: All commands of the batch.
        """
        for index, first in sorted(made.items()):
            if first != league.seen + 1:
                return
            league.seen += len(attempts[index].events)

    async def _begin(self, league: League) -> None:
        """Read where the league ends. Older copies are then compared with the log."""
        # In this order, an event between the two reads is read again. In the other order it is
        # lost.
        ends = await self._store.ends([league.number])
        _, last = await self._store.time(league.number)
        league.latest = last or _BEGINNING
        league.seen = ends[league.number][0] if ends else -1
        self._cache.suspect_all(league.number)
