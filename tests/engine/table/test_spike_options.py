"""
Experimental rules, and invalid combinations of parameters.

Rulebook ``spike.galaxy_series`` and the rules after it.
"""

from typing import Any

import pytest

from engine.rulesets import CorellianSpike, preset, resolve
from engine.rulesets.errors import RulesetInvalid
from engine.table.games.spike_turns import actions
from engine.table.model import errors, events
from engine.table.read.view import seen_by
from engine.values import Sealed, audience_of
from tests.engine.table.spike import (
    EXPERIMENT,
    NOTHING_MUCH,
    hand_of,
    happened,
    legal,
    next_round,
    opened,
    quiet,
    rounds,
    table,
)
from tests.engine.table.tables import Floor, entrant

MIN_OPEN = {"kind": "poker_nl", "min_open": 5}
MARKET = ("C-01", "C-02", "C-03", "C-06", "C-07", "C-08", "C-09")


def galaxy(stacks: tuple[int, ...] = (100, 100, 100), **overrides: Any) -> Floor:
    """Return a table of the Galaxy Series after the deal, with MARKET on top of the pile."""
    floor = table(stacks, galaxy_series=True, **EXPERIMENT, **overrides)
    return opened(floor, NOTHING_MUCH, MARKET)


def test_round_by_round_a_fresh_card_enters_as_pilot_and_pushes_the_older_ones_on() -> None:
    floor = galaxy()
    assert rounds(floor).market == ("C-01",)
    next_round(floor)
    assert rounds(floor).market == ("C-02", "C-01")
    next_round(floor)
    assert rounds(floor).market == ("C-03", "C-02", "C-01")
    assert not happened(floor, events.DiscardFlipped)
    assert rounds(floor).discard_top is None


def test_the_piles_cost_one_two_and_three_to_buy_or_to_trade_with() -> None:
    floor = next_round(next_round(galaxy()))
    assert legal(floor, 1) == [
        ("stand", None, None),
        ("gain", "pile", None),
        ("swap", "pile", None),
        ("buy", "pilot", 1),
        ("trade", "pilot", 1),
        ("buy", "wing", 2),
        ("trade", "wing", 2),
        ("buy", "gunner", 3),
        ("trade", "gunner", 3),
        ("junk", None, None),
    ]


def test_a_bought_card_comes_to_the_hand_its_price_to_the_pot_a_fresh_one_as_pilot() -> None:
    floor = next_round(next_round(galaxy()))
    (taken, laid, *_) = floor.turn(1, "buy", source="wing")
    assert isinstance(taken, events.CardTurnTaken)
    assert (taken.fee, taken.stack, taken.rule) == (2, 95, "spike.buy")
    assert taken.taken is not None and taken.taken.card == "C-02"
    assert hand_of(floor, 1) == ("C+05", "T+04", "C-02")
    assert isinstance(laid, events.MarketCardLaid)
    assert rounds(floor).market == ("C-06", "C-03", "C-01")
    assert [pot.chips for pot in floor.view(1).pots] == [8]


def test_a_traded_card_goes_face_down_and_only_its_owner_may_open_it() -> None:
    floor = galaxy()
    (taken, *_) = floor.turn(1, "trade", "C+05", "pilot")
    assert isinstance(taken, events.CardTurnTaken)
    assert (taken.shown, taken.fee, taken.rule) == (None, 1, "spike.trade")
    assert isinstance(taken.given, Sealed)
    assert taken.given.audiences == (audience_of(entrant(1)), "house")
    assert hand_of(floor, 1) == ("T+04", "C-01")
    assert rounds(floor).market == ("C-02",)
    assert "C+05" not in str(floor.view(2))


def test_a_swap_with_the_pile_leaves_no_open_card_in_the_galaxy() -> None:
    floor = galaxy()
    (taken, *_) = floor.turn(1, "swap", "C+05", "pile")
    assert isinstance(taken, events.CardTurnTaken)
    assert (taken.shown, taken.fee) == (None, 0)
    assert rounds(floor).discard_top is None
    with pytest.raises(errors.CardActionNotAllowed):
        floor.turn(2, "swap", "T+07", "discards")


def test_the_last_card_turn_of_all_leaves_its_pile_unfilled() -> None:
    floor = next_round(next_round(galaxy()))
    floor.turn(1, "buy", source="gunner")
    assert rounds(floor).market == ("C-06", "C-03", "C-02")
    floor.turn(2, "stand")
    floor.turn(3, "buy", source="pilot")
    assert rounds(floor).market == ("C-03", "C-02")


def test_the_last_turn_of_an_earlier_round_is_filled_before_the_bets() -> None:
    floor = galaxy()
    floor.turn(1, "stand")
    floor.turn(2, "stand")
    floor.turn(3, "buy", source="pilot")
    assert rounds(floor).market == ("C-02",)
    next_round(floor)
    assert rounds(floor).market == ("C-03", "C-02")


def test_a_hand_of_five_cards_can_trade_and_not_buy() -> None:
    floor = galaxy()
    for _ in range(2):
        floor.turn(1, "buy", source="pilot")
        next_round(floor)
    floor.turn(1, "buy", source="pilot")
    full = actions(floor.table, floor.table.at(1))
    assert len(hand_of(floor, 1)) == 5
    assert {action.verb for action in full} == {"stand", "swap", "trade", "junk"}


def test_the_prices_are_counted_in_the_chips_of_the_table() -> None:
    unit = {"chip_unit": 5, "ante": {"hand": 10, "sabacc": 5}, "betting": MIN_OPEN}
    floor = next_round(galaxy(starting_stack=100, **unit))
    assert ("trade", "wing", 10) in legal(floor, 1)


