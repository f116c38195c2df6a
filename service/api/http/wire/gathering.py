"""Writes of one turn of the event loop, sent together."""

import asyncio

_HELD_MAX = 64 * 1024
"""Bytes that one connection holds back at most until the end of the turn."""


class Gathering:
    """
    A transport that sends everything written in one turn of the event loop at the end of the turn.

    Args:
        transport: The connection's transport, which does everything else.
    """

    __slots__ = ("_call_soon", "_held", "_length", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._call_soon = asyncio.get_running_loop().call_soon
        self._held: list[bytes] = []
        self._length = 0

    def __getattr__(self, name: str) -> object:  # every other member comes from the transport
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """Return whether the transport is closing and sends nothing more."""
        return self._transport.is_closing()

    def write(self, data: bytes) -> None:
        """Queue *data* behind the data already written."""
        if not self._held:
            self._call_soon(self.flush)
        self._held.append(data)
        self._length += len(data)
        if self._length > _HELD_MAX:  # so that flow control can pause the writer
            self.flush()

    def close(self) -> None:
        """Send the held data, then close."""
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        """Close at once, without the held data."""
        self._transport.abort()

    def flush(self) -> None:
        """Send the held data, unless the transport is closing."""
        held, self._held, self._length = self._held, [], 0
        if held and not self._transport.is_closing():  # the client may have disconnected
            self._transport.write(b"".join(held))
