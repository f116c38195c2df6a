"""Responses that count as open streams until their connection ends."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from typing import Any

from litestar.response import Stream
from litestar.types import ASGIApp, Receive, Scope, Send


# The signatures pass all other arguments to the framework unchanged.
class Counted(Stream):
    """
    A streaming response that is sent inside a context.

    The context is entered before the first byte, so an error on entry becomes a problem answer.
    It is left however the connection ends, even before the first message is sent.

    Args:
        held: Opens the context.
        messages: The encoded messages, in the order of sending.
    """

    __slots__ = ("_held",)

    def __init__(
        self,
        held: Callable[[], AbstractContextManager[None]],
        messages: AsyncIterator[bytes],
        **more: Any,  # the options of the framework's response
    ) -> None:
        super().__init__(messages, **more)
        self._held = held

    def to_asgi_response(self, *args: Any, **more: Any) -> ASGIApp:  # type: ignore[override]
        """Return the ASGI application that sends the stream inside the context."""
        send_all = super().to_asgi_response(*args, **more)

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            with self._held():
                await send_all(scope, receive, send)

        return counted
