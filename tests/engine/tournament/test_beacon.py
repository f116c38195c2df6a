"""A public beacon: the pulse that counts, the steps that wait for it, and its use as entropy."""

import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from engine.coordination import deals
from engine.coordination.aggregates import DECIDERS
from engine.coordination.next_hand import plan_next_hand
from engine.coordination.policies import decide_in_turn, tables_of
from engine.kit.beacon import (
    BeaconMismatch,
    BeaconMissing,
    Chain,
    Pulse,
    mixed_in,
    pulse_after,
    time_of,
)
from engine.kit.cards import deck
from engine.kit.rng import commitments_digest, derive_seed, openings_digest, shuffle, shuffled_pile
from engine.table.model.commands import Arrival, SeatArrivals, VacateSeats, VoidDeal
from engine.table.model.events import HandOpened, TableBeaconAwaited, TableBeaconMixed
from engine.table.model.state import Table
from engine.table.read.recall import commands_of
from engine.tournament import decider
from engine.tournament.model.commands import StartPlay, Withdraw
from engine.tournament.model.commands.entering import AnnounceDraft, CheckIn, Draft
from engine.tournament.model.errors.entering import NotADraft
from engine.tournament.model.errors.fairness import EntropyTooLate, SeatsBeingDrawn
from engine.tournament.model.events import (
    PlayStarted,
    RegistrationClosed,
    SeatsDrawn,
    TournamentAnnounced,
    TournamentCancelled,
)
from engine.tournament.model.events.fairness import BeaconAwaited, BeaconNamed, BeaconRecorded
from engine.tournament.model.state import Cancelled, Running
from engine.tournament.model.terms import EntryTerms
from engine.tournament.model.terms.announced import Terms
from engine.values import HandId
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import (
    MASTERS,
    NOON,
    announce,
    entrant,
    opening,
    register,
    start,
    table,
)
from tests.engine.tournament.test_fairness import HAND, HEAD, commit, reveal

CHAIN = Chain(hash="c5" * 32, public_key="ab" * 96, genesis=1_700_000_000, period=3)
VECTORS = Path(__file__).parents[3] / "api-spec" / "vectors" / "beacon.json"
TABLES = tuple(table(number + 1) for number in range(20))


def said(number: int) -> Pulse:
    """Return a pulse that is sound in itself. The engine does not check its signature."""
    signature = sha256(number.to_bytes(8, "big")).digest() * 2
    return Pulse(
        round=number,
        signature=signature[:48].hex(),
        randomness=sha256(signature[:48]).hexdigest(),
    )


def drawing(pulse: Pulse | None, *, seconds: int = 6) -> StartPlay:
    return StartPlay(table_ids=TABLES, pulse=pulse, now=NOON + timedelta(seconds=seconds))


def waiting(entrants: int = 4, **terms: Any) -> tuple[Scenario, int]:
    """Return a tournament with a seat draw that waits for a pulse, and the pulse's number."""
    enters = (register(number + 1) for number in range(entrants))
    bound = (commit(number + 1) for number in range(entrants - 1))
    asked = (announce(beacon=CHAIN, **terms), opening, *enters, *bound)
    scenario = Scenario(decider).asked(*asked)
    events = scenario.when(start()).events()
    closed, awaited = events
    assert isinstance(closed, RegistrationClosed)
    assert isinstance(awaited, BeaconAwaited)
    return scenario, awaited.round


instants = st.integers(0, 2 * 10**15).map(
    lambda since: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(microseconds=since)
)


@given(at=instants, period=st.integers(1, 3600), genesis=st.integers(0, 1_800_000_000))
def test_the_round_that_counts_follows_from_the_instant_alone(
    at: datetime, period: int, genesis: int
) -> None:
    """The pulse is the first that comes at least three seconds later. Its number is at least 1."""
    chain = replace(CHAIN, period=period, genesis=genesis)
    number = pulse_after(chain, at)
    assert number >= 1
    assert time_of(chain, number) >= at + timedelta(seconds=3)
    assert number == 1 or time_of(chain, number - 1) < at + timedelta(seconds=3)


