"""Concerns of a tournament combined: rulings in hand-for-hand play, in rounds, and with deals."""

from datetime import timedelta
from typing import Any

import pytest

from engine.rulesets import preset
from engine.tournament import decider
from engine.tournament.model.commands import Cancel, CloseEarly
from engine.tournament.model.commands.floor import CallLastHands, Disqualify
from engine.tournament.model.commands.money import AcceptDeal, ProposeDeal
from engine.tournament.model.errors import TermsContradict, TermsInvalid
from engine.tournament.model.errors.money import DealNotOpen
from engine.tournament.model.events import EntrantBusted, EntrantEliminated
from engine.tournament.model.events.entering import LateRegistrationClosed, WaitlistTaken
from engine.tournament.model.events.floor import HandForHandStarted
from engine.tournament.model.events.money import PayoutDealVoided, RefundsAwarded
from engine.tournament.model.events.rounds import RoundSeated
from engine.tournament.model.state import Finished
from engine.tournament.model.terms import EntryTerms, FeeTerms, FloorTerms, Rounds, SingleTable
from engine.tournament.model.terms.fees import AddOnTerms, PayoutRow, Price
from engine.tournament.model.terms.floor import HandForHandTerms
from tests.engine.coordination.evening import passive
from tests.engine.coordination.simulation import Floor
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import NOON, announce, entrant, table
from tests.engine.tournament.rounds import Heats, bold
from tests.engine.tournament.rulings import RULED
from tests.engine.tournament.test_hand_for_hand import BUBBLE, begun, placings, step
from tests.engine.tournament.test_late_entry import late, playing
from tests.engine.tournament.test_payout_deals import accept, propose, three_left
from tests.engine.tournament.test_rounds import heats
from tests.engine.tournament.test_rulings import sitting


def lead_on(floor: Floor) -> None:
    """Take each table that is between hands a few steps towards its next hand."""
    for number in (2, 1) * 4:
        if floor.tables[table(number)].idle and not isinstance(floor.tournament, Finished):
            step(floor, number)


def test_who_is_disqualified_in_a_round_goes_out_below_whom_the_round_will_place() -> None:
    floor = begun(8)
    busted, ruled_out = sitting(floor, 1)[0], sitting(floor, 2)[0]
    floor.lose(table(1), busted)
    floor.decide(Disqualify(entrant=ruled_out, **RULED))
    assert placings(floor)[ruled_out].place == 8
    floor.lose(table(2))
    lead_on(floor)
    assert placings(floor)[busted].place == 7


def test_a_tournament_does_not_end_before_the_last_round_has_placed_everybody() -> None:
    floor = begun(6)
    first, second = sitting(floor, 1), sitting(floor, 2)
    floor.lose(table(1), *first[1:])
    floor.lose(table(2))
    for each in second:
        floor.decide(Disqualify(entrant=each, **RULED))
    assert not isinstance(floor.tournament, Finished)
    lead_on(floor)
    assert isinstance(floor.tournament, Finished)
    assert len(placings(floor)) == 6
    assert placings(floor)[first[0]].place == 1


def test_a_disqualification_brings_the_bubble_too() -> None:
    floor = Floor(6, seed=1, floor=BUBBLE, payouts=(3, 2, 1, 1), prize_pool=700, currency="EUR")
    floor.decide(Disqualify(entrant=sitting(floor, 1)[0], **RULED))
    (begun_now,) = (each for each in floor.events if isinstance(each, HandForHandStarted))
    assert (begun_now.cause, begun_now.left) == ("bubble", 5)


def test_a_deal_proposed_is_void_when_a_party_is_disqualified() -> None:
    given = three_left().asked(propose(), accept(2))
    events = given.when(Disqualify(entrant=entrant(3), **RULED)).events()
    (void,) = (each for each in events if isinstance(each, PayoutDealVoided))
    assert (void.entrant, void.cause) == (entrant(3), "disqualified")
    assert given.state.books.offer is None


@pytest.mark.parametrize(
    "ending",
    [CallLastHands(by=None, reason=None, now=NOON), CloseEarly(now=NOON)],
)
def test_e21_nobody_comes_late_once_the_last_hands_are_called(ending: Any) -> None:
    terms = EntryTerms(late_registration_seconds=3600, waitlist=True)
    scenario = playing(4, terms, entrants_max=4).asked(late(5))
    events = scenario.when(ending).events()
    assert any(isinstance(each, LateRegistrationClosed) for each in events)
    scenario.asked(ending)
    after = scenario.when(Disqualify(entrant=entrant(1), **RULED)).events()
    assert any(isinstance(each, EntrantEliminated) for each in after)
    assert not any(isinstance(each, WaitlistTaken) for each in after)


