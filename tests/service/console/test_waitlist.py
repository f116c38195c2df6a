"""Players who wait for a place, and those who have not checked in."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.nights import start_by_clock
from tests.service.console.doors import entry, opened
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_who_waits_in_line_checks_in_and_gets_the_place_of_a_no_show(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console, entrants_max=2)
        people = [await console.api.join(owner, league) for _ in range(4)]
        for each in people:
            await each.post(f"/v1/tournaments/{tournament}/registrations")
        han, _, rey, finn = people
        await han.post(f"/v1/tournaments/{tournament}/check-ins")
        poster, door = f"/tournaments/{tournament}", f"/tournaments/{tournament}/door"

        # By the own phone, and at the door.
        phone = await console.signed_in(rey.login)
        page = await phone.get(poster)
        assert f"{poster}/check-in" in page.text
        await phone.submit(f"{poster}/check-in")
        assert f"{poster}/check-in" not in (await phone.get(poster)).text
        desk = await console.signed_in(owner.login)
        await desk.get(door)
        last = (await entry(owner, tournament, 3))["id"]
        await desk.submit(f"{door}/{last}/here", here="true")
        await desk.submit(f"{door}/{last}/here", here="false")
        await owner.post(f"/v1/tournaments/{tournament}/start")

        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        playing = {each["player"] for each in shown if each["status"] == "playing"}
        assert playing == {han.player, rey.player}
        assert finn.player not in {each["player"] for each in shown if each["checked_in"]}


async def test_who_was_seated_absent_and_who_waits_in_late_registration_check_in(
    serving: Serving,
) -> None:
    async with serving() as console:
        entering = {
            "check_in_opens_before_seconds": 7200, "waitlist": True, "no_show": "seat_absent",
            "late_registration_seconds": 3600,
        }  # fmt: skip
        owner, league, tournament = await opened(console, entrants_max=2, entry=entering)
        han, leia, rey = people = [await console.api.join(owner, league) for _ in range(3)]
        for each in people:
            await each.post(f"/v1/tournaments/{tournament}/registrations")
        await han.post(f"/v1/tournaments/{tournament}/check-ins")
        await owner.post(f"/v1/tournaments/{tournament}/start")
        poster, door = f"/tournaments/{tournament}", f"/tournaments/{tournament}/door"

        for each in (leia, rey):
            [waits] = (await each.get("/v1/me/waiting")).json()["items"]
            assert waits["type"] == "check_in"
            phone = await console.signed_in(each.login)
            await phone.get(poster)
            await phone.submit(f"{poster}/check-in")
            assert "check_in" not in (await each.get("/v1/me/waiting")).text
            assert f"{poster}/check-in" not in (await phone.get(poster)).text
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        assert [(each["checked_in"], each["absent"]) for each in shown] == [(True, False)] * 3
        desk = await console.signed_in(owner.login)
        assert f"{door}/{shown[2]['id']}/here" not in (await desk.get(door)).text


async def test_an_evening_cancelled_because_few_were_there_says_so_and_is_planned_again(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        for number in range(3):
            person = await console.api.join(owner, league)
            await person.post(f"/v1/tournaments/{tournament}/registrations")
            if not number:
                assert (await person.post(f"/v1/tournaments/{tournament}/check-ins")).is_success
        await start_by_clock(database, owner, tournament)
        browser = await console.signed_in(owner.login)
        page = await browser.get(f"/tournaments/{tournament}")
        said = "At the start, only 1 of 3 entered players had checked in. 2 were needed."
        assert said in page.text, page.text
        again = f"/leagues/{league}/new-evening/plan?often=once&amp;like={tournament}"
        assert again in page.text
        page = await browser.get(again.replace("&amp;", "&"))
        assert page.status_code == 200
        waits = "If fewer than 2 players are here at the start, the start waits 15 minutes"
        assert waits in page.text
        player = await console.signed_in(person.login)
        page = await player.get(f"/tournaments/{tournament}")
        assert said in page.text
        assert again not in page.text


async def test_a_player_on_the_waitlist_reads_their_number_and_what_happens_next(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console, entrants_max=2)
        han, leia, rey, finn = [await console.api.join(owner, league) for _ in range(4)]
        for each in (han, leia, rey):
            await each.post(f"/v1/tournaments/{tournament}/registrations")
        poster = f"/tournaments/{tournament}"
        phone = await console.signed_in(finn.login)
        await phone.get(poster)

        page = await phone.submit(f"{poster}/enter")
        assert "You are on the list." not in page.text
        assert page.text.count("You are number 2 on the waitlist.") == 2, "said once, and shown"
        assert "A free place is offered to the first in line, who has 15 minutes" in page.text
        assert "At the start, free places go to the first in line who have checked in." in page.text
        german = (await phone.get(poster, headers={"Accept-Language": "de"})).text
        assert "Du bist Nummer 2 auf der Warteliste." in german
        assert "Sie hat 15 Minuten Zeit für die Antwort." in german

        money = (await phone.get(f"{poster}/money")).text
        assert "You owe nothing while you wait." in money
        books = (await (await console.signed_in(owner.login)).get(f"{poster}/money")).text
        assert "2 players wait for a place and owe nothing until then:" in books
        assert finn.player not in books, "no account, so nothing to pay"

        await phone.get(poster)
        page = await phone.submit(f"{poster}/leave")
        assert "You are no longer on the waitlist." in page.text
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        assert [each["player"] for each in shown] == [han.player, leia.player, rey.player]


async def test_a_player_leaves_the_waitlist_during_play_and_the_next_gets_the_place(
    serving: Serving,
) -> None:
    async with serving() as console:
        levels = {"kind": "levels", "by": "clock", "levels": [
            {"small": 5, "big": 10, "length": 3600}, {"small": 10, "big": 20}
        ]}  # fmt: skip
        owner, league, tournament = await opened(
            console, entrants_max=2, overrides={"escalation": levels},
            entry={"waitlist": True, "late_registration_seconds": 3600},
        )  # fmt: skip
        people = [await console.api.join(owner, league) for _ in range(5)]
        for each in people:
            await each.post(f"/v1/tournaments/{tournament}/registrations")
        han, leia, rey, finn, poe = people
        assert (await owner.post(f"/v1/tournaments/{tournament}/start")).is_success
        poster, door = f"/tournaments/{tournament}", f"/tournaments/{tournament}/door"
        phone = await console.signed_in(rey.login)

        page = await phone.get(poster)
        assert "You are number 1 on the waitlist." in page.text
        assert "A free place goes at once to the first in line." in page.text
        page = await phone.submit(f"{poster}/leave")
        assert "You are no longer on the waitlist." in page.text
        seated = await (await console.signed_in(han.login)).get(poster)
        assert f'action="{poster}/leave"' not in seated.text, "a seat is kept"
        # The staff take the next one out, at the door.
        desk = await console.signed_in(owner.login)
        line = (await owner.get(f"/v1{poster}")).json()["entrants"]
        [entrant] = [each["id"] for each in line if each["player"] == finn.player]
        page = await desk.get(door)
        assert page.text.count(">Take out<") == 2, "only those who wait"
        page = await desk.submit(f"{door}/{entrant}/out")
        assert "Those behind move up by one." in page.text
        page = await desk.submit(f"{door}/{entrant}/out")
        assert "is off the list." in page.text

        more = {"entrants_max": 3, "reason": "Another table"}
        path = f"/v1{poster}/terms-changes"
        raised = await owner.post(path, more, headers={"If-Match": "*"})
        assert raised.is_success, raised.text
        shown = (await owner.get(f"/v1{poster}")).json()["entrants"]
        assert {each["player"] for each in shown} == {han.player, leia.player, poe.player}
        assert {each["status"] for each in shown} == {"playing"}
