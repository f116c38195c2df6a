"""Late entries, re-entries and no-shows at tables in play."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from engine.coordination.policies import stacks_between_hands
from engine.kit.rng import derive_seed, openings_digest, shuffle
from engine.rulesets import resolve
from engine.tournament import decider
from engine.tournament.model.commands import Cancel, RaiseLevels, Register, Withdraw
from engine.tournament.model.commands.entering import (
    Approve,
    CheckIn,
    CloseLateRegistration,
)
from engine.tournament.model.commands.floor import Disqualify
from engine.tournament.model.commands.money import AcceptDeal, ProposeDeal
from engine.tournament.model.directives import Hold
from engine.tournament.model.errors import (
    AlreadyEntered,
    RegistrationOver,
    TablesMissing,
)
from engine.tournament.model.errors.entering import NoSeatFree, ReEntryNotAllowed
from engine.tournament.model.events import (
    ChipsPromised,
    EntrantEliminated,
    EntrantRegistered,
    TournamentFinished,
)
from engine.tournament.model.events.entering import (
    EntrantWaitlisted,
    LateRegistrationClosed,
    LateRegistrationOpened,
    LateSeatDrawn,
    NoShowPurged,
    PlacesLowered,
    TableAdded,
    WaitlistLeft,
    WaitlistTaken,
)
from engine.tournament.model.events.floor import HandForHandStarted
from engine.tournament.model.events.money import PayoutDealVoided, RefundsAwarded
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.terms import EntryTerms, FeeTerms, FloorTerms
from engine.tournament.model.terms.floor import HandForHandTerms
from engine.tournament.money.pool import ledger_of
from service.log.upcasters import upcast
from tests.engine.coordination.evening import Evening
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import MASTERS, NOON, entrant, player, table, to_start
from tests.engine.tournament.rulings import RULED
from tests.engine.tournament.test_rebuys import all_in

FLAT = resolve("better", {"escalation": {"kind": "none"}})
STEPS = [
    {"small": 5, "big": 10, "length": 600},
    {"small": 10, "big": 20, "length": 600},
    {"small": 15, "big": 30},
]
CLOCK = resolve("better", {"escalation": {"kind": "levels", "by": "clock", "levels": STEPS}})
HOUR = EntryTerms(late_registration_seconds=3600)


def late(
    number: int, *, as_entrant: int | None = None, at: Any = NOON, ids: bool = True
) -> Register:
    return Register(
        entrant=entrant(as_entrant or number),
        player=player(number),
        table_ids=(table(90 + number),) if ids else (),
        now=at,
    )


def playing(entrants: int, entry: EntryTerms = HOUR, **terms: Any) -> Scenario:
    rules = terms.pop("ruleset", FLAT)
    return Scenario(decider).asked(*to_start(entrants, ruleset=rules, entry=entry, **terms))


def evening(entrants: int, entry: EntryTerms = HOUR, **terms: Any) -> Evening:
    rules = terms.pop("ruleset", FLAT)
    return Evening(entrants, rules, entry=entry, **{"starting_stack": 100, **terms})


def of(events: tuple[Any, ...], kind: type) -> Any:
    (found,) = (each for each in events if isinstance(each, kind))
    return found


def running(night: Evening) -> Running:
    assert isinstance(night.tournament, Running)
    return night.tournament


def until_out(night: Evening) -> None:
    """Play until somebody is eliminated."""
    night.play_as = all_in
    while not any(isinstance(each, EntrantEliminated) for each in night.events):
        for each in list(night.tables):
            if not night.tables[each].closed:
                night.next_hand(each)
                night.play_hand(each)


def test_a_late_player_draws_a_seat_among_the_free_ones_of_the_smallest_tables() -> None:
    scenario = playing(7, table_seats=4)
    sizes = {each.table: len(each.seats) for each in scenario.state.tables}
    events = scenario.when(late(8)).events()
    drawn = of(events, LateSeatDrawn)
    assert drawn.rule == "seating.late_entry"
    assert {each.table for each in drawn.draw.candidates} == {
        name for name, size in sizes.items() if size == 3
    }
    seed = derive_seed(bytes.fromhex(MASTERS.open), "draws", 0, drawn.draw.number, 1)
    order = shuffle(drawn.draw.candidates, seed=seed, label="seats", digest=openings_digest(()))
    assert (order[0].table, order[0].seat) == (drawn.table, drawn.seat)
    promised = of(events, ChipsPromised)
    assert (promised.chips, promised.newcomer, promised.rule) == (1_000, True, "entry.late")
    assert scenario.state.draws == drawn.draw.number


def test_a_late_player_brings_a_full_stack_before_the_next_hand() -> None:
    night = evening(2, table_seats=4)
    night.next_hand(night.table.table)
    night.ask(late(3))
    assert night.table.place_of(entrant(3)) is None
    night.play_hand(night.table.table)
    night.next_hand(night.table.table)
    place = night.table.place_of(entrant(3))
    assert place is not None
    assert place.stack == 100


def test_nobody_comes_twice_and_nobody_without_late_registration() -> None:
    scenario = playing(3)
    scenario.asked(late(4)).when(late(4)).then_nothing()
    scenario.when(late(4, as_entrant=9)).then_rejected(AlreadyEntered)
    scenario.when(late(1, as_entrant=9)).then_rejected(AlreadyEntered)
    playing(3, EntryTerms()).when(late(4)).then_rejected(RegistrationOver, phase="running")


def test_late_registration_ends_at_its_instant_however_late_the_clock_comes() -> None:
    scenario = playing(3)
    assert isinstance(scenario.state.entering.late_until, type(NOON))
    end, after = NOON + timedelta(hours=1), NOON + timedelta(hours=2)
    scenario.when(CloseLateRegistration(scheduled=True, now=end)).then_nothing()
    scenario.when(late(4, at=after)).then_rejected(RegistrationOver, phase="running")
    scenario.asked(late(4, at=end))
    scenario.when(CloseLateRegistration(scheduled=True, now=after)).then(
        LateRegistrationClosed(breaking_order=(1,), rule="entry.late_closed")
    )
    scenario.when(CloseLateRegistration(scheduled=True, now=after)).then_nothing()


def test_late_registration_ends_with_its_level() -> None:
    scenario = playing(3, EntryTerms(late_registration_level=2), ruleset=CLOCK)
    assert scenario.state.entering.late
    scenario.asked(RaiseLevels(now=NOON + timedelta(seconds=700)), late(4))
    events = scenario.when(RaiseLevels(now=NOON + timedelta(seconds=1300))).events()
    assert isinstance(events[-1], LateRegistrationClosed)
    scenario.when(late(5)).then_rejected(RegistrationOver, phase="running")


def test_a_level_without_an_end_is_no_end_of_late_registration() -> None:
    with pytest.raises(Exception, match="not the last one"):
        playing(3, EntryTerms(late_registration_level=3), ruleset=CLOCK)


def test_a_table_is_added_where_no_seat_is_free_and_breaks_first() -> None:
    scenario = playing(4, table_seats=4)
    scenario.when(late(5, ids=False)).then_rejected(TablesMissing, given=0, required=1)
    added = of(scenario.when(late(5)).events(), TableAdded)
    assert (added.number, added.table, added.chips) == (2, table(95), 1_000)
    assert scenario.state.breaking_order == (2, 1)
    assert [len(each.seats) for each in scenario.state.tables] == [4, 1]


def test_no_table_is_added_where_each_has_levels_of_its_own() -> None:
    orbits = resolve("better", {"escalation": {"kind": "double_per_orbit"}})
    playing(4, table_seats=4, ruleset=orbits).when(late(5)).then_rejected(
        NoSeatFree, tables=1, table_seats=4
    )


def test_no_table_is_added_where_each_counts_its_own_hands() -> None:
    """All others would have to wait until the new table had played as many hands."""
    counted = resolve("better", {"escalation": {"kind": "none"}, "end": {"kind": "hands_or_last"}})
    for scenario in (
        playing(4, table_seats=4, hands_max=10),
        playing(4, table_seats=4, ruleset=counted),
    ):
        scenario.when(late(5)).then_rejected(NoSeatFree, tables=1, table_seats=4)
    waiting = EntryTerms(late_registration_seconds=3600, waitlist=True)
    lined = playing(3, waiting, table_seats=4, hands_max=10)
    assert of(lined.when(late(4)).events(), LateSeatDrawn).seat == 4


def test_an_added_table_is_filled_and_everybody_plays_on() -> None:
    night = evening(4, table_seats=4)
    night.ask(late(5), CloseLateRegistration(now=night.now))
    night.play_as = all_in
    night.play()
    assert isinstance(night.tournament, Finished)
    assert len(night.tournament.placings) == 5


def test_who_is_out_already_is_a_place_further_down_for_each_who_comes() -> None:
    night = evening(3, table_seats=4, entrants_max=40)
    until_out(night)
    (out, *_) = running(night).placings
    events = night.ask(late(4))
    lowered = of(events, PlacesLowered)
    assert out.entrant in lowered.entrants
    now = next(each for each in running(night).placings if each.entrant == out.entrant)
    assert now.place == out.place + 1
    night.ask(CloseLateRegistration(now=night.now))
    night.play()
    assert isinstance(night.tournament, Finished)
    places = sorted(each.place for each in night.tournament.placings)
    assert places[0] == 1
    assert len(places) == 4


def test_there_is_no_winner_while_others_may_still_come() -> None:
    night = evening(2, EntryTerms(late_registration_seconds=3600, re_entries_max=1))
    until_out(night)
    assert len(running(night).remaining()) == 1
    plan = night.next_hand(night.table.table)
    assert plan.directive == Hold(reason="waiting_for_entrants")
    events = night.ask(CloseLateRegistration(now=night.now))
    finished = of(events, TournamentFinished)
    assert (finished.rule, [each.place for each in finished.placings]) == (
        "finish.last_entrant",
        [1, 2],
    )


def test_who_is_out_enters_again_as_a_new_entrant_and_not_too_often() -> None:
    night = evening(3, EntryTerms(late_registration_seconds=3600, re_entries_max=1), table_seats=4)
    until_out(night)
    out = next(each for each in running(night).placings)
    number = next(n for n in (1, 2, 3) if player(n) == out.player)
    night.ask(late(number, as_entrant=11))
    mine = [each for each in running(night).entrants if each.player == out.player]
    assert [each.entrant for each in mine] == [out.entrant, entrant(11)]
    assert len({each.number for each in running(night).entrants}) == 4
    again = msgspec.structs.replace(late(number, as_entrant=12), now=night.now)
    with pytest.raises(AlreadyEntered):
        decider.decide(night.tournament, again)
    without = evening(3, table_seats=4)
    until_out(without)
    back = next(n for n in (1, 2, 3) if player(n) == running(without).placings[0].player)
    with pytest.raises(ReEntryNotAllowed):
        decider.decide(without.tournament, late(back, as_entrant=12))


def test_a_place_that_falls_free_goes_to_the_first_in_line_unasked() -> None:
    entry = EntryTerms(late_registration_seconds=3600, waitlist=True)
    night = evening(3, entry, table_seats=4, entrants_max=3)
    night.ask(late(4))
    night.ask(late(5))
    assert [each.entrant for each in running(night).entering.waiting] == [entrant(4), entrant(5)]
    until_out(night)
    gone = len(running(night).placings)
    taken = [each.entrant for each in night.events if isinstance(each, WaitlistTaken)]
    assert taken == [entrant(4), entrant(5)][:gone]
    events = night.ask(CloseLateRegistration(now=night.now))
    left = [each.entrant for each in events if isinstance(each, WaitlistLeft)]
    assert taken + left == [entrant(4), entrant(5)]


def test_who_leaves_the_line_in_play_is_passed_over() -> None:
    entry = EntryTerms(late_registration_seconds=3600, waitlist=True)
    night = evening(3, entry, table_seats=4, entrants_max=3)
    night.ask(late(4))
    night.ask(late(5))
    (left,) = night.ask(Withdraw(entrant=entrant(4), now=night.now))
    assert (left.entrant, left.cause) == (entrant(4), "withdrawn")
    until_out(night)
    taken = [each.entrant for each in night.events if isinstance(each, WaitlistTaken)]
    assert taken == [entrant(5)]


def test_a_newcomer_gets_the_free_seat_that_a_player_in_line_is_not_there_for() -> None:
    """A player on the waitlist who has not checked in takes no place and blocks nobody."""
    entry = EntryTerms(
        late_registration_seconds=3600, waitlist=True, check_in_opens_before_seconds=600
    )
    *before, start = to_start(3, ruleset=FLAT, entry=entry, entrants_max=3, table_seats=6)
    scenario = Scenario(decider).asked(*before, late(4))
    scenario.asked(*(CheckIn(entrant=entrant(n), now=NOON) for n in (1, 2)), start)
    assert [each.entrant for each in scenario.state.entering.waiting] == [entrant(4)]
    events = scenario.when(late(3, as_entrant=13)).events()
    assert of(events, LateSeatDrawn).entrant == entrant(13)
    scenario.asked(late(3, as_entrant=13))
    assert of(scenario.when(late(5)).events(), EntrantWaitlisted).entrant == entrant(5)


def test_a_director_lets_a_late_player_in() -> None:
    entry = EntryTerms(late_registration_seconds=3600, approval=True)
    scenario = Scenario(decider).asked(*to_start(0, ruleset=FLAT, entry=entry)[:2])
    first = [Register(entrant=entrant(n), player=player(n), now=NOON) for n in (1, 2)]
    scenario.asked(*first, *(Approve(entrant=entrant(n), now=NOON) for n in (1, 2)))
    scenario.asked(to_start(0)[-1], late(3))
    events = scenario.when(Approve(entrant=entrant(3), now=NOON)).events()
    assert of(events, EntrantRegistered).number == 3
    assert of(events, LateSeatDrawn).entrant == entrant(3)


ABSENT = EntryTerms(check_in_opens_before_seconds=600, no_show="seat_absent", no_show_purge_level=2)


def with_one_absent(entrants: int = 3, **terms: Any) -> Evening:
    """Return a table at which the last entrant is a no-show."""
    night = evening(entrants, ABSENT, ruleset=CLOCK, table_seats=4, **terms)
    assert running(night).entering.absent == {entrant(n + 1) for n in range(entrants)}
    for number in range(1, entrants):
        night.ask(CheckIn(entrant=entrant(number), now=night.now))
    return night


def purge_absent(night: Evening) -> None:
    """Raise the level, and lead the table to its next hand."""
    night.ask(RaiseLevels(now=NOON + timedelta(seconds=700)))
    while not any(isinstance(each, NoShowPurged) for each in night.events):
        night.next_hand(night.table.table)


def test_who_is_seated_absent_is_away_until_they_come() -> None:
    night = with_one_absent()
    away = {place.entrant: place.away for place in night.table.places}
    assert away == {entrant(1): False, entrant(2): False, entrant(3): True}
    night.ask(CheckIn(entrant=entrant(3), now=night.now))
    assert not any(place.away for place in night.table.places)


def test_who_never_came_is_out_at_a_level_and_the_chips_leave_play() -> None:
    night = with_one_absent()
    stack = night.table.place_of(entrant(3))
    assert stack is not None
    night.next_hand(night.table.table)
    night.play_hand(night.table.table)
    night.ask(RaiseLevels(now=NOON + timedelta(seconds=700)))
    night.next_hand(night.table.table)
    purged = next(each for each in night.events if isinstance(each, NoShowPurged))
    assert (purged.entrant, purged.struck, purged.raised) == (entrant(3), True, ())
    assert night.table.place_of(entrant(3)) is None
    chips = sum(place.stack for place in night.table.places) + night.table.carry
    assert chips + purged.stack == 300


def test_the_buy_in_of_who_never_came_is_out_of_the_pool_and_the_place_is_gone() -> None:
    """The entry counts as withdrawn: three entrants are left to be placed and paid for."""
    fees = FeeTerms(buy_in=100, fee=7, bounty=5)
    night = with_one_absent(4, fees=fees, currency="EUR", payouts=(3, 1))
    before = ledger_of(night.tournament)
    assert before is not None and before.pool == 400
    (busted, *_) = (each.entrant for each in night.table.places if each.entrant != entrant(4))
    night.ask(Disqualify(entrant=busted, **RULED))
    assert [each.place for each in running(night).placings] == [4]
    purge_absent(night)
    assert [each.entrant for each in running(night).entrants].count(entrant(4)) == 0
    after = ledger_of(night.tournament)
    assert after is not None
    # The bounty of the disqualified entrant has joined the pool.
    assert (after.pool, after.fees) == (305, 21)
    assert [(each.entrant, each.place) for each in running(night).placings] == [(busted, 3)]
    night.play_as = all_in
    night.play()
    assert isinstance(night.tournament, Finished)
    assert [each.place for each in night.tournament.placings] == [1, 2, 3]
    assert sum(each.amount for each in night.tournament.payouts) == 305
    assert decider.replay(night.events) == night.tournament


def test_a_purge_voids_the_deal_that_is_proposed() -> None:
    """
    The purged entrant can never accept it.
    """
    night = with_one_absent(4, fees=FeeTerms(buy_in=100), currency="EUR", payouts=(1,))
    night.ask(ProposeDeal(by=None, method="equal", now=night.now))
    night.ask(AcceptDeal(entrant=entrant(1), offer=1, now=night.now))
    purge_absent(night)
    purged = next(each for each in night.events if isinstance(each, NoShowPurged))
    assert night.events[night.events.index(purged) - 1] == PayoutDealVoided(
        number=1, entrant=entrant(4), cause="eliminated", rule="payout_deal.bust"
    )
    night.ask(ProposeDeal(by=None, method="equal", now=night.now))


@pytest.mark.parametrize("cancelled", [False, True])
def test_who_is_purged_after_a_deal_keeps_place_and_share(cancelled: bool) -> None:
    """The shares are those of the buy-ins of all its parties."""
    night = with_one_absent(4, fees=FeeTerms(buy_in=100), currency="EUR", payouts=(1,))
    night.ask(ProposeDeal(by=None, method="equal", now=night.now))
    for number in (1, 2, 3, 4):
        night.ask(AcceptDeal(entrant=entrant(number), offer=1, now=night.now))

    purge_absent(night)

    assert [(each.entrant, each.place) for each in running(night).placings] == [(entrant(4), 4)]
    if cancelled:
        stacks = stacks_between_hands(night.table)
        night.ask(Cancel(reason="storm", stacks=stacks, now=night.now))
        (refunds,) = (each for each in night.events if isinstance(each, RefundsAwarded))
        assert [each.prize for each in refunds.refunds] == [100] * 4
        return
    night.play_as = all_in
    night.play()
    assert isinstance(night.tournament, Finished)
    assert [each.amount for each in night.tournament.payouts] == [100] * 4


def test_who_is_left_alone_by_a_purge_has_won() -> None:
    night = with_one_absent(2)
    purge_absent(night)
    assert isinstance(night.tournament, Finished)
    assert [(each.entrant, each.place) for each in night.tournament.placings] == [(entrant(1), 1)]


def test_where_nobody_came_the_last_ones_are_placed_all_the_same() -> None:
    """A tournament that has begun has a result."""
    night = evening(2, ABSENT, ruleset=CLOCK, table_seats=4)
    purge_absent(night)
    assert isinstance(night.tournament, Finished)
    assert len(night.tournament.placings) == 2
    assert not any(each.struck for each in night.events if isinstance(each, NoShowPurged))


def test_an_event_of_the_first_version_leaves_place_and_pool_as_they_were() -> None:
    document = {"entrant": entrant(3), "table": table(1), "stack": 90, "rule": "no_show.purge"}
    asked = upcast("no_show_purged", 1, {"type": "no_show_purged", **document})
    assert (asked["struck"], asked["raised"]) == (False, [])


def test_the_bubble_waits_for_late_registration_and_comes_when_it_closes() -> None:
    """While more may enter, one entrant too many for the prizes is not yet the bubble."""
    terms = {"payouts": (3, 2, 1), "prize_pool": 600, "currency": "EUR", "table_seats": 3}
    bubble = FloorTerms(hand_for_hand=HandForHandTerms(at_bubble=True))
    scenario = playing(5, floor=bubble, **terms)
    scenario.asked(Disqualify(entrant=entrant(1), **RULED))
    assert scenario.state.floor.hand_for_hand is None
    events = scenario.when(CloseLateRegistration(now=NOON)).events()
    begun = of(events, HandForHandStarted)
    assert (begun.cause, begun.left) == ("bubble", 4)


def test_late_registration_is_opened_by_an_event_that_says_until_when() -> None:
    scenario = Scenario(decider).asked(*to_start(3, ruleset=FLAT, entry=HOUR)[:-1])
    events = scenario.when(to_start(3)[-1]).events()
    assert events[-1] == LateRegistrationOpened(
        level=None, until=NOON + timedelta(hours=1), rule="entry.late"
    )
