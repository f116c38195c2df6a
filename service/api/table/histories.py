"""
Histories: a feed up to its newest event, as lines of JSON.

The first line says where the history ends. The last line proves that nothing is cut off: a history
without it is incomplete.
"""

import hashlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime

import msgspec

from service.api.table.feed import Feed
from service.api.table.streaming import ENDINGS, demand_outage

HISTORY_EVENTS = 500
"""Most events in one read of the log."""

_log = logging.getLogger(__name__)


class HistoryBegin(msgspec.Struct, kw_only=True, tag="begin"):
    """The first line of a history."""

    feed: str
    """The stream of the history, or the league."""

    epoch: int
    """The epoch of the league's log."""

    after: int
    """The place after which the history begins: a version, or a position in a league."""

    until: int
    """The place of the last event. Later events are not in this history."""

    at: datetime
    """The instant at which the history was begun, by the server's clock."""


class HistoryEnd(msgspec.Struct, kw_only=True, tag="end"):
    """The last line of a history. If it is missing, the history was cut off."""

    count: int
    """The number of events between the first line and this one."""

    cursor: str | None
    """The cursor of the last event, or null without events. The feed continues after it."""

    sha256: str
    """The SHA-256 of all lines of events, each with its line feed, in hexadecimal."""


async def lines_of(
    feed: Feed, after: int, allowed: Callable[[], Awaitable[bool]]
) -> AsyncIterator[bytes]:
    """
    Yield the lines of *feed* after a place.

    Args:
        allowed: Returns False if the caller may no longer read the feed. The history then ends
            without its last line.
    """
    digest, count, cursor = hashlib.sha256(), 0, None
    try:
        until = await feed.end()
        yield _line(
            HistoryBegin(
                feed=feed.stream or feed.league,
                epoch=feed.epoch,
                after=after,
                until=until,
                at=feed.shell.now(),
            )
        )
        while after < until:
            rows = [
                row for row in await feed.read(after, HISTORY_EVENTS) if feed.place(row) <= until
            ]
            if not rows or feed.shell.stopping.is_set() or not await allowed():
                return
            items = await feed.items(rows)
            lines = b"".join(_line(item) for item in items)
            digest.update(lines)
            after, cursor, count = feed.place(rows[-1]), items[-1].cursor, count + len(items)
            yield lines
        yield _line(HistoryEnd(count=count, cursor=cursor, sha256=digest.hexdigest()))
    except ENDINGS as error:
        demand_outage(error)
        _log.warning("a history was cut off: %s", type(error).__name__)


def _line(content: msgspec.Struct) -> bytes:
    return msgspec.json.encode(content) + b"\n"
