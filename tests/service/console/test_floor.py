"""The floor: a director's orders with two taps, and the view of others."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.table.test_voiding import dealt
from tests.service.console.conftest import Browser, Console

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

LEVELS = [
    {"small": 5, "big": 10, "length": 1200},
    {"small": 10, "big": 20, "length": 900},
    {"small": 25, "big": 50},
]
TERMS = {
    "overrides": {"escalation": {"kind": "levels", "by": "clock", "levels": LEVELS}},
    "table_seats": 2,
    "hands_between_seconds": 3600,
    "decision_seconds": 3600,
}


async def evening(console: Console, players: int = 4, **more: Any) -> tuple[Browser, str, Any]:
    """Start an evening. Return the director's browser on its floor, the path, and the kit."""
    owner, league, tournament, people, _ = await console.api.playing(players, **TERMS | more)
    browser = await console.signed_in(owner.login)
    path = f"/tournaments/{tournament}/floor"
    assert (await browser.get(path)).status_code == 200
    return browser, path, (owner, league, people)


async def shown(owner: Any, path: str) -> dict[str, Any]:
    answer = await owner.get(f"/v1{path}")
    return answer.json() if isinstance(answer.json(), dict) else {}


async def test_the_clock_is_set_by_one_tap(serving: Serving) -> None:
    async with serving() as console:
        browser, path, (owner, _, _) = await evening(console)
        page = await browser.get(path)
        assert "Level 1" in page.text
        assert "Table 1" in page.text and "Table 2" in page.text

        page = await browser.submit(f"{path}/clock", do="level:2")
        assert "Level 2 begins." in page.text
        clock = (await shown(owner, path.removesuffix("/floor")))["clock"]
        assert clock["level"] == 2
        page = await browser.submit(f"{path}/clock", do="seconds:60")
        assert "The clock is set." in page.text
        page = await browser.submit(f"{path}/pause")
        assert "Clock stopped" in page.text
        assert "Play goes on." in (await browser.submit(f"{path}/resume")).text
        page = await browser.submit(f"{path}/break", minutes="90", after_level="2")
        assert "Plan a break?" in page.text
        assert "Break after level 2" in page.text and "90 minutes" in page.text
        page = await browser.submit(f"{path}/break")
        assert "The break is planned." in page.text
        page = await browser.submit(f"{path}/hand-for-hand")
        assert "Play hand for hand?" in page.text
        page = await browser.submit(f"{path}/hand-for-hand")
        assert f'action="{path}/hand-for-hand/end"' in page.text
        page = await browser.submit(f"{path}/break", minutes="no number")
        assert page.status_code == 400
        assert 'role="alert"' in page.text


async def test_a_break_and_the_last_hands_say_what_they_do_first(serving: Serving) -> None:
    async with serving() as console:
        browser, path, (owner, _, _) = await evening(console)
        page = await browser.submit(f"{path}/break", minutes="15")
        assert (
            "15 minutes from now. Hands in play go on to their end, and their time counts."
            in page.text
        )
        await browser.get(path)

        page = await browser.submit(f"{path}/last-hands")
        assert "the hands in play" in page.text
        assert "at once if no hand is in play" in page.text
        assert (await shown(owner, path))["floor"]["last_hands"] is None
        page = await browser.submit(f"{path}/last-hands")
        assert "Last hands are called." in page.text, page.text


async def test_a_seat_is_warned_punished_and_disqualified(serving: Serving) -> None:
    async with serving() as console:
        browser, path, (owner, _, _) = await evening(console)
        seat = browser.hidden(f"{path}/warn")
        page = await browser.submit(f"{path}/warn")
        assert "is warned." in page.text

        async def pressed(what: str, **fields: str) -> Any:
            await browser.get(path)
            hidden = browser.hidden(f"{path}/warn") | {"entrant": seat["entrant"]}
            browser.page = await browser.post(f"{path}/{what}", hidden | fields)
            return browser.page

        page = await pressed("penalty", hands="2")
        assert "Penalty hands" in page.text
        page = await browser.submit(f"{path}/penalty")
        assert "has a penalty." in page.text
        assert "sits out" in page.text

        page = await pressed("penalty", hands="0")
        assert page.status_code == 400
        page = await pressed("disqualify")
        assert "Disqualify " in page.text and "Back" in page.text
        page = await browser.submit(f"{path}/disqualify")
        assert "is disqualified." in page.text
        found = await shown(owner, path)
        assert found["floor"]["entrants_left"] == 3


