"""A caller's own writes are in the caller's next read, though the read models follow the log."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from service.api.http.reading.paging import position_parts, position_token
from service.api.http.reading.positions import WAITS_MAX
from service.base.database import async_engine
from service.log.addresses import token
from service.log.subscription import Subscription
from service.projections.following.runner import Runner
from tests.service.api.conftest import Api, Person
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

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


async def test_a_position_that_nobody_has_written_delays_nobody(serving: Any) -> None:
    """Its sender is told so, and others still wait for their own writes. No projector runs here."""
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


async def test_a_position_that_the_log_has_not_reached_is_refused_at_once(serving: Any) -> None:
    """Otherwise anybody could let this process wait for nothing, and look slow."""
    async with serving() as api:
        owner, league = await api.league()
        path, far = f"/v1/leagues/{league}/seasons", 2**61
        forged = token(league.removeprefix("lge_"), 0, far, f"seasons {league}", 1)
        for query in ({"min_position": position_token(league, 0, far)}, {"cursor": forged}):
            answer = await owner.get(path, params=query)
            assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor")
            assert "the log has not reached" in answer.json()["detail"]


async def test_reads_that_wait_for_a_read_model_shut_out_nobody(serving: Any) -> None:
    """No projector runs here."""
    async with serving(process_requests=2) as api:
        owner, league = await api.league()
        path, shell, crowd = f"/v1/leagues/{league}/seasons", api.app.shell, api.app.limits.crowd
        made = await owner.post(path, {"name": "One"})
        asked = {"min_position": made.json()["position"]}
        reads: list[asyncio.Task[Any]] = []

        async def all_wait() -> bool:
            return (shell.waiting, crowd.number) == (len(reads), 0)

        for _ in range(3):  # with two requests under way at a time
            reads.append(asyncio.create_task(owner.get(path, params=asked)))
            await until_awaited(all_wait)
        assert (await owner.post(path, {"name": "Two"})).status_code == 201
        assert not any(each.done() for each in reads)
        for each in reads:
            each.cancel()
        await asyncio.gather(*reads, return_exceptions=True)
        await until_awaited(lambda: is_quiet(shell, crowd))


async def is_quiet(shell: Any, crowd: Any) -> bool:
    """Return whether no read waits, and no request is under way."""
    return (shell.waiting, crowd.number) == (0, 0)


async def test_no_more_reads_wait_than_a_process_can_bear(serving: Any) -> None:
    async with serving(**LONG) as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/seasons"
        made = await owner.post(path, {"name": "One"})
        api.app.shell.waiting = WAITS_MAX
        behind = await owner.get(path)
        assert (behind.status_code, behind.headers["holotable-behind"]) == (200, "true")
        refused = await owner.get(path, params={"min_position": made.json()["position"]})
        assert (refused.status_code, refused.json()["code"]) == (503, "not_caught_up")
        assert api.app.shell.standing == {}
