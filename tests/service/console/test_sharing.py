"""Spectators who ask at the same time share one answer, made after all of them have asked."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from service.console.calling import Problem
from service.console.sharing import Sharing
from tests.service.console.conftest import Console
from tests.service.console.test_forms import evening

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_many_who_ask_together_are_answered_by_one_look() -> None:
    sharing, facts, looks = Sharing(), ["before"], 0

    async def look() -> str:
        nonlocal looks
        looks += 1
        return facts[-1]

    first = [asyncio.create_task(sharing.of("floor", look)) for _ in range(300)]
    await asyncio.sleep(0)
    facts.append("after")  # the last reader may know of this change

    assert set(await asyncio.gather(*first)) == {"after"}
    assert looks == 1
    facts.append("later")
    assert await sharing.of("floor", look) == "later"
    assert looks == 2


async def test_a_refusal_reaches_everybody_and_is_not_kept() -> None:
    sharing = Sharing()

    async def refused() -> str:
        raise Problem(404, {"code": "not_found"})

    async def found() -> str:
        return "here"

    asked = [sharing.of("floor", refused) for _ in range(3)]
    for each in await asyncio.gather(*asked, return_exceptions=True):
        assert isinstance(each, Problem)
    assert await sharing.of("floor", found) == "here"


async def opened(console: Console) -> str:
    """Announce an evening that strangers may see."""
    owner, league, _ = await evening(console)
    path = f"/v1/leagues/{league}/visibility"
    headers = owner.headers | {"Idempotency-Key": "v", "If-Match": "*"}
    await console.api.http.put(path, json={"visibility": "public"}, headers=headers)
    made = await owner.post(
        f"/v1/leagues/{league}/tournaments", {"name": "Open house", "ruleset": "better"}
    )
    return str(made.json()["id"])


async def test_strangers_see_a_public_evening_and_each_has_a_form_token_of_their_own(
    serving: Serving,
) -> None:
    async with serving() as console:
        stranger = console.browser()
        address = f"/tournaments/{await opened(console)}?part=poster"

        answers = await asyncio.gather(*(stranger.http.get(address) for _ in range(20)))

        assert {each.status_code for each in answers} == {200}
        assert len({each.headers["etag"] for each in answers}) == 1
        assert "Open house" in answers[0].text
        known = {"If-None-Match": answers[0].headers["etag"]}
        assert (await stranger.http.get(address, headers=known)).status_code == 304


async def test_the_limit_of_whoever_asks_first_is_not_everybodys(serving: Serving) -> None:
    async with serving(open_requests=1) as console:
        tournament = await opened(console)
        address = f"/tournaments/{tournament}?part=poster"
        greedy, other = console.browser(), console.browser(address="127.0.0.2")
        codes = [(await greedy.http.get("/sign-in")).status_code for _ in range(11)]
        assert codes[-1] == 429

        first = asyncio.create_task(greedy.http.get(address))
        await asyncio.sleep(0)
        answer = await other.http.get(address)

        assert (await first).status_code == 429
        assert answer.status_code == 200
