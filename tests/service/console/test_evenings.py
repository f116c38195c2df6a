"""Founding a league, and a new evening: every game can be planned as it is proposed."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qs
from zoneinfo import ZoneInfo

import pytest

from engine.rulesets import PRESETS
from service.console.screens.evening import ends
from service.console.screens.evening.plan import rrule
from service.schedule import lengths
from tests.service.api.conftest import Person
from tests.service.api.proof.test_evidence import project
from tests.service.console.conftest import Browser, Console
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

_ACTION = re.compile(r'<form[^>]*action="([^"]*/new-evening/plan\?[^"]*)"')
_INPUT = re.compile(r"<input[^>]*>")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a simulation as long as a busy machine needs."""
    monkeypatch.setattr(lengths, "_SECONDS_MAX", 300)
    monkeypatch.setattr(ends, "PATIENCE_SECONDS", 300.0)


def filled(page: str) -> dict[str, Any]:
    """Return the fields of the open page as they stand, without those that are hidden tokens."""
    fields: dict[str, Any] = {}
    for tag in _INPUT.findall(page):
        found = dict(_ATTRIBUTE.findall(tag))
        name = found.get("name", "")
        if name in ("", "csrf", "key", "then") or (
            found.get("type") in ("checkbox", "radio") and " checked" not in tag
        ):
            continue
        value = unescape(found.get("value", ""))
        if name.endswith("[]"):
            fields.setdefault(name, []).append(value)
        else:
            fields[name] = value
    return fields


async def planned(browser: Browser, league: str, asked: str, **changed: Any) -> Any:
    """Ask for a proposal, and send it with some fields changed."""
    page = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}")
    assert page.status_code == 200, page.text
    (action,) = _ACTION.findall(page.text)
    fields = filled(page.text) | {"season": "new"} | changed
    return await browser.submit(unescape(action), **fields)


async def league_of(console: Console) -> tuple[Person, str, Browser]:
    owner, league = await console.api.league()
    return owner, league, await console.signed_in(owner.login)


async def test_a_league_is_founded_with_its_place(serving: Serving) -> None:
    async with serving() as console:
        browser = await console.signed_in((await console.api.person()).login)
        await browser.get("/new-league")
        page = await browser.submit(
            "/new-league", name="<b>Söhne</b>", place="Café", visibility="public"
        )

        assert page.status_code == 200
        assert page.url.path.endswith("/new-evening"), "the next thing to do"
        assert "&lt;b&gt;Söhne&lt;/b&gt;" in page.text
        league = page.url.path.removesuffix("/new-evening")
        assert "Café" in (await browser.get(league)).text
        stranger = await console.browser().get(league)
        assert stranger.status_code == 200


async def test_settings_are_the_owners(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        path = f"/leagues/{league}/setup"
        await browser.get(path)
        page = await browser.submit(path, name="New name", place="Hall", minutes="180")
        assert "Saved." in page.text
        shown = (await owner.get(f"/v1/leagues/{league}")).json()
        assert (shown["name"], shown["length_seconds"]) == ("New name", 10_800)

        page = await browser.submit(f"{path}/visibility", visibility="link")
        assert "lnk_" in page.text

        player = await console.api.join(owner, league)
        theirs = await console.signed_in(player.login)
        assert (await theirs.get(path)).status_code == 404
        assert (await theirs.get(f"/leagues/{league}/new-evening")).status_code == 404


@pytest.mark.parametrize("players", [6, pytest.param(20, marks=pytest.mark.long)])
async def test_every_game_can_be_announced_as_it_is_proposed(
    serving: Serving, players: int
) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        for ruleset in PRESETS:
            price = "" if ruleset == "casino" else "5"
            asked = f"often=once&ruleset={ruleset}&players={players}&price={price}"
            page = await planned(browser, league, asked)
            assert "The evening is announced." in page.text, (ruleset, page.text)


async def test_a_weekly_evening_opens_its_season(serving: Serving, database: TestDatabase) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        asked = "often=weekly&players=24&date=2031-05-01&time=19:30&price=5,50&zone=Europe/Berlin"
        page = await planned(browser, league, asked)
        assert "The evenings are planned." in page.text, page.text
        await project(database)
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}")
        assert re.findall(r"<option[^>]*>([^<]*Season 2031[^<]*)<", page.text) == [
            "Season 2031",
            "a new season: Season 2031 (2)",
        ]
        await planned(browser, league, asked.replace("weekly", "once"), name="Thursday")
        await project(database)
        seasons = (await owner.get(f"/v1/leagues/{league}/seasons")).json()["items"]
        assert [each["name"] for each in seasons] == ["Season 2031", "Season 2031 (2)"]


