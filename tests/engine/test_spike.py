"""
Hands of Corellian Spike, played through the table with a deck laid out beforehand.

Rulebook ``spike.rounds`` and what follows there.
"""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from engine.betting import VerbNotPlayed
from engine.cards import deck
from engine.rng import shuffled_pile
from engine.table import errors, events
from engine.table.commands import StepAway, TimeOut
from engine.table.course import pile_of
from engine.table.spike_turns import actions
from engine.table.view import seen_by
from tests.engine.spike import (
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
from tests.engine.tables import Floor, entrant

ZERO = {1: ("C+05", "T-05"), 2: ("S+06", "T+07"), 3: ("C+08", "T+09")}


def time_out(floor: Floor) -> tuple[events.Event, ...]:
    decision = floor.table.decision
    assert decision is not None
    floor.now = decision.deadline + timedelta(seconds=2)
    return floor.do(TimeOut(decision=decision.token, salts=(), now=floor.now))


# The two pots.


def test_example_32_a_winner_above_zero_leaves_the_sabacc_pot_to_roll_over() -> None:
    """Rulebook, worked example: four antes of 2 + 1, bets of 12 in all, the winner at +1."""
    floor = table((100, 100, 100, 100))
    hands = {1: ("C+03", "T-02"), 2: ("S+06", "T+07"), 3: ("C+08", "T+09"), 4: ("C+04", "S+05")}
    opened(floor, hands)
    quiet(floor, "bet")
    floor.act(1, "raise_to", 3)
    for seat in (2, 3, 4):
        floor.act(seat, "call")
    assert [pot.chips for pot in floor.view(1).pots] == [20]
    assert floor.view(1).sabacc_pot == 4
    quiet(floor)
    assert floor.stacks() == {1: 114, 2: 94, 3: 94, 4: 94}
    floor.open_hand()
    assert floor.view(1).sabacc_pot == 8


def test_a_winner_at_zero_takes_both_pots_also_what_earlier_hands_left() -> None:
    floor = quiet(opened(table(), NOTHING_MUCH))
    assert floor.table.sabacc_pot == 3
    quiet(opened(floor, ZERO))
    assert floor.table.sabacc_pot == 0
    award = happened(floor, events.SabaccPotAwarded)[0]
    assert (award.seat, award.chips, award.rule) == (1, 6, "spike.sabacc_pot")
    assert floor.view(2).last_hand.sabacc_awards == ((1, 6),)  # type: ignore[union-attr]
    assert floor.stacks() == {1: 97 + 6 - 3 + 6 + 6, 2: 94, 3: 94}


def test_who_wins_because_all_others_fold_never_takes_the_sabacc_pot() -> None:
    floor = quiet(opened(table(), ZERO), "bet")
    floor.act(1, "raise_to", 10)
    floor.act(2, "fold")
    floor.act(3, "fold")
    assert floor.table.idle
    assert floor.stacks() == {1: 103, 2: 97, 3: 97}
    assert floor.table.sabacc_pot == 3
    assert not happened(floor, events.HandsRanked)


def test_the_sabacc_pot_goes_with_the_first_layer_alone() -> None:
    """Seat 1 is all-in at zero; seat 2 takes the side pot, and nothing of the Sabacc pot."""
    floor = quiet(opened(table((13, 100, 100)), ZERO), "bet")
    floor.act(1, "raise_to", 10)
    floor.act(2, "raise_to", 30)
    floor.act(3, "call")
    quiet(floor)
    pots = [(award.pot, award.chips, award.shares[0].seat) for award in awards(floor)]
    assert pots == [(1, 36, 1), (2, 40, 2)]
    assert floor.stacks() == {1: 36 + 3, 2: 107, 3: 67}


def awards(floor: Floor) -> list[events.PotAwarded]:
    return happened(floor, events.PotAwarded)


def test_who_cannot_pay_both_antes_again_is_out_and_leaves_the_rest_to_the_sabacc_pot() -> None:
    floor = quiet(opened(table((100, 100, 5)), NOTHING_MUCH))
    paid = happened(floor, events.PenaltyPaid)
    assert [(each.seat, each.paid, each.rule) for each in paid] == [(3, 2, "forced.out")]
    bust = happened(floor, events.HandSettled)[-1].busts
    assert [(each.seat, each.stack_at_start) for each in bust] == [(3, 5)]
    assert floor.table.sabacc_pot == 5
    assert floor.table.chips() == 205


def test_nobody_is_put_out_if_nobody_could_stay() -> None:
    """Antes of 1 + 5 feed the Sabacc pot: after two hands neither has 6 chips left."""
    floor = table((8, 8), ante={"hand": 1, "sabacc": 5})
    quiet(opened(floor, {1: ("C+05", "T+04"), 2: ("S+06", "T+07")}))
    assert floor.stacks() == {1: 4, 2: 2}


def test_the_starting_player_rotates_and_everything_begins_there() -> None:
    floor = table()
    for starter in (1, 2, 3, 1):
        floor.open_hand()
        assert floor.table.decision is not None
        assert (floor.table.starter, floor.table.decision.seats) == (starter, (starter,))
        quiet(floor)


# The course of a hand.


def course_of(floor: Floor) -> list[str]:
    """Return what happened besides the decisions, in order."""
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
    """Seat 1 gains to +10 −10 and both sylops; seat 2 to three of a kind, then four."""
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


# Card turns.


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
    Seat 1 is all-in with 5, the others bet on. As a wager its fee of 1 would raise the first
    layer to the 8 of each; so the layer is 7 of each, and 3 fees join the main pot.
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
    """Six cards are dealt, one flipped, one left; it is drawn, and then there is none."""
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
    """Of three cards due to each of two, the old pile gives one; the thrown hands are dealt on."""
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


# What is seen.


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


# Ties.


def tied(**overrides: object) -> Floor:
    """Return three seats of which the first two hold equal hands at showdown's eve."""
    hands = {1: ("C+05", "T-05"), 2: ("T+05", "S-05"), 3: ("C+08", "T+09")}
    return opened(table(**overrides), hands, ("S+10", *DRAWS))


DRAWS = ("C+03", "T+03", "S-02", "C+02")


def test_equal_hands_draw_blind_until_one_card_is_nearer_to_zero_or_positive() -> None:
    """+3 and +3 draw again; of −2 and +2 the positive one wins both pots."""
    floor = quiet(tied())
    draws = happened(floor, events.DrawOffDealt)
    assert [[part.card.card for part in draw.cards] for draw in draws] == [
        ["C+03", "T+03"],
        ["S-02", "C+02"],
    ]
    (award,) = awards(floor)
    assert [(share.seat, share.chips) for share in award.shares] == [(2, 6)]
    assert award.rule == "ties.blind_draw"
    assert floor.stacks() == {1: 97, 2: 106, 3: 97}


def test_a_blind_draw_ranks_the_same_seats_once_for_all_layers() -> None:
    hands = {1: ("C+05", "T-05"), 2: ("T+05", "S-05"), 3: ("C+08", "T+09")}
    floor = opened(table((100, 100, 13)), hands, ("S+10", "C+01", "C+02"))
    quiet(floor, "bet")
    floor.act(1, "raise_to", 30)
    floor.act(2, "call")
    floor.act(3, "call")
    quiet(floor)
    assert len(happened(floor, events.DrawOffDealt)) == 1
    assert [(a.pot, a.shares[0].seat) for a in awards(floor)] == [(1, 1), (2, 1)]


def test_by_option_tied_hands_share_both_pots_the_odd_chips_by_seat_order() -> None:
    floor = quiet(tied(tie={"kind": "split"}))
    assert not happened(floor, events.DrawOffDealt)
    assert [(s.seat, s.chips) for s in awards(floor)[0].shares] == [(1, 3), (2, 3)]
    sabacc = happened(floor, events.SabaccPotAwarded)
    assert [(award.seat, award.chips) for award in sabacc] == [(1, 2), (2, 1)]
    assert floor.stacks() == {1: 102, 2: 101, 3: 97}


def test_where_cards_are_lacking_the_cube_decides() -> None:
    """One card is left for two tied seats; the open one stays where it lies."""
    hands = {1: ("C+05", "T-05"), 2: ("T+05", "S-05")}
    floor = opened(table((100, 100)), hands, ("S+10", "C+03"), whole=False)
    quiet(floor)
    (cube,) = happened(floor, events.CubeRolled)
    assert (cube.seats, cube.rule) == ((1, 2), "ties.cube")
    (award,) = awards(floor)
    assert [share.seat for share in award.shares] == [cube.winner]
    assert award.rule == "ties.cube"
    assert not happened(floor, events.DrawOffDealt)


def test_a_whole_game_ends_with_one_seat_that_can_ante() -> None:
    """Nobody bets: the antes alone, paid hand by hand, put one after another out."""
    floor = table((9, 9, 9))
    least = floor.ruleset.least_stack(floor.table.floor())
    for _ in range(40):
        if sum(place.stack >= least for place in floor.table.places) < 2:
            break
        floor.open_hand()
        quiet(floor)
    assert len(floor.table.places) == 1
    assert floor.table.chips() == 27