async def test_a_player_moves_and_a_table_is_held(serving: Serving) -> None:
    async with serving() as console:
        browser, path, (owner, _, _) = await evening(console, 4, table_seats=3)
        tables = (await shown(owner, path))["floor"]["tables"]
        seat = tables[0]["seats"][0]["entrant"]
        hidden = browser.hidden(f"{path}/warn") | {"entrant": seat, "table": tables[1]["table"]}
        browser.page = await browser.post(f"{path}/move", hidden)
        assert "table 2, a seat that is drawn then" in browser.page.text
        page = await browser.submit(f"{path}/move")
        assert "moves once both tables are between hands." in page.text

        held = f"{path}/tables/{tables[0]['table']}"
        page = await browser.submit(f"{held}/hold")
        assert "Hold table 1?" in page.text and "Table 1" in page.text
        assert (await shown(owner, path))["floor"]["tables"][0]["doing"] != "held"
        page = await browser.submit(f"{held}/hold")
        assert "Table 1 is held." in page.text
        assert "Release table 1?" in (await browser.submit(f"{held}/release")).text
        assert "Table 1 plays on." in (await browser.submit(f"{held}/release")).text
        last = browser.hidden(f"{path}/break-first")["number"]
        assert f"Table {last} breaks first." in (await browser.submit(f"{path}/break-first")).text


async def test_a_void_is_of_the_deal_that_the_page_showed(serving: Serving) -> None:
    """It needs one page, because a fast hand is over before another one has loaded."""
    async with serving() as console:
        browser, path, (owner, _, _) = await evening(console, 2)
        seen = (await shown(owner, path))["floor"]["tables"][0]
        void = f"{path}/void/{seen['table']}"
        named = {"hand": seen["hand"], "deal": "1"}
        assert named.items() <= browser.hidden(void).items()
        assert browser.page is not None
        assert f'id="void-{seen["hand"]}-1"' in browser.page.text
        assert "Void the deal of hand 1" in browser.page.text
        assert "all cards of the deal are opened" in browser.page.text
        assert "every later audit of the league reports this claim as false" in browser.page.text
        late = browser.hidden(void)

        page = await browser.submit(void, fault="card_shown")
        assert "The deal is void. The hand is dealt again." in page.text
        # Another referee still sees the first deal, and the new one is sound.
        await dealt(owner, seen["table"], 2)
        answer = await browser.post(void, late | {"key": "0" * 32, "fault": "card_shown"})
        assert answer.status_code == 409
        assert "Another deal is in play" in answer.text and "in deal 2." in answer.text
        assert (await shown(owner, path))["floor"]["tables"][0]["deal"] == 2


async def test_a_fouled_deck_is_claimed_at_a_table_on_hold(serving: Serving) -> None:
    async with serving() as console:
        browser, path, (owner, _, _) = await evening(console, 2)
        table = (await shown(owner, path))["floor"]["tables"][0]["table"]
        assert (await owner.post(f"/v1/tables/{table}/hold", {"reason": "A look."})).is_success
        german = await browser.get(path, headers={"Accept-Language": "de"})
        assert "meldet jede spätere Prüfung der Liga" in german.text, german.text
        await browser.get(path)
        page = await browser.submit(f"{path}/void/{table}", fault="wrong_deck")
        assert "The hand is dealt again." in page.text
        events = (await owner.get(f"/v1/tables/{table}/events", params={"limit": 200})).json()
        (voided,) = (each for each in events["items"] if each["type"] == "deal_voided")
        assert (voided["data"]["deal"], voided["data"]["cause"]) == (1, "fouled_deck")


