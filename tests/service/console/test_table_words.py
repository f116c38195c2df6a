"""What the table and the replay say of a hand without a showdown, of absence and of a hold."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.kit.cards import total
from engine.rulesets import CorellianSpike
from engine.table.read.view_parts import RevealedView
from service.api.http.declaring.rule_names import NUMBERS
from service.base.languages import language_of
from service.console.pages import environment
from service.console.screens.replay.said import SAID
from service.console.screens.table.ended import spike_reason, target_reason
from service.log.catalogue import events_by_category, tag_of
from tests.service.api.proof.test_evidence import project
from tests.service.api.tournament.test_money import one_folds
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

GERMAN = {"Accept-Language": "de"}


def test_every_event_of_a_table_has_words_in_a_replay() -> None:
    assert set(SAID) == {tag_of(each) for each in events_by_category()["table"]}


async def test_a_hand_that_nobody_showed_is_not_called_the_best(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        _, _, _, people, table = await console.api.playing(2, hands_between_seconds=3600)
        gone = f"/v1/tables/{table}/presence"
        assert (await people[0].post(gone, {"away": True})).is_success
        await one_folds(people, table)
        last = (await people[0].get(f"/v1/tables/{table}")).json()["last_hand"]
        assert last["revealed"] == []
        browser = await console.signed_in(people[0].login)

        page = (await browser.get(f"/tables/{table}")).text
        assert "nobody else was left in the hand" in page
        assert f'aria-label="Rule {NUMBERS["phases.one_live"]}"' in page
        assert "the best hand" not in page
        page = (await browser.get(f"/tables/{table}", headers=GERMAN)).text
        assert "sonst war niemand mehr in der Hand" in page

        await project(database)
        steps = (await people[0].get(f"/v1/hands/{last['hand']}/replay")).json()["steps"]
        at = {each["event"]: each["number"] for each in steps}
        path = f"/hands/{last['hand']}"
        page = (await browser.get(f"{path}?step={at['pot_awarded']}")).text
        assert f"{NUMBERS['phases.one_live']} Only one player is left" in page
        assert "The best hand" not in page
        page = (await browser.get(f"{path}?step={at['seat_went_away']}", headers=GERMAN)).text
        assert "ist nicht da." in page


async def test_a_stopped_table_says_so_without_a_word_for_programs(serving: Serving) -> None:
    async with serving() as console:
        owner, _, _, people, table = await console.api.playing(2)
        held = await owner.post(f"/v1/tables/{table}/hold", {"reason": "A card is missing"})
        assert held.is_success, held.text
        browser = await console.signed_in(people[0].login)

        page = (await browser.get(f"/tables/{table}")).text
        assert "A director has stopped this table. Play waits until it is released." in page
        assert ": director" not in page
        page = (await browser.get(f"/tables/{table}", headers=GERMAN)).text
        assert "hat diesen Tisch angehalten. Gespielt wird erst, wenn sie ihn freigibt." in page


def test_a_showdown_of_spike_says_which_comparison_decided() -> None:
    hands = [["C+05", "S+01", "C-07"], ["S+03", "S-04"], ["T+10", "C-07"]]
    revealed = [
        RevealedView(seat=seat, cards=tuple(cards), total=total(cards), name="nulrhek")
        for seat, cards in enumerate(hands, start=1)
    ]
    assert spike_reason(CorellianSpike(), revealed, {1}) == "spike.more_cards"
    assert spike_reason(CorellianSpike(), revealed[:1], {1}) is None, "nobody else showed"
    boards = {
        each: environment(language_of(each)).from_string(
            '{% from "parts/board.html" import rule %}{{ rule("spike.more_cards") }}'
        )
        for each in ("en", "de")
    }
    said = {language: board.render().strip() for language, board in boards.items()}
    assert said == {"en": "an equal total of more cards", "de": "gleiche Summe aus mehr Karten"}


def test_a_side_pot_is_decided_among_those_who_had_a_share_in_it() -> None:
    # Seat 1 is all-in and wins the main pot. Seat 2 wins the side pot from seat 3.
    hands = [["C+03", "S-02"], ["C+02", "S+03"], ["C-02", "S-03"]]
    revealed = [
        RevealedView(seat=seat, cards=tuple(cards), total=total(cards), name="nulrhek")
        for seat, cards in enumerate(hands, start=1)
    ]
    assert spike_reason(CorellianSpike(), revealed, {1}) == "spike.total"
    assert spike_reason(CorellianSpike(), revealed, {2}) == "spike.sign"

    near = [(1, 3), (1, 2), (2, 4)]
    aimed = [
        RevealedView(seat=seat, cards=("C+03",), total=3, distance=distance, suit_count=suited)
        for seat, (distance, suited) in enumerate(near, start=1)
    ]
    assert target_reason(aimed, {1}) == "suit_count"
    assert target_reason(aimed, {2}) == "distance"
    assert target_reason(aimed[:1], {1}) is None, "nobody else showed"
