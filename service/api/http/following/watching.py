"""
Watches: the streams with news for one request, in any number of leagues.

A watch holds the newest version of each stream that has news, and few events of few types. So a
slow reader costs no more memory than the streams it watches.
"""

import asyncio
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from service.base.errors import StoreUnavailable
from service.log.record import Recorded

START_SECONDS = 10.0
"""The longest time that a request waits for a league's channel to start."""

KEPT_MAX = 50
"""Most events that wait for one request in one stream. Older ones are dropped."""

_NAMED = re.compile(rb"\"((?:plr|trn)_[0-9a-f]{32})\"")
"""Players and tournaments that an event names. Events of tables name entrants only."""


async def begun(started: asyncio.Event) -> None:
    """
    Wait until a channel has a position.

    Raises:
        StoreUnavailable: If it has none after :data:`START_SECONDS`.
    """
    try:
        async with asyncio.timeout(START_SECONDS):
            await started.wait()
    except TimeoutError as error:
        raise StoreUnavailable("the log does not answer") from error


async def woken(news: asyncio.Event, stopping: asyncio.Event, seconds: float) -> bool:
    """Wait until there may be news. Return False after *seconds*. A stop ends every wait."""
    if stopping.is_set():
        return True
    try:
        async with asyncio.timeout(seconds):
            await news.wait()
    except TimeoutError:
        return False
    return True


class Watched(Protocol):
    """A league's channel, as a watch uses it."""

    started: asyncio.Event
    """Set once the channel has a position. It reports all later events."""

    def watch(self, keys: AbstractSet[str], watch: "Watch") -> None:
        """Notify *watch* of later events under *keys*."""

    def unwatch(self, keys: AbstractSet[str], watch: "Watch") -> None:
        """Stop notifying *watch* about *keys*."""


class ChannelOpener(Protocol):
    """Opens a channel for a league, or returns the one that is open."""

    def __call__(self, league: str) -> Watched: ...


def keys_of(row: Recorded) -> AbstractSet[str]:
    """
    Return the keys of an event: its stream, and the players and tournaments it names.

    Its category is a key too, such as ``dispute``. Tables have none: nobody watches all of them.
    """
    category = row.stream.partition("-")[0]
    if category == "table":
        return {row.stream}
    return {row.stream, category, *(each.decode() for each in _NAMED.findall(row.data))}


@dataclass(slots=True)
class Fresh:
    """The news of one stream."""

    version: int = 0
    """The newest version."""

    kept: deque[Recorded] = field(default_factory=lambda: deque(maxlen=KEPT_MAX))
    """The events of the types that the watch keeps, oldest first."""


@dataclass(slots=True)
class _League:
    channel: Watched
    keys: frozenset[str] = frozenset()
    news: dict[str, Fresh] = field(default_factory=dict)
    """The news by stream."""

    error: Exception | None = None


class Watch:
    """
    The keys that one request watches: streams, categories, players and tournaments.

    Args:
        opening: Opens the channel of a league.
        stopping: Set when the process stops, so that no request goes on waiting.
        keeping: The types of events to keep.
    """

    def __init__(
        self, opening: ChannelOpener, stopping: asyncio.Event, keeping: Sequence[str] = ()
    ) -> None:
        self._opening = opening
        self._keeping = frozenset(keeping)
        self._stopping = stopping
        self._leagues: dict[str, _League] = {}
        self._woken = asyncio.Event()

    async def begin(self, league: str, keys: AbstractSet[str]) -> None:
        """
        Watch *keys* in *league*. A read of the log after this call leaves no gap before the news.

        Raises:
            StoreUnavailable: If the channel has no position after :data:`START_SECONDS`.
            Exception: The error that ended the channel.
        """
        self.follow(league, keys)
        await begun(self._leagues[league].channel.started)
        self._demand(league)

    def follow(self, league: str, keys: AbstractSet[str]) -> None:
        """Watch exactly *keys* in *league*, and nothing there if there are none."""
        known = self._leagues.get(league)
        if known is None:
            if not keys:
                return
            known = self._leagues[league] = _League(self._opening(league))
        fresh, gone = keys - known.keys, known.keys - keys
        known.keys = frozenset(keys)
        if fresh:
            known.channel.watch(fresh, self)
        if gone:
            known.channel.unwatch(gone, self)
        if not keys:
            del self._leagues[league]

    def keys(self, league: str) -> frozenset[str]:
        """Return what is watched in *league*."""
        known = self._leagues.get(league)
        return frozenset() if known is None else known.keys

    def take(self) -> Mapping[str, Mapping[str, Fresh]]:
        """
        Return the news by league and stream, and forget it.

        Raises:
            Exception: The error that ended a channel.
        """
        self._woken.clear()
        taken: dict[str, Mapping[str, Fresh]] = {}
        for league, known in self._leagues.items():
            self._demand(league)
            if known.news:
                taken[league], known.news = known.news, {}
        return taken

    async def wait(self, seconds: float) -> bool:
        """Wait until there may be news. Return False after *seconds*."""
        return await woken(self._woken, self._stopping, seconds)

    def tell(self, league: str, row: Recorded) -> None:
        """Note that the event's stream has news."""
        known = self._leagues.get(league)
        if known is None:
            return
        fresh = known.news.get(row.stream)
        if fresh is None:
            fresh = known.news[row.stream] = Fresh()
        fresh.version = row.stream_version
        if row.type in self._keeping:
            fresh.kept.append(row)
        self._woken.set()

    def wake(self, league: str, error: Exception | None = None) -> None:
        """End the wait, with the *error* that ended the channel of *league*."""
        known = self._leagues.get(league)
        if known is not None:
            known.error = error
        self._woken.set()

    def close(self) -> None:
        """Watch nothing more."""
        for league in tuple(self._leagues):
            self.follow(league, frozenset())

    def _demand(self, league: str) -> None:
        error = self._leagues[league].error
        if error is not None:
            raise error.with_traceback(None)


@contextmanager
def watching(
    opening: ChannelOpener, stopping: asyncio.Event, keeping: Sequence[str] = ()
) -> Iterator[Watch]:
    """Open a watch for the length of the block. It watches nothing at first."""
    watch = Watch(opening, stopping, keeping)
    try:
        yield watch
    finally:
        watch.close()
