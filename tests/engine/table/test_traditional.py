"""Card rounds of Traditional: card turns, the static field, shifts, calls and the clock."""

from datetime import timedelta
from typing import Any

import pytest

from engine.kit.cards import VALUES, deck, total
from engine.rulesets import resolve
from engine.rulesets.errors import RulesetInvalid
from engine.table.model import errors, events
from engine.table.model.commands import StepAway, TimeOut
from engine.table.read.view import seen_by
from engine.values import Sealed, audience_of
from tests.engine.table.stacked import (
    HIGH,
    LOW,
    MIDDLE,
    called,
    floor,
    happened,
    opened,
    refused,
    turn_order,
    turn_seat,
)
from tests.engine.table.tables import Floor, entrant


def test_a_shift_leaves_the_field_and_deals_as_many_cards_from_a_new_pile() -> None:
    table = floor((100, 100, 100))
    hands = {1: HIGH, 2: LOW, 3: MIDDLE}
    opened(table, hands, ("CO09",), shifts=(True,))
    table.field(2, "SA01")
    table.turn(2, "draw")
    table.turn(3, "stand")
    table.turn(1, "stand")
    for seat in (2, 3, 1):
        table.act(seat, "check")

    (taken,) = happened(table, events.HandsTakenUp)
    assert {count.seat: count.cards for count in taken.counts} == {2: 2, 3: 2, 1: 2}
    (pile,) = happened(table, events.PileCommitted)
    assert (pile.pile, pile.size) == (2, 75)
    (dealt,) = happened(table, events.ShiftDealt)
    given = [card for part in dealt.dealt for card in part.cards]
    assert len(given) == 6 and {card.pile for card in given} == {2}
    assert "SA01" not in {card.card for card in given}
    place = table.table.at(2)
    assert place.hand is not None
    assert [card.card for card in place.hand.field] == ["SA01"]
    assert {(card.pile, card.position) for card in place.hand.cards} == {(2, 0), (2, 3)}


def test_a_field_card_is_seen_by_all_and_can_be_neither_traded_nor_fielded_again() -> None:
    table = floor((100, 100))
    opened(table, {1: HIGH, 2: LOW}, ("CO09",))
    table.field(2, "FL01")
    assert seen_by(table.table, None).seats[1].field == ("FL01",)
    assert seen_by(table.table, None).seats[1].card_count == 2
    refused(table, errors.CardNotHeld, lambda: table.turn(2, "trade", "FL01"))
    refused(table, errors.CardNotHeld, lambda: table.field(2, "FL01"))
    refused(table, errors.CardMissing, lambda: table.turn(2, "trade"), "traditional.trade")
    refused(table, errors.CardMissing, lambda: table.field(2), "traditional.field")
    refused(table, errors.NotYourTurn, lambda: table.field(1, "SA15"))
    table.turn(2, "trade", "SA01")
    (trade,) = happened(table, events.CardTurnTaken)
    assert isinstance(trade.given, Sealed) and trade.given.value == "SA01"
    assert trade.given.audiences == (audience_of(entrant(2)), "house")
    assert trade.drawn is not None and trade.drawn.card == "CO09"


def test_a_field_card_counts_and_a_seat_may_field_when_it_is_to_bet() -> None:
    table = floor((100, 100))
    opened(table, {1: ("SA15", "FL08"), 2: ("X00a", "SA02")}, ("FL03",))
    table.turn(2, "draw")
    table.turn(1, "stand")
    table.field(2, "X00a", "SA02", "FL03")
    table.act(2, "check")
    table.act(1, "check")
    called(table)
    shown = {each.seat: each for each in happened(table, events.HandsRanked)[0].hands}
    assert shown[2].name == "idiots_array"
    assert table.stacks()[2] == 100 - 2 + 2 + 2


