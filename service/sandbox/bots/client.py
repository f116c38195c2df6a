"""A small client of the public API: JSON in, JSON out, problems as exceptions."""

import json
from asyncio import sleep
from collections.abc import AsyncIterator
from typing import Final
from uuid import NAMESPACE_URL, uuid5

import httpx

from service.base.documents import Document

ATTEMPTS: Final = 120
"""The number of attempts at an unavailable server. With the pause below they last 30 seconds."""

_LATER: Final = (httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.TOO_MANY_REQUESTS)

PAUSE_SECONDS: Final = 0.25


class Problem(Exception):
    """
    The server refused a request with a problem document (RFC 9457).

    Args:
        status: The HTTP status.
        document: The decoded body.
    """

    def __init__(self, status: int, document: Document) -> None:
        super().__init__(f"{status} {document.get('code')}: {document.get('detail')}")
        self.status = status
        self.code = str(document.get("code", ""))
        self.document = document


class Unreachable(Exception):
    """The server gave no answer, or only 429 or 503, until the client stopped trying."""


class Client:
    """
    One person's (or bot's) access to the API.

    Args:
        http: The connection pool with the server's address. Clients may share it.
        token: A bearer token, or None for requests that need none.
        name: A part of the idempotency keys, so that different clients use different keys.
    """

    def __init__(self, http: httpx.AsyncClient, name: str, token: str | None = None) -> None:
        self._http = http
        self.name = name
        self._sent = 0
        self.token = token

    async def get(self, path: str, **query: str | int) -> Document:
        """
        Read a resource.

        Raises:
            Problem: If the server refuses.
            Unreachable: If there is no answer.
        """
        return await self._send("GET", path, query=query)

    async def post(self, path: str, body: Document, key: str | None = None) -> Document:
        """
        Send a command. If no answer comes, send it again with the same key.

        Raises:
            Problem: If the server refuses.
            Unreachable: If there is no answer.
        """
        self._sent += 1
        chosen = key or str(uuid5(NAMESPACE_URL, f"{self.name}/{path}/{self._sent}"))
        return await self._send("POST", path, body=body, key=chosen)

    async def items(self, path: str, *, by: str = "cursor", **query: str | int) -> list[Document]:
        """
        Read every page of a collection.

        Args:
            by: The parameter that continues after a page. A feed continues with ``after``.
        """
        found: list[Document] = []
        page = await self.get(path, **query)
        found.extend(page["items"])
        while page.get("next_cursor"):
            page = await self.get(path, **{**query, by: page["next_cursor"]})
            found.extend(page["items"])
        return found

    async def feed(self, path: str, after: str | None = None) -> AsyncIterator[Document]:
        """
        Yield the messages of a feed of server-sent events until the server closes it.

        Args:
            path: The feed's address.
            after: The identifier of the last message seen. The feed continues after it.

        Raises:
            Problem: If the server refuses.
            Unreachable: If the server is unavailable now. A later call may succeed.
        """
        headers = {"Accept": "text/event-stream", **self._headers(None)}
        if after is not None:
            headers["Last-Event-ID"] = after
        async with self._http.stream("GET", path, headers=headers, timeout=None) as response:
            if response.status_code != httpx.codes.OK:
                await response.aread()
                if response.status_code in _LATER:
                    raise Unreachable(f"GET {path}: {response.text}")
                raise _problem(response)
            message: dict[str, str] = {}
            async for line in response.aiter_lines():
                if line:
                    field, _, value = line.partition(":")
                    message[field] = message.get(field, "") + value.removeprefix(" ")
                elif message.get("data"):
                    yield {**json.loads(message["data"]), "_id": message.get("id")}
                    message = {}
                else:
                    message = {}

    def _headers(self, key: str | None) -> dict[str, str]:
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        return headers if key is None else {**headers, "Idempotency-Key": key}

    async def _send(
        self,
        method: str,
        path: str,
        *,
        body: Document | None = None,
        query: dict[str, str | int] | None = None,
        key: str | None = None,
    ) -> Document:
        last = "no answer"
        for _ in range(ATTEMPTS):
            try:
                response = await self._http.request(
                    method, path, json=body, params=query or None, headers=self._headers(key)
                )
            except httpx.TransportError as error:
                last = repr(error)
                await sleep(PAUSE_SECONDS)
                continue
            if response.status_code in _LATER:
                last = response.text
                await sleep(PAUSE_SECONDS)
                continue
            if response.is_success:
                answer: Document = response.json() if response.content else {}
                return answer
            raise _problem(response)
        raise Unreachable(f"{method} {path}: {last}")


def _problem(response: httpx.Response) -> Problem:
    try:
        document = response.json()
    except json.JSONDecodeError:
        document = {"code": "not_json", "detail": response.text[:200]}
    return Problem(response.status_code, document)