def test_the_beacons_published_vectors_come_out() -> None:
    """The test computes them a second time, with whole microseconds and plain bytes."""
    known = json.loads(VECTORS.read_text("utf-8"))
    chain = known["chain"]
    for each in known["rounds"]:
        at = datetime.fromisoformat(each["at"])
        gone = int((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))
        due = 1
        while (chain["genesis"] + (due - 1) * chain["period"]) * 10**6 < gone + 3 * 10**6:
            due += 1
        assert each["round"] == due
    for each in known["pulses"]:
        assert sha256(bytes.fromhex(each["signature"])).hexdigest() == each["randomness"]
    mixed = known["mixed"]
    pulse = next(each for each in known["pulses"] if each["round"] == mixed["round"])
    head = b"holotable/openings/2" + bytes.fromhex(chain["hash"])
    head += pulse["round"].to_bytes(8, "big") + bytes.fromhex(pulse["randomness"])
    text = b"".join(
        seat.to_bytes(2, "big") + bytes.fromhex(value) for seat, value in mixed["openings"]
    )
    bound = b"".join(map(bytes.fromhex, mixed["commitments"]))
    assert sha256(head).hexdigest() == mixed["openings_digest_none"]
    assert sha256(head + text).hexdigest() == mixed["openings_digest"]
    assert sha256(head + bound).hexdigest() == mixed["commitments_digest"]


def test_a_beacon_is_named_with_the_terms_and_never_afterwards() -> None:
    plain = Scenario(decider).when(announce()).events()
    assert [type(each) for each in plain] == [TournamentAnnounced]
    events = Scenario(decider).when(announce(beacon=CHAIN)).events()
    assert events == (*plain, BeaconNamed(chain=CHAIN, rule="beacon.named"))

    whole = asdict(announce())
    terms = Terms(**{name: whole[name] for name in Terms.__struct_fields__})
    later = NOON - timedelta(hours=1)
    scenario = Scenario(decider).asked(Draft(terms=terms, beacon=CHAIN, now=later))
    assert scenario.when(Draft(terms=terms, beacon=CHAIN, now=later)).events() == ()
    none = scenario.when(Draft(terms=terms, now=later)).events()
    assert none == (BeaconNamed(chain=None, rule="beacon.named"),)
    scenario.asked(Draft(terms=terms, beacon=CHAIN, now=later), AnnounceDraft(now=later))
    scenario.when(Draft(terms=terms, now=later)).then_rejected(NotADraft, phase="announced")
    assert scenario.state.fairness.chain == CHAIN


def test_seats_are_drawn_by_the_round_that_came_after_all_commitments() -> None:
    scenario, number = waiting()
    assert number == pulse_after(CHAIN, NOON)
    pulse = said(number)
    events = scenario.when(drawing(pulse)).events()
    assert [type(each) for each in events[:3]] == [BeaconRecorded, SeatsDrawn, PlayStarted]
    bound = [bytes.fromhex(each.commitment) for each in scenario.state.fairness.contributions]
    digest = commitments_digest(bound, mixed_in(CHAIN, pulse))
    seed = derive_seed(bytes.fromhex(MASTERS.open), "draws", 0, 1, 1)
    names = [entrant(each) for each in (1, 2, 3, 4)]
    drawn = next(each for each in events if isinstance(each, SeatsDrawn))
    assert drawn.draw.order == shuffle(names, seed=seed, label="seats", digest=digest)
    assert drawn.draw.order != shuffle(
        names, seed=seed, label="seats", digest=commitments_digest(bound)
    )


def test_nobody_comes_or_goes_while_the_seats_wait_for_the_beacon() -> None:
    scenario, number = waiting(entry=EntryTerms(check_in_opens_before_seconds=None))
    assert scenario.when(start()).events() == ()
    for asked in (
        register(9),
        Withdraw(entrant=entrant(1), now=NOON),
        CheckIn(entrant=entrant(1), now=NOON),
        commit(4),
    ):
        scenario.when(asked).then_rejected(SeatsBeingDrawn)
    scenario.asked(drawing(said(number)))
    scenario.when(commit(4)).then_rejected(EntropyTooLate, until="seats_drawn")


def test_a_start_that_is_called_off_asks_for_no_round() -> None:
    scenario = Scenario(decider).asked(announce(beacon=CHAIN, entrants_min=3), opening, register(1))
    events = scenario.when(start(scheduled=True)).events()
    assert TournamentCancelled in {type(each) for each in events}
    assert BeaconAwaited not in {type(each) for each in events}