def test_nobody_may_call_while_the_pot_is_built() -> None:
    table = Floor("traditional", (100, 100))
    opened(table, {1: HIGH, 2: LOW})
    for _ in range(4):
        refused(table, errors.CallTooEarly, lambda: table.call_hand(2), "traditional.call")
        for seat in (2, 1):
            table.turn(seat, "stand")
        for seat in (2, 1):
            table.act(seat, "check")
    assert "call_hand" in {action.verb for action in table.view(2).legal}
    table.turn(2, "stand")
    table.call_hand(1)
    # Card turns have ended, and the last street begins with the caller.
    assert table.table.decision is not None
    assert (table.table.decision.phase, turn_seat(table), table.table.decision.street) == (
        "bet",
        1,
        5,
    )
    table.act(1, "check")
    table.act(2, "check")
    assert len(happened(table, events.ShiftRolled)) == 5
    assert table.table.idle


def test_after_the_last_round_the_hand_is_called_by_itself() -> None:
    table = floor((100, 100), max_rounds=2)
    opened(table, {1: HIGH, 2: LOW})
    for _ in range(2):
        for seat in (2, 1):
            table.turn(seat, "stand")
        for seat in (2, 1):
            table.act(seat, "check")
    (call,) = happened(table, events.HandCalled)
    assert (call.seat, call.rule, turn_seat(table)) == (None, "traditional.call_at_last", 2)
    for seat in (2, 1):
        table.act(seat, "check")
    assert [roll.round for roll in happened(table, events.ShiftRolled)] == [1, 2, 3]
    assert table.table.idle


def test_without_a_card_left_the_hand_is_called_by_itself() -> None:
    table = Floor("traditional", [100] * 8)
    hands = dict(zip(turn_order(table), zip(*[iter(deck("d76"))] * 2, strict=False), strict=False))
    opened(table, hands)
    while not happened(table, events.HandCalled):
        decision = table.table.decision
        assert decision is not None
        if decision.phase == "card":
            table.turn(decision.seats[0], "draw")
        else:
            table.act(decision.seats[0], "check")
    (call,) = happened(table, events.HandCalled)
    assert (call.rule, call.round) == ("traditional.call_without_cards", 8)
    held = [card.card for place in table.table.live() if place.hand for card in place.hand.cards]
    assert sorted(held) == sorted(deck("d76"))


def test_an_all_in_seat_still_has_card_turns_and_is_asked_for_no_bet() -> None:
    table = floor((100, 100, 5))
    opened(table, {1: HIGH, 2: LOW, 3: MIDDLE})
    for seat in (2, 3, 1):
        table.turn(seat, "stand")
    table.act(2, "raise_to", 3)
    table.act(3, "call")
    table.act(1, "call")
    table.turn(2, "stand")
    table.turn(3, "draw")
    table.turn(1, "stand")
    assert table.table.decision is not None and table.table.decision.phase == "bet"
    assert turn_seat(table) == 2
    table.act(2, "check")
    table.act(1, "check")
    assert turn_seat(table) == 2


def test_the_clock_stands_then_checks_or_folds() -> None:
    table = floor((100, 100, 100))
    opened(table, {1: HIGH, 2: LOW, 3: MIDDLE})

    def time_out() -> events.Event:
        decision = table.table.decision
        assert decision is not None
        table.now = decision.deadline + timedelta(seconds=2)
        return table.do(TimeOut(decision=decision.token, now=table.now))[0]

    turn = time_out()
    assert isinstance(turn, events.CardTurnTaken)
    assert (turn.verb, turn.seat, turn.timed_out, turn.rule) == ("stand", 2, True, "clock.card")
    table.turn(3, "stand")
    table.turn(1, "stand")
    table.act(2, "check")
    checked = time_out()
    assert isinstance(checked, events.SeatActed) and checked.verb == "check"
    table.act(1, "raise_to", 5)
    folded = time_out()
    assert isinstance(folded, events.SeatActed) and folded.verb == "fold"


def test_who_is_away_antes_and_loses_the_hand_after_the_deal() -> None:
    table = floor((100, 100, 100))
    table.do(StepAway(entrant=entrant(3)))
    opened(table, {1: HIGH, 2: LOW, 3: MIDDLE})
    assert happened(table, events.HandKilled)[0].seat == 3
    assert table.table.at(3).stack == 98
    assert [place.seat for place in table.table.live()] == [2, 1]


