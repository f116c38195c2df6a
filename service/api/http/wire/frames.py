"""
The messages between API processes of one machine: requests, and their answers.

Each message begins with its length. An empty message is a heartbeat. Both ends are processes of one
user: the kernel says which user is at the other end of a socket.
"""

import asyncio
import os
import socket
from abc import ABC, abstractmethod
from struct import Struct
from typing import Final, cast

import msgspec
import structlog

from service.api.http.wire.gathering import Gathering

FRAME_MAX: Final = 8 * 1024 * 1024
"""The longest message in bytes. A sender who announces a longer one is disconnected."""

_LENGTH: Final = Struct("!I")
_CREDENTIALS: Final = Struct("iII")
"""Process, user and group, as the kernel gives them."""

_log = structlog.get_logger(__name__)


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
        self._rest = bytearray()
        self.out: Gathering | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport, unless another user is at the other end."""
        if _is_foreign(transport):
            _log.warning("a process of another user came to a neighbour's socket")
            cast(asyncio.Transport, transport).abort()
            return
        self.out = Gathering(cast(asyncio.Transport, transport))

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the transport."""
        self.out = None

    def say(self, message: bytes = b"") -> None:
        """Send a message unless the connection is lost."""
        if self.out is not None:
            self.out.write(_LENGTH.pack(len(message)) + message)

    def hang_up(self) -> None:
        """Close the connection at once. Ignore all that it has sent."""
        if self.out is not None:
            self.out.abort()
            self.out = None

    def data_received(self, data: bytes) -> None:
        """Take the messages that have arrived complete. Disconnect a sender of anything else."""
        if self.out is None:
            return
        self._rest += data
        at = 0
        while len(self._rest) - at >= _LENGTH.size and self.out is not None:
            (length,) = _LENGTH.unpack_from(self._rest, at)
            if length > FRAME_MAX:
                _log.warning("a neighbour announced a message that is too long", bytes=length)
                self.hang_up()
                return
            end = at + _LENGTH.size + length
            if len(self._rest) < end:
                break
            try:
                self.hear(bytes(self._rest[at + _LENGTH.size : end]))
            except msgspec.MsgspecError as error:
                _log.warning("a neighbour sent an unknown message", error=str(error))
                self.hang_up()
                return
            at = end
        del self._rest[:at]

    @abstractmethod
    def hear(self, message: bytes) -> None:
        """Take one message, which may be empty."""

    @abstractmethod
    def beat(self) -> None:
        """Do the work that is due ten times a second."""


def _is_foreign(transport: asyncio.BaseTransport) -> bool:
    """Return whether the process at the other end runs as another user."""
    if not hasattr(socket, "SO_PEERCRED"):
        return False  # not Linux: only the folder keeps other users away
    near: socket.socket = transport.get_extra_info("socket")
    found = near.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return bool(_CREDENTIALS.unpack(found)[1] != os.getuid())
