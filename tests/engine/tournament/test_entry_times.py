"""Late registration and offers of places stand still while nobody can act."""

from datetime import timedelta

from msgspec.structs import replace

from engine.tournament.model.commands.entering import (
    ChangeTerms,
    CloseLateRegistration,
    ExpireOffer,
    ExtendEntryTimes,
)
from engine.tournament.model.events import EntrantRegistered, EntrantWithdrawn
from engine.tournament.model.events.entering import LateRegistrationExtended, OfferExtended
from engine.tournament.model.terms import EntryTerms
from engine.tournament.model.terms.changeable import changeable
from engine.tournament.model.values import Outage
from tests.engine.tournament.floor import NOON, entrant, player
from tests.engine.tournament.rulings import RULED
from tests.engine.tournament.test_entering import (
    BEFORE,
    answer,
    early,
    offered,
    registering,
    withdraw,
)
from tests.engine.tournament.test_late_entry import CLOCK, late, playing


def away_from_play(since: float, until: float, now: float) -> ExtendEntryTimes:
    """Return an outage in minutes after the start."""
    begin, end = (NOON + timedelta(minutes=each) for each in (since, until))
    return ExtendEntryTimes(
        outages=(Outage(since=begin, until=end),), now=NOON + timedelta(minutes=now)
    )


def test_late_registration_that_ends_by_time_is_longer_by_an_outage() -> None:
    scenario = playing(3)
    before = away_from_play(-30, 0, 0)
    scenario.when(before).then_nothing()
    scenario.when(away_from_play(60.5, 80, 80)).then_nothing()
    now, until = NOON + timedelta(minutes=80), NOON + timedelta(minutes=90)
    scenario.when(away_from_play(50, 80, 80)).then(
        LateRegistrationExtended(at=now, until=until, rule="levels.outage")
    )
    scenario.when(away_from_play(50, 80, 85)).then_nothing()
    scenario.asked(late(4, at=until))
    scenario.when(CloseLateRegistration(scheduled=True, now=until)).then_nothing()
    terms = changeable(scenario.state.terms)
    longer = replace(terms, entry=EntryTerms(late_registration_seconds=3900))
    changed = ChangeTerms(terms=longer, **{**RULED, "now": now})
    (event,) = scenario.when(changed).events()
    assert event.late_registration_until == until + timedelta(minutes=5)
    end = NOON + timedelta(minutes=100)
    scenario.when(away_from_play(88, 93, 94)).then(
        LateRegistrationExtended(at=NOON + timedelta(minutes=94), until=end, rule="levels.outage")
    )
    scenario.asked(CloseLateRegistration(scheduled=True, now=end + timedelta(seconds=1)))
    scenario.when(away_from_play(90, 120, 120)).then_nothing()


def test_no_outage_moves_late_registration_that_ends_with_a_level() -> None:
    scenario = playing(3, EntryTerms(late_registration_level=2), ruleset=CLOCK)
    scenario.when(away_from_play(1, 5, 6)).then_nothing()


def away_before(since: float, until: float, now: float) -> ExtendEntryTimes:
    """Return an outage in seconds after `BEFORE`."""
    begin, end = (BEFORE + timedelta(seconds=each) for each in (since, until))
    return ExtendEntryTimes(
        outages=(Outage(since=begin, until=end),), now=BEFORE + timedelta(seconds=now)
    )


def extended(number: int, at: float, until: float) -> OfferExtended:
    return OfferExtended(
        entrant=entrant(number),
        at=BEFORE + timedelta(seconds=at),
        until=BEFORE + timedelta(seconds=until),
        rule="levels.outage",
    )


def test_an_offer_is_longer_by_an_outage_but_never_outlasts_registration() -> None:
    scenario = registering(2, most=2, waitlist=True, offer_seconds=60).asked(early(3))
    scenario.when(away_before(-100, 0, 0)).then_nothing()
    scenario.asked(withdraw(1))
    scenario.when(away_before(-100, 0, 10)).then_nothing()
    scenario.when(away_before(30, 90, 95)).then(extended(3, 95, 120))
    scenario.when(away_before(30, 90, 95)).then_nothing()
    at_the_end = BEFORE + timedelta(seconds=120)
    scenario.when(ExpireOffer(entrant=entrant(3), now=at_the_end)).then_nothing()
    closes = (NOON - BEFORE).total_seconds()
    scenario.when(away_before(110, closes + 600, closes + 600)).then(
        extended(3, closes + 600, closes)
    )
    scenario.when(answer(3, True, NOON)).then(
        EntrantRegistered(entrant=entrant(3), player=player(3), bot=False, number=3, by=None)
    )


def test_an_offer_that_ends_as_registration_closes_stays_so() -> None:
    scenario = registering(2, most=2, waitlist=True, offer_seconds=86_400).asked(early(3))
    scenario.when(withdraw(1)).then(EntrantWithdrawn(entrant=entrant(1), by=None), offered(3, NOON))
    scenario.when(away_before(10, 600, 700)).then_nothing()