async def test_players_watch_and_strangers_see_what_the_league_shows(serving: Serving) -> None:
    async with serving() as console:
        _, path, (_, _, people) = await evening(console)
        player = await console.signed_in(people[0].login)
        page = await player.get(path)
        assert page.status_code == 200
        assert "Table 1" in page.text
        assert "/floor/" not in page.text, "no command"
        refused = await player.post(f"{path}/pause", player.hidden("/scheme"))
        assert refused.status_code == 403
        assert (await console.browser().get(path)).status_code == 404

        owner, league = await console.api.league()
        headers = {**owner.headers, "If-Match": "*", "Idempotency-Key": "opened"}
        wanted, where = {"visibility": "public"}, f"/v1/leagues/{league}/visibility"
        assert (await owner.http.put(where, json=wanted, headers=headers)).is_success
        asked = {"name": "Night", "ruleset": "better", **TERMS}
        made = (await owner.post(f"/v1/leagues/{league}/tournaments", asked)).json()["id"]
        for name in ("Bossk", "Dengar"):
            await owner.post(f"/v1/tournaments/{made}/walk-ins", {"name": name})
        assert (await owner.post(f"/v1/tournaments/{made}/start")).is_success
        page = await console.browser().get(f"/tournaments/{made}/floor")
        assert page.status_code == 200
        assert "Table 1" in page.text and "Bossk" in page.text
        assert "/floor/" not in page.text


