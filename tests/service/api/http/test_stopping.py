"""A process that is told to stop while the database is slow answers what it cuts off."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest
import uvicorn

from service.api.http.serving import protocol_of
from service.api.http.wire.connections import Connections
from service.api.http.wire.proxies import Proxies
from service.console.sessions import PLAIN_COOKIE
from service.process.app import Server, build
from tests.service.api.conftest import Api, Person
from tests.service.api.truth import check
from tests.support.databases import TestDatabase
from tests.support.holding import holding

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def served(database: TestDatabase) -> AsyncIterator[tuple[Person, Any]]:
    """Yield a person at a real server, and a function that has it stop within a second."""
    stopping = asyncio.Event()
    settings = database.settings("holotable_api", own_writes_milliseconds=0)
    app = build(settings, stopping)
    config = uvicorn.Config(
        app, port=0, log_config=None, timeout_graceful_shutdown=1,
        http=protocol_of(Connections(settings, Proxies(())), app.limits.crowd),
    )  # fmt: skip
    server = Server(config, stopping)

    def stop() -> None:
        stopping.set()
        server.should_exit = True

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 - the server has no event
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        url, hooks = f"http://127.0.0.1:{port}", {"response": [check]}
        async with httpx.AsyncClient(base_url=url, timeout=30, event_hooks=hooks) as http:
            yield await Api(http, app).person(), stop
        stop()


async def test_commands_and_pages_that_a_stop_cuts_off_are_answered_with_503(
    database: TestDatabase,
) -> None:
    """Nobody knows whether the command was kept, so its client asks again with the same key."""
    command = ("/v1/leagues", {"name": "Cloud City"}, uuid4().hex)
    async with (
        served(database) as (person, stop),
        holding(database, "LOCK TABLE events IN EXCLUSIVE MODE") as waiting,
    ):
        told = [asyncio.create_task(person.post(*command))]
        await waiting(1)
        secret = person.headers["Authorization"].removeprefix("Bearer ")
        cookie = {"Cookie": f"{PLAIN_COOKIE}=tok_{uuid4().hex}.{secret}"}
        async with holding(database, "LOCK TABLE token IN ACCESS EXCLUSIVE MODE") as both:
            told.append(asyncio.create_task(person.http.get("/account", headers=cookie)))
            await both(2)
            stop()
            answer, page = await asyncio.gather(*told)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1"), answer.text
    assert answer.json()["code"] == "store_unavailable"
    assert (page.status_code, page.text) == (503, "503\n")
    async with served(database) as (other, _):
        again = await other.post(*command, headers=person.headers)
        assert again.status_code == 201, again.text
        leagues = await other.get("/v1/leagues", headers=person.headers)
        assert [each["id"] for each in leagues.json()["items"]] == [again.json()["id"]]


async def test_a_look_up_whose_request_was_cut_off_keeps_no_connection_after_a_stop(
    serving: Any, database: TestDatabase
) -> None:
    """Requests share it, so it goes on without them."""
    locked = AsyncExitStack()
    async with serving() as api:
        person = await api.person()
        waiting = await locked.enter_async_context(
            holding(database, "LOCK TABLE token IN ACCESS EXCLUSIVE MODE")
        )
        asked = asyncio.create_task(person.get("/v1/me"))
        await waiting(1)
        asked.cancel()
        await asyncio.wait((asked,))
        used = api.app.shell.engine.pool
        unlocking = asyncio.create_task(_unlock(locked))
    assert "grouped" not in {each.get_name() for each in asyncio.all_tasks()}
    await unlocking
    assert used.checkedin() == 0


async def _unlock(locked: AsyncExitStack) -> None:
    await asyncio.sleep(0.5)  # until the other parts have stopped
    await locked.aclose()