def test_between_two_rounds_somebody_can_be_disqualified() -> None:
    evening = heats(9)
    evening.play_round()
    out = evening.rounds.playing[4]
    evening.ask(Disqualify(entrant=out, **RULED))
    assert evening.of(EntrantEliminated)[-1].place == 9
    evening.play_rounds()
    seats = [seat.entrant for each in evening.of(RoundSeated)[1].tables for seat in each.seats]
    assert (out in seats, len(seats)) == (False, 8)
    assert len(evening.events[-1].placings) == 9
    assert decider.replay(evening.events) == evening.tournament


def test_who_has_lost_all_in_a_round_can_be_disqualified_before_the_next() -> None:
    evening = heats(9, starting_stack=20, hands_per_round=8)
    evening.play_as = bold
    for _ in range(8):
        for seating in evening.tournament.tables:
            if evening.rounds.busted:
                break
            evening.next_hand(seating.table)
            evening.play_hand(seating.table)
    out = evening.rounds.busted[0].entrant
    evening.ask(Disqualify(entrant=out, **RULED))
    assert out not in evening.rounds.playing


@pytest.mark.parametrize(
    ("field", "terms"),
    [
        ("floor.last_hands_at", {"floor": FloorTerms(last_hands_at=NOON)}),
        (
            "fees.add_on",
            {
                "ruleset": preset("official"),
                "starting_stack": 0,
                "currency": "EUR",
                "payouts": (1,),
                "fees": FeeTerms(add_on=AddOnTerms(price=5, chips=10)),
            },
        ),
    ],
)
def test_terms_that_are_not_sound_are_refused(field: str, terms: Any) -> None:
    Scenario(decider).when(announce(**terms)).then_rejected(TermsInvalid, field=field)


LATER = NOON + timedelta(hours=2)
ONE = {"format": SingleTable(), "entrants_max": 4}
CASINO = {"ruleset": preset("casino"), "entrants_max": 4}
ROUNDS = {"format": Rounds(rounds=3)}
MONEY = {"currency": "EUR", "payouts": (1,)}


@pytest.mark.parametrize(
    ("field", "other", "terms"),
    [
        ("floor.redraw_at", "entrants_max", {"floor": FloorTerms(redraw_at=(11,))}),
        ("entrants_max", "table_seats", {"format": SingleTable()}),
        ("floor.redraw_at", "format", ONE | {"floor": FloorTerms(redraw_at=(1,))}),
        ("floor.final_table_size", "format", ONE | {"floor": FloorTerms(final_table_size=4)}),
        ("floor.redraw_at", "ruleset.end", CASINO | {"floor": FloorTerms(redraw_at=(1,))}),
        (
            "floor.hand_for_hand",
            "ruleset.end",
            CASINO | {"floor": FloorTerms(hand_for_hand=HandForHandTerms(at_left=3))},
        ),
        ("fees.rebuy", "format", ROUNDS | MONEY | {"fees": FeeTerms(rebuy=Price(price=5))}),
        ("floor.redraw_at", "format.cut", ROUNDS | {"floor": FloorTerms(redraw_at=(2,))}),
        (
            "format.starts_at",
            "floor.last_hands_at",
            {
                "format": Rounds(rounds=3, starts_at=(LATER,)),
                "floor": FloorTerms(last_hands_at=LATER),
            },
        ),
        (
            "entry.late_registration_seconds",
            "floor.last_hands_at",
            {
                "entry": EntryTerms(late_registration_seconds=7201),
                "floor": FloorTerms(last_hands_at=LATER),
            },
        ),
        (
            "fees.table",
            "fees.amounts",
            MONEY
            | {"fees": FeeTerms(amounts=(5,), table=(PayoutRow(entrants_from=2, shares=(1,)),))},
        ),
        (
            "fees.paid_percent",
            "fees.amounts",
            MONEY | {"fees": FeeTerms(amounts=(5,), paid_percent=9)},
        ),
        ("fees.rebuy", "overrides.rebuy.max", MONEY | {"fees": FeeTerms(rebuy=Price(price=5))}),
        (
            "fees.bounty",
            "ruleset.score",
            MONEY
            | {"ruleset": preset("official"), "starting_stack": 0, "fees": FeeTerms(bounty=5)},
        ),
    ],
)
def test_terms_that_contradict_each_other_are_refused_and_both_are_named(
    field: str, other: str, terms: Any
) -> None:
    Scenario(decider).when(announce(**terms)).then_rejected(
        TermsContradict, field=field, other=other
    )


