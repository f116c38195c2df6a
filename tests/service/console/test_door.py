"""The door: check in and undo, money, search, and who may use it."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.service.console.doors import entry, opened

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_one_tap_checks_in_another_undoes_it_and_one_takes_the_money(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{tournament}/registrations")
        entrant = (await entry(owner, tournament))["id"]
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        page = await browser.get(door)
        assert "€12.00 due" in page.text.replace("\xa0", " ").replace(
            '<span class="num">', ""
        ).replace("</span>", "")
        name = (await entry(owner, tournament))["name"]
        for act in ("Here", "Paid", "Take out"):
            assert f'aria-label="{act}, {name}"' in page.text, act
        page = await browser.submit(f"{door}/{entrant}/here", here="true")
        assert page.url.path == door
        assert (await entry(owner, tournament))["checked_in"]
        assert 'aria-pressed="true"' in page.text
        page = await browser.submit(f"{door}/{entrant}/here", here="false")
        assert not (await entry(owner, tournament))["checked_in"]
        page = await browser.submit(f"{door}/{entrant}/paid", paid="true")

        ledger = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()
        assert [each["amount"] for each in ledger["accounts"][0]["payments"]] == [1000, 200]
        assert f"{door}/{entrant}/paid" not in page.text

        # Taken by mistake: another entry takes it back, and it can be taken again.
        page = await browser.submit(f"{door}/{entrant}/unpaid", reason="<b>Wrong</b> line")
        assert page.url.path == door
        ledger = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()
        amounts = [each["amount"] for each in ledger["accounts"][0]["payments"]]
        assert amounts == [1000, 200, -1000, -200]
        assert (ledger["totals"]["paid"], ledger["totals"]["owed"]) == (0, 1200)
        await browser.submit(f"{door}/{entrant}/paid", paid="true")
        ledger = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()
        assert ledger["totals"]["paid"] == 1200


async def test_a_name_finds_entrants_and_members_who_may_be_entered(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        ada = (await owner.post(f"/v1/leagues/{league}/players", {"name": "<b>Ada</b>"})).json()
        await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": "Boba"})
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        page = await browser.get(f"{door}?q=ada")
        assert "<b>Ada" not in page.text
        assert "&lt;b&gt;Ada" in page.text
        assert "Boba" not in page.text
        await browser.submit(f"{door}/enter", player=ada["player"])
        assert (await entry(owner, tournament, 1))["player"] == ada["player"]
        page = await browser.get(f"{door}?only=absent")
        assert "Boba" not in page.text  # a walk-in is here
        assert "&lt;b&gt;Ada" in page.text


async def test_the_door_shows_seats_while_money_is_due(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        for name in ("Lando", "Qira"):
            await browser.get(door)
            await browser.submit(f"{door}/walk-in", name=name)
        assert "Not here 0" in (await browser.get(door)).text
        assert (await owner.post(f"/v1/tournaments/{tournament}/start")).status_code < 300

        page = await browser.get(door)
        assert "table 1, seat 1" in page.text
        assert page.text.count("</span> due") == 2, "the money is due beside the seats"
        assert "Not here" not in page.text, "nobody checks in any more"


async def test_taking_somebody_out_asks_first_and_frees_the_place(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console, entrants_max=2)
        for name in ("<b>Lando</b>", "Qira", "Rey"):
            await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": name})
        entrant = (await entry(owner, tournament))["id"]
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        page = await browser.get(door)
        assert page.text.count("Take out</button>") == 3, "the waitlist too"
        page = await browser.submit(f"{door}/{entrant}/out")
        assert "Take &lt;b&gt;Lando&lt;/b&gt; out?" in page.text
        assert (await entry(owner, tournament))["id"] == entrant
        page = await browser.submit(f"{door}/{entrant}/out")
        assert page.url.path == door
        assert "is off the list." in page.text
        assert f"{door}/{entrant}/out" not in page.text
        cards = (await browser.get(f"/tournaments/{tournament}/prints")).text
        assert "Lando" not in cards
        assert "Qira" in cards

        assert (await owner.post(f"/v1/tournaments/{tournament}/registrations")).is_success
        assert "Take out" not in (await browser.get(door)).text, "the host plays"


async def test_a_host_who_plays_is_offered_only_what_the_api_allows(serving: Serving) -> None:
    async with serving() as console:
        for allowed in (False, True):
            owner, league, tournament = await opened(console, staff_may_play=allowed)
            other = await console.api.join(owner, league)
            for person in (owner, other):
                path = f"/v1/tournaments/{tournament}/registrations"
                assert (await person.post(path)).is_success
            browser = await console.signed_in(owner.login)
            door = f"/tournaments/{tournament}/door"
            page = await browser.get(door)
            assert "Walk-ins, entries and money are for staff who do not play." in page.text
            for refused in ("walk-in", "paid", "out"):
                assert f'/{refused}"' not in page.text
            (entrant,) = [
                each["id"]
                for each in (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
                if each["player"] == other.player
            ]
            here = f"{door}/{entrant}/here"
            assert (f'action="{here}"' in page.text) == allowed
            walked = await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": "Rey"})
            assert walked.status_code == 403
            if allowed:
                page = await browser.submit(here, here="true")
                assert page.status_code == 200, page.text
                assert f'action="{here}"' not in page.text, "only others undo it"


async def test_lists_of_people_go_by_letters_and_a_search_needs_no_marks(serving: Serving) -> None:
    names = ["Zoë", "Ömer", "omar", "Øyvind", "Åsa", "Änne", "Anna", "Pia"]
    by_letter = ["Anna", "Änne", "Åsa", "omar", "Ömer", "Øyvind", "Pia", "Zoë"]
    async with serving() as console:
        owner, league, tournament = await opened(console)
        for name in names:
            await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": name})
        browser = await console.signed_in(owner.login)
        for path in (
            f"/tournaments/{tournament}/door",
            f"/tournaments/{tournament}/money",
            f"/tournaments/{tournament}/prints",
            f"/leagues/{league}/players",
            f"/leagues/{league}/people",
        ):
            text = (await browser.get(path)).text.partition("<main")[2]
            listed = [each for each in re.findall(r">([^<>]+)<", text) if each in names]
            assert list(dict.fromkeys(listed)) == by_letter, path
        page = await browser.get(f"/tournaments/{tournament}/door?q=OMER")
        assert page.text.count("data-key") == 1
        assert 'data-name="ömer omer"' in page.text, "for the search on the page"
        assert "Ömer" in (await browser.get(f"/leagues/{league}/people?q=omer")).text
        found = await owner.get(f"/v1/leagues/{league}/members?name=oyvind")
        assert [each["name"] for each in found.json()["items"]] == ["Øyvind"]