@pytest.mark.parametrize(
    ("often", "day", "rule"),
    [
        ("weekly", "2031-05-01", "FREQ=WEEKLY;BYDAY=TH"),
        ("fortnightly", "2031-05-02", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
        ("monthly", "2031-05-08", "FREQ=MONTHLY;BYDAY=2TH"),
        ("monthly", "2031-05-29", "FREQ=MONTHLY;BYDAY=-1TH"),
    ],
)
def test_an_evening_comes_again_on_its_weekday(often: str, day: str, rule: str) -> None:
    assert rrule(often, day) == rule


async def test_a_refusal_stands_at_its_field(serving: Serving) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        page = await planned(browser, league, "often=once", table_seats="40", place="<i>Hut</i>")
        assert page.status_code == 400
        assert 'id="table_seats-error"' in page.text
        assert 'value="&lt;i&gt;Hut&lt;/i&gt;"' in page.text
        page = await planned(browser, league, "often=once", late="x", price="much")
        assert 'id="late-error"' in page.text
        assert 'id="price-error"' in page.text


async def test_a_refused_evening_opens_one_season_however_often_it_is_sent(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        asked = "often=once&ruleset=better&players=6&hours=3"
        page = await planned(browser, league, asked, name="x" * 500)
        assert page.status_code >= 400, page.text

        (action,) = _ACTION.findall(page.text)
        fields = filled(page.text) | {"season": "new", "name": "Thursday"}
        page = await browser.submit(unescape(action), **fields)
        assert page.status_code == 200, page.text
        await project(database)
        seasons = (await owner.get(f"/v1/leagues/{league}/seasons")).json()["items"]
        assert len(seasons) == 1


def facts(page: str) -> list[str]:
    """Return the figures at the head of a proposal."""
    found = re.search(r'<div class="facts">(.*?)</div>\s*(?:<p|</div>)', page, re.DOTALL)
    assert found is not None, page
    return re.sub(r"<[^>]*>|\s+", " ", found[1]).split()


async def test_what_the_organiser_changes_stays_and_the_rest_follows(serving: Serving) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        asked = "often=once&players=24&minutes=180&price=5&date=2031-05-01&time=19:00"
        first = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}")
        (action,) = _ACTION.findall(first.text)
        before = filled(first.text)
        assert "simulated evenings end between" in first.text

        changed = before | {"entrants_max": "6", "minutes": "120", "name": "<b>Small</b>"}
        page = await browser.submit(unescape(action), **changed, again="yes")

        assert page.status_code == 200, page.text
        after = filled(page.text)
        assert (after["entrants_max"], after["minutes"]) == ("6", "120")
        assert after["name"] == "<b>Small</b>"
        assert "<b>Small</b>" not in page.text
        assert (before["table_seats"], after["table_seats"]) == ("8", "6")
        assert (before["payouts"], after["payouts"]) == ("40, 27, 19, 14", "65, 35")
        assert before["level_big[]"] != after["level_big[]"]

        minutes = ["5"] * len(after["level_minutes[]"])
        own = after | {"payouts": "100", "level_minutes[]": minutes, "entrants_max": "7"}
        (action,) = _ACTION.findall(page.text)
        shorter = await browser.submit(unescape(action), **own, again="yes")

        kept = filled(shorter.text)
        assert kept["payouts"] == "100"
        assert kept["level_minutes[]"][0] == "5"
        uneven = kept | {"level_minutes[]": ["10", *minutes[1:]]}
        (action,) = _ACTION.findall(shorter.text)
        told = await browser.submit(unescape(action), **uneven, again="yes")
        assert "5 to 10 min each" in told.text
        assert "5 min each" in shorter.text
        assert kept["level_big[]"] == after["level_big[]"]
        assert facts(shorter.text)[:3] != facts(page.text)[:3]
        announced = await browser.submit(
            unescape(_ACTION.findall(shorter.text)[0]), **(kept | {"season": "new"})
        )
        assert "The evening is announced." in announced.text, announced.text


async def test_a_proposal_says_who_comes_late_and_who_rebuys(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        asked = "often=once&players=12&minutes=120&date=2031-05-01&time=19:00"
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}")
        assert "2 of 12 players come late." in page.text
        assert "Nobody rebuys." in page.text

        (action,) = _ACTION.findall(page.text)
        assert filled(page.text)["rebuys_seconds"] == "60"
        changed = filled(page.text) | {"late": "", "rebuys": "3", "rebuys_level": "2"}
        changed["rebuys_seconds"] = "90"
        page = await browser.submit(unescape(action), **changed, again="yes")
        assert "Everybody is on time." in page.text
        assert "Half of all possible rebuys are bought." in page.text

        (action,) = _ACTION.findall(page.text)
        fields = filled(page.text) | {"season": "new"}
        assert (fields["rebuys"], fields["rebuys_level"]) == ("3", "2")
        wrong = await browser.submit(unescape(action), **fields | {"rebuys": "x"})
        assert 'aria-invalid="true"' in wrong.text
        page = await browser.submit(unescape(action), **fields)
        made = page.url.path.rpartition("/")[2]
        body = (await owner.get(f"/v1/tournaments/{made}/terms")).json()["body"]
        assert body["overrides"]["rebuy"] == {"max": 3, "until_level": 2, "seconds": 90}
        page = await browser.get(f"/leagues/{league}/new-evening/plan?often=once&like={made}")
        fields = filled(page.text)
        assert (fields["rebuys"], fields["rebuys_level"], fields["late"]) == ("3", "2", "")
        assert fields["rebuys_seconds"] == "90"


async def test_a_start_that_cannot_be_read_is_marked_and_nothing_else_is_announced(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        asked = "often=once&players=6&minutes=120&date=2031-05-01&time=20:30"
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}")
        (action,) = _ACTION.findall(page.text)
        fields = filled(page.text)
        for typed, marked in (
            ({"time": "8 pm"}, ["time"]),
            ({"time": ""}, ["time"]),
            ({"date": "1.5.2031"}, ["date"]),
            ({"date": "2031-13-40", "time": "25:00"}, ["date", "time"]),
        ):
            for again in ({}, {"again": "yes"}):
                page = await browser.submit(unescape(action), **fields | typed | again)
                assert page.text.count('aria-invalid="true"') == len(marked), typed
                assert "Enter a date and a time." in page.text
                for name in marked:
                    [wrong] = re.findall(rf'<input[^>]* name="{name}"[^>]*>', page.text)
                    assert 'aria-invalid="true"' in wrong
                assert "You asked for an end at about 22:30." in page.text, "the start asked for"
        made = (await owner.get(f"/v1/leagues/{league}/tournaments")).json()
        assert made["items"] == []


async def test_an_end_on_another_day_says_the_day(serving: Serving) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        asked = "often=once&players=6&minutes=120&date=2031-05-01&time=23:00"
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}&ruleset=better")
        assert "You asked for an end at about Fri 01:00." in page.text
        german = {"Accept-Language": "de"}
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}", headers=german)
        assert "Fr., 01:00" in page.text