@pytest.mark.parametrize("stacks", ["fresh", "carried"])
def test_between_two_rounds_a_tournament_is_cancelled_by_the_chips_of_all(stacks: str) -> None:
    fees = FeeTerms(buy_in=100, cancellation="roll_forward")
    plan = Rounds(rounds=2, hands_per_round=2, stacks=stacks)  # type: ignore[arg-type]
    evening = Heats(9, preset("better"), plan, fees=fees, currency="EUR", payouts=(1,))
    evening.play_round()
    then = evening.rounds
    left = then.playing
    evening.ask(Cancel(reason="storm", stacks=(), now=NOON))
    (awarded,) = evening.of(RefundsAwarded)
    assert sum(each.amount for each in awarded.refunds) == 900
    told = {each.entrant: each.stack for each in awarded.stacks}
    expected = {each: then.stack_of(each) for each in left}
    assert told == (expected if stacks == "carried" else dict.fromkeys(left, 450))


@pytest.mark.parametrize("stacks", ["fresh", "carried"])
def test_a_bust_within_a_round_voids_the_deal_that_is_proposed(stacks: str) -> None:
    plan = Rounds(rounds=2, hands_per_round=20, stacks=stacks)  # type: ignore[arg-type]
    terms = {"fees": FeeTerms(buy_in=100), "currency": "EUR", "payouts": (1,)}
    evening = Heats(9, preset("better"), plan, starting_stack=20, **terms)
    evening.ask(ProposeDeal(by=entrant(1), method="equal", now=NOON))
    evening.play_as = bold
    evening.play_round()
    (voided,) = evening.of(PayoutDealVoided)
    first = evening.events.index(voided) - 1
    while isinstance(evening.events[first - 1], EntrantBusted):
        first -= 1  # if several bust in one hand, the first is named
    busted = evening.events[first]
    assert isinstance(busted, EntrantBusted)
    assert (voided.entrant, voided.cause) == (busted.entrant, "bust")
    with pytest.raises(DealNotOpen):
        evening.ask(AcceptDeal(entrant=entrant(1), offer=1, now=NOON))


@pytest.mark.parametrize("stacks", ["fresh", "carried"])
def test_who_goes_out_with_the_cut_voids_the_deal_that_is_proposed(stacks: str) -> None:
    plan = Rounds(rounds=1, hands_per_round=2, cut=4, stacks=stacks)  # type: ignore[arg-type]
    terms = {"fees": FeeTerms(buy_in=100), "currency": "EUR", "payouts": (1,)}
    evening = Heats(9, preset("better"), plan, **terms)
    evening.ask(ProposeDeal(by=None, method="equal", now=NOON))
    evening.play_round()
    (voided,) = evening.of(PayoutDealVoided)
    first = evening.events[evening.events.index(voided) + 1]
    assert isinstance(first, EntrantEliminated)
    assert (voided.entrant, voided.cause) == (first.entrant, "eliminated")
    evening.ask(ProposeDeal(by=None, method="equal", now=NOON))


def test_who_lost_all_before_a_deal_was_proposed_voids_it_when_the_round_is_over() -> None:
    plan = Rounds(rounds=2, hands_per_round=20, stacks="carried")
    terms = {"fees": FeeTerms(buy_in=100), "currency": "EUR", "payouts": (1,)}
    evening = Heats(9, preset("better"), plan, starting_stack=20, **terms)
    evening.play_as = bold
    while not evening.rounds.busted:
        for seating in evening.tournament.tables:
            evening.next_hand(seating.table)
            evening.play_hand(seating.table)
    evening.play_as = passive
    evening.ask(ProposeDeal(by=None, method="equal", now=NOON))
    evening.play_round()
    assert evening.of(PayoutDealVoided)[-1].cause == "eliminated"
