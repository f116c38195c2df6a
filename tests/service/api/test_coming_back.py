"""Nothing that its owner made before lets a suspended account back in, and it gets no messages."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.api.http.access.authentication import changed
from service.api.http.declaring.doors import Doors
from tests.service.api.conftest import ANY, PASSWORD, Api, Person
from tests.service.api.test_suspending import WHY, told
from tests.support.databases import TestDatabase
from tests.support.streams import following
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

NEW = "another horse"


async def accepted(person: Person, code: str) -> int:
    return (await person.post(f"/v1/invitations/{code}/accept")).status_code


async def entered(owner: Person, league: str, name: str) -> dict[str, Any]:
    """Enter somebody without an account, and return the player with the claim code."""
    made = await owner.post(f"/v1/leagues/{league}/players", {"name": name})
    assert made.status_code == 201, made.text
    return dict(made.json())


async def claimed(api: Api, code: str, login: str) -> int:
    asked = {"code": code, "login": login, "password": PASSWORD}
    return (await api.http.post("/v1/claims", json=asked)).status_code


async def screen(api: Api, key: str) -> int:
    return (await api.http.get("/v1/screen", params={"key": key})).status_code


async def test_codes_that_a_suspended_owner_gave_out_open_no_office_and_no_account(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, _, _ = await api.playing()
        at, friend = f"/v1/leagues/{league}", await api.person()
        codes = {
            role: (await owner.post(f"{at}/invitations", {"role": role, "uses": 9})).json()["code"]
            for role in ("director", "player")
        }
        chewie, wicket = await entered(owner, league, "Chewie"), await entered(owner, league, "W")
        assert await claimed(api, wicket["claim"], "wicket") == 201
        reset = (await owner.post(f"{at}/players/{wicket['player']}/password-reset")).json()["code"]
        path, referee = f"{at}/members/{chewie['player']}", {"role": "referee"}
        done = await api.http.put(path, json=referee, headers=owner.headers | ANY)
        assert done.status_code == 200, done.text
        office = (await owner.post(f"{at}/players/{chewie['player']}/claim")).json()["code"]
        key = (await owner.post(f"/v1/tournaments/{tournament}/screen-keys")).json()["key"]
        wanted = {"code": reset, "password": NEW}
        assert await screen(api, key) == 200

        assert (await told(database, "account", "suspend", owner.login, *WHY)).returncode == 0
        assert (await api.http.get(f"/v1/codes/{codes['director']}")).status_code == 404
        assert await accepted(friend, codes["director"]) == 404
        assert (await api.http.get(f"/v1/codes/{office}")).status_code == 404
        assert await claimed(api, office, "back") == 404
        assert (await friend.post("/v1/me/claims", {"code": office})).status_code == 404
        assert (await api.http.post("/v1/password-resets", json=wanted)).status_code == 404
        assert await screen(api, key) == 404
        # The league goes on: people who were invited to play can still join.
        assert await accepted(await api.person(), codes["player"]) == 201

        assert (await told(database, "account", "restore", owner.login, *WHY)).returncode == 0
        assert await screen(api, key) == 200
        assert await accepted(friend, codes["director"]) == 201
        assert await claimed(api, office, "back") == 201
        assert (await api.http.post("/v1/password-resets", json=wanted)).status_code == 200


async def test_a_claim_code_opens_no_account_in_a_suspended_league(
    serving, database: TestDatabase
) -> None:
    """The claim never reaches the log, which would refuse it. The code stays valid for later."""
    async with serving() as api:
        owner, league = await api.league()
        chewie, friend = await entered(owner, league, "Chewie"), await api.person()
        assert (await told(database, "league", "suspend", league, *WHY)).returncode == 0
        asked = {"code": chewie["claim"], "login": "chewie", "password": PASSWORD}
        for refused in (
            await api.http.post("/v1/claims", json=asked),
            await friend.post("/v1/me/claims", {"code": chewie["claim"]}),
        ):
            assert (refused.status_code, refused.json()["code"]) == (403, "league_suspended")
        signing_in = {"login": "chewie", "password": PASSWORD}
        assert (await api.http.post("/v1/tokens", json=signing_in)).status_code == 401
        assert (await told(database, "league", "restore", league, *WHY)).returncode == 0
        assert await claimed(api, chewie["claim"], "chewie") == 201


async def test_every_kind_of_stream_of_a_suspended_account_ends(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        _, league, tournament, people, table = await api.playing()
        gone = people[0]
        secret = gone.headers["Authorization"].removeprefix("Bearer ")
        browser = {"host": "localhost", "cookie": f"holotable-plain=tok_{0:032x}.{secret}"}
        paths = {
            "/v1/me/stream": gone.headers,
            f"/v1/tables/{table}/events": gone.headers,
            f"/v1/tournaments/{tournament}/events": gone.headers,
            f"/live?topics=me,{league},{tournament},{table}": browser,
        }
        async with asyncio.TaskGroup() as group, asyncio.timeout(60):
            begun = asyncio.Barrier(len(paths) + 1)

            async def follow(path: str, headers: dict[str, str]) -> None:
                async with following(api.app, path, headers) as stream:
                    await stream.until_begun()
                    assert stream.status == 200, path
                    await begun.wait()
                    await stream.ended.wait()

            for path, headers in paths.items():
                group.create_task(follow(path, headers))
            await begun.wait()
            done = await told(database, "account", "suspend", gone.login, *WHY)
            assert done.returncode == 0, done.stderr


async def test_a_stream_that_a_request_opens_just_after_the_suspension_ends_too(serving) -> None:
    """The request was let in just before."""
    async with serving() as api:
        person, shell = await api.person(), api.app.shell

        async def known() -> list[Any]:
            """Return the caller once it is remembered: news of its sign-up may still forget it."""
            assert (await person.get("/v1/me")).status_code == 200
            remembered = [each for each, _ in shell.principals.values()]
            return [each for each in remembered if each.account.player == person.player]

        [caller] = await until_awaited(known)
        changed(shell, caller.account.number, True, again=timedelta(milliseconds=100))
        with shell.limits.streams.held(caller) as ended:
            await asyncio.wait_for(ended.wait(), 30)


class Slow:
    """Answers the first query last, like a pool with one fresh and one waiting connection."""

    def __init__(self) -> None:
        self.second = asyncio.Event()
        self.answers = iter((60, None))

    async def fetch(self, _: str) -> list[dict[str, Any]]:
        retry = next(self.answers)
        if retry is None:
            self.second.set()
        else:
            # Under a lock nobody else asks meanwhile, so this answer comes in its turn.
            await asyncio.wait([asyncio.create_task(self.second.wait())], timeout=0.2)
        since = datetime(2026, 1, 1, tzinfo=UTC)
        row = {"league": None, "retry_seconds": retry, "since": since, "stands_since": since}
        row["came"] = False
        return [row] if retry else []


async def test_the_end_of_a_maintenance_is_not_overtaken_by_its_beginning() -> None:
    """Otherwise a process refuses all commands until the operator closes something again."""
    tasks: list[asyncio.Task[None]] = []
    doors = Doors(Slow(), lambda work: tasks.append(asyncio.create_task(work)))  # type: ignore[arg-type]
    doors.heard("maintenance")
    doors.heard("maintenance")
    await asyncio.gather(*tasks)
    assert doors.maintenance is None
