"""Staff who lose their office while a command of theirs is under way."""

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg
import pytest

from engine.values import number_of
from service.base.addresses import asyncpg_dsn
from tests.service.api.conftest import Person
from tests.service.api.league.test_merging import second_owner
from tests.service.api.league.turns import waiting_turn
from tests.support.databases import TestDatabase
from tests.support.holding import holding
from tests.support.waiting import until_awaited
from tests.support.webhooks import announce

pytestmark = pytest.mark.anyio

TURN = "SELECT 1 FROM append_turn WHERE league = $1 FOR UPDATE"


async def written(database: TestDatabase) -> bool:
    """Return whether somebody's words are kept. That comes after the check of the office."""
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    found = await connection.fetchval("SELECT count(*) FROM text")
    await connection.close()
    return bool(found)


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_a_command_of_staff_does_not_follow_the_loss_of_their_office(
    serving: Callable[..., Any], database: TestDatabase, elsewhere: bool
) -> None:
    """The office is checked again in the command's own turn, in every process."""
    async with serving() as here, serving() as there:
        owner, league = await here.league()
        director = await here.join(owner, league)
        path = f"/v1/leagues/{league}/members/{director.player}"
        headers = owner.headers | {"If-Match": "*"}

        async def give(role: str) -> Any:
            return await here.http.put(path, json={"role": role}, headers=headers)

        assert (await give("director")).status_code == 200
        tournament = await announce(owner, league)
        http = there.http if elsewhere else here.http
        late = Person(http, {"id": director.player, "login": ""}, _token(director))
        async with holding(database, TURN, number_of(league)) as waiting:
            losing = asyncio.create_task(give("player"))
            await waiting(1)
            path_of_notes = f"/v1/tournaments/{tournament}/announcements"
            speaking = asyncio.create_task(
                late.post(path_of_notes, {"text": "All my friends win."})
            )
            await until_awaited(lambda: written(database))
            if elsewhere:
                await waiting(2)
        assert (await losing).status_code == 200
        refused = await speaking
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden"), refused.text
        notes = await owner.get(path_of_notes)
        assert notes.json()["items"] == []


async def test_an_owner_who_becomes_a_director_gives_no_office_with_a_command_that_waits(
    serving: Callable[..., Any],
) -> None:
    """These routes are open to directors too. What the request asks for makes the owner needed."""
    async with serving() as api:
        owner, league = await api.league()
        other, about = await second_owner(api, owner, league), f"/v1/leagues/{league}"
        season = (await owner.post(f"{about}/seasons", {"name": "Spring"})).json()["id"]
        office = {"role": "director"}
        issued = (await owner.post(f"{about}/invitations", office)).json()["id"]
        listed = owner.headers | {"Content-Type": "text/csv"}
        left_out = {"leave_out": ["trn_" + "0" * 32], "reason": "Rained off"}
        member = f"{about}/members/{owner.player}"
        async with waiting_turn(api, league) as waiting:
            losing = asyncio.create_task(
                api.http.put(member, json=office, headers=other.headers | {"If-Match": "*"})
            )
            await waiting(1)
            asked = [
                owner.post(f"{about}/invitations", office),
                owner.http.delete(f"{about}/invitations/{issued}", headers=owner.headers),
                owner.http.post(
                    f"{about}/members/import",
                    content=b"name,role\nChewie,referee\n",
                    headers=listed,
                ),
                owner.post(f"/v1/seasons/{season}/close", left_out),
            ]
            late = [asyncio.create_task(each) for each in asked]
            await waiting(1 + len(late))
        assert (await losing).status_code == 200, (await losing).text
        for answer in await asyncio.gather(*late):
            assert (answer.status_code, answer.json().get("code")) == (403, "forbidden")
        held = await other.get(f"{about}/invitations")
        assert held.json()["items"] == [], "the loss ends the earlier one, and no later one is made"


def _token(person: Person) -> str:
    return person.headers["Authorization"].removeprefix("Bearer ")