async def test_names_are_written_and_never_read_as_markup(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        asked = {"name": "<b>Night</b>", "ruleset": "better", **TERMS}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        tournament = made.json()["id"]
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/floor"
        page = await browser.get(path)
        assert "The seats are not drawn yet" in page.text
        for name in ("<b>Bossk</b>", "Dengar"):
            entered = await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": name})
            assert entered.is_success, entered.text
        await browser.get(path)
        page = await browser.submit(f"{path}/start")
        assert "&lt;b&gt;Bossk" in page.text
        assert "<b>" not in page.text
        poster = path.removesuffix("/floor")
        page = await browser.get(path)
        assert f'href="{poster}#cancel"' in page.text  # one form cancels, and it is the poster's
        page = await browser.get(poster)
        assert page.text.count('id="cancel"') == 1
        page = await browser.submit(f"{poster}/cancel", reason="The roof leaks")
        assert "Cancel this evening?" in page.text
        page = await browser.submit(f"{poster}/cancel")
        assert "The evening is cancelled." in page.text
        told = page.text.split("This evening is cancelled")[1]
        assert "The roof leaks" in told.partition("</div>")[0]


async def test_the_floor_tells_what_happened_in_a_directors_words(serving: Serving) -> None:
    async with serving() as console:
        browser, path, (owner, _, people) = await evening(console)
        about = f"/v1{path.removesuffix('/floor')}"
        who = (await shown(owner, path))["floor"]["tables"][0]["seats"][0]["entrant"]
        why = {"reason": "As I saw it."}
        steps = (
            ("warnings", {"entrant": who}, "is warned"),
            ("penalties", {"entrant": who, "hands": 2}, ": 2 hands"),
            ("clock", {"seconds": 60}, "1 minute added to level 1"),
            ("breaks", {"seconds": 600, "after_level": 1}, "Break of 10 minutes planned after"),
            ("hand_for_hand", {}, "Hand for hand"),
            ("disqualifications", {"entrant": who}, "is out, place 4"),
        )  # fmt: skip
        for what, body, said in steps:
            done = await owner.post(f"{about}/{what}", body | why)
            assert done.is_success, done.text
            part = await browser.http.get(path, params={"part": "floor"})
            news = part.text[part.text.index("What happened") :]
            assert said in news, said
        assert news.index("is out, place 4") < news.index("Hand for hand") < news.index("is warned")
        assert news.count("by ") >= 4, "who ordered it"

        listed = (await owner.get(f"{about}/happenings")).json()["items"]
        assert {each["type"] for each in listed} >= {"penalty_given", "entrant_eliminated"}
        assert [each["at"] for each in listed] == sorted((e["at"] for e in listed), reverse=True)
        player = await console.signed_in(people[1].login)
        assert "is out, place 4" in (await player.get(path)).text


async def test_staff_who_play_order_without_a_look(serving: Serving) -> None:
    """Staff who play may try out nothing that reaches a table, and still run the clock."""
    async with serving() as console:
        owner, league = await console.api.league()
        asked = {"name": "Home", "ruleset": "better", "staff_may_play": True, **TERMS}
        made = (await owner.post(f"/v1/leagues/{league}/tournaments", asked)).json()["id"]
        await owner.post(f"/v1/tournaments/{made}/registrations")
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{made}/registrations")
        assert (await owner.post(f"/v1/tournaments/{made}/start")).is_success
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{made}/floor"
        await browser.get(path)
        page = await browser.submit(f"{path}/break", minutes="10", after_level="1")
        assert "The break is planned." in page.text


async def test_a_host_who_plays_is_offered_only_what_the_api_allows(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        people = [await console.api.join(owner, league) for _ in range(3)]
        browser = await console.signed_in(owner.login)
        for allowed in (False, True):
            asked = {"name": "Home", "ruleset": "better", "staff_may_play": allowed, **TERMS}
            made = (await owner.post(f"/v1/leagues/{league}/tournaments", asked)).json()["id"]
            poster = f"/tournaments/{made}"
            path = f"{poster}/floor"
            assert "You play tonight" not in (await browser.get(path)).text
            await browser.get(poster)
            assert (await owner.post(f"/v1/tournaments/{made}/registrations")).is_success
            refused = await browser.submit(f"{poster}/cancel", reason="Rain")  # of the older page
            assert refused.status_code == 403
            assert "this is for staff who do not play" in refused.text

            page = (await browser.get(path)).text
            assert page.count("You play tonight") == 1
            assert ("Seat house bots" in page, "Cancel" in page) == (allowed, False)
            assert "Cancel" not in (await browser.get(poster)).text
        for each in people:
            await each.post(f"/v1/tournaments/{made}/registrations")
        assert (await owner.post(f"/v1/tournaments/{made}/start")).is_success

        page = (await browser.get(path)).text
        for kept in ("Pause", "Add a minute", "minutes of break", "Hand for hand"):
            assert kept in page, kept
        minute = "Take off a minute"
        for gone in (minute, "Next level", "Seat house bots", "Cancel", "Warn", "void"):
            assert gone not in page, gone
        assert page.count("Hold this table") == 1, "the other table"
        assert page.count("Move to") == page.count('class="input reason"') == 3, "the others"


async def test_house_bots_are_seated_by_one_button(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        asked = {"name": "Night", "ruleset": "better", **TERMS}
        made = (await owner.post(f"/v1/leagues/{league}/tournaments", asked)).json()["id"]
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{made}/floor"
        await browser.get(path)
        page = await browser.submit(f"{path}/house-bots", count="3", strength="sharp")
        assert "3 house bots are in." in page.text
        entrants = (await owner.get(f"/v1/tournaments/{made}")).json()["entrants"]
        assert [each["name"] for each in entrants] == [f"Bot {n}, sharp" for n in (1, 2, 3)]
        assert "they play only where there is no money" not in page.text
        page = await browser.get(f"/tournaments/{made}", headers={"Accept-Language": "de"})
        assert "Bot 2, scharf" in page.text and "sharp" not in page.text
        await browser.get(path)
        refused = await browser.submit(f"{path}/house-bots", count="0", strength="calm")
        assert refused.status_code == 400

        for_money = asked | {"currency": "EUR", "prize_pool": 900, "payouts": [1]}
        made = (await owner.post(f"/v1/leagues/{league}/tournaments", for_money)).json()["id"]
        page = await browser.get(f"/tournaments/{made}/floor")
        assert "Seat house bots" not in page.text
        assert "they play only where there is no money" in page.text


async def test_a_director_tells_everybody_and_the_clock_shows_it(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, people, _ = await console.api.playing(2)
        browser = await console.signed_in(owner.login)
        floor = f"/tournaments/{tournament}/floor"
        await browser.get(floor)
        page = await browser.submit(f"{floor}/announcement", text="Pizza & <b>cake</b>")
        assert "The announcement is on the clock" in page.text, page.text
        player = await console.signed_in(people[0].login)
        clock = await player.get(f"/tournaments/{tournament}/clock")
        assert "Pizza &amp; &lt;b&gt;cake&lt;/b&gt;" in clock.text
        assert f'action="{floor}/announcement"' not in (await player.get(floor)).text