def test_a_pile_that_cannot_be_paid_is_not_offered() -> None:
    floor = next_round(galaxy((4, 100, 100)))
    assert ("buy", "pilot", 1) in legal(floor, 1)
    assert ("buy", "wing", 2) not in legal(floor, 1)


def test_a_spike_leaves_the_piles_of_the_galaxy_where_they_are() -> None:
    floor = table(galaxy_series=True, **EXPERIMENT)
    opened(floor, NOTHING_MUCH, MARKET, shifts=(True,))
    next_round(floor)
    assert rounds(floor).market[1] == "C-01"
    assert hand_of(floor, 1)[0] == "C-02"


def test_the_view_says_that_a_ruleset_is_experimental() -> None:
    assert seen_by(galaxy().table, None).experimental
    assert not seen_by(opened(table(), NOTHING_MUCH).table, None).experimental


def test_the_galaxy_ranking_decides_where_the_ruleset_says_so() -> None:
    """In the printed ranking a Fleet beats a Rhylet. In the Galaxy ranking it loses."""
    hands = {1: ("C+05", "T+05"), 2: ("C+02", "T+02")}
    more = ("S+10", "Z1", "S+02", "S-05", "C-03", "C-05", "T-03")
    winners = []
    for overrides in ({}, {"ranking": "galaxy", "tie": {"kind": "split"}, **EXPERIMENT}):
        floor = opened(table((100, 100), **overrides), hands, more)
        for _ in range(3):
            floor.turn(1, "gain", source="pile")
            floor.turn(2, "gain", source="pile")
            quiet(floor, "card")
        (revealed,) = happened(floor, events.HandsRanked)
        assert [hand.name for hand in revealed.hands] == ["fleet", "rhylet"]
        winners.append(happened(floor, events.PotAwarded)[0].shares[0].seat)
    assert winners == [1, 2]


def test_a_spike_of_one_card_comes_in_the_last_round_and_takes_the_oldest_card() -> None:
    floor = table(spike_redeals="oldest_card", **EXPERIMENT)
    then = ("S+10", "C-09", "C+01", "T+01", "S+01")
    opened(floor, NOTHING_MUCH, then, shifts=(True,))
    floor.turn(1, "gain", source="pile")
    quiet(floor)
    (roll,) = happened(floor, events.ShiftRolled)
    assert (roll.round, roll.doubles) == (3, True)
    (up,) = happened(floor, events.HandsTakenUp)
    assert [(count.seat, count.cards) for count in up.counts] == [(1, 1), (2, 1), (3, 1)]
    assert up.rule == "spike.one_card"
    shown = {hand.seat: hand.cards for hand in happened(floor, events.HandsRanked)[0].hands}
    assert [card.card for card in shown[1]] == ["T+04", "C-09", "C+01"]
    assert [card.card for card in shown[2]] == ["T+07", "T+01"]


# Combinations.


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ({"galaxy_series": True}, "experimental"),
        ({"ranking": "galaxy", "tie": {"kind": "split"}}, "experimental"),
        ({"spike_redeals": "oldest_card"}, "experimental"),
        ({"galaxy_series": True, "gain_from_discard": True, **EXPERIMENT}, "open discard pile"),
        ({"ranking": "galaxy", **EXPERIMENT}, "split"),
        (
            {
                "ranking": "galaxy",
                "tie": {"kind": "split"},
                "strict_named_hands": True,
                **EXPERIMENT,
            },
            "printed",
        ),
        ({"spike_redeals": "oldest_card", "spike_dice": False, **EXPERIMENT}, "spike_dice"),
        ({"extra_named_hands": ["prime_sabacc", "prime_sabacc"]}, "twice"),
        ({"extra_named_hands": ["royal_flush"]}, "royal_flush"),
        ({"swap_gain_cost": {"gain": 3}, "chip_unit": 5}, "chip_unit"),
        ({"ante": {"hand": 0}}, "nothing to play for"),
        ({"max_players": 9}, "max_players"),
        ({"end": {"kind": "each_dealt_once"}}, "dealer"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_combination_that_makes_no_game_is_refused_with_its_reason(
    overrides: dict[str, Any], reason: str
) -> None:
    unit = overrides.get("chip_unit", 1)
    chips = {"ante": {"hand": 2 * unit, "sabacc": unit}, "starting_stack": 100 * unit}
    with pytest.raises(RulesetInvalid) as refused:
        resolve("spike", chips | overrides)
    assert reason in refused.value.detail


def test_the_preset_plays_the_printed_game_with_bets_and_no_option() -> None:
    spike = preset("spike")
    assert isinstance(spike, CorellianSpike)
    assert (spike.main_ante, spike.sabacc_ante, spike.max_players) == (2, 1, 8)
    assert spike.spike_dice and not spike.spike_before_bet and spike.swap_gain_cost is None
    assert not spike.gain_from_discard and not spike.galaxy_series and not spike.experimental
    assert (spike.ranking, spike.extra_named_hands, spike.short_forced) == ("printed", (), "out")


def test_fees_that_a_host_turns_on_without_naming_them_are_one_one_and_two() -> None:
    spike = resolve("spike", {"swap_gain_cost": {}})
    assert isinstance(spike, CorellianSpike) and spike.swap_gain_cost is not None
    fees = spike.swap_gain_cost
    assert (fees.gain, fees.swap, fees.discard, fees.junk) == (1, 1, 2, 0)
