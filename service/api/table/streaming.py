"""Streams that are counted from before their first byte until their connection ends."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from typing import Any

from litestar.response import Stream
from litestar.types import ASGIApp, Receive, Scope, Send


# What is left out here goes to the framework as it came.
class Counted(Stream):
    """
    A stream that is sent inside a context.

    The context is entered when the answer begins, so an error of entering it is still
    answered as a problem.  It is left however the connection ends, also before the first
    message is asked for.

    Args:
        held: Opens the context.
        messages: What is sent.
    """

    __slots__ = ("_held",)

    def __init__(
        self,
        held: Callable[[], AbstractContextManager[None]],
        messages: AsyncIterator[bytes],
        **more: Any,
    ) -> None:
        super().__init__(messages, **more)
        self._held = held

    def to_asgi_response(self, *args: Any, **more: Any) -> ASGIApp:  # type: ignore[override]
        """Return what sends the answer."""
        send_all = super().to_asgi_response(*args, **more)

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            with self._held():
                await send_all(scope, receive, send)

        return counted
