"""A caller's own writes are in the caller's next read, though the read models follow the log."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from service.api.http.reading.paging import position_parts, position_token
from service.base.database import async_engine
from service.log.subscription import Subscription
from service.projections.following.runner import Runner
from tests.service.api.conftest import Api, Person
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

TIMES = 20
WAIT = {"own_writes_milliseconds": 1000}
LONG = {"own_writes_milliseconds": 60_000}
"""Long enough for a projector on a busy machine."""


@asynccontextmanager
async def projecting(database: TestDatabase) -> AsyncIterator[None]:
    """Let a projector follow the log, as the process ``project`` does."""
    engine, stop = async_engine(database.url("holotable_project"), 2), asyncio.Event()
    subscription = Subscription(database.url("holotable_project"))
    await subscription.start()
    following = asyncio.create_task(Runner(engine).follow(stop, subscription))
    try:
        yield
    finally:
        stop.set()
        await following
        await subscription.aclose()
        await engine.dispose()


def elsewhere(api: Api, person: Person) -> Person:
    """Return the same person, as a client of another process."""
    account = {"id": person.player, "login": person.login, "token": {"token": ""}}
    other = Person(api.http, account)
    other.headers = dict(person.headers)
    return other


async def test_every_list_shows_what_its_reader_has_just_made(
    serving: Any, database: TestDatabase
) -> None:
    async with serving(**LONG) as api, serving(**LONG) as second, projecting(database):
        owner, league = await api.league()
        other = elsewhere(second, owner)
        about, missing = f"/v1/leagues/{league}", []
        for number in range(TIMES):
            name = {"name": f"N{number}"}
            founded = (await owner.post("/v1/leagues", name)).json()["id"]
            season = await owner.post(f"{about}/seasons", name)
            night = await owner.post(f"{about}/tournaments", name | {"ruleset": "better"})
            entered = await owner.post(f"/v1/tournaments/{night.json()['id']}/registrations")
            here = night.headers["min-position"]
            # The other process knows of these writes only by the position that the client sends.
            told = {"headers": {"Min-Position": f"{here}, {season.headers['min-position']}"}}
            for person, more in ((owner, {}), (other, told)):
                for path, made in (
                    ("/v1/leagues?limit=200", founded),
                    (f"{about}/seasons", season.json()["id"]),
                    (f"{about}/tournaments", night.json()["id"]),
                ):
                    answer = await person.get(path, **more)
                    if made not in answer.text or "holotable-behind" in answer.headers:
                        missing.append((number, path, bool(more)))
            mine = (await owner.get("/v1/me")).json()["seats"]
            if entered.json()["entrant"] not in {each["entrant"] for each in mine}:
                missing.append((number, "/v1/me", False))
        assert missing == []


async def test_a_projection_that_stands_still_delays_nobody_for_long(serving: Any) -> None:
    """No projector runs here. The answer says that it is behind, and only the first read waits."""
    async with serving(**WAIT) as api:
        owner, league = await api.league()
        stranger = await api.join(owner, league)
        path = f"/v1/leagues/{league}/tournaments"
        loop = asyncio.get_running_loop()
        began = loop.time()
        first = await owner.get(path)
        waited = loop.time() - began
        again = await owner.get(path)
        assert (first.status_code, again.status_code) == (200, 200)
        assert first.headers["holotable-behind"] == again.headers["holotable-behind"] == "true"
        assert waited > 0.9
        # Reads are not delayed for some time now. On a busy machine no clock could show that.
        assert ("tournaments", league) in api.app.shell.standing
        for person, query in ((owner, "?min_position=none"), (await api.person(), "")):
            assert "holotable-behind" not in (await person.get(path + query)).headers
        assert (await stranger.get(path)).headers["holotable-behind"] == "true"  # they have joined
        made = await owner.post(path, {"name": "Night", "ruleset": "better"})
        asked = {"min_position": made.json()["position"]}
        late = await owner.get(path, params=asked)
        assert (late.status_code, late.json()["code"]) == (503, "not_caught_up")


async def test_a_header_that_names_no_position_is_refused(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "One"})
        assert made.headers["min-position"] == made.json()["position"]
        reader = await api.join(owner, league)
        path = f"/v1/leagues/{league}/tournaments"
        for wrong in ("x", "", "WyJ4Il0", f"{made.headers['min-position']},"):
            answer = await reader.get(path, headers={"Min-Position": wrong})
            assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor"), wrong


async def test_a_position_that_nobody_has_written_delays_only_its_sender(serving: Any) -> None:
    """Others still wait for their own writes, though no projector runs."""
    async with serving(**WAIT) as api, serving(**WAIT) as second:
        owner, league = await api.league()
        member = elsewhere(second, await api.join(owner, league))
        made = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "One"})
        path, forged = f"/v1/leagues/{league}/seasons", position_token(league, 0, 2**40)
        epoch, _ = position_parts(made.json()["position"], league)
        assert epoch == 0
        behind = await member.get(path, headers={"Min-Position": forged})
        assert behind.headers["holotable-behind"] == "true"
        loop = asyncio.get_running_loop()
        began = loop.time()
        told = {"Min-Position": made.headers["min-position"]}
        await elsewhere(second, owner).get(path, headers=told)
        assert loop.time() - began > 0.9
