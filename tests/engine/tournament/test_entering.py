"""Entry before play begins: drafts, approval, the waitlist and check-in."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from msgspec.structs import asdict, replace

from engine.rulesets import resolve, ruleset_hash
from engine.tournament import decider
from engine.tournament.model.commands import Announce, StartPlay, Withdraw
from engine.tournament.model.commands.entering import (
    AnnounceDraft,
    AnswerOffer,
    Approve,
    CheckIn,
    CloseRegistration,
    Draft,
    ExpireOffer,
    OpenCheckIn,
    PostNotice,
    Refuse,
)
from engine.tournament.model.errors import (
    AlreadyEntered,
    EntrantUnknown,
    RegistrationOver,
    TermsInvalid,
    TooFewEntrants,
    TournamentFull,
    TournamentNotAnnounced,
)
from engine.tournament.model.errors.entering import (
    ApplicantUnknown,
    CheckInNotOpen,
    EntryRefused,
    NoOffer,
    NotADraft,
    OfferExpired,
)
from engine.tournament.model.events import (
    EntrantRegistered,
    EntrantWithdrawn,
    PlayStarted,
    RegistrationClosed,
    SeatsDrawn,
    TournamentAnnounced,
    TournamentCancelled,
)
from engine.tournament.model.events.entering import (
    AnnouncementPosted,
    CheckInOpened,
    EntrantCheckedIn,
    EntrantWaitlisted,
    EntryApproved,
    EntryRequested,
    EntryRequestWithdrawn,
    NoShowReleased,
    NoShowSeated,
    OfferWithdrawn,
    PlaceOffered,
    StartPostponed,
    TermsRevised,
    TournamentDrafted,
    WaitlistLeft,
    WaitlistTaken,
)
from engine.tournament.model.events.entering import EntryRefused as EntryWasRefused
from engine.tournament.model.state import Cancelled, Registering, Running
from engine.tournament.model.terms import EntryTerms, FloorTerms, Rounds
from engine.tournament.model.terms.announced import Terms
from engine.values import TextId, TextRef
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import (
    NOON,
    announce,
    entrant,
    opening,
    player,
    register,
    start,
    table,
)

BEFORE = NOON - timedelta(hours=2)
REASON = TextRef(text=TextId("txt_" + "0" * 32), digest="ab" * 32)


def registering(entrants: int = 0, *, most: int = 40, **entry: Any) -> Scenario:
    """
    Return a tournament with open registration and *entrants* in it, two hours before its start.
    """
    terms = announce(entrants_max=most, entry=EntryTerms(**entry))
    return Scenario(decider).asked(terms, opening, *(early(n + 1) for n in range(entrants)))


def early(number: int, at: Any = BEFORE) -> Any:
    return msgspec.structs.replace(register(number), now=at)


def waitlisted(number: int, line: int) -> EntrantWaitlisted:
    return EntrantWaitlisted(
        entrant=entrant(number),
        player=player(number),
        bot=False,
        number=line,
        by=None,
        rule="waitlist",
    )


def offered(number: int, until: Any, *others: int) -> PlaceOffered:
    candidates = tuple(entrant(each) for each in (number, *others))
    return PlaceOffered(
        entrant=entrant(number), until=until, candidates=candidates, rule="waitlist.offer"
    )


def withdraw(number: int, at: Any = BEFORE) -> Withdraw:
    return Withdraw(entrant=entrant(number), now=at)


def answer(number: int, accepted: bool, at: Any = BEFORE) -> AnswerOffer:
    return AnswerOffer(entrant=entrant(number), accepted=accepted, now=at)


def whole(**terms: Any) -> Terms:
    asked = announce(**terms)
    return Terms(**{name: getattr(asked, name) for name in Terms.__struct_fields__})


def test_a_draft_is_revised_and_then_announced_as_it_stands() -> None:
    scenario = Scenario(decider).when(Draft(terms=whole(), now=BEFORE))
    (drafted,) = scenario.events()
    assert isinstance(drafted, TournamentDrafted)
    scenario.when(Draft(terms=whole(), now=BEFORE)).then_nothing()
    (revised,) = scenario.when(Draft(terms=whole(entrants_max=9), now=BEFORE)).events()
    assert isinstance(revised, TermsRevised)
    scenario.when(opening).then_rejected(TournamentNotAnnounced)
    scenario.when(register(1)).then_rejected(TournamentNotAnnounced)
    (announced,) = scenario.when(AnnounceDraft(now=BEFORE)).events()
    assert isinstance(announced, TournamentAnnounced)
    assert announced.entrants_max == 9
    scenario.when(Draft(terms=whole(), now=BEFORE)).then_rejected(NotADraft, phase="announced")
    scenario.when(AnnounceDraft(now=BEFORE)).then_nothing()


def test_a_draft_is_announced_with_the_revision_it_was_written_under() -> None:
    older = msgspec.structs.replace(whole().ruleset, revision=1)
    scenario = Scenario(decider).asked(Draft(terms=whole(ruleset=older), now=BEFORE))
    (announced,) = scenario.when(AnnounceDraft(now=BEFORE)).events()
    assert isinstance(announced, TournamentAnnounced)
    assert announced.ruleset == older


def test_a_draft_of_before_a_parameter_is_announced_with_the_hash_of_its_ruleset() -> None:
    """The announced ruleset holds every parameter, so the old hash would be of another text."""
    terms = whole()
    old = replace(terms, ruleset_hash="0" * 64)
    given = decider.replay([TournamentDrafted(**asdict(old))])
    announced, *_ = decider.decide(given, AnnounceDraft(now=BEFORE))
    assert isinstance(announced, TournamentAnnounced)
    assert announced.ruleset_hash == ruleset_hash(terms.ruleset) != old.ruleset_hash


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("place", " "),
        ("place", "x" * 201),
        ("length_seconds", 59),
        ("length_seconds", 31 * 86_400 + 1),
    ],
)
def test_what_is_said_about_the_evening_is_bounded(field: str, value: object) -> None:
    with pytest.raises(TermsInvalid) as refused:
        decider.decide(decider.initial, announce(**{field: value}))
    assert refused.value.facts["field"] == field


def test_a_draft_whose_start_has_passed_is_not_announced() -> None:
    scenario = Scenario(decider).asked(Draft(terms=whole(), now=BEFORE))
    scenario.when(AnnounceDraft(now=NOON)).then_rejected(TermsInvalid, field="starts_at")


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ({"offer_seconds": 0}, "entry.offer_seconds"),
        ({"late_registration_level": 1}, "entry.late_registration_level"),
        ({"re_entries_max": 1}, "entry.re_entries_max"),
        ({"no_show": "seat_absent"}, "entry.no_show"),
        ({"postpone_seconds": 5}, "entry.postpone_seconds"),
        ({"check_in_opens_before_seconds": 0}, "entry.check_in_opens_before_seconds"),
    ],
)
def test_terms_of_entry_that_contradict_themselves_are_refused(
    entry: dict[str, Any], field: str
) -> None:
    with pytest.raises(TermsInvalid) as refusal:
        decider.decide(decider.initial, announce(entry=EntryTerms(**entry)))
    assert refusal.value.facts["field"] == field


def test_in_a_casino_nobody_waits_and_nobody_is_late() -> None:
    rules = resolve("casino", {"first_dealer": "host_choice"})
    for entry in (EntryTerms(waitlist=True), EntryTerms(late_registration_seconds=60)):
        command: Announce = announce(ruleset=rules, entry=entry, starting_stack=100)
        with pytest.raises(TermsInvalid):
            decider.decide(decider.initial, command)


def test_who_finds_no_place_waits_in_line_where_there_is_one() -> None:
    registering(2, most=2).when(early(3)).then_rejected(TournamentFull, entrants_max=2)
    scenario = registering(2, most=2, waitlist=True)
    scenario.when(early(3)).then(waitlisted(3, 1))
    scenario.when(early(3)).then_nothing()
    scenario.when(early(4)).then(waitlisted(4, 2))
    again = msgspec.structs.replace(early(4), entrant=entrant(9))
    scenario.when(again).then_rejected(AlreadyEntered)


def test_a_place_that_falls_free_is_offered_to_the_first_in_line() -> None:
    scenario = registering(2, most=2, waitlist=True, offer_seconds=60).asked(early(3), early(4))
    until = BEFORE + timedelta(seconds=60)
    scenario.when(withdraw(1)).then(
        EntrantWithdrawn(entrant=entrant(1), by=None), offered(3, until, 4)
    )
    # The place is taken until the answer, and nobody passes the waitlist.
    scenario.when(early(5)).then(waitlisted(5, 3))
    scenario.when(answer(4, True)).then_rejected(NoOffer)
    scenario.when(answer(3, True, until)).then(
        EntrantRegistered(entrant=entrant(3), player=player(3), bot=False, number=3, by=None)
    )
    scenario.when(answer(3, True)).then_nothing()


def test_an_offer_that_is_declined_goes_to_the_next_in_line() -> None:
    scenario = registering(2, most=2, waitlist=True, offer_seconds=60).asked(early(3), early(4))
    scenario.asked(withdraw(1)).when(answer(3, False)).then(
        WaitlistLeft(entrant=entrant(3), cause="declined", by=None, rule="waitlist.offer"),
        offered(4, BEFORE + timedelta(seconds=60)),
    )


def test_an_offer_ends_at_its_instant_however_late_the_clock_comes() -> None:
    scenario = registering(2, most=2, waitlist=True, offer_seconds=60).asked(early(3), early(4))
    scenario.asked(withdraw(1))
    until, late = BEFORE + timedelta(seconds=60), BEFORE + timedelta(minutes=30)
    scenario.when(ExpireOffer(entrant=entrant(3), now=until)).then_nothing()
    scenario.when(answer(3, True, late)).then_rejected(OfferExpired, until=until.isoformat())
    scenario.when(ExpireOffer(entrant=entrant(3), now=late)).then(
        WaitlistLeft(entrant=entrant(3), cause="expired", by=None, rule="waitlist.expired"),
        offered(4, late + timedelta(seconds=60)),
    )
    scenario.when(ExpireOffer(entrant=entrant(3), now=late)).then_nothing()


def test_nobody_is_asked_once_registration_has_closed() -> None:
    scenario = registering(
        2, most=2, waitlist=True, registration_closes_before_seconds=3600, offer_seconds=86_400
    )
    closes = NOON - timedelta(hours=1)
    scenario.asked(early(3)).when(withdraw(1)).then(
        EntrantWithdrawn(entrant=entrant(1), by=None), offered(3, closes)
    )
    scenario.when(CloseRegistration(scheduled=True, now=BEFORE)).then_nothing()
    scenario.when(early(5, closes)).then_rejected(RegistrationOver, phase="registering")
    scenario.when(CloseRegistration(now=BEFORE)).then(
        OfferWithdrawn(entrant=entrant(3), rule="registration.closed"),
        RegistrationClosed(entrants=1),
    )
    scenario.when(CloseRegistration(now=BEFORE)).then_nothing()
    scenario.when(early(5)).then_rejected(RegistrationOver, phase="registration_closed")
    scenario.when(withdraw(2)).then(EntrantWithdrawn(entrant=entrant(2), by=None))


def test_a_director_approves_or_refuses_who_asks() -> None:
    scenario = registering(approval=True)
    asked = EntryRequested(entrant=entrant(1), player=player(1), bot=False, rule="entry.approval")
    scenario.when(early(1)).then(asked)
    scenario.when(early(1)).then_nothing()
    refuse = Refuse(entrant=entrant(1), reason=REASON, now=BEFORE)
    scenario.when(refuse).then(
        EntryWasRefused(entrant=entrant(1), reason=REASON, rule="entry.approval")
    )
    again = msgspec.structs.replace(early(1), entrant=entrant(7))
    scenario.when(again).then_rejected(EntryRefused)
    approve = Approve(entrant=entrant(1), now=BEFORE)
    scenario.when(approve).then(
        EntryApproved(entrant=entrant(1), rule="entry.approval"),
        EntrantRegistered(entrant=entrant(1), player=player(1), bot=False, number=1, by=None),
    )
    scenario.when(approve).then_nothing()
    scenario.when(Approve(entrant=entrant(8), now=BEFORE)).then_rejected(ApplicantUnknown)


def test_who_is_approved_when_all_is_taken_waits_in_line() -> None:
    scenario = registering(most=2, approval=True, waitlist=True)
    asking = [early(number) for number in (1, 2, 3)]
    saying = [Approve(entrant=entrant(number), now=BEFORE) for number in (1, 2)]
    scenario.asked(*asking, *saying).when(Approve(entrant=entrant(3), now=BEFORE)).then(
        EntryApproved(entrant=entrant(3), rule="entry.approval"), waitlisted(3, 1)
    )


def test_a_request_and_a_place_in_line_can_be_given_up() -> None:
    scenario = registering(approval=True).asked(early(1))
    scenario.when(withdraw(1)).then(EntryRequestWithdrawn(entrant=entrant(1), by=None))
    scenario.when(withdraw(1)).then_rejected(EntrantUnknown)
    scenario = registering(2, most=2, waitlist=True).asked(early(3))
    scenario.when(withdraw(3)).then(
        WaitlistLeft(entrant=entrant(3), cause="withdrawn", by=None, rule="waitlist")
    )


def test_entrants_check_in_from_its_opening_on() -> None:
    scenario = registering(2, check_in_opens_before_seconds=600)
    opens_at = NOON - timedelta(minutes=10)
    check_in = CheckIn(entrant=entrant(1), now=opens_at)
    scenario.when(msgspec.structs.replace(check_in, now=BEFORE)).then_rejected(
        CheckInNotOpen, opens_at=opens_at.isoformat()
    )
    scenario.when(OpenCheckIn(now=BEFORE)).then_nothing()
    # A player who is in time need not wait for the clock's command.
    scenario.when(check_in).then(
        CheckInOpened(rule="check_in"),
        EntrantCheckedIn(entrant=entrant(1), by=None, rule="check_in"),
    )
    scenario.when(check_in).then_nothing()
    scenario.when(OpenCheckIn(now=opens_at)).then_nothing()
    registering(2).when(check_in).then_rejected(CheckInNotOpen, opens_at=None)


def checked_in(scenario: Scenario, *numbers: int) -> Scenario:
    return scenario.asked(*(CheckIn(entrant=entrant(each), now=NOON) for each in numbers))


def test_who_is_not_there_loses_the_place_to_who_waits_and_is() -> None:
    scenario = registering(3, most=3, waitlist=True, check_in_opens_before_seconds=600)
    checked_in(scenario.asked(early(4), early(5)), 1, 3, 5)
    events = scenario.when(start()).events()
    assert events[:4] == (
        NoShowReleased(entrant=entrant(2), rule="no_show.release"),
        WaitlistTaken(entrant=entrant(5), candidates=(entrant(5),), rule="waitlist.taken"),
        EntrantRegistered(entrant=entrant(5), player=player(5), bot=False, number=4, by=None),
        RegistrationClosed(entrants=3),
    )
    drawn = next(each for each in events if isinstance(each, SeatsDrawn))
    assert {each.entrant for each in drawn.assignments} == {entrant(n) for n in (1, 3, 5)}
    assert events[-1] == WaitlistLeft(
        entrant=entrant(4), cause="closed", by=None, rule="registration.closed"
    )


def test_who_is_not_there_may_be_seated_absent() -> None:
    scenario = registering(2, check_in_opens_before_seconds=600, no_show="seat_absent")
    events = checked_in(scenario, 1).when(start()).events()
    assert events[0] == NoShowSeated(entrant=entrant(2), rule="no_show.seat_absent")
    assert scenario.state.entering.absent == {entrant(2)}
    scenario.when(CheckIn(entrant=entrant(2), now=NOON)).then(
        EntrantCheckedIn(entrant=entrant(2), by=None, rule="no_show.arrived")
    )
    assert not scenario.state.entering.absent


def test_too_few_may_put_the_start_off_so_often_and_then_cancel() -> None:
    scenario = registering(1, too_few="postpone", postpone_seconds=600)
    later = NOON + timedelta(minutes=10)
    scenario.when(start(scheduled=True)).then(
        StartPostponed(
            until=later,
            registration_closes_at=None,
            check_in_opens_at=None,
            entrants=1,
            number=1,
            last_hands_at=None,
            rounds_start_at=(),
            rule="registration.postponed",
        )
    )
    assert isinstance(scenario.state, Registering)
    assert scenario.state.terms.starts_at == later
    # The clock's command for the first start comes again, and has no effect.
    scheduled = StartPlay(table_ids=(table(1),), scheduled=True, now=NOON)
    scenario.when(scheduled).then_nothing()
    (cancelled,) = scenario.when(msgspec.structs.replace(scheduled, now=later)).events()
    assert isinstance(cancelled, TournamentCancelled)
    assert isinstance(scenario.state, Cancelled)


@pytest.mark.parametrize("too_few", ["cancel", "postpone"])
def test_only_the_clock_puts_the_start_off_or_cancels(too_few: str) -> None:
    """A start by staff that meets the house's start counted as a further attempt."""
    scenario = registering(1, too_few=too_few, postpone_seconds=600)
    refused = {"entrants": 1, "entrants_min": 2}
    early_start = StartPlay(table_ids=(table(1),), now=BEFORE)
    scenario.when(early_start).then_rejected(TooFewEntrants, starts_at=NOON.isoformat(), **refused)
    scenario.when(start()).then_rejected(TooFewEntrants, starts_at=NOON.isoformat(), **refused)
    scenario.asked(start(scheduled=True))
    if too_few == "cancel":
        scenario.when(start()).then_rejected(RegistrationOver, phase="cancelled")
        return
    later = (NOON + timedelta(minutes=10)).isoformat()
    scenario.when(start()).then_rejected(TooFewEntrants, starts_at=later, **refused)
    assert scenario.state.entering.postponements == 1


