"""
What an action costs over HTTP, against a bare endpoint that INSERTs one row.

Both run in one uvicorn each, on the same embedded server with the settings of
production; the ratio is what the service adds to the least a server can do.
"""

import asyncio
import json
import statistics
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import httpx
import uvicorn
from litestar import Litestar, post
from litestar.datastructures import State

from service import database as databases
from service.app import build
from service.database import asyncpg_dsn
from tests.support.databases import TestDatabase, running_server

ACTIONS = 300


def bare(url: str) -> Litestar:
    """Return an application whose only route INSERTs one row."""

    async def connect(app: Litestar) -> None:
        app.state.pool = await asyncpg.create_pool(asyncpg_dsn(url), min_size=1, max_size=4)

    @post("/insert")
    async def insert(state: State) -> dict[str, int]:
        number = await state.pool.fetchval(
            "INSERT INTO bench_bare (note) VALUES ($1) RETURNING id", "x" * 200
        )
        return {"id": number}

    return Litestar([insert], on_startup=[connect], openapi_config=None, logging_config=None)


class Server:
    """An application served by uvicorn in a thread of its own."""

    def __init__(self, app: Any) -> None:
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.02)
        host, port = self._server.servers[0].sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)


async def timed(work: Callable[[], Awaitable[Any]]) -> tuple[float, Any]:
    """Return milliseconds and what *work* returned."""
    started = time.perf_counter()
    found = await work()
    return (time.perf_counter() - started) * 1000, found


async def play(base: str) -> list[float]:
    """Play a two-player tournament and time each action, reads apart."""
    async with httpx.AsyncClient(base_url=base) as http:
        people = [await _person(http, f"bench{number}") for number in range(2)]
        league = (await _post(http, people[0], "/v1/leagues", {"name": "Bench"}))["id"]
        invited = await _post(http, people[0], f"/v1/leagues/{league}/invitations", {})
        await _post(http, people[1], f"/v1/invitations/{invited['code']}/accept", {})
        terms = {"name": "Bench", "ruleset": "better", "starting_stack": 1_000_000}
        made = await _post(http, people[0], f"/v1/leagues/{league}/tournaments", terms)
        for person in people:
            await _post(http, person, f"/v1/tournaments/{made['id']}/registrations", {})
        await _post(http, people[0], f"/v1/tournaments/{made['id']}/start", {})
        shown = (await http.get(f"/v1/tournaments/{made['id']}", headers=people[0])).json()
        table, taken = shown["tables"][0]["id"], []
        while len(taken) < ACTIONS:
            for person in people:
                view = (await http.get(f"/v1/tables/{table}", headers=person)).json()
                if not view["my_turn"]:
                    continue
                body, path = _action(view), f"/v1/tables/{table}/actions"
                spent, _ = await timed(lambda: _post(http, person, path, body))  # noqa: B023
                taken.append(spent)
        return taken


async def insert(base: str) -> list[float]:
    """Time the bare endpoint."""
    async with httpx.AsyncClient(base_url=base) as http:
        return [(await timed(lambda: http.post("/insert")))[0] for _ in range(ACTIONS)]


def main() -> int:
    """Measure both and print one line of JSON."""
    with running_server() as server:
        databases.create_database(server.cluster.url(), "bench")
        databases.migrate(server.url("bench", "holotable_migrate"))
        own = TestDatabase(server, "bench")
        asyncio.run(_prepare(own.url("postgres")))
        with Server(bare(own.url("postgres"))) as base:
            least = asyncio.run(insert(base))
        with Server(build(own.settings("holotable_api"))) as base:
            full = asyncio.run(play(base))
    figures = {
        "actions": len(full),
        "action_ms_p50": round(statistics.median(full), 2),
        "bare_insert_ms_p50": round(statistics.median(least), 2),
        "ratio": round(statistics.median(full) / statistics.median(least), 2),
    }
    sys.stdout.write(json.dumps(figures) + "\n")
    return 0


async def _prepare(url: str) -> None:
    connection = await asyncpg.connect(asyncpg_dsn(url))
    await connection.execute("CREATE TABLE bench_bare (id bigserial PRIMARY KEY, note text)")
    await connection.close()


async def _person(http: httpx.AsyncClient, login: str) -> dict[str, str]:
    body = {"login": login, "password": "correct horse"}
    made = (await http.post("/v1/accounts", json=body)).json()
    return {"Authorization": f"Bearer {made['token']['token']}"}


async def _post(
    http: httpx.AsyncClient, person: dict[str, str], path: str, body: dict[str, Any]
) -> dict[str, Any]:
    key = {"Idempotency-Key": f"{time.perf_counter_ns()}"}
    answer = await http.post(path, json=body, headers={**person, **key})
    answer.raise_for_status()
    found: dict[str, Any] = answer.json()
    return found


def _action(view: dict[str, Any]) -> dict[str, Any]:
    decision = view["decision"]["token"]
    if view["phase"] == "select":
        return {"type": "select", "decision": decision, "cards": view["me"]["cards"][:1]}
    if view["phase"] == "improve":
        return {"type": "improve", "decision": decision, "cards": []}
    verbs = {each["verb"] for each in view["legal"]}
    verb = next(each for each in ("check", "call", "stay", "fold") if each in verbs)
    return {"type": verb, "decision": decision}


if __name__ == "__main__":
    sys.exit(main())
