"""
Hands of Corellian Spike, played through the table with prepared decks.

Rulebook ``spike.rounds`` and the rules after it.
"""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from engine.kit.cards import deck
from engine.kit.rng import shuffled_pile
from engine.table.games.course import pile_of
from engine.table.model import events
from engine.table.model.commands import StepAway, TimeOut
from engine.table.read.view import seen_by
from tests.engine.table.spike import (
    NOTHING_MUCH,
    ZERO,
    awards,
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


def time_out(floor: Floor) -> tuple[events.Event, ...]:
    decision = floor.table.decision
    assert decision is not None
    floor.now = decision.deadline + timedelta(seconds=2)
    return floor.do(TimeOut(decision=decision.token, salts=(), now=floor.now))


# The course of a hand.


def course_of(floor: Floor) -> list[str]:
    """Return the tags of all events except decisions, in order."""
    named = {
        events.ForcedBetsPosted: "antes",
        events.CardsDealt: "deal",
        events.DiscardFlipped: "flip",
        events.StreetClosed: "street",
        events.ShiftRolled: "dice",
        events.CardRoundClosed: "round",
        events.HandsRanked: "reveal",
        events.PotsFormed: "pots",
    }
    return [named[type(event)] for event in floor.events if type(event) in named]


def test_three_rounds_of_turns_bets_and_dice_lead_to_the_reveal() -> None:
    floor = quiet(opened(table(), NOTHING_MUCH))
    begin, between = ["antes", "deal", "flip"], ["street", "dice", "round"]
    end = ["street", "dice", "reveal", "pots"]
    assert course_of(floor) == [*begin, *between, *between, *end]


def test_with_spike_before_bet_the_last_bets_are_on_the_final_hands() -> None:
    floor = quiet(opened(table(spike_before_bet=True), NOTHING_MUCH, shifts=(False, False, True)))
    between = ["dice", "street", "round"]
    end = ["dice", "street", "reveal", "pots"]
    assert course_of(floor) == ["antes", "deal", "flip", *between, *between, *end]
    dealt = floor.events.index(happened(floor, events.ShiftDealt)[-1])
    assert dealt < floor.events.index(happened(floor, events.StreetClosed)[-1])


def test_without_spike_dice_no_dice_are_rolled() -> None:
    floor = quiet(opened(table(spike_dice=False), NOTHING_MUCH, shifts=(True, True, True)))
    assert not happened(floor, events.ShiftRolled)
    assert floor.stacks()[1] == 97 + 6


def test_the_reveal_names_every_hand_and_what_it_totals() -> None:
    floor = quiet(opened(table(), ZERO))
    (shown,) = happened(floor, events.HandsRanked)
    assert [(hand.seat, hand.name, hand.total) for hand in shown.hands] == [
        (1, "one_pair", 0),
        (2, "nulrhek", 13),
        (3, "nulrhek", 17),
    ]
    last = floor.view(3).last_hand
    assert last is not None
    assert [hand.name for hand in last.revealed] == ["one_pair", "nulrhek", "nulrhek"]


@pytest.mark.parametrize(
    ("overrides", "name", "winner"),
    [
        ({}, "yee_haa", 1),
        ({"extra_named_hands": ["prime_sabacc"]}, "prime_sabacc", 1),
        ({"strict_named_hands": True}, "one_pair", 2),
    ],
    ids=["as printed", "extra names", "strict names"],
)
def test_the_ruleset_says_which_names_there_are(
    overrides: dict[str, object], name: str, winner: int
) -> None:
    """Seat 1 gains to +10 −10 and both sylops. Seat 2 gains to three of a kind, then four."""
    hands = {1: ("C+10", "T-10"), 2: ("C+01", "T-01")}
    then = ("S+09", "Z1", "S+01", "Z2", "S-01")
    floor = opened(table((100, 100), **overrides), hands, then)
    for _ in range(2):
        floor.turn(1, "gain", source="pile")
        floor.turn(2, "gain", source="pile")
        next_round(floor)
    quiet(floor)
    assert floor.view(1).last_hand.revealed[0].name == name  # type: ignore[union-attr]
    assert awards(floor)[0].shares[0].seat == winner


# The spike.


def test_doubles_throw_every_live_hand_down_and_deal_as_many_clockwise_from_the_starter() -> None:
    then = ("S+10", "C-09", "C+01", "T+01", "S+01", "C+02", "T+02", "S+02", "C+03")
    floor = opened(table(), NOTHING_MUCH, then, shifts=(True,))
    floor.turn(1, "gain", source="pile")
    next_round(floor)
    (up,) = happened(floor, events.HandsTakenUp)
    assert [(count.seat, count.cards) for count in up.counts] == [(1, 3), (2, 2), (3, 2)]
    assert not up.with_pile
    assert hand_of(floor, 1) == ("C+01", "C+02", "C+03")
    assert hand_of(floor, 2) == ("T+01", "T+02")
    assert hand_of(floor, 3) == ("S+01", "S+02")
    assert rounds(floor).discard_top == "S+10"
    assert floor.table.hand is not None and len(floor.table.hand.discards) == 7
    (roll,) = rounds(floor).rolls
    assert roll[0] == roll[1]


def test_a_folded_hand_gets_no_cards_from_a_spike() -> None:
    floor = opened(table(), NOTHING_MUCH, shifts=(True,))
    floor.turn(1, "junk")
    next_round(floor)
    (up,) = happened(floor, events.HandsTakenUp)
    assert [count.seat for count in up.counts] == [2, 3]


def test_every_round_has_its_own_roll_and_the_hand_that_counts_is_the_last() -> None:
    floor = opened(table(), ZERO, shifts=(True, False, True))
    quiet(floor)
    rolls = happened(floor, events.ShiftRolled)
    assert [(roll.round, roll.doubles) for roll in rolls] == [(1, True), (2, False), (3, True)]
    shown = {hand.seat: hand.cards for hand in happened(floor, events.HandsRanked)[0].hands}
    assert "C+05" not in [card.card for card in shown[1]]


# A pile that runs out.


def test_an_empty_pile_is_made_anew_of_all_discards_but_the_open_card() -> None:
    """Six cards are dealt and one is flipped. The last one is drawn, and the pile is empty."""
    floor = opened(table(), NOTHING_MUCH, ("S+10", "C-09"), whole=False)
    floor.turn(1, "junk")
    floor.turn(2, "swap", "T+07", "pile")
    (pile,) = happened(floor, events.PileCommitted)
    hand = floor.table.hand
    assert hand is not None
    made_of = ("C+05", "S+10", "T+04")
    seed = bytes.fromhex(hand.seeds.value.cards)
    again = shuffled_pile(seed, hand.digest, 2, tuple(c for c in deck("d62") if c in made_of))
    assert (pile.pile, pile.size, pile.root) == (2, 3, again.root())
    assert sorted(pile_of(hand).cards) == sorted(made_of)
    assert (rounds(floor).discard_top, rounds(floor).discard_count) == ("T+07", 1)
    assert rounds(floor).pile_count == 3
    floor.turn(3, "gain", source="pile")
    assert hand_of(floor, 3)[-1] == again.cards[0]


def test_a_spike_goes_on_with_a_new_pile_where_the_old_one_ends() -> None:
    """
    Two seats are owed three cards each.

    The old pile has one, and the discards make a new pile.
    """
    hands = {1: ("C+05", "T+04"), 2: ("S+06", "T+07")}
    floor = opened(table((100, 100)), hands, ("S+10", "C-09"), shifts=(True,), whole=False)
    next_round(floor)
    assert [len(event.dealt) for event in happened(floor, events.ShiftDealt)] == [1, 2]
    (pile,) = happened(floor, events.PileCommitted)
    assert pile.size == 4
    held = {*hand_of(floor, 1), *hand_of(floor, 2)}
    assert "C-09" in held and held <= {"C-09", "C+05", "T+04", "S+06", "T+07"}
    assert rounds(floor).discard_top == "S+10"


def test_without_any_card_left_only_the_open_one_can_be_had() -> None:
    hands = {1: ("C+05", "T+04"), 2: ("S+06", "T+07")}
    floor = opened(table((100, 100)), hands, whole=False)
    assert [(verb, source) for verb, source, _ in legal(floor, 1)] == [
        ("stand", None),
        ("swap", "discards"),
        ("junk", None),
    ]


# Clock and absence.


def test_the_clock_stands_in_a_card_turn_and_checks_or_folds_in_a_bet() -> None:
    floor = opened(table(), NOTHING_MUCH)
    (taken, *_) = time_out(floor)
    assert isinstance(taken, events.CardTurnTaken)
    assert (taken.seat, taken.verb, taken.timed_out, taken.rule) == (1, "stand", True, "clock.card")
    quiet(floor, "bet")
    (acted, *_) = time_out(floor)
    assert isinstance(acted, events.SeatActed) and (acted.seat, acted.verb) == (1, "check")
    floor.act(2, "raise_to", 5)
    (acted, *_) = time_out(floor)
    assert isinstance(acted, events.SeatActed) and (acted.seat, acted.verb) == (3, "fold")


def test_who_is_away_antes_and_loses_the_hand_after_the_deal() -> None:
    floor = table()
    floor.do(StepAway(entrant=entrant(2)))
    opened(floor, ZERO)
    (killed,) = happened(floor, events.HandKilled)
    assert killed.seat == 2
    quiet(floor)
    assert floor.stacks() == {1: 97 + 6 + 3, 2: 97, 3: 97}


# Views of a hand.


def test_a_spectator_sees_the_top_the_counts_the_dice_and_both_pots_and_no_hand() -> None:
    floor = opened(table(), NOTHING_MUCH, ("S+10", "C-09"))
    floor.turn(1, "swap", "T+04", "pile")
    next_round(floor)
    seen = seen_by(floor.table, None)
    assert seen.rounds is not None
    assert (seen.rounds.discard_top, seen.rounds.discard_count) == ("T+04", 2)
    assert (seen.rounds.round, len(seen.rounds.rolls)) == (2, 1)
    assert seen.rounds.pile_count == 62 - 6 - 1 - 1
    assert ([pot.chips for pot in seen.pots], seen.sabacc_pot) == ([6], 3)
    assert [seat.card_count for seat in seen.seats] == [2, 2, 2]
    text = str(seen)
    assert not any(card in text for card in deck("d62") if card != "T+04")
    assert not seen.experimental


def test_no_view_of_the_others_changes_with_a_hand_they_cannot_see() -> None:
    floor = opened(table(), NOTHING_MUCH)
    place = floor.table.at(1)
    assert place.hand is not None
    turned = replace(place, hand=replace(place.hand, cards=place.hand.cards[::-1]))
    others = tuple(turned if each.seat == 1 else each for each in floor.table.places)
    other = replace(floor.table, places=others)
    assert seen_by(other, entrant(2)) == floor.view(2)
    assert seen_by(other, entrant(1)) != floor.view(1)
