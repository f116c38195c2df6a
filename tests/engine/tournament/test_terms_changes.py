"""Changes of announced terms: the start, the places, late registration, the fees and the prizes."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from engine.rulesets import resolve
from engine.tournament import decider
from engine.tournament.model.commands import Cancel, RaiseLevels, Register, StartPlay, Withdraw
from engine.tournament.model.commands.entering import (
    AnswerOffer,
    ChangeTerms,
    CheckIn,
    CloseRegistration,
    Draft,
)
from engine.tournament.model.commands.money import ProposeDeal
from engine.tournament.model.errors import (
    RegistrationOver,
    TermsContradict,
    TermsInvalid,
    TournamentNotAnnounced,
    TournamentOver,
)
from engine.tournament.model.errors.entering import (
    FeesFixed,
    LateEntryFixed,
    PrizesFixed,
    StartFixed,
    TermsFixed,
)
from engine.tournament.model.errors.fairness import SeatsBeingDrawn
from engine.tournament.model.events import EntrantRegistered, EntrantWithdrawn
from engine.tournament.model.events.entering import (
    LateRegistrationClosed,
    PlaceOffered,
    TermsChanged,
)
from engine.tournament.model.state import Registering, Running
from engine.tournament.model.terms import EntryTerms, FeeTerms, FloorTerms, Rounds
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.changeable import changeable
from engine.tournament.money.pool import amounts_of
from tests.engine.scenario import Scenario
from tests.engine.tournament.books import charging
from tests.engine.tournament.floor import (
    NOON,
    announce,
    entrant,
    opening,
    register,
    start,
    table,
    to_start,
)
from tests.engine.tournament.rulings import RULED
from tests.engine.tournament.test_levels import by_clock

BEFORE = NOON - timedelta(hours=2)
HOUR = timedelta(hours=1)
ONE_TABLE = resolve("better", {"escalation": {"kind": "double_per_orbit"}})


def registering(entrants: int = 0, **terms: Any) -> Scenario:
    """Return a tournament with open registration and *entrants*, two hours before its start."""
    early = (replace(register(number + 1), now=BEFORE) for number in range(entrants))
    return Scenario(decider).asked(announce(**terms), opening, *early)


def playing(entrants: int = 3, **terms: Any) -> Scenario:
    return Scenario(decider).asked(*to_start(entrants, **terms))


def changing(scenario: Scenario, now: datetime = BEFORE, **terms: Any) -> ChangeTerms:
    """Return the command that changes *terms*. Members of ``entry`` and ``fees`` are laid over."""
    known = changeable(scenario.state.terms)
    for name in ("entry", "fees"):
        if name in terms:
            terms[name] = replace(getattr(known, name), **terms[name])
    tables = (table(90),)
    return ChangeTerms(terms=replace(known, **terms), table_ids=tables, **{**RULED, "now": now})


def change(scenario: Scenario, now: datetime = BEFORE, **terms: Any) -> Scenario:
    return scenario.when(changing(scenario, now, **terms))


def types(events: tuple[Any, ...]) -> list[type]:
    return [type(each) for each in events]


def waiting(number: int, now: datetime = BEFORE) -> Register:
    return replace(register(number), now=now)


def test_the_event_holds_the_whole_terms_the_reason_and_the_author() -> None:
    scenario = registering(1)
    before = scenario.state.terms
    (event,) = change(scenario, name="Cloud City Late", starts_at=NOON + HOUR).events()
    assert (event.by, event.reason, event.rule) == (RULED["by"], RULED["reason"], "terms.changed")
    held = {name: getattr(event, name) for name in Terms.__struct_fields__}
    assert held == {**asdict(before), "name": "Cloud City Late", "starts_at": NOON + HOUR}
    assert asdict(scenario.state.terms) == held
    change(scenario, name="Cloud City Late").then_nothing()


def test_no_change_of_a_draft_or_of_a_tournament_that_is_over() -> None:
    announced = registering()
    command = changing(announced, entrants_max=41)
    cancelled = Scenario(decider).asked(announce(), opening, Cancel(reason="flood", now=BEFORE))
    cancelled.when(command).then_rejected(TournamentOver, phase="cancelled")
    terms = {name: getattr(announced.state.terms, name) for name in Terms.__struct_fields__}
    draft = Scenario(decider).asked(Draft(terms=Terms(**terms), now=BEFORE))
    draft.when(command).then_rejected(TournamentNotAnnounced)


def test_terms_that_could_not_be_announced_are_no_change() -> None:
    scenario = registering()
    change(scenario, entrants_min=50).then_rejected(TermsInvalid, field="entrants_max")


def test_the_start_moves_until_play_begins_and_the_hours_move_with_it() -> None:
    plan = Rounds(rounds=2, starts_at=(NOON + 2 * HOUR,))
    floor = FloorTerms(last_hands_at=NOON + 5 * HOUR)
    scenario = registering(2, floor=floor, format=plan)
    (event,) = change(scenario, starts_at=NOON + HOUR).events()
    assert event.floor.last_hands_at == NOON + 6 * HOUR
    assert event.format.starts_at == (NOON + 3 * HOUR,)
    scheduled = StartPlay(table_ids=(table(1),), scheduled=True, now=NOON)
    scenario.when(scheduled).then_nothing()
    change(scenario, starts_at=BEFORE).then_rejected(TermsInvalid, field="starts_at")
    scenario.asked(replace(scheduled, now=NOON + HOUR))
    change(scenario, NOON + HOUR, starts_at=NOON + 2 * HOUR).then_rejected(StartFixed)


def test_a_start_that_is_moved_before_registration_opens_moves_its_opening_too() -> None:
    opens_at = NOON - HOUR
    scenario = Scenario(decider).asked(announce(registration_opens_at=opens_at))
    scenario.asked(
        changing(scenario, starts_at=NOON + 24 * HOUR, registration_opens_at=NOON + HOUR)
    )
    scheduled = StartPlay(table_ids=(table(1),), scheduled=True, now=NOON)
    scenario.when(scheduled).then_nothing()
    for late in (None, BEFORE):
        change(scenario, registration_opens_at=late).then_rejected(
            TermsInvalid, field="registration_opens_at"
        )
    scenario.asked(opening)
    change(scenario, registration_opens_at=NOON + 2 * HOUR).then_rejected(
        TermsFixed, field="registration_opens_at"
    )


def test_everybody_checks_in_again_if_check_in_opens_later() -> None:
    scenario = registering(2, entry=EntryTerms(check_in_opens_before_seconds=3600))
    scenario.asked(CheckIn(entrant=entrant(1), now=NOON - HOUR / 2))
    soon = NOON - HOUR / 4
    (event,) = change(scenario, soon, starts_at=NOON + HOUR / 2).events()
    assert not event.check_in_again
    assert scenario.state.entering.checked_in == {entrant(1)}
    (event,) = change(scenario, soon, starts_at=NOON + 24 * HOUR).events()
    assert event.check_in_again
    assert scenario.state.entering.checked_in == frozenset()
    assert not scenario.state.entering.check_in_opened


def test_more_places_are_offered_to_the_waitlist() -> None:
    scenario = registering(2, entrants_max=2, entry=EntryTerms(waitlist=True))
    scenario.asked(waiting(3), waiting(4), waiting(5))
    events = change(scenario, entrants_max=4).events()
    assert types(events) == [TermsChanged, PlaceOffered, PlaceOffered]
    assert [each.entrant for each in events[1:]] == [entrant(3), entrant(4)]


def test_fewer_places_remove_nobody() -> None:
    scenario = registering(3, entrants_max=4, entry=EntryTerms(waitlist=True))
    scenario.asked(waiting(4), waiting(5), Withdraw(entrant=entrant(1), now=BEFORE))
    (event,) = change(scenario, entrants_max=2).events()
    assert event.entrants_max == 2
    assert len(scenario.state.entrants) == 3
    scenario.when(AnswerOffer(entrant=entrant(5), accepted=True, now=BEFORE))
    assert types(scenario.events()) == [EntrantRegistered]
    scenario.when(Withdraw(entrant=entrant(2), now=BEFORE))
    assert types(scenario.events()) == [EntrantWithdrawn]
    assert len(scenario.asked(start()).state.entrants) == 3


def test_more_places_in_play_go_to_the_waitlist_at_once() -> None:
    entry = EntryTerms(waitlist=True, late_registration_level=2)
    scenario = playing(4, entrants_max=4, entry=entry, **by_clock())
    scenario.asked(waiting(5, NOON))
    events = change(scenario, NOON, entrants_max=8).events()
    assert EntrantRegistered in types(events)
    assert len(scenario.state.entrants) == 5
    assert len(scenario.state.tables) == 2


def test_a_second_table_never_comes_with_forced_bets_of_its_own() -> None:
    scenario = registering(2, ruleset=ONE_TABLE, entrants_max=4)
    change(scenario, entrants_max=5).then_rejected(
        TermsContradict, field="entrants_max", other="ruleset.escalation"
    )
    change(scenario, entrants_max=3).events()


@pytest.mark.parametrize("fees", [{"buy_in": 500}, {"fee": 200}, {"cancellation": "roll_forward"}])
def test_the_fees_stay_after_the_first_entry(fees: dict[str, Any]) -> None:
    terms = {"fees": FeeTerms(buy_in=1_000), "currency": "EUR", "payouts": (1,)}
    empty = registering(**terms)
    change(empty, fees=fees).events()
    entered = registering(1, **terms).asked(Withdraw(entrant=entrant(1), now=BEFORE))
    name = next(iter(fees))
    change(entered, fees=fees).then_rejected(FeesFixed, field=f"fees.{name}")
    change(entered, currency="USD").then_rejected(FeesFixed, field="currency")
    asked = registering(entry=EntryTerms(approval=True), **terms).asked(waiting(1))
    change(asked, fees=fees).then_rejected(FeesFixed, field=f"fees.{name}")


def test_whoever_has_entered_may_leave_after_a_change() -> None:
    scenario = registering(3)
    scenario.asked(CloseRegistration(now=BEFORE), changing(scenario, starts_at=NOON + HOUR))
    scenario.when(Withdraw(entrant=entrant(2), now=BEFORE))
    assert types(scenario.events()) == [EntrantWithdrawn]


def priced(entrants: int = 3, **fees: Any) -> Scenario:
    """Return open registration at a price, with a guarantee."""
    terms = FeeTerms(buy_in=1_000, guaranteed=5_000, **fees)
    return registering(
        entrants, fees=terms, payouts=(60, 40), currency="EUR", prize_pool=1_000, entrants_min=2
    )


def test_prizes_change_freely_while_registration_is_open() -> None:
    scenario = priced()
    change(scenario, prize_pool=0, payouts=(1,), fees={"guaranteed": 0}).events()
    assert amounts_of(scenario.state) == (3_000,)


@pytest.mark.parametrize(
    "lower",
    [
        {"prize_pool": 999},
        {"fees": {"guaranteed": 4_999}},
        {"payouts": (50, 50)},
        {"payouts": (60, 40, 1), "prize_pool": 90_000},
        {"fees": {"unit": 100}},
        {"fees": {"paid_percent": 100}},
    ],
)
def test_prizes_never_lower_once_registration_has_closed(lower: dict[str, Any]) -> None:
    field = next(iter(lower))
    field = f"fees.{next(iter(lower['fees']))}" if field == "fees" else field
    closed = priced().asked(CloseRegistration(now=BEFORE))
    change(closed, **lower).then_rejected(PrizesFixed, field=field)
    due = priced()
    change(due, NOON, **lower).then_rejected(PrizesFixed, field=field)
    in_play = priced().asked(start())
    change(in_play, NOON, **lower).then_rejected(PrizesFixed, field=field)


def test_the_house_adds_money_at_any_time() -> None:
    scenario = priced().asked(start())
    assert amounts_of(scenario.state) == (3_000, 2_000)
    change(scenario, NOON, prize_pool=9_000, fees={"guaranteed": 6_000}).events()
    assert amounts_of(scenario.state) == (7_200, 4_800)


def test_a_place_that_rounding_would_lower_refuses_the_change() -> None:
    terms = FeeTerms(buy_in=0, unit=100)
    scenario = registering(2, fees=terms, payouts=(1, 1), currency="EUR", prize_pool=199)
    scenario.asked(start())
    assert amounts_of(scenario.state) == (199, 0)
    change(scenario, NOON, prize_pool=200).then_rejected(PrizesFixed, field="prize_pool")


def test_a_first_prize_comes_even_in_play() -> None:
    scenario = playing(3)
    change(scenario, NOON, prize_pool=900, payouts=(2, 1), currency="EUR").events()
    assert amounts_of(scenario.state) == (600, 300)


def test_no_prize_changes_while_a_deal_divides_them() -> None:
    scenario = charging(3).asked(ProposeDeal(by=entrant(1), method="equal", now=NOON))
    change(scenario, NOON, prize_pool=900).then_rejected(PrizesFixed, field="prize_pool")


def test_late_registration_lasts_longer_or_ends_sooner_while_it_is_open() -> None:
    scenario = playing(3, entry=EntryTerms(late_registration_seconds=3600))
    (event,) = change(scenario, NOON, entry={"late_registration_seconds": 7200}).events()
    assert event.late_registration_until == NOON + 2 * HOUR
    assert scenario.state.entering.late_until == NOON + 2 * HOUR
    late = replace(register(9), table_ids=(table(91),), now=NOON + HOUR + HOUR / 2)
    assert EntrantRegistered in types(scenario.when(late).events())
    (event,) = change(scenario, NOON + HOUR, entry={"late_registration_seconds": 5400}).events()
    too_late = replace(register(10), table_ids=(table(92),), now=NOON + 2 * HOUR)
    scenario.when(too_late).then_rejected(RegistrationOver, phase="running")


def test_late_registration_by_levels_goes_on_to_another_level() -> None:
    scenario = playing(3, entry=EntryTerms(late_registration_level=1), **by_clock())
    (event,) = change(scenario, NOON, entry={"late_registration_level": 2}).events()
    assert event.late_registration_until is None
    assert isinstance(scenario.state, Running)
    first = scenario.when(RaiseLevels(now=NOON + timedelta(seconds=600))).events()
    assert LateRegistrationClosed not in types(first)
    change(scenario, NOON, entry={"late_registration_level": 1}).then_rejected(
        LateEntryFixed, field="entry.late_registration_level"
    )
    second = scenario.when(RaiseLevels(now=NOON + timedelta(seconds=1200))).events()
    assert LateRegistrationClosed in types(second)
    change(scenario, NOON, entry={"late_registration_level": 3}).then_rejected(
        LateEntryFixed, field="entry.late_registration_level"
    )


def test_in_play_late_registration_neither_begins_nor_ends_in_another_way() -> None:
    never = playing(3, **by_clock())
    change(never, NOON, entry={"late_registration_level": 2}).then_rejected(
        LateEntryFixed, field="entry.late_registration_level"
    )
    timed = playing(3, entry=EntryTerms(late_registration_seconds=3600), **by_clock())
    for other in (
        {"late_registration_seconds": None},
        {"late_registration_seconds": None, "late_registration_level": 2},
    ):
        change(timed, NOON, entry=other).then_rejected(
            LateEntryFixed, field=f"entry.{sorted(other)[0]}"
        )
    change(timed, NOON + HOUR / 2, entry={"late_registration_seconds": 1800}).then_rejected(
        LateEntryFixed, field="entry.late_registration_seconds"
    )


def test_before_play_late_registration_changes_freely() -> None:
    scenario = registering(3, **by_clock())
    change(scenario, entry={"late_registration_level": 2, "re_entries_max": 1}).events()
    scenario.asked(start())
    assert scenario.state.entering.late


def test_in_play_other_terms_of_entry_stay() -> None:
    scenario = playing(3, entry=EntryTerms(late_registration_seconds=3600))
    change(scenario, NOON, entrants_min=3).then_rejected(TermsFixed, field="entrants_min")
    change(scenario, NOON, entry={"approval": True}).then_rejected(
        TermsFixed, field="entry.approval"
    )
    change(scenario, NOON, place="The cellar", length_seconds=7200, entrants_max=50).events()
    assert scenario.state.terms.place == "The cellar"


def test_no_terms_change_while_the_seats_wait_for_the_beacon() -> None:
    scenario = registering(3)
    assert isinstance(scenario.state, Registering)
    waits = replace(scenario.state, fairness=replace(scenario.state.fairness, awaited=7))
    with pytest.raises(SeatsBeingDrawn):
        decider.decide(waits, changing(scenario, entrants_max=41))
