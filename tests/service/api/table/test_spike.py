"""Hands of Corellian Spike over the API: every verb, and no card shown to the wrong viewer."""

import pytest

from tests.service.api.table.test_card_turns import acted
from tests.service.api.table.test_commands import turn
from tests.service.api.table.test_leaks import Watch, cards_in, turned_over

pytestmark = pytest.mark.anyio

FEES = {"swap_gain_cost": {}, "gain_from_discard": True}
GALAXY = {"galaxy_series": True, "experimental": True}
WISHED = {
    "fees": [("swap", "pile"), ("gain", "discards"), ("swap", "discards"), ("gain", "pile")],
    "galaxy": [("trade", "pilot"), ("buy", "pilot"), ("trade", "gunner"), ("buy", "wing")],
}


def terms(**overrides):
    return {"ruleset": "spike", "overrides": overrides, "starting_stack": 100}


def answer_to(view, wished):
    """Return the first of the *wished* actions that is legal, or else stand, check or call."""
    legal = {(each["verb"], each["source"]): each for each in view["legal"]}
    for verb, source in wished:
        action = legal.get((verb, source))
        if action is not None:
            wished.append(wished.pop(wished.index((verb, source))))
            card = {} if action["cards"] is None else {"card": action["cards"][0]}
            return {"type": verb, "source": source, **card}
    if ("stand", None) in legal:
        return {"type": "stand"}
    return {"type": "check" if ("check", None) in legal else "call"}


@pytest.mark.parametrize(
    ("kind", "overrides"), [("fees", FEES), ("galaxy", GALAXY)], ids=["with fees", "of the galaxy"]
)
async def test_nobody_is_sent_a_hidden_card_in_a_hand_of_spike(serving, kind, overrides) -> None:
    """Every card in an answer is open or the reader's own, and every chip is accounted for."""
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3, **terms(**overrides))
        await turn(people, table)
        assert (await owner.post(f"/v1/tournaments/{tournament}/pause")).status_code == 200
        watch = Watch([owner, *people], league, tournament, table)
        wished, done_kinds, kinds, number = [*WISHED[kind]], set(), [], 0
        while "hand_settled" not in kinds:
            await watch.look()
            person, view = await turn(people, table)
            assert view["experimental"] is (kind == "galaxy")
            action = answer_to(view, wished)
            done = await acted(person, table, view, number, **action)
            assert done.status_code == 200, done.text
            done_kinds.add((action["type"], action.get("source")))
            number += 1
            await watch.see(person)
            events = done.json()["events"]
            watch.check(person, done.json(), watch.shown | turned_over(events))
            kinds += [each["type"] for each in events]
            assert number < 60
        await watch.look()
        assert set(WISHED[kind]) <= done_kinds
        (shown,) = [each for each in watch.items if each["type"] == "hands_ranked"]
        assert len(shown["data"]["hands"]) == 3
        summary = (await owner.get(f"/v1/tables/{table}")).json()
        total = sum(seat["stack"] for seat in summary["seats"])
        assert total + summary["carry"] + summary["sabacc_pot"] == 300


async def test_a_card_given_up_face_down_is_opened_to_its_owner_alone(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing(2, **terms(**GALAXY))
        person, view = await turn(people, table)
        card = view["me"]["cards"][0]
        done = await acted(person, table, view, 1, type="trade", source="pilot", card=card)
        assert done.status_code == 200, done.text
        (taken,) = [each for each in done.json()["events"] if each["type"] == "card_turn_taken"]
        assert card in cards_in(taken["opened"]) and card not in cards_in(taken["data"])
        other = next(each for each in people if each is not person)
        items = (await other.get(f"/v1/tables/{table}/events", params={"limit": 200})).json()
        assert card not in cards_in(items["items"])


async def test_what_a_turn_of_spike_may_not_do_is_refused_with_what_it_may(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing(2, **terms())
        person, view = await turn(people, table)
        assert view["rounds"]["discard_top"] is not None
        assert view["rounds"]["discard_count"] == 1
        own = view["me"]["cards"][0]
        tried = [
            ({"type": "swap", "card": own}, "source_missing"),
            ({"type": "swap", "source": "pile"}, "card_missing"),
            ({"type": "swap", "source": "pile", "card": "C+99"}, "card_not_held"),
            ({"type": "gain", "source": "discards"}, "card_action_not_allowed"),
            ({"type": "buy", "source": "pilot"}, "card_action_not_allowed"),
            ({"type": "draw", "source": "pile"}, "verb_not_played"),
            ({"type": "call_hand"}, "verb_not_played"),
            ({"type": "check"}, "wrong_phase"),
        ]
        for number, (action, code) in enumerate(tried):
            refused = await acted(person, table, view, number, **action)
            assert (refused.status_code, refused.json()["code"]) == (409, code), refused.text
            assert refused.json()["legal_actions"] == view["legal"]


async def test_a_host_hears_why_options_of_spike_cannot_go_together(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Night", "hands_between_seconds": 0, **terms(galaxy_series=True)}
        refused = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        assert refused.json()["code"] == "invalid_ruleset"
        assert "experimental" in refused.json()["detail"]
