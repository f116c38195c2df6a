"""Streams: their media types, their headers, their lengths, and how they are counted."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from typing import Any

import sqlalchemy as sa
from litestar.response import ServerSentEventMessage, Stream
from litestar.types import ASGIApp, Receive, Scope, Send

from service.api.http.problems.answers import AWAY
from service.api.http.shell import Asked, operation_of, waits
from service.api.http.wire.negotiating import ALL, best
from service.base.database import is_away
from service.base.errors import EventUnreadable, StoreUnavailable

EVENT_STREAM = "text/event-stream"
NDJSON = "application/x-ndjson"

PING_SECONDS = 15.0
STREAM_SECONDS = 300.0
"""Longest life of one stream. Clients reconnect with ``Last-Event-ID``."""

ENDINGS: tuple[type[Exception], ...] = (
    *AWAY,
    sa.exc.DBAPIError,
    StoreUnavailable,
    EventUnreadable,
)
"""
The errors that end a stream, if :func:`demand_outage` lets them. Its client reconnects, and then
gets the problem.
"""

STREAM_HEADERS = {
    "Cache-Control": "no-cache",
    "Connection": "keep-alive",
    "X-Accel-Buffering": "no",
}
OPENING = ServerSentEventMessage(data=None, comment="open", retry=1000).encode()
PING = ServerSentEventMessage(data=None, comment="ping").encode()


def demand_outage(error: Exception) -> None:
    """Raise an error of a statement again, unless the database is away or out of means."""
    if isinstance(error, sa.exc.DBAPIError) and not is_away(error):
        raise error


def media_of(request: Asked) -> str:
    """Return the media type of the answer: the one of the route's types that is accepted best."""
    produced = operation_of(request).produces
    return best(request.headers.get("accept", ALL), produced) or produced[0]


# The signatures pass all other arguments to the framework unchanged.
class CountedStream(Stream):
    """
    A streaming response that is sent inside a context.

    The context is entered before the first byte, so an error on entry becomes a problem answer.
    It is left however the connection ends, even before the first message is sent.

    Args:
        held: Opens the context. When the event in it is set, the stream ends.
        messages: The encoded messages, in the order of sending.
    """

    __slots__ = ("_held",)

    def __init__(
        self,
        held: Callable[[], AbstractContextManager[asyncio.Event]],
        messages: AsyncIterator[bytes],
        **more: Any,  # the options of the framework's response
    ) -> None:
        super().__init__(messages, **more)
        self._held = held

    def to_asgi_response(self, *args: Any, **more: Any) -> ASGIApp:  # type: ignore[override]
        """Return the ASGI application that sends the stream inside the context."""
        send_all = super().to_asgi_response(*args, **more)

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            with self._held() as ended:
                waits(scope)
                await _until(ended, send_all, scope, receive, send)

        return counted


async def _until(
    ended: asyncio.Event, send_all: ASGIApp, scope: Scope, receive: Receive, send: Send
) -> None:
    """Send a stream to its end, or until *ended* is set. Its client then sees an ordinary end."""
    sending = asyncio.ensure_future(send_all(scope, receive, send))
    ending = asyncio.ensure_future(ended.wait())
    try:
        await asyncio.wait((sending, ending), return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            await sending
    finally:
        for each in (sending, ending):
            each.cancel()
        await asyncio.gather(sending, ending, return_exceptions=True)
    if ended.is_set():
        await send({"type": "http.response.body", "body": b"", "more_body": False})