@pytest.mark.parametrize(
    ("ruleset", "players", "minutes"), [("better", 6, 180), ("better", 12, 90), ("cantina", 6, 120)]
)
async def test_a_proposed_evening_ends_near_the_time_asked_for(
    serving: Serving, ruleset: str, players: int, minutes: int
) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        asked = f"often=once&ruleset={ruleset}&players={players}&minutes={minutes}"
        address = f"/leagues/{league}/new-evening/plan?{asked}&date=2031-05-01&time=19:00"
        page = (await browser.get(address)).text
        shown = re.search(r"Ends about \D*(\d+:\d+)", " ".join(facts(page)))
        assert shown is not None, facts(page)
        hours, _, rest = shown[1].partition(":")
        lasts = (60 * int(hours) + int(rest) - 19 * 60) % (24 * 60)
        assert abs(lasts / minutes - 1) <= 0.12
        end = 19 * 60 + minutes
        assert f"You asked for an end at about {end // 60}:{end % 60:02}." in page
        lengths_shown = set(filled(page)["level_minutes[]"][:-1])
        assert len(lengths_shown) == 1, "levels of one length"
        assert f"{lengths_shown.pop()} min each" in page


async def test_a_proposal_says_that_levels_take_longer_than_asked(serving: Serving) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        path = f"/leagues/{league}/new-evening/plan?often=once&players=8"
        said = "Levels are proposed for 45 minutes or more"
        assert said not in (await browser.get(f"{path}&minutes=45")).text
        page = await browser.get(f"{path}&minutes=20")
        assert said in page.text

        # Levels that the organiser sets are as short as wanted.
        (action,) = _ACTION.findall(page.text)
        own = filled(page.text) | {"level_minutes[]": ["2", "2", "0"]}
        for name in ("small", "big", "ante"):
            own[f"level_{name}[]"] = own[f"level_{name}[]"][:3]
        page = await browser.submit(unescape(action), **own, again="yes")
        assert page.status_code == 200 and said not in page.text