def test_only_the_named_round_as_it_was_signed_is_taken() -> None:
    scenario, number = waiting()
    for wrong in (
        said(number + 1),
        said(number - 1),
        replace(said(number), round=number + 1),
        replace(said(number), randomness=said(number + 1).randomness),
        replace(said(number), signature=said(number + 1).signature),
    ):
        scenario.when(drawing(wrong)).then_rejected(BeaconMismatch, round=number)


class House:
    """One table of a tournament with a beacon. Its entrants 1 to 3 have committed."""

    def __init__(self, *opened: int) -> None:
        scenario, number = waiting()
        scenario.asked(drawing(said(number)), *(reveal(each) for each in opened))
        self.tournament = scenario.state
        self.decider: Any = DECIDERS["table"]
        (asked,) = tables_of(self.tournament, now=NOON)
        _, self.here = decide_in_turn(self.decider, self.decider.initial, (asked,))

    def plan(self, pulse: Pulse | None = None, *, seconds: int = 0) -> Any:
        return plan_next_hand(
            self.tournament,
            {self.here.table: self.here},
            self.here.table,
            now=NOON + timedelta(seconds=seconds),
            hand=HandId(HAND),
            tournament_version=self.tournament.version,
            tournament_head=HEAD,
            pulse=pulse,
        )

    def do(self, pulse: Pulse | None = None, *, seconds: int = 0) -> tuple[Any, ...]:
        (entry,) = self.plan(pulse, seconds=seconds).entries
        return self.ask(*entry.commands)

    def ask(self, *commands: Any) -> tuple[Any, ...]:
        events, state = decide_in_turn(self.decider, self.here, commands)
        assert isinstance(state, Table)
        self.here = state
        return events


def test_each_deal_waits_for_a_round_named_after_its_openings() -> None:
    house = House(1, 3)
    plan = house.plan()
    assert (plan.outcome, plan.wait_seconds) == ("name_pulse", 20)
    (awaited,) = house.do(seconds=25)
    assert isinstance(awaited, TableBeaconAwaited)
    assert awaited.round == pulse_after(CHAIN, NOON + timedelta(seconds=25))
    assert (awaited.hand_number, awaited.deal, len(awaited.openings)) == (1, 1, 2)
    assert not deals.may_still_open(house.tournament, house.here, entrant(2))
    waits = house.plan()
    assert (waits.outcome, waits.awaits, waits.wait_seconds) == ("open", awaited, 0)

    pulse = said(awaited.round)
    events = house.do(pulse, seconds=31)
    opened, mixed = events[:2]
    assert isinstance(opened, HandOpened)
    assert mixed == TableBeaconMixed(chain=CHAIN, pulse=pulse, rule="beacon.value")
    assert (opened.openings, opened.omissions) == (awaited.openings, awaited.omissions)
    values = [(each.seat, bytes.fromhex(each.value)) for each in opened.openings]
    digest = openings_digest(values, mixed_in(CHAIN, pulse))
    seed = bytes.fromhex(opened.seeds.value.cards)
    pile = shuffled_pile(seed, digest, 1, deck(house.here.ruleset.deck))
    assert opened.deck_root == pile.root()
    assert house.here.hand is not None
    assert house.here.hand.digest == digest
    assert house.here.awaited is None
    leaves = deals.deck_of(opened, mixed, house.here.ruleset.deck)
    assert len(leaves) == len(pile.cards)
    assert leaves != deals.deck_of(opened, None, house.here.ruleset.deck)


def test_what_was_asked_is_recalled_from_the_events_of_a_deal_with_a_beacon() -> None:
    house = House(1, 2, 3)
    before = house.here
    awaited = house.do(seconds=1)
    [command] = commands_of(awaited)
    assert house.decider.decide(before, command) == awaited
    before = house.here
    events = house.do(said(awaited[0].round), seconds=9)
    [command] = commands_of(events)
    assert house.decider.decide(before, command) == events
    # A table loaded from its last hand on is the same as one loaded from the beginning.
    state = before
    for event in events:
        state = house.decider.evolve(state, event)
    assert state == house.here


def test_without_the_round_nothing_is_opened_however_late_it_is() -> None:
    house = House(1, 2, 3)
    (awaited,) = house.do()
    before = house.here
    for pulse, error in (
        (None, BeaconMissing),
        (said(awaited.round + 1), BeaconMismatch),
        (replace(said(awaited.round), randomness="00" * 32), BeaconMismatch),
    ):
        plan = house.plan(pulse, seconds=86_400)
        assert plan.outcome == "open"
        with pytest.raises(error):
            house.ask(*plan.entries[0].commands)
    assert house.here == before
    (opened, *_) = house.do(said(awaited.round), seconds=10**6)
    assert isinstance(opened, HandOpened)


