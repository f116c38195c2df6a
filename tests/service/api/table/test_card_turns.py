"""A hand of card turns over the API: every action, and no card shown to the wrong viewer."""

import pytest

from tests.service.api.table.test_commands import turn
from tests.service.api.table.test_leaks import Watch, cards_in, turned_over

pytestmark = pytest.mark.anyio

TRADITIONAL = {
    "ruleset": "traditional",
    "overrides": {"pot_building_rounds": 1},
    "starting_stack": 100,
}


async def acted(person, table, view, number, **action):
    """Send *action* to the open decision, and return the API's answer."""
    body = {"decision": view["decision"]["token"], **action}
    return await person.post(f"/v1/tables/{table}/actions", body, key=f"n{number}")


def answer_to(view, number):
    """Return a field, then trades, in the first round, and a call of the hand in the second."""
    legal = {each["verb"]: each for each in view["legal"]}
    mine = next(seat for seat in view["seats"] if seat["seat"] == view["me"]["seat"])
    if "call_hand" in legal:
        return {"type": "call_hand"}
    if "field" in legal and number == 0:
        return {"type": "field", "cards": view["me"]["cards"][:1]}
    if "trade" in legal and mine["field"]:
        return {"type": "trade", "card": legal["trade"]["cards"][0]}
    if "draw" in legal:
        return {"type": "draw", "source": "pile"}
    return {"type": "check" if "check" in legal else "call"}


async def test_nobody_is_sent_a_hidden_card_in_a_hand_of_card_turns(serving) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3, **TRADITIONAL)
        await turn(people, table)
        assert (await owner.post(f"/v1/tournaments/{tournament}/pause")).status_code == 200
        watch = Watch([owner, *people], league, tournament, table)
        kinds, number = [], 0
        while "hand_settled" not in kinds:
            await watch.look()
            person, view = await turn(people, table)
            done = await acted(person, table, view, number, **answer_to(view, number))
            assert done.status_code == 200, done.text
            number += 1
            await watch.see(person)
            events = done.json()["events"]
            watch.check(person, done.json(), watch.shown | turned_over(events))
            kinds += [each["type"] for each in events]
            assert number < 60
        await watch.look()
        assert {"cards_fielded", "card_turn_taken", "hand_called", "shift_rolled"} <= set(kinds)
        (shown,) = [each for each in watch.items if each["type"] == "hands_ranked"]
        assert len(shown["data"]["hands"]) == 3
        summary = (await owner.get(f"/v1/tables/{table}")).json()
        assert {each["name"] is None for each in summary["last_hand"]["revealed"]} == {False}
        total = sum(seat["stack"] for seat in summary["seats"])
        assert total + summary["carry"] + summary["sabacc_pot"] == 300


async def test_what_a_card_turn_may_not_do_is_refused_with_what_it_may(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing(2, **TRADITIONAL)
        person, view = await turn(people, table)
        assert (view["phase"], view["rounds"]["round"]) == ("card", 1)
        tried = [
            ({"type": "call_hand"}, "call_too_early"),
            ({"type": "trade"}, "card_missing"),
            ({"type": "trade", "card": "SA99"}, "card_not_held"),
            ({"type": "draw", "source": "discards"}, "card_action_not_allowed"),
            ({"type": "gain"}, "verb_not_played"),
            ({"type": "field", "cards": []}, "card_missing"),
            ({"type": "check"}, "wrong_phase"),
        ]
        for number, (action, code) in enumerate(tried):
            refused = await acted(person, table, view, number, **action)
            assert (refused.status_code, refused.json()["code"]) == (409, code)
            assert refused.json()["legal_actions"] == view["legal"]
        other = next(each for each in people if each is not person)
        theirs = (await other.get(f"/v1/tables/{table}")).json()["me"]["cards"][0]
        foreign = await acted(person, table, view, 90, type="trade", card=theirs)
        undealt = await acted(person, table, view, 91, type="trade", card="SA99")
        assert cards_in(foreign.json()) <= {theirs} | cards_in(view["me"])
        assert foreign.json()["code"] == undealt.json()["code"] == "card_not_held"


async def test_a_card_turn_sent_twice_is_taken_once(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing(2, **TRADITIONAL)
        person, view = await turn(people, table)
        card = view["me"]["cards"][0]
        first = await acted(person, table, view, 1, type="trade", card=card)
        again = await acted(person, table, view, 1, type="trade", card=card)
        assert (first.status_code, first.json()) == (200, again.json())
        after = (await person.get(f"/v1/tables/{table}")).json()
        assert len(after["me"]["cards"]) == 2 and card not in after["me"]["cards"]
