"""A minimal HTTP client. It must cost less than what it measures."""

import asyncio
import random
import ssl
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec


class Connection(asyncio.Protocol):
    """A kept connection. It opens again if the server closed it while it was idle."""

    def __init__(self, base: str) -> None:
        self._address = urlsplit(base)
        self._transport: Any = None
        self._buffer = b""
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self.head = b""
        """The head of the last answer."""

    def connection_made(self, transport: Any) -> None:
        """Remember where to write."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer when head and body are complete."""
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found or self._answer is None:
            return
        at = head.lower().find(b"content-length: ")
        length = int(head[at + 16 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(body) >= length:
            answer, self._answer, self._buffer, self.head = self._answer, None, b"", head
            if not answer.cancelled():
                answer.set_result((int(head[9:12]), body))

    def connection_lost(self, error: Exception | None) -> None:
        """Fail the waiting request."""
        self._transport = None
        if self._answer is not None:
            self._answer.set_exception(ConnectionError("the server closed the connection"))

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """Send *request*; return status and body of its answer."""
        loop = asyncio.get_running_loop()
        if self._transport is None:
            await _connect(self, self._address)
        self._answer = loop.create_future()
        self._transport.write(request)
        return await self._answer

    def close(self) -> None:
        """Close the connection, unless the server has done it."""
        if self._transport is not None:
            self._transport.close()


class Person:
    """A person with a connection, and with a token after signing up."""

    def __init__(self, connection: Connection, token: str = "") -> None:
        self.connection = connection
        self.token = token

    async def get(self, path: str) -> Any:
        """Read; an error ends the run."""
        return await self._ask(f"GET {path}", b"", "")

    async def newer(self, path: str, tag: str, seconds: float) -> tuple[Any, str]:
        """
        Read, and with a *tag* wait for another answer than the one it belongs to (long poll).

        Returns:
          The answer, or None after *seconds* without another one. Its tag, or "" if it has none.
        """
        known = f"If-None-Match: {tag}\r\n" if tag else ""
        status, found = await self._send(f"GET {path}?wait={seconds:.0f}", b"", known)
        _, _, rest = self.connection.head.partition(b"\r\netag: ")
        tag = rest.partition(b"\r\n")[0].decode()
        return (None if status == 304 else _answer(f"GET {path}", status, found)), tag

    async def post(self, path: str, body: Any) -> Any:
        """Send a command under a key of its own; an error ends the run."""
        return _answer(f"POST {path}", *await self.send(path, body))

    async def send(self, path: str, body: Any) -> tuple[int, bytes]:
        """Send a command under a key of its own. Return the status and the body of the answer."""
        key = f"Idempotency-Key: {random.getrandbits(120):x}\r\n"
        return await self._send(f"POST {path}", msgspec.json.encode(body), key)

    async def put(self, path: str, body: Any) -> Any:
        """Send a command that sets something; an error ends the run."""
        key = f"Idempotency-Key: {random.getrandbits(120):x}\r\nIf-Match: *\r\n"
        return await self._ask(f"PUT {path}", msgspec.json.encode(body), key)

    async def _ask(self, what: str, body: bytes, more: str) -> Any:
        return _answer(what, *await self._send(what, body, more))

    async def _send(self, what: str, body: bytes, more: str) -> tuple[int, bytes]:
        bearer = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        head = (
            f"{what} HTTP/1.1\r\nHost: bench\r\n{bearer}{more}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        while True:
            status, found = await self.connection.ask(head.encode() + body)
            if status != 503 or b'"overloaded"' not in found:
                return status, found
            # Wait as long as Retry-After says, with a random spread.
            await asyncio.sleep(1 + random.random())


def _answer(what: str, status: int, found: bytes) -> Any:
    if status >= 400:
        raise RuntimeError(f"{what}: {status} {found.decode()}")
    return msgspec.json.decode(found) if found else None


class Lines(asyncio.Protocol):
    """
    A stream of news, one in a line. A line that holds none of *wanted* costs only a search.

    Args:
      request: The request for the stream. It must tell the server to close the connection at the
        end.
      wanted: The texts to look for.
      hear: Called with each line that holds one of them.
    """

    def __init__(self, request: bytes, wanted: tuple[bytes, ...], hear: Callable[[bytes], None]):
        self._request = request
        self._wanted = wanted
        self._hear = hear
        self._rest = b""
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def follow(self, base: str) -> None:
        """Connect, and return when the server ends the stream."""
        transport = await _connect(self, urlsplit(base))
        try:
            await self.ended
        finally:
            transport.close()

    def connection_made(self, transport: Any) -> None:
        """Ask for the stream."""
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Hand on the lines that have come whole."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if any(each in line for each in self._wanted):
                self._hear(line)
            elif line.startswith(b"HTTP/1.1 ") and line[9:12] != b"200":
                self._end(RuntimeError(line.decode()))

    def connection_lost(self, error: Exception | None) -> None:
        """Tell that the stream has ended."""
        self._end(error)

    def _end(self, error: Exception | None) -> None:
        if self.ended.done():
            return
        if error is None:
            self.ended.set_result(None)
        else:
            self.ended.set_exception(error)


async def _connect(protocol: asyncio.Protocol, address: SplitResult) -> asyncio.BaseTransport:
    tls = ssl.create_default_context() if address.scheme == "https" else None
    if address.hostname is None or address.port is None:
        raise ValueError("an address to connect to has a host and a port")
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_connection(
        lambda: protocol, address.hostname, address.port, ssl=tls
    )
    return transport