def test_who_cannot_pay_both_antes_sits_out() -> None:
    table = floor((100, 1, 100))
    table.open_hand()
    opening = happened(table, events.HandOpened)[0]
    assert {books.seat: books.dealt for books in opening.seats} == {1: True, 2: False, 3: True}
    posts = happened(table, events.ForcedBetsPosted)[0].posts
    assert {(post.seat, post.kind, post.chips) for post in posts} == {
        (seat, kind, 1) for seat in (1, 3) for kind in ("ante", "sabacc_ante")
    }
    assert table.table.sabacc_pot == 2


def test_totals_are_announced_if_the_house_wants_it() -> None:
    table = floor((100, 100), announce_totals=True)
    opened(table, {1: HIGH, 2: LOW})
    assert {seat.seat: seat.announced for seat in seen_by(table.table, None).seats} == {1: 22, 2: 2}


def test_a_hidden_card_is_seen_by_its_owner_only() -> None:
    table = floor((100, 100))
    opened(table, {1: HIGH, 2: LOW}, ("CO09",))
    table.turn(2, "trade", "SA01")
    mine, theirs = table.view(2), table.view(1)
    assert mine.me is not None and mine.me.cards == ("FL01", "CO09")
    assert "CO09" not in repr(theirs) and "SA01" not in repr(theirs)
    assert theirs.seats[1].card_count == 2


def test_verbs_of_other_games_are_refused_by_name() -> None:
    table = floor((100, 100))
    opened(table, {1: HIGH, 2: LOW})
    for verb in ("gain", "swap", "junk", "buy"):
        refused(table, errors.VerbNotPlayed, lambda verb=verb: table.turn(2, verb))
    refused(table, errors.CardActionNotAllowed, lambda: table.turn(2, "draw", source="discards"))
    refused(table, errors.WrongPhase, lambda: table.act(2, "check"))
    refused(table, errors.NotYourTurn, lambda: table.turn(1, "stand"))

    shift = Floor("better_simple", (100, 100))
    shift.open_hand()
    refused(shift, errors.WrongPhase, lambda: shift.turn(1, "stand"))
    refused(shift, errors.VerbNotPlayed, lambda: shift.field(1))


def test_legal_actions_are_exactly_what_is_accepted() -> None:
    table = floor((100, 100))
    opened(table, {1: HIGH, 2: LOW})
    legal = {action.verb: action for action in table.view(2).legal}
    assert set(legal) == {"stand", "draw", "trade", "call_hand", "field"}
    assert legal["trade"].cards == legal["field"].cards == ("SA01", "FL01")
    table.field(2, "SA01", "FL01")
    assert {action.verb for action in table.view(2).legal} == {"stand", "draw", "call_hand"}
    assert table.view(1).legal == ()


def test_the_deck_of_traditional_adds_up() -> None:
    cards = deck("d76")
    assert (len(cards), sum(VALUES[card] for card in cards)) == (76, 320)
    assert sum(card.startswith("X") for card in cards) == 16
    assert total(["SA15", "X17a"]) == -2


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ({"max_players": 9}, "max_players"),
        ({"pot_building_rounds": 10}, "max_rounds"),
        ({"pot_building_rounds": -1}, "pot_building_rounds"),
        ({"ante": {"main": 0}}, "ante"),
        ({"chip_unit": 5}, "chip_unit"),
        ({"chip_unit": 5, "ante": {"main": 5, "sabacc": 5}}, "min_open"),
        ({"score": "hands_won"}, "hands_won"),
        ({"end": {"kind": "each_dealt_once"}}, "each_dealt_once"),
        ({"betting": {"kind": "fixed_continue", "cost": 1}}, "fixed_continue"),
        ({"betting": {"kind": "poker_nl", "min_open": "big_blind"}}, "big_blind"),
        ({"hand_size": 5}, "hand_size"),
    ],
)
def test_a_combination_that_cannot_work_is_refused_with_a_reason(
    overrides: dict[str, Any], reason: str
) -> None:
    with pytest.raises(RulesetInvalid, match=reason):
        resolve("traditional", overrides)
