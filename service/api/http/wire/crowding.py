"""
Refusing requests early if they could only be answered late.

A process with more requests than it can serve would answer later and later, and keep more and more
in memory. So the number of requests under way is bounded, and a slow process takes only a few.
Reads are refused first, because players need to act, and can read again.

A request is not under way while its client or a read model keeps the process waiting. Otherwise a
few clients that send or read slowly, or a projector that stands still, would make a quick process
look slow, and shut out everybody else.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from service.base import metrics
from service.base.errors import Overloaded

_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_ALWAYS = frozenset({"/livez", "/readyz"})
"""Paths that are always answered, because a busy process must not look like a dead one."""


PLACE: Final = "place"
"""The key in a request's state of its place among the requests under way."""

_FEW: Final = 64
"""The requests that a slow process still takes at a time."""

_READ_SECONDS: Final = 1.0
_COMMAND_SECONDS: Final = 2.0
"""A process is slow if its average answer takes longer, or the waiting ones would at its pace."""

_WEIGHT: Final = 1 / 16
"""The weight of the newest answer in the average."""

_PACE_WEIGHT: Final = 1 / 256
"""The weight of the newest answer in the pace. Commands are answered in batches."""


TOO_MANY: Final = "too many requests are under way; nothing was done, try again"
"""The words for a refused client."""

Answer = TypeVar("Answer")


def count_refused(method: str) -> None:
    """Count a request that was refused because of too many others."""
    metrics.SHED.labels("reads" if method in _READS else "commands").inc()


class Place:
    """The place of one request among those under way."""

    __slots__ = ("_began", "_crowd", "_rests", "_since")

    def __init__(self, crowd: "Crowd | None", since: float) -> None:
        self._crowd = crowd
        self._since = since
        self._rests = 0
        self._began = 0.0

    async def resting(self, awaited: Awaitable[Answer]) -> Answer:
        """
        Await the client, or a read model. The request does not count as under way meanwhile.

        Several tasks of a request may rest at a time. It counts again when the last one goes on.
        """
        crowd = self._crowd
        if crowd is None:
            return await awaited
        if not self._rests:
            crowd.number -= 1
            self._began = crowd.now()
        self._rests += 1
        try:
            return await awaited
        finally:
            self._rests -= 1
            if not self._rests:
                crowd.number += 1
                self._since += crowd.now() - self._began

    def leave(self) -> None:
        """Give up the place: the request is answered, or waits for news as a stream does."""
        crowd, self._crowd = self._crowd, None
        if crowd is not None:
            crowd.left(self._since)


class Crowd:
    """
    The requests that are under way in one process.

    Args:
        most: Their greatest number. From half of it on, only commands are taken.
        now: A monotonic clock, in seconds.
    """

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._seconds = 0.0
        """The time that answers take, on a moving average."""

        self._pace = 0.0
        """
        The time between two answers, on a moving average. It begins at 0 when requests come after
        none. It grows only while more than a few are due, because with fewer the process may be
        waiting for its clients.
        """

        self._last = 0.0
        """
        The time of the last answer, or the time since which more than a few are due. A time with
        little to do says nothing about the pace.
        """

        self._most = most
        self._most_with_reads = max(1, most // 2)
        self.number = 0
        """The number of requests under way."""

    def full(self, method: str) -> bool:
        """Return whether a request with this method would be refused."""
        reads = method in _READS
        most = self._most_with_reads if reads else self._most
        # The latest answers belong to requests that came early. The waiting ones will take as long
        # as all before them.
        if not self.number:
            self._pace = 0.0
        seconds = max(self._seconds, self.number * self._pace)
        slow = seconds > (_READ_SECONDS if reads else _COMMAND_SECONDS)
        return self.number >= (min(most, _FEW) if slow else most)

    def enter(self, method: str, path: str) -> Place:
        """
        Count a request. Nothing of it has been done yet.

        Raises:
            Overloaded: If too many are under way.
        """
        if path in _ALWAYS:
            return Place(None, 0.0)
        if self.full(method):
            count_refused(method)
            raise Overloaded(TOO_MANY)
        self.number += 1
        now = self.now()
        if self.number == _FEW + 1:
            self._last = now
        return Place(self, now)

    def left(self, since: float) -> None:
        """Stop counting a request that was counted at *since*."""
        now = self.now()
        gap = now - self._last
        if self.number > _FEW or gap < self._pace:
            self._pace += (gap - self._pace) * _PACE_WEIGHT
        self._last = now
        self.number -= 1
        self._seconds += (now - since - self._seconds) * _WEIGHT
