"""At the table, players hear of announcements, deals, and rebuys before the last chip goes."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.tournament.test_rebuys import bust_at, two_playing
from tests.service.console.test_money_page import TERMS

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

GERMAN = {"Accept-Language": "de"}


async def test_an_announcement_and_a_proposed_deal_reach_the_phones_at_the_table(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, _, tournament, people, table = await console.api.playing(2, **TERMS)
        path, here = f"/v1/tournaments/{tournament}", f"/tables/{table}"
        phone = await console.signed_in(people[0].login)
        assert "A deal is proposed" not in (await phone.get(here)).text
        for text in ("Soup is ready", "The kitchen closes <at ten>"):
            await owner.post(f"{path}/announcements", {"text": text}, key=text)
        wanted = {"method": "equal", "play_for": 1000}
        assert (await owner.post(f"{path}/deals/by-director", wanted)).is_success

        page = (await phone.get(here)).text
        assert "The kitchen closes &lt;at ten&gt;" in page
        assert "Soup" not in page, "the clock of the room shows the latest one too"
        assert "A deal is proposed" in page and "€10.00" in page
        deals = f"/tournaments/{tournament}/deals"
        assert f'<a href="{deals}">Look and answer</a>' in page
        page = (await phone.get(here, headers=GERMAN)).text
        assert "Ein Deal ist vorgeschlagen" in page and "Ansehen und antworten" in page
        assert "Durchsage" in page

        await phone.get(deals)
        await phone.submit(f"{deals}/answer", accepted="true")
        assert "A deal is proposed" not in (await phone.get(here)).text
        staff = await console.signed_in(owner.login)
        page = (await staff.get(here)).text
        assert "The kitchen closes" in page and "Look and answer" not in page


async def test_a_player_declares_a_rebuy_at_the_table_and_hears_of_the_time_before(
    serving: Serving,
) -> None:
    async with serving() as console:
        rebuy = {"rebuy": {"max": 1, "seconds": 45}}
        found = await console.api.playing(2, **TERMS | {"overrides": rebuy})
        owner, _, tournament, people, table = found
        here, entry = f"/tables/{table}", f"/v1/tournaments/{tournament}"
        phone = await console.signed_in(people[0].login)
        page = (await phone.get(here)).text
        assert "you have 45 seconds to rebuy" in page and "€17.00" in page
        assert "hast du 45 Sekunden zum Nachkaufen" in (await phone.get(here, headers=GERMAN)).text
        await phone.get(here)
        page = (await phone.submit(f"{here}/declare")).text
        assert "Declare a rebuy?" in page and "This cannot be taken back." in page
        assert "rebuy_declared" not in (await owner.get(f"{entry}/events")).text
        page = (await phone.submit(f"{here}/declare")).text
        assert "Your rebuy is declared." in page
        assert "It comes by itself once you lose the last chip" in page
        assert f'action="{here}/declare"' not in page
        entrants = (await people[0].get(entry)).json()["entrants"]
        assert [each["player"] for each in entrants if each["rebuy_declared"]] == [people[0].player]

        # No rebuy is left for staff to declare for this player, and one for the other.
        floor = await console.signed_in(owner.login)
        page = (await floor.get(f"/tournaments/{tournament}/floor")).text
        assert page.count("/floor/rebuy") == 1 and "Declare a rebuy</button>" in page


async def test_staff_are_offered_a_rebuy_only_where_it_is_accepted(serving: Serving) -> None:
    levels = {"kind": "levels", "by": "clock", "levels": [
        {"small": 5, "big": 10, "length": 3600}, {"small": 10, "big": 20}
    ]}  # fmt: skip
    async with serving() as console:
        overrides = {"rebuy": {"max": 1, "until_level": 1}, "escalation": levels}
        owner, _, tournament, people, table = await console.api.playing(
            2, overrides=overrides, hands_between_seconds=3600
        )
        floor = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}"
        assert (await floor.get(f"{path}/floor")).text.count("/floor/rebuy") == 2
        await owner.post(f"/v1{path}/clock", {"level": 2, "reason": "late"})
        for person in people:
            await person.post(f"/v1/tables/{table}/presence", {"away": True})
        phone = await console.signed_in(people[0].login)
        seen = (await people[0].get(f"/v1/tables/{table}")).json()
        played = seen["hand"] is not None and seen["level"] == 1
        page = (await floor.get(f"{path}/floor")).text
        assert (page.count("/floor/rebuy") == 2) == played
        assert ("/declare" in (await phone.get(f"/tables/{table}")).text) == played


async def test_the_floor_calls_a_rebuy_in_the_window_by_its_name(serving: Serving) -> None:
    async with serving() as console:
        rebuy = {"max": 1, "seconds": 3600}
        owner, tournament, table, people = await two_playing(console.api, rebuy)
        await bust_at(owner, tournament, table, people)
        browser = await console.signed_in(owner.login)
        page = await browser.get(f"/tournaments/{tournament}/floor")
        assert "Rebuy</button>" in page.text and "Declare a rebuy</button>" in page.text


async def test_a_disqualified_player_reads_it_at_the_table(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, people, table = await console.api.playing(3)
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        mine = next(each["id"] for each in shown if each["player"] == people[0].player)
        path = f"/v1/tournaments/{tournament}/disqualifications"
        gone = await owner.post(path, {"entrant": mine, "reason": "Went home"}, key="d")
        assert gone.is_success, gone.text
        phone = await console.signed_in(people[0].login)
        page = (await phone.get(f"/tables/{table}")).text
        assert "You are disqualified, in place 3 of 3." in page, page
        page = (await phone.get(f"/tables/{table}", headers=GERMAN)).text
        assert "Du bist disqualifiziert, auf Platz 3 von 3." in page
