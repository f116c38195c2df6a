"""The rules of entry on the pages of an evening: too few players, late entry, the real start."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import msgspec
import pytest

from engine.tournament.model.terms import EntryTerms
from service.console.languages import spoken
from service.console.screens.evening.entry import if_too_few
from service.console.screens.evening.typed import entry_terms_of
from tests.service.api.conftest import Person
from tests.service.api.nights import project, start_by_clock
from tests.service.api.tournament.test_entering import enter
from tests.service.console.conftest import Browser, Console
from tests.service.console.test_evenings import _ACTION, filled, planned
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

GERMAN = {"Accept-Language": "de"}
WAITS = (
    "If fewer than 3 players are here at the start, the start waits 15 minutes, at most twice. "
    "Then the evening is cancelled."
)
WAITS_ONCE_MORE = WAITS.replace("twice", "once")
THEN_CANCELLED = "If fewer than 3 players are here at the start, the evening is cancelled."
ENTRY = {
    "check_in_opens_before_seconds": 7200, "late_registration_level": 2,
    "too_few": "postpone", "postpone_seconds": 900, "postponements_max": 2,
}  # fmt: skip
_BY_THE_CLOCK = {
    "kind": "levels", "by": "clock",
    "levels": [{"small": 5, "big": 10, "length": 600}, {"small": 10, "big": 20}],
}  # fmt: skip


async def evening(
    console: Console, players: int = 3, **terms: Any
) -> tuple[Person, str, list[Person]]:
    """Announce an evening in an hour in a public league, and let players enter it."""
    owner, league = await console.api.league("public")
    levels = [{"small": 5 * 2**n, "big": 10 * 2**n, "length": 600} for n in range(3)]
    levels.append({"small": 40, "big": 80})
    asked = {
        "name": "Thursday", "ruleset": "better", "starting_stack": 1000, "entrants_min": 3,
        "starts_at": (datetime.now(UTC) + timedelta(hours=1)).isoformat(), "entry": ENTRY,
        "overrides": {"escalation": {"kind": "levels", "by": "clock", "levels": levels}},
        "floor": {"breaks": [{"level": 1, "seconds": 300}]},
    } | terms  # fmt: skip
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    assert made.status_code == 201, made.text
    tournament = made.json()["id"]
    people = [await console.api.join(owner, league) for _ in range(players)]
    for person in people:
        assert (await enter(person, tournament)).is_success
    return owner, tournament, people


async def pages(browser: Browser, tournament: str, **headers: Any) -> list[str]:
    """Return the poster, the page of the rules and the floor."""
    found = [f"/tournaments/{tournament}{each}" for each in ("", "/rules", "/floor")]
    return [(await browser.get(each, **headers)).text for each in found]


async def test_the_evening_tells_players_of_rebuys_their_price_and_the_end_of_check_in(
    serving: Serving,
) -> None:
    async with serving() as console:
        _, tournament, people = await evening(
            console,
            currency="EUR",
            fees={"buy_in": 500, "fee": 50},
            overrides={"rebuy": {"max": 2, "until_level": 3}},
            entry=ENTRY | {"check_in_opens_before_seconds": 1800},
        )
        player = await console.signed_in(people[0].login)
        lost = "Players who have not checked in by the start lose their places."
        for page in (await pages(player, tournament))[:2]:
            assert "Check-in opens <time" in page and lost in page, page
            rebuys = page[page.index("Rebuys") :][:400]
            assert "at most 2 each" in rebuys and "to the end of level 3" in rebuys
            assert "within 20 seconds of losing the last chip, or declared before" in rebuys
            assert "€5.50</span> each time" in rebuys
        for page in (await pages(player, tournament, headers=GERMAN))[:2]:
            assert "Wer bis zum Beginn nicht eingecheckt ist, verliert den Platz." in page
            assert "höchstens 2 pro Person" in page
            assert "bis 20 Sekunden nach dem letzten Chip, oder vorher angesagt" in page


async def test_once_check_in_is_open_the_evening_says_until_when(serving: Serving) -> None:
    async with serving() as console:
        owner, tournament, people = await evening(console)
        starts_at = (await owner.get(f"/v1/tournaments/{tournament}")).json()["starts_at"]
        until = datetime.fromisoformat(starts_at).isoformat(timespec="seconds")
        for reader in (await console.signed_in(people[0].login), console.browser()):
            for page in (await pages(reader, tournament))[:2]:
                assert f'Check-in is open until the start, <time datetime="{until}"' in page
                assert "Check-in opens" not in page
        for page in (await pages(console.browser(), tournament, headers=GERMAN))[:2]:
            assert f'Der Check-in ist bis zum Beginn offen, <time datetime="{until}"' in page


async def test_the_evening_says_that_rebuys_are_over_once_their_last_level_is(
    serving: Serving,
) -> None:
    async with serving() as console:
        overrides = {"rebuy": {"max": 1, "until_level": 1}, "escalation": _BY_THE_CLOCK}
        owner, _, tournament, people, _ = await console.api.playing(3, overrides=overrides)
        player = await console.signed_in(people[0].login)
        poster = f"/tournaments/{tournament}"
        assert "to the end of level 1" in (await player.get(poster)).text
        gone = {"level": 2, "reason": "We are late."}
        assert (await owner.post(f"/v1{poster}/clock", gone)).is_success
        page = (await player.get(poster)).text
        assert "over since the end of level 1" in page and "to the end of level 1" not in page
        page = (await player.get(poster, headers=GERMAN)).text
        assert "vorbei seit dem Ende von Level 1" in page


async def test_of_scheduled_rounds_only_the_final_sells_rebuys_and_the_pages_say_so(
    serving: Serving,
) -> None:
    async with serving() as console:
        plan = {"kind": "rounds", "rounds": 1, "hands_per_round": 1}
        terms = {"entry": {}, "floor": {}, "overrides": {"rebuy": {"max": 2}}}
        for cut in (2, None):
            owner, tournament, _ = await evening(console, format=plan | {"cut": cut}, **terms)
            staff = await console.signed_in(owner.login)
            for reader in (staff, console.browser()):
                for page in (await pages(reader, tournament))[:2]:
                    assert ("only in the final" in page) is (cut is not None)
                    assert ("at most 2 each" in page) is (cut is not None)
                assert ("There are no rebuys." in page) is (cut is None)
            german = (await pages(staff, tournament, headers=GERMAN))[0]
            assert ("nur im Finale" in german) is (cut is not None)
            await owner.post(f"/v1/tournaments/{tournament}/start")
            floor = (await pages(staff, tournament))[2]
            assert "/floor/disqualify" in floor and "/floor/rebuy" not in floor


async def test_a_player_who_is_out_reads_the_own_place_on_the_evening(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, people, _ = await console.api.playing(3)
        about = f"/v1/tournaments/{tournament}"
        mine = next(
            each
            for each in (await owner.get(about)).json()["entrants"]
            if each["player"] == people[0].player
        )
        player = await console.signed_in(people[0].login)
        assert "You are out" not in (await player.get(f"/tournaments/{tournament}")).text
        gone = {"entrant": mine["id"], "reason": "Two phones."}
        assert (await owner.post(f"{about}/disqualifications", gone)).is_success
        page = await player.get(f"/tournaments/{tournament}")
        assert "You are out" in page.text and "place 3" in page.text
        other = await console.signed_in(people[1].login)
        assert "You are out" not in (await other.get(f"/tournaments/{tournament}")).text


async def test_a_start_that_waits_is_told_before_and_after_and_ends_in_a_cancelled_evening(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, tournament, people = await evening(console)
        path = f"/v1/tournaments/{tournament}"
        staff, stranger = await console.signed_in(owner.login), console.browser()
        assert all(WAITS in page for page in await pages(staff, tournament))
        assert all(WAITS in page for page in (await pages(stranger, tournament))[:2])
        for page in await pages(console.browser(), tournament, headers=GERMAN):
            assert "If fewer" not in page

        await people[0].post(f"{path}/check-ins")
        floor = f"/tournaments/{tournament}/floor"
        await staff.get(floor)
        asked = await staff.submit(f"{floor}/start")
        assert "lose their places" in asked.text
        refused = await staff.submit(f"{floor}/start")
        assert "Too few entrants would play" in refused.text
        assert "Players who would get a seat: 1. Needed: 3. Wait for the start" in refused.text
        assert "seats are drawn." not in refused.text
        assert all(WAITS in page for page in await pages(staff, tournament))

        await start_by_clock(database, owner, tournament)
        for page in await pages(staff, tournament):
            assert WAITS_ONCE_MORE in page
        for reader in (staff, stranger):
            poster = (await reader.get(f"/tournaments/{tournament}")).text
            assert "Too few players were there, so the start waits." in poster
            assert "Everybody checks in again" in poster

        await start_by_clock(database, owner, tournament)
        assert all(THEN_CANCELLED in page for page in await pages(staff, tournament))
        await people[0].post(f"{path}/check-ins")
        await start_by_clock(database, owner, tournament)
        said = "At the start, only 1 of 3 entered players had checked in. 3 were needed."
        shown = (await console.api.http.get(f"/v1/public/tournaments/{tournament}")).json()
        assert (shown["cancelled_because"], shown["checked_in"]) == ("too_few_entrants", 1)
        for reader in (staff, stranger):
            assert said in (await reader.get(f"/tournaments/{tournament}")).text
        german = await console.browser().get(f"/tournaments/{tournament}", headers=GERMAN)
        assert "Bei Beginn waren nur 1 von 3 Angemeldeten eingecheckt." in german.text


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("postpone", "check_in"), "Sind bei Beginn weniger als 6 da, wartet der Beginn 15 Min"),
        (("postpone",), "Sind bei Beginn weniger als 6 angemeldet, wartet der Beginn 15 Min"),
        (("check_in",), "Sind bei Beginn weniger als 6 da, fällt der Abend aus."),
        ((), "Sind bei Beginn weniger als 6 angemeldet, fällt der Abend aus."),
    ],
)
def test_what_happens_with_too_few_is_told_in_the_language_of_the_page(
    typed: tuple[str, ...], said: str
) -> None:
    terms = msgspec.convert(entry_terms_of(dict.fromkeys(typed, ("yes",))), EntryTerms)
    assert if_too_few(spoken("de"), terms, 6).startswith(said)


async def test_a_proposed_evening_waits_for_players_as_the_organiser_sets_it(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        browser = await console.signed_in(owner.login)
        asked = "often=once&ruleset=spike&players=6"
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}")
        assert "have entered at the start, the start waits 15 minutes, at most twice." in page.text
        announced = await planned(browser, league, asked)
        made = announced.url.path.rpartition("/")[2]
        entry = (await owner.get(f"/v1/tournaments/{made}")).json()["entry"]
        waits = [entry[each] for each in ("too_few", "postpone_seconds", "postponements_max")]
        assert waits == ["postpone", 900, 2]

        set_so = {"postpone_minutes": "10", "postponements_max": "1"}
        announced = await planned(browser, league, asked, **set_so)
        made = announced.url.path.rpartition("/")[2]
        like = await browser.get(f"/leagues/{league}/new-evening/plan?often=once&like={made}")
        assert {name: filled(like.text)[name] for name in set_so} == set_so
        assert "the start waits 10 minutes, at most once." in like.text
        wrong = await planned(browser, league, asked, postpone_minutes="x")
        assert 'id="postpone_minutes-error"' in wrong.text

        none = {**filled(like.text)}
        none.pop("postpone")
        await browser.get(f"/leagues/{league}/new-evening/plan?often=once&like={made}")
        (action,) = _ACTION.findall(like.text)
        announced = await browser.submit(unescape(action), **none | {"season": "new"})
        made = announced.url.path.rpartition("/")[2]
        assert (await owner.get(f"/v1/tournaments/{made}")).json()["entry"]["too_few"] == "cancel"


async def test_late_entry_stands_on_the_poster_with_its_level_and_its_time(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, tournament, people = await evening(console)
        path = f"/v1/tournaments/{tournament}"
        shown = (await owner.get(path)).json()
        ends = datetime.fromisoformat(shown["starts_at"]) + timedelta(seconds=2 * 600 + 300)
        assert datetime.fromisoformat(shown["late_registration_ends_at"]) == ends
        staff = await console.signed_in(owner.login)
        for reader in (staff, console.browser()):
            for page in (await pages(reader, tournament))[:2]:
                assert "to the end of level 2, about" in page
                assert f'<time datetime="{ends.isoformat(timespec="seconds")}"' in page

        for person in people:
            await person.post(f"{path}/check-ins")
        before = datetime.now(UTC)
        await owner.post(f"{path}/start")
        shown = (await owner.get(path)).json()
        left = datetime.fromisoformat(shown["late_registration_ends_at"]) - before
        assert abs(left - timedelta(seconds=1500)) < timedelta(seconds=60), "by the clock"
        assert "to the end of level 2, about" in (await pages(staff, tournament))[0]
        await owner.post(f"{path}/registration/close")
        shown = (await owner.get(path)).json()
        assert (shown["late_registration"], shown["late_registration_ends_at"]) == (False, None)
        assert "Late entry" not in (await pages(staff, tournament))[0]


async def test_an_evening_that_began_early_shows_when_it_began(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, tournament, _ = await evening(console, entry={})
        path = f"/v1/tournaments/{tournament}"
        planned_at = (await owner.get(path)).json()["starts_at"]
        assert (await owner.get(path)).json()["started_at"] is None
        await owner.post(f"{path}/start")
        await project(database)
        shown = (await owner.get(path)).json()
        began = datetime.fromisoformat(shown["started_at"])
        assert began < datetime.fromisoformat(shown["starts_at"])
        league = shown["league"]
        here = (f"/tournaments/{tournament}", f"/leagues/{league}", f"/leagues/{league}/schedule")
        real = f'<time datetime="{began.isoformat(timespec="seconds")}"'
        plan = datetime.fromisoformat(planned_at).isoformat(timespec="seconds")
        for reader in (await console.signed_in(owner.login), console.browser()):
            for each in here:
                page = (await reader.get(each)).text
                assert real in page and plan not in page, each
