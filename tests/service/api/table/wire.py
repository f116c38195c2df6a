"""A real server, and bots that play over it with one request a decision."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import uvicorn

from tests.service.api.conftest import Api, Person

Item = dict[str, Any]

SWINGING = {
    "first_dealer": "host_choice",
    "tie": {"kind": "chance_cube"},
    "escalation": {"kind": "none"},
}
"""Overrides of ``better_simple`` under which players who go all-in bust soon."""


@asynccontextmanager
async def served(api: Api) -> AsyncIterator[httpx.AsyncClient]:
    """Serve *api* on a port of its own. The client has a connection for each request."""
    config = uvicorn.Config(api.app, lifespan="off", log_config=None, port=0)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - the server has no other signal for it
        await asyncio.sleep(0)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
            yield http
    finally:
        api.app.shell.stopping.set()
        server.should_exit = True
        await running


def all_in(item: Item) -> Item:
    """Return the action that puts everything in. It depends on the item alone."""
    view = item["view"]
    legal = {each["verb"]: each for each in view["legal"]}
    action: Item = {"decision": item["decision"]}
    if "select" in legal:
        return action | {"type": "select", "cards": view["me"]["cards"]}
    if "improve" in legal:
        return action | {"type": "improve", "cards": []}
    if "raise_to" in legal:
        return action | {"type": "raise_to", "amount": legal["raise_to"]["max"]}
    return action | {"type": "call" if "call" in legal else "check"}


class Bot:
    """
    A player who knows nothing but the stream.

    Args:
        http: A client of the server.
        cut: Returns True to disconnect after an item, before answering it.
    """

    def __init__(
        self, http: httpx.AsyncClient, person: Person, cut: Callable[[Item], bool] = lambda _: False
    ) -> None:
        self.http = http
        self.headers = person.headers
        self.items: list[Item] = []
        self.answered: list[tuple[str, str]] = []
        """Every decision that was answered, with its table."""

        self.statuses: list[int] = []
        self.connections = 0
        self._cut = cut

    async def play(self) -> None:
        """Play until every tournament of the player is over."""
        while not any(each["type"] == "tournament" and self._over(each) for each in self.items):
            self.connections += 1
            await self._connected()

    async def _connected(self) -> None:
        headers = {**self.headers, "Accept": "text/event-stream"}
        if self.items:
            headers["Last-Event-ID"] = self.items[-1]["cursor"]
        async with self.http.stream("GET", "/v1/me/stream", headers=headers) as answer:
            assert answer.status_code == 200
            async for line in answer.aiter_lines():
                if not line.startswith("data: "):
                    continue
                item = json.loads(line[6:])
                self.items.append(item)
                if item["type"] != "caught_up" and self._cut(item):
                    return
                if item["type"] == "turn":
                    await self._answer(item)
                if item["type"] == "tournament" and self._over(item):
                    return

    async def _answer(self, item: Item) -> None:
        key = f"{item['table']} {item['decision']}"
        answer = await self.http.post(
            f"/v1/tables/{item['table']}/actions",
            json=all_in(item),
            headers={**self.headers, "Idempotency-Key": key},
        )
        self.answered.append((item["table"], item["decision"]))
        self.statuses.append(answer.status_code)

    @staticmethod
    def _over(item: Item) -> bool:
        return item["state"] in ("finished", "cancelled")


def told(items: list[Item], kind: str) -> list[Item]:
    """Return the items of one type, in order."""
    return [each for each in items if each["type"] == kind]
