"""
The messages between API processes of one machine: requests, and their answers.

Each message begins with its length. An empty message is a heartbeat.
"""

import asyncio
from abc import ABC, abstractmethod
from struct import Struct
from typing import Final, cast

import msgspec

from service.api.http.wire.gathering import Gathering

FRAME_MAX: Final = 8 * 1024 * 1024
"""The longest message in bytes. A sender who announces a longer one is disconnected."""

_LENGTH: Final = Struct("!I")


class Handed(msgspec.Struct, array_like=True, frozen=True):
    """A request that a process hands on, as its client sent it.

    The receiver checks its token again.
    """

    number: int
    """The number of the request on this connection."""

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
    """One end of a connection. Messages of one turn of the event loop are sent in one write."""

    def __init__(self) -> None:
        self._rest = b""
        self.out: Gathering | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.out = Gathering(cast(asyncio.Transport, transport))

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the transport."""
        self.out = None

    def say(self, message: bytes = b"") -> None:
        """Send a message unless the connection is lost."""
        if self.out is not None:
            self.out.write(_LENGTH.pack(len(message)) + message)

    def hang_up(self) -> None:
        """Close the connection at once."""
        if self.out is not None:
            self.out.abort()

    def data_received(self, data: bytes) -> None:
        """Take the messages that have arrived complete."""
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
        """Do the work that is due ten times a second."""
