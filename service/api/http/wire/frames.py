"""
What API processes of one machine say to each other: requests, and their answers.

Each message has its length before it. An empty message only says that its sender goes on.
"""

import asyncio
from abc import ABC, abstractmethod
from struct import Struct
from typing import Final, cast

import msgspec

from service.api.http.wire.gathering import Gathering

FRAME_MAX: Final = 8 * 1024 * 1024
"""The longest message in bytes. Whoever announces a longer one is hung up on."""

_LENGTH: Final = Struct("!I")


class Handed(msgspec.Struct, array_like=True, frozen=True):
    """A request that a process hands on, as its client sent it. Its token is looked up anew."""

    number: int
    """Its number on this connection."""

    method: str
    path: str
    request: str
    """The request's ID."""

    headers: list[tuple[bytes, bytes]]
    body: bytes


class Answered(msgspec.Struct, array_like=True, frozen=True):
    """The answer to a request that was handed on."""

    number: int
    status: int
    media_type: str
    headers: dict[str, str]
    body: bytes


class Frames(asyncio.Protocol, ABC):
    """One end of a connection. Messages of one turn of the event loop leave in one write."""

    def __init__(self) -> None:
        self._rest = b""
        self.out: Gathering | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way out."""
        self.out = Gathering(cast(asyncio.Transport, transport))

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the way out."""
        self.out = None

    def say(self, message: bytes = b"") -> None:
        """Send a message, unless the connection is lost."""
        if self.out is not None:
            self.out.write(_LENGTH.pack(len(message)) + message)

    def hang_up(self) -> None:
        """Close the connection at once."""
        if self.out is not None:
            self.out.abort()

    def data_received(self, data: bytes) -> None:
        """Hear the messages that have come whole."""
        data, at = self._rest + data, 0
        while len(data) - at >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(data, at)
            if length > FRAME_MAX:
                self.hang_up()
                return
            end = at + _LENGTH.size + length
            if len(data) < end:
                break
            self.hear(data[at + _LENGTH.size : end])
            at = end
        self._rest = data[at:]

    @abstractmethod
    def hear(self, message: bytes) -> None:
        """Take one message, which may be empty."""

    @abstractmethod
    def beat(self) -> None:
        """Do what is due ten times a second."""