def test_with_the_start_the_hours_of_rounds_and_last_hands_are_put_off() -> None:
    """Otherwise last hands would be called, and rounds be late, as soon as play begins."""
    hour = timedelta(hours=1)
    plan = Rounds(rounds=2, starts_at=(NOON + 2 * hour,))
    entry = EntryTerms(too_few="postpone", postpone_seconds=3600)
    terms = announce(format=plan, floor=FloorTerms(last_hands_at=NOON + 4 * hour), entry=entry)
    scenario = Scenario(decider).asked(terms, opening)
    (put_off,) = scenario.when(start(scheduled=True)).events()
    assert put_off.last_hands_at == NOON + 5 * hour
    assert put_off.rounds_start_at == (NOON + 3 * hour,)
    after = scenario.state.terms
    assert (after.floor.last_hands_at, after.format.starts_at) == (
        put_off.last_hands_at,
        put_off.rounds_start_at,
    )


def test_a_start_put_off_opens_registration_again_and_everybody_checks_in_anew() -> None:
    scenario = registering(
        1,
        too_few="postpone",
        postpone_seconds=7200,
        check_in_opens_before_seconds=600,
        registration_closes_before_seconds=300,
    )
    checked_in(scenario, 1).asked(CloseRegistration(scheduled=True, now=NOON))
    (put_off,) = scenario.when(start(scheduled=True)).events()
    assert put_off.check_in_opens_at == put_off.until - timedelta(seconds=600)
    assert put_off.registration_closes_at == put_off.until - timedelta(seconds=300)
    scenario.asked(early(2, NOON))
    assert len(scenario.state.entrants) == 2
    assert not scenario.state.entering.checked_in


def test_without_terms_of_entry_nothing_is_closed_late_or_asked() -> None:
    scenario = registering(3)
    events = scenario.when(start()).events()
    assert [type(each) for each in events] == [RegistrationClosed, SeatsDrawn, PlayStarted]
    assert isinstance(scenario.state, Running)
    scenario.when(early(4)).then_rejected(RegistrationOver, phase="running")


def test_the_staff_tells_the_players_something_once_there_are_players() -> None:
    post = PostNotice(text=REASON, now=BEFORE)
    Scenario(decider).when(post).then_rejected(TournamentNotAnnounced)
    scenario = registering(2).when(post)
    scenario.then(AnnouncementPosted(text=REASON, at=BEFORE))
    assert [each.text for each in scenario.state.entering.notices] == [REASON]
