"""A minimal HTTP client. It must cost less than what it measures."""

import asyncio
import random
from typing import Any
from urllib.parse import urlsplit

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
            answer.set_result((int(head[9:12]), body))

    def connection_lost(self, error: Exception | None) -> None:
        """Fail the request that waits."""
        self._transport = None
        if self._answer is not None:
            self._answer.set_exception(ConnectionError("the server closed the connection"))

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """Send *request*; return status and body of its answer."""
        loop = asyncio.get_running_loop()
        if self._transport is None:
            address = self._address
            await loop.create_connection(lambda: self, address.hostname, address.port)
        self._answer = loop.create_future()
        self._transport.write(request)
        return await self._answer


class Person:
    """A person with a connection, and with a token after signing up."""

    def __init__(self, connection: Connection, token: str = "") -> None:
        self.connection = connection
        self.token = token

    async def get(self, path: str) -> Any:
        """Read; an error ends the run."""
        return await self._ask(f"GET {path}", b"", "")

    async def post(self, path: str, body: Any) -> Any:
        """Send a command under a key of its own; an error ends the run."""
        key = f"Idempotency-Key: {random.getrandbits(120):x}\r\n"
        return await self._ask(f"POST {path}", msgspec.json.encode(body), key)

    async def put(self, path: str, body: Any) -> Any:
        """Send a command that sets something; an error ends the run."""
        key = f"Idempotency-Key: {random.getrandbits(120):x}\r\nIf-Match: *\r\n"
        return await self._ask(f"PUT {path}", msgspec.json.encode(body), key)

    async def _ask(self, what: str, body: bytes, more: str) -> Any:
        bearer = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        head = (
            f"{what} HTTP/1.1\r\nHost: bench\r\n{bearer}{more}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        status, found = await self.connection.ask(head.encode() + body)
        if status >= 400:
            raise RuntimeError(f"{what}: {status} {found.decode()}")
        return msgspec.json.decode(found) if found else None
