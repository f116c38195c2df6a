"""
Card turns of Corellian Spike and their fees.

Rulebook ``spike.rounds`` and the rules after it.
"""

import pytest

from engine.hand.betting import VerbNotPlayed
from engine.table.games.spike_turns import actions
from engine.table.model import errors, events
from tests.engine.table.spike import (
    FEES,
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


def test_a_gain_adds_the_top_card_of_the_pile_for_its_owner_alone() -> None:
    floor = opened(table(), NOTHING_MUCH, ("S+10", "C-09"))
    before = rounds(floor).pile_count
    (taken, *_) = floor.turn(1, "gain")
    assert isinstance(taken, events.CardTurnTaken)
    assert (taken.verb, taken.source, taken.rule) == ("gain", "pile", "spike.gain")
    assert hand_of(floor, 1) == ("C+05", "T+04", "C-09")
    assert "C-09" not in str(floor.view(2))
    assert [seat.card_count for seat in floor.view(2).seats] == [3, 2, 2]
    assert rounds(floor).pile_count == before - 1


def test_a_swap_with_the_pile_lays_the_own_card_open_and_draws_blind() -> None:
    floor = opened(table(), NOTHING_MUCH, ("S+10", "C-09"))
    (taken, *_) = floor.turn(1, "swap", "T+04", "pile")
    assert isinstance(taken, events.CardTurnTaken)
    assert taken.shown is not None and taken.shown.card == "T+04"
    assert hand_of(floor, 1) == ("C+05", "C-09")
    assert (rounds(floor, 2).discard_top, rounds(floor, 2).discard_count) == ("T+04", 2)
    assert "C-09" not in str(floor.view(2))


def test_a_swap_with_the_open_card_changes_it_for_the_own_one() -> None:
    floor = opened(table(), NOTHING_MUCH, ("S-04", "C-09"))
    floor.turn(1, "swap", "C+05", "discards")
    assert hand_of(floor, 1) == ("T+04", "S-04")
    assert (rounds(floor, 2).discard_top, rounds(floor, 2).discard_count) == ("C+05", 1)
    floor.turn(2, "swap", "T+07", "discards")
    assert hand_of(floor, 2) == ("S+06", "C+05")
    assert rounds(floor).discard_top == "T+07"


def test_the_open_card_can_be_gained_only_by_option_and_leaves_a_new_one() -> None:
    plain = opened(table(), NOTHING_MUCH, ("S-09", "C-09"))
    with pytest.raises(errors.CardActionNotAllowed):
        plain.turn(1, "gain", source="discards")
    floor = opened(table(gain_from_discard=True), NOTHING_MUCH, ("S-09", "C-09"))
    floor.turn(1, "gain", source="discards")
    assert hand_of(floor, 1) == ("C+05", "T+04", "S-09")
    assert [each.card.card for each in happened(floor, events.DiscardFlipped)] == ["S-09", "C-09"]
    assert rounds(floor).discard_top == "C-09"


def test_under_a_gained_open_card_the_one_before_it_lies_open_again() -> None:
    floor = opened(table(gain_from_discard=True), NOTHING_MUCH, ("S-09", "C-09"))
    floor.turn(1, "swap", "C+05", "pile")
    floor.turn(2, "gain", source="discards")
    assert hand_of(floor, 2) == ("S+06", "T+07", "C+05")
    assert rounds(floor).discard_top == "S-09"
    assert len(happened(floor, events.DiscardFlipped)) == 1


def test_a_junked_hand_lies_face_down_and_its_chips_stay() -> None:
    floor = opened(table(), NOTHING_MUCH)
    (taken, *_) = floor.turn(1, "junk")
    assert isinstance(taken, events.CardTurnTaken) and taken.rule == "spike.junk"
    assert [seat.live for seat in floor.view(2).seats] == [False, True, True]
    assert rounds(floor, 2).discard_top == "S+10"
    assert "C+05" not in str(floor.view(2))
    quiet(floor)
    assert floor.stacks() == {1: 97, 2: 103, 3: 97}


def test_the_last_live_hand_wins_at_once_and_is_never_asked_to_junk() -> None:
    floor = opened(table(), NOTHING_MUCH)
    floor.turn(1, "junk")
    floor.turn(2, "junk")
    assert floor.table.idle
    assert floor.stacks() == {1: 97, 2: 97, 3: 103}
    assert (floor.table.sabacc_pot, happened(floor, events.HandsRanked)) == (3, [])


def test_all_in_seats_have_card_turns_and_nobody_bets() -> None:
    floor = opened(table((3, 3, 3)), NOTHING_MUCH, ("S+10", "C-09"))
    floor.turn(1, "gain", source="pile")
    for seat in (2, 3):
        floor.turn(seat, "stand")
    assert rounds(floor).round == 2
    quiet(floor)
    assert {event.phase for event in happened(floor, events.DecisionOpened)} == {"card"}


def test_a_hand_of_five_cards_can_swap_and_not_gain() -> None:
    floor = opened(table(gain_from_discard=True), NOTHING_MUCH, ("S+10", "C-01", "C-02", "C-03"))
    for _ in range(2):
        floor.turn(1, "gain", source="pile")
        next_round(floor)
    floor.turn(1, "gain", source="pile")
    full = floor.table
    place = full.at(1)
    assert len(hand_of(floor, 1)) == 5
    assert [(action.verb, action.source) for action in actions(full, place)] == [
        ("stand", None),
        ("swap", "pile"),
        ("swap", "discards"),
        ("junk", None),
    ]


def test_a_card_action_that_is_unclear_or_not_there_is_refused() -> None:
    floor = opened(table(gain_from_discard=True), NOTHING_MUCH)
    with pytest.raises(errors.SourceMissing):
        floor.turn(1, "gain")
    with pytest.raises(errors.CardMissing):
        floor.turn(1, "swap", source="pile")
    with pytest.raises(errors.CardNotHeld):
        floor.turn(1, "swap", "S+06", "pile")
    with pytest.raises(errors.CardActionNotAllowed):
        floor.turn(1, "buy", source="pilot")
    with pytest.raises(errors.NotYourTurn):
        floor.turn(2, "stand")
    with pytest.raises(VerbNotPlayed):
        floor.turn(1, "draw", source="pile")
    with pytest.raises(VerbNotPlayed):
        floor.call_hand(1)
    with pytest.raises(VerbNotPlayed):
        floor.field(1, "C+05")


# Fees.


def test_actions_cost_what_the_ruleset_says_and_the_legal_ones_say_so() -> None:
    floor = opened(table(gain_from_discard=True, **FEES), NOTHING_MUCH)
    assert legal(floor, 1) == [
        ("stand", None, None),
        ("gain", "pile", 1),
        ("gain", "discards", 2),
        ("swap", "pile", 1),
        ("swap", "discards", 2),
        ("junk", None, None),
    ]
    (taken, *_) = floor.turn(1, "swap", "C+05", "discards")
    assert isinstance(taken, events.CardTurnTaken)
    assert (taken.fee, taken.stack) == (2, 95)


def test_fees_are_dead_money_of_the_main_pot_and_no_wager() -> None:
    """
    Seat 1 is all-in with 5, and the others bet on. As a wager, its fee of 1 would raise the first

    pot to 8 from each seat. The pot is 7 from each seat, and 3 fees join it.
    """
    floor = opened(table((9, 100, 100), **FEES), NOTHING_MUCH, ("S+10", "C-09", "T-09", "S-09"))
    for seat in (1, 2, 3):
        floor.turn(seat, "gain", source="pile")
    floor.act(1, "raise_to", 5)
    floor.act(2, "raise_to", 20)
    floor.act(3, "call")
    assert [pot.chips for pot in floor.view(1).pots] == [24, 30]
    quiet(floor)
    (formed,) = happened(floor, events.PotsFormed)
    assert ([pot.chips for pot in formed.pots], formed.dead) == ([24, 30], 3)
    assert floor.table.chips() == 209


def test_a_fee_is_not_given_back_with_unmatched_chips() -> None:
    floor = opened(table((100, 100), **FEES), {1: ("C+05", "T+04"), 2: ("S+06", "T+07")})
    floor.turn(1, "gain", source="pile")
    floor.turn(2, "stand")
    floor.act(1, "raise_to", 10)
    floor.act(2, "fold")
    (back,) = happened(floor, events.UnmatchedReturned)
    assert back.chips == 10
    assert floor.stacks() == {1: 97 - 1 + 4 + 1, 2: 97}


def test_what_cannot_be_paid_is_not_offered_and_who_can_pay_for_nothing_may_only_stand() -> None:
    floor = opened(table((3, 4, 5), **FEES), NOTHING_MUCH)
    assert legal(floor, 1) == [("stand", None, None)]
    with pytest.raises(errors.CardActionNotAllowed):
        floor.turn(1, "gain", source="pile")
    floor.turn(1, "stand")
    assert [source for _, source, _ in legal(floor, 2)] == [None, "pile", "pile", None]
    floor.turn(2, "stand")
    assert ("swap", "discards", 2) in legal(floor, 3)


def test_junking_may_have_a_price_too() -> None:
    floor = opened(
        table(swap_gain_cost={"gain": 0, "swap": 0, "discard": 0, "junk": 2}), NOTHING_MUCH
    )
    floor.turn(1, "junk")
    quiet(floor)
    assert floor.stacks() == {1: 95, 2: 97 + 6 + 2, 3: 97}