async def test_a_proposal_stands_without_its_simulation(serving: Serving) -> None:
    async with serving(account_simulations=1) as console:
        _, league, browser = await league_of(console)
        path = f"/leagues/{league}/new-evening/plan?often=once&ruleset=better"
        assert "simulated evenings" in (await browser.get(f"{path}&players=8")).text
        page = await browser.get(f"{path}&players=9")
        assert page.status_code == 200
        assert "simulated evenings" not in page.text
        assert "Ends about" in page.text
        assert "work it out again in a moment" in page.text


async def test_rebuys_without_a_limit_are_a_box_and_stay_one(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        plan = f"/leagues/{league}/new-evening/plan?often=once&ruleset=better&players=8"
        page = await browser.get(plan)
        assert "Nobody rebuys." in page.text
        (action,) = _ACTION.findall(page.text)
        fields = filled(page.text) | {"rebuys_any": "yes", "rebuys_level": "2"}
        page = await browser.submit(unescape(action), **(fields | {"again": "yes"}))
        assert "Half of all possible rebuys are bought." in page.text

        page = await browser.submit(unescape(action), **(fields | {"season": ""}))
        assert "The evening is announced." in page.text, page.text
        shown = (await owner.get(page.url.path.replace("/tournaments", "/v1/tournaments"))).json()
        rebuy = shown["ruleset"]["rebuy"]
        assert (rebuy["max"], rebuy["until_level"]) == (None, 2)

        page = await browser.get(f"{plan}&like={shown['id']}")
        assert re.search('<input[^>]*name="rebuys_any"[^>]* checked', page.text)


async def test_a_simulation_that_comes_too_late_is_said_and_found_by_the_next_page(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        path = f"/leagues/{league}/new-evening/plan?often=once&ruleset=better&players=8"
        with monkeypatch.context() as hurried:
            hurried.setattr(ends, "PATIENCE_SECONDS", 0.0)
            page = await browser.get(path)
        assert page.status_code == 200
        assert "The server is too busy to try the evening out" in page.text
        assert "Announce the evening" in page.text

        async def found() -> bool:
            return "simulated evenings" in (await browser.get(path)).text

        await until_awaited(found)


async def test_an_evening_is_planned_as_last_time(serving: Serving, database: TestDatabase) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        levels = [{"small": 10, "big": 20, "length": 300}, {"small": 50, "big": 100}]
        terms = {
            "name": "Ümläut & Co", "ruleset": "better", "starting_stack": 700, "table_seats": 5,
            "entrants_max": 10, "length_seconds": 5400, "currency": "CHF", "payouts": [7, 3],
            "fees": {"buy_in": 1000, "bounty": 200}, "place": "<i>Hut</i>",
            "starts_at": "2026-01-01T18:06:30Z",
            "overrides": {
                "rebuy": {"max": 1, "seconds": 45, "until_level": 2},
                "escalation": {"kind": "levels", "by": "clock", "levels": levels},
            },
        }  # fmt: skip
        made = await owner.post(f"/v1/leagues/{league}/tournaments", terms)
        assert made.status_code == 201, made.text
        await project(database)

        page = await browser.get(f"/leagues/{league}/new-evening")
        links = re.findall(r'href="([^"]*like=trn_[^"]*)"', page.text)
        assert re.search("time=[0-9]{2}%3A10&", links[0]), "the next five minutes"
        page = await browser.get(unescape(links[0]))

        assert page.status_code == 200, page.text
        fields = filled(page.text)
        assert (
            "This is new: the earlier evening was to be cancelled at once if too few came."
            in page.text
        )
        assert (fields["postpone"], fields["postpone_minutes"]) == ("yes", "15")
        assert "have entered at the start, the start waits 15 minutes, at most twice." in page.text
        german = (await browser.get(unescape(links[0]), headers={"Accept-Language": "de"})).text
        assert "Kamen zu wenige, fiel der frühere Abend sofort aus." in german
        page = await browser.get(unescape(links[0]))
        (action,) = _ACTION.findall(page.text)
        for changed in ({"again": "yes"}, {"entrants_max": "1"}):
            page = await browser.submit(unescape(action), **(fields | changed))
            assert ('name="postpone"' in page.text) and "This is new" in page.text, changed
        page = await browser.get(unescape(links[0]))
        assert fields["name"] == "Ümläut & Co"
        assert fields["payment"] == "on_trust", "as last time"
        assert (fields["table_seats"], fields["starting_stack"]) == ("5", "700")
        assert (fields["payouts"], fields["price"]) == ("7, 3", "10")
        assert fields["level_big[]"] == ["20", "100"]
        assert "&lt;i&gt;Hut&lt;/i&gt;" in page.text
        (action,) = _ACTION.findall(page.text)
        page = await browser.submit(
            unescape(action), **(fields | {"season": "new", "rebuys_level": ""})
        )

        assert "The evening is announced." in page.text, page.text
        again = page.url.path.rpartition("/")[2]
        body = (await owner.get(f"/v1/tournaments/{again}/terms")).json()["body"]
        assert (body["entry"]["too_few"], body["entry"]["postponements_max"]) == ("postpone", 2)
        planned_again = f"/leagues/{league}/new-evening/plan?often=once&like={again}"
        assert "This is new" not in (await browser.get(planned_again)).text, "it waits already"
        assert body["fees"]["bounty"] == 200, "what the form does not show stays as it was"
        assert (body["overrides"]["rebuy"]["max"], fields["rebuys"]) == (1, "1")
        assert body["overrides"]["rebuy"]["seconds"] == 45
        assert fields["rebuys_level"] == "2"
        assert body["overrides"]["rebuy"].get("until_level") is None, "it was emptied"
        assert body["overrides"]["escalation"]["levels"][0]["length"] == 300
        assert (body["length_seconds"], body["currency"]) == (5400, "CHF")


async def test_an_evening_is_proposed_for_tonight_by_one_button(serving: Serving) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        page = await browser.get(f"/leagues/{league}/new-evening")
        assert "With a price, no house bots can play." in page.text
        assert 'name="tonight"' in page.text
        asked = "often=weekly&date=2031-05-01&time=19:00&zone=Europe/Berlin&name=Now&tonight=yes"
        before = datetime.now(ZoneInfo("Europe/Berlin"))
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}")
        after = datetime.now(ZoneInfo("Europe/Berlin"))
        (action,) = _ACTION.findall(page.text)
        query = parse_qs(unescape(action).partition("?")[2])
        start = datetime.fromisoformat(f"{query['date'][0]}T{query['time'][0]}")
        start = start.replace(tzinfo=ZoneInfo("Europe/Berlin"))
        assert (query["often"], query["name"], "tonight" in query) == (["once"], ["Now"], False)
        assert start.minute in (0, 30)
        assert before < start <= after + timedelta(minutes=30)


@pytest.mark.parametrize("payment", ["recorded", "on_trust"])
async def test_payments_are_taken_at_the_door_unless_trust_is_chosen(
    serving: Serving, payment: str
) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        page = await browser.get(f"/leagues/{league}/new-evening/plan?often=once&price=5")
        fields = filled(page.text) | {"season": "new"}
        assert fields["payment"] == "recorded"
        (action,) = _ACTION.findall(page.text)
        page = await browser.submit(unescape(action), **fields | {"payment": payment})

        made = page.url.path.rpartition("/")[2]
        body = (await owner.get(f"/v1/tournaments/{made}/terms")).json()["body"]
        assert body["fees"]["payment"] == payment
        free = await browser.get(f"/leagues/{league}/new-evening/plan?often=once")
        assert 'name="payment"' not in free.text


async def test_an_evening_is_kept_as_a_template_and_planned_from_it(serving: Serving) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        asked = "often=once&ruleset=spike&players=7&price=2&name=Deep"
        page = await planned(browser, league, asked, template="yes", table_seats="4")
        assert "The template is kept." in page.text, page.text
        links = re.findall(r'href="([^"]*like=tpl_[^"]*)"', page.text)

        page = await browser.get(unescape(links[0]))

        fields = filled(page.text)
        assert (fields["name"], fields["table_seats"], fields["price"]) == ("Deep", "4", "2")
        (action,) = _ACTION.findall(page.text)
        page = await browser.submit(unescape(action), **fields, season="new")
        assert "The evening is announced." in page.text, page.text
        twice = await planned(browser, league, asked, template="yes")
        assert twice.status_code == 409
        assert (await browser.get(f"/leagues/{league}/new-evening/plan?like=tpl_{'0' * 32}")
                ).status_code == 404  # fmt: skip


async def test_an_evening_is_planned_from_a_plan_of_evenings(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        page = await planned(browser, league, "often=weekly&players=9&name=Weekly&date=2031-05-01")
        assert "The evenings are planned." in page.text, page.text
        await project(database)
        page = await browser.get(f"/leagues/{league}/new-evening")
        links = re.findall(r'href="([^"]*like=ssn_[^"]*)"', page.text)
        fields = filled((await browser.get(unescape(links[0]))).text)
        assert (fields["name"], fields["entrants_max"]) == ("Weekly", "9")