def test_other_openings_than_were_settled_are_refused() -> None:
    house = House(1, 2, 3)
    (awaited,) = house.do()
    (asked,) = house.plan(said(awaited.round)).entries[0].commands
    with pytest.raises(BeaconMismatch):
        house.ask(replace(asked, openings=asked.openings[1:]))


def test_a_table_that_named_no_round_takes_none() -> None:
    house = House(1, 2, 3)
    (awaited,) = house.do()
    (asked,) = house.plan(said(awaited.round)).entries[0].commands
    house.here = replace(house.here, awaited=None)
    with pytest.raises(BeaconMismatch):
        house.ask(asked)


def test_a_round_lapses_when_the_table_has_changed_and_is_counted() -> None:
    """The audit counts it: see tests/service/audit/test_beacon_audit.py."""
    house = House(1, 2, 3)
    (first,) = house.do()
    gone = house.here.places[0]
    away = VacateSeats(departures=(gone.entrant,), now=NOON)
    house.ask(away)
    assert house.here.awaited is None
    back = Arrival(seat=gone.seat, entrant=gone.entrant, stack=gone.stack)
    house.ask(SeatArrivals(arrivals=(back,), now=NOON))
    (second,) = house.do(seconds=30)
    assert (second.hand_number, second.deal) == (first.hand_number, first.deal)
    assert second.round > first.round


def test_a_voided_deal_is_dealt_anew_by_another_round() -> None:
    house = House(1, 3)
    (first,) = house.do(seconds=1)
    opened, *_ = house.do(said(first.round), seconds=9)
    when = NOON + timedelta(seconds=20)
    house.ask(VoidDeal(cause="mis_deal", reason="exposed", now=when))
    (second,) = house.do(seconds=20)
    assert (second.hand_number, second.deal) == (1, 2)
    assert second.openings == opened.openings
    assert second.round == pulse_after(CHAIN, NOON + timedelta(seconds=20))
    again, mixed, *_ = house.do(said(second.round), seconds=30)
    assert (again.deal, mixed.pulse.round) == (2, second.round)
    assert again.deck_root != opened.deck_root


def halves() -> tuple[House, Table, Running]:
    """Return one table of the house divided into two, and their tournament."""
    house = House(1, 2, 3)
    whole, seated = house.here, house.tournament.tables[0]
    house.here = replace(whole, places=whole.places[:2])
    other = replace(whole, table=table(5), number=2, places=whole.places[2:])
    tables = (
        replace(seated, seats=seated.seats[:2]),
        replace(seated, table=other.table, number=2, seats=seated.seats[2:]),
    )
    return house, other, replace(house.tournament, tables=tables, breaking_order=(2, 1))


def planned(above: Running, asking: Table, *others: Table) -> Any:
    return plan_next_hand(
        above,
        {each.table: each for each in (asking, *others)},
        asking.table,
        now=NOON,
        hand=HandId(HAND),
        tournament_version=1,
        tournament_head=HEAD,
    )


def test_while_a_table_waits_for_its_round_nobody_is_moved_there() -> None:
    """Two half tables become one, but not while one of them waits for its pulse."""
    house, other, above = halves()
    assert planned(above, other, house.here).outcome == "rearrange"
    house.do()
    assert house.here.awaited is not None
    assert planned(above, other, house.here).outcome == "hold"


def test_tables_that_all_wait_for_the_beacon_can_still_be_closed() -> None:
    """
    The tables do not wait for each other. A table held by a pause goes on with the same pulse.
    """
    house, other, above = halves()
    (awaited,) = house.do()
    waiting = replace(other, awaited=awaited)
    closing = replace(above, closing=True)
    for asking, beside in ((house.here, waiting), (waiting, house.here)):
        assert planned(closing, asking, beside).outcome == "finish"
    alone = replace(house.tournament, paused=True)
    assert planned(alone, house.here).outcome == "hold"
    assert planned(replace(alone, paused=False), house.here).awaits == awaited
    called_off = Cancelled(terms=above.terms, entrants=above.entrants, reason="fire")
    plan = planned(called_off, house.here)
    assert plan.outcome == "close"
    house.ask(*plan.entries[0].commands)
    assert house.here.closed
