"""Voided deals, and the hands that are dealt again."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from engine.kit.cards import deck
from engine.kit.rng import card_leaves, merkle_root
from engine.rulesets import resolve
from engine.table.decider import decider
from engine.table.model import commands, errors, events
from engine.table.model.commands import Penalty
from tests.engine.table.tables import Floor, dice_seed, entrant, keep_all, seeds

KEPT = (
    "hand", "number", "stage", "round", "button", "starter", "small_blind", "big_blind",
    "first_dealer", "orbits", "level", "base", "dealers_left", "carry", "sabacc_pot", "last",
)  # fmt: skip
"""The members that a hand dealt again shares with the voided deal."""


def dealt(name: str = "better_simple", stacks: tuple[int, ...] = (100, 100, 100)) -> Floor:
    floor = Floor(name, stacks)
    floor.open_hand()
    return floor


def folded(floor: Floor) -> None:
    """Play the hand to its end. Everybody folds."""
    while (decision := floor.table.decision) is not None:
        if decision.phase == "select":
            floor.everyone_selects(keep_all)
        else:
            floor.act(decision.seats[0], "fold")


def void(floor: Floor, cause: commands.VoidCause = "mis_deal") -> events.DealVoided:
    asked = commands.VoidDeal(cause=cause, reason="a_card_shown", now=floor.now)
    (voided,) = floor.do(asked)
    assert isinstance(voided, events.DealVoided)
    return voided


def test_a_void_that_names_its_deal_never_voids_another() -> None:
    floor = dealt()
    shown = floor.table.hand
    assert shown is not None
    named = commands.VoidDeal(
        hand=shown.hand, deal=1, cause="fouled_deck", reason="two_alike", now=floor.now
    )
    floor.do(named)
    with pytest.raises(errors.NoDealInPlay):
        floor.do(named)
    floor.open_hand()
    with pytest.raises(errors.AnotherDealInPlay) as refused:
        floor.do(named)
    assert refused.value.facts == {"hand": 1, "deal": 2}
    folded(floor)
    floor.open_hand()
    with pytest.raises(errors.AnotherDealInPlay):
        floor.do(named)
    with pytest.raises(errors.AnotherDealInPlay):
        floor.do(replace(named, deal=None))
    floor.do(replace(named, hand=None))  # the first deal, of whichever hand


def opened(happened: tuple[events.Event, ...]) -> events.HandOpened:
    assert isinstance(happened[0], events.HandOpened)
    return happened[0]


def test_b11_a_mis_dealt_hand_is_replayed_with_the_same_button_limits_and_players() -> None:
    floor = Floor("better_simple", (100, 100, 100, 100))
    floor.open_hand()
    folded(floor)
    before = opened(floor.open_hand())
    floor.everyone_selects(keep_all)
    void(floor)
    assert (floor.table.idle, floor.table.next_hand_number, floor.table.next_deal) == (True, 2, 2)
    anew = opened(floor.open_hand())
    assert [getattr(anew, name) for name in KEPT] == [getattr(before, name) for name in KEPT]
    assert anew.seats == before.seats
    assert (before.deal, anew.deal) == (1, 2)
    assert anew.deck_root != before.deck_root
    assert anew.commitments != before.commitments


@pytest.mark.parametrize(
    ("actions", "allowed"),
    [
        ((), True),
        (("fold",), True),
        (("call",), True),
        (("fold", "fold"), True),
        (("fold", "call"), False),
        (("call", "call"), False),
        (("fold", "fold", "fold"), False),
    ],
    ids=lambda what: "-".join(what) or "none" if isinstance(what, tuple) else str(what),
)
def test_b11_two_actions_with_chips_or_any_three_are_substantial(
    actions: tuple[str, ...], allowed: bool
) -> None:
    """The blinds and the simultaneous selections are not substantial action."""
    floor = dealt("better_simple", (100,) * 6)
    floor.everyone_selects(keep_all)
    for verb in actions:
        assert floor.table.decision is not None
        floor.act(floor.table.decision.seats[0], verb)
    if allowed:
        assert void(floor).rule == "voiding.mis_deal"
    else:
        with pytest.raises(errors.SubstantialAction):
            void(floor)


def test_b11_checks_of_chipless_cards_count_as_actions_too() -> None:
    floor = dealt("traditional", (100,) * 4)
    for _ in range(3):
        assert floor.table.decision is not None
        seat = floor.table.decision.seats[0]
        if floor.table.decision.phase == "card":
            floor.turn(seat, "stand")
        else:
            floor.act(seat, "check")
    with pytest.raises(errors.SubstantialAction):
        void(floor)


def test_b12_a_fouled_deck_gives_every_chip_back_even_after_substantial_action() -> None:
    floor = dealt("better_simple", (100, 100, 100))
    floor.everyone_selects(keep_all)
    assert floor.table.decision is not None
    floor.act(floor.table.decision.seats[0], "raise_to", 30)
    floor.act(floor.table.decision.seats[0], "raise_to", 100)
    before = {place.seat: place.stack for place in floor.table.places}
    voided = void(floor, "fouled_deck")
    assert floor.stacks() == {1: 100, 2: 100, 3: 100}
    returned = {share.seat: share.chips for share in voided.returned}
    assert {seat: before[seat] + returned.get(seat, 0) for seat in before} == floor.stacks()
    assert sum(returned.values()) > 30
    assert voided.rule == "voiding.fouled_deck"


def test_b12_once_the_hand_has_ended_nothing_is_taken_back() -> None:
    floor = dealt()
    folded(floor)
    with pytest.raises(errors.NoDealInPlay):
        void(floor, "fouled_deck")


def test_b12_both_antes_and_every_fee_go_back_and_the_sabacc_pot_is_as_before() -> None:
    ruleset = resolve("spike", {"swap_gain_cost": {"gain": 1, "swap": 1, "discard": 2, "junk": 0}})
    floor = Floor(ruleset, (100, 100, 100))
    floor.open_hand()
    assert floor.table.decision is not None
    floor.turn(floor.table.decision.seats[0], "gain")
    assert floor.table.sabacc_pot == 3
    voided = void(floor)
    assert sorted(share.chips for share in voided.returned) == [3, 3, 4]
    assert floor.table.sabacc_pot == voided.sabacc_pot == 0
    assert set(floor.stacks().values()) == {100}


def test_b12_a_carried_chip_is_there_again_for_the_hand_dealt_anew() -> None:
    floor = Floor("better_simple", (100, 100, 100))
    arrivals = commands.SeatArrivals(arrivals=(), carry=1, now=floor.now)
    floor.do(arrivals)
    floor.open_hand()
    assert void(floor).carry == floor.table.carry == 1
    assert opened(floor.open_hand()).carry == 1


def test_b13_a_replayed_deal_is_one_hand_of_a_penalty() -> None:
    floor = Floor("better_simple", (100, 100, 100))
    floor.open_hand(penalties=(Penalty(seat=2, hands=3),))
    void(floor)
    assert floor.table.at(2).penalty == 3
    anew = opened(floor.open_hand())
    assert [books.penalty for books in anew.seats] == [0, 3, 0]
    assert floor.table.at(2).penalty == 2
    folded(floor)
    assert [books.penalty for books in opened(floor.open_hand()).seats] == [0, 2, 0]


def replaced_pile(floor: Floor) -> None:
    """Play until the discards have become a new pile, with a decision open."""
    floor.open_hand()
    floor.everyone_selects(lambda view: keep_all(view)[:1])
    while floor.table.decision is not None and floor.table.decision.phase == "bet":
        view = floor.view(floor.table.decision.seats[0])
        floor.act(floor.table.decision.seats[0], view.legal[1].verb)
    assert floor.table.hand is not None and floor.table.hand.pile == 2


def shifted(floor: Floor) -> None:
    """Play until a shift has put the hands into a new pile."""
    floor.open_hand(seeds=replace(seeds(1), dice=dice_seed([True])))
    while floor.table.hand is not None and floor.table.hand.pile == 1:
        assert floor.table.decision is not None
        seat = floor.table.decision.seats[0]
        if floor.table.decision.phase == "card":
            floor.turn(seat, "stand")
        else:
            floor.act(seat, floor.view(seat).legal[1].verb)
    assert floor.table.hand is not None


@pytest.mark.parametrize(
    ("name", "seats", "until"),
    [("better_simple", 10, replaced_pile), ("traditional", 3, shifted)],
)
def test_a_voided_deal_opens_every_card_of_every_pile_as_it_was_committed(
    name: str, seats: int, until: Callable[[Floor], None]
) -> None:
    floor = Floor(name, (1000,) * seats)
    until(floor)
    roots = [each.deck_root for each in floor.events if isinstance(each, events.HandOpened)]
    roots += [each.root for each in floor.events if isinstance(each, events.PileCommitted)]
    voided = void(floor, "fouled_deck")
    assert len(roots) > 1
    for number, root in enumerate(roots, start=1):
        pile = [card for card in voided.cards if card.pile == number]
        assert [card.position for card in pile] == list(range(len(pile)))
        salts = [bytes.fromhex(card.salt) for card in pile]
        leaves = card_leaves(number, [card.card for card in pile], salts)
        assert merkle_root(leaves).hex() == root
    whole = [card.card for card in voided.cards if card.pile == 1]
    assert sorted(whole) == sorted(deck(floor.ruleset.deck))


def test_between_a_voided_deal_and_the_next_nobody_comes_or_goes() -> None:
    floor = dealt()
    void(floor)
    for asked in (
        commands.VacateSeats(departures=(entrant(1),), now=floor.now),
        commands.SeatArrivals(arrivals=(), now=floor.now),
        commands.RecordWait(reason="paused", tournament_version=1),
    ):
        with pytest.raises(errors.HandInPlay):
            floor.do(asked)


def test_who_stepped_away_after_the_void_is_away_in_the_hand_dealt_anew() -> None:
    floor = dealt()
    void(floor)
    floor.do(commands.StepAway(entrant=entrant(2)))
    assert [books.away for books in opened(floor.open_hand()).seats] == [False, True, False]


def test_a_deal_may_be_voided_again_and_a_cancelled_table_closes_without_a_replay() -> None:
    floor = dealt()
    void(floor)
    floor.open_hand()
    assert void(floor).deal == 2
    floor.do(commands.CloseTable(reason="cancelled", now=floor.now))
    assert floor.table.closed
    assert decider.replay(floor.events) == floor.state


def test_a_forged_void_that_keeps_chips_does_not_fold() -> None:
    floor = dealt()
    before = floor.state
    voided = void(floor)
    short = replace(voided, returned=voided.returned[1:])
    with pytest.raises(Exception, match="not everything went back"):
        decider.evolve(before, short)
