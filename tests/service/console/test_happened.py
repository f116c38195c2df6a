"""What happened on a floor, and what stays of it after the end."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.proof.test_evidence import project
from tests.service.api.table.test_voiding import dealt
from tests.service.api.tournament.test_casino import play_out
from tests.service.console.doors import opened
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_the_floor_names_who_lost_the_place_at_the_draw(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        about = f"/v1/tournaments/{tournament}"
        for _ in range(3):
            person = await console.api.join(owner, league)
            await person.post(f"{about}/registrations")
        entrants = (await owner.get(about)).json()["entrants"]
        for each in entrants[:2]:
            here = await owner.post(f"{about}/registrations/{each['id']}/check-in")
            assert here.is_success, here.text
        assert (await owner.post(f"{about}/start")).is_success
        browser = await console.signed_in(owner.login)
        for _ in range(2):  # before the read model has the entries, and later
            page = await browser.get(f"{about.removeprefix('/v1')}/floor")
            assert f"{entrants[2]['name']} was not here and loses the place" in page.text
            await project(database)
        german = await browser.get(
            f"{about.removeprefix('/v1')}/floor", headers={"Accept-Language": "de"}
        )
        assert f"{entrants[2]['name']} war nicht da und verliert den Platz" in german.text


async def test_voided_deals_and_declared_rebuys_are_told_and_stay_after_the_end(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, _, tournament, people, table = await console.api.playing(
            3,
            hands_max=1,
            prize_pool=900,
            currency="EUR",
            payouts=[6, 3],
            overrides={"rebuy": {"max": 1}},
        )
        about = f"/v1/tournaments/{tournament}"
        view = await dealt(owner, table, 1)
        names = {each["id"]: each["name"] for each in (await owner.get(about)).json()["entrants"]}
        out, stays = view["seats"][0]["entrant"], view["seats"][1]["entrant"]
        wrong = {"cause": "mis_deal", "reason": "card_shown"}
        for path, body in (
            (f"{about}/rebuys/by-staff", {"entrant": stays, "number": 1}),
            (f"/v1/tables/{table}/void", wrong),
            (f"{about}/disqualifications", {"entrant": out, "reason": "Two phones."}),
        ):
            done = await owner.post(path, body)
            assert done.is_success, done.text
        told = (
            f"{names[stays]} takes a rebuy once the last chip is lost",
            "Hand 1 at table 1 is dealt again",
            f"{names[out]} is disqualified",
        )
        browser = await console.signed_in(owner.login)
        floor = f"/tournaments/{tournament}/floor"
        page = await browser.get(floor)
        assert all(each in page.text for each in told), page.text

        await play_out(owner, tournament, people, table)
        page = await browser.get(floor)
        assert "Won by " in page.text
        assert all(each in page.text for each in told), page.text
        page = await browser.get(f"/tournaments/{tournament}/result")
        assert page.text.count(">disqualified<") == 1
        assert f'href="/tournaments/{tournament}/money">Hand over the prizes' in page.text
        player = await console.signed_in(people[0].login)
        page = await player.get(f"/tournaments/{tournament}/result")
        assert page.text.count(">disqualified<") == 1
        assert "Hand over the prizes" not in page.text

        await project(database)
        page = await browser.get(f"/hands/{view['hand']}")
        assert page.status_code == 200, page.text
        assert page.text.count("The hand opens<") == 1
        assert page.text.count("The hand is dealt again<") == 1
