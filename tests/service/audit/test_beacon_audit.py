"""The audit of a beacon: the pulse that is due, its signature, and the deals that use it."""

from collections.abc import Sequence
from datetime import timedelta
from functools import reduce
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from engine.coordination.aggregates import DECIDERS
from engine.coordination.policies import decide_in_turn, tables_of
from engine.kit.beacon import Chain, Pulse
from engine.table.model.commands import Arrival, AwaitBeacon, SeatArrivals, VacateSeats
from engine.table.model.events import HandOpened, TableBeaconAwaited, TableBeaconMixed, TableOpened
from engine.tournament import decider
from engine.tournament.model.events import SeatsDrawn, TournamentAnnounced
from engine.tournament.model.events.fairness import BeaconAwaited, BeaconNamed, BeaconRecorded
from engine.values import number_of, stream_of
from service.audit.event.tournament import TournamentAudit
from service.audit.play.hands import HandAudit
from service.audit.report import Findings
from service.audit.run.streams import StreamAudit
from service.log.memory import MemoryStore
from service.log.writer import Order, States, StreamEvents, Writer
from tests.engine.tournament import test_beacon as engine_side
from tests.engine.tournament.floor import NOON, announce, opening, register, start
from tests.engine.tournament.test_fairness import commit, reveal
from tests.support.drand import Holders

Log = list[Any]


class Night:
    """A tournament and its first deal, with a beacon signed by keys of this test."""

    def __init__(self) -> None:
        self.holders = Holders()
        self.chain: Chain = self.holders.chain
        enters = tuple(register(number) for number in (1, 2, 3, 4))
        asked = (announce(beacon=self.chain), opening, *enters, commit(1), commit(2), start())
        before, state = decide_in_turn(decider, decider.initial, asked)
        draw = engine_side.drawing(self.said(state.fairness.awaited))
        then, self.state = decide_in_turn(decider, state, (draw, reveal(1)))
        self.floor: Log = [*before, *then]
        self.table: Any = DECIDERS["table"]
        self.house = engine_side.House.__new__(engine_side.House)
        self.house.tournament, self.house.decider = self.state, self.table
        (opened,) = tables_of(self.state, now=NOON)
        events, self.house.here = decide_in_turn(self.table, self.table.initial, (opened,))
        (awaited,) = self.house.do(seconds=30)
        dealt = self.house.do(self.said(awaited.round), seconds=40)
        self.hands: Log = [*events, awaited, *dealt]

    def said(self, number: int) -> Pulse:
        return self.holders.said(number)

    def faults(self, floor: Log | None = None, hands: Log | None = None) -> set[str]:
        """Return the names of the checks that fail on these events."""
        self.findings = Findings()
        above = TournamentAudit("tournament-1", self.findings)
        state = decider.initial
        for position, event in enumerate(floor or self.floor):
            above.see(event, position, state)
            state = decider.evolve(state, event)
        self.audit = HandAudit("table-1", self.findings, lambda: above)
        for position, event in enumerate(hands or self.hands):
            self.audit.see(event, position, None)
        return {name for name, check in self.findings.checks.items() if check.failed}


@pytest.fixture(scope="module")
def night() -> Night:
    return Night()


def changed(events: Sequence[Any], kind: type, **members: Any) -> Log:
    """Return *events* with other *members* in the one event of this *kind*."""
    assert sum(isinstance(each, kind) for each in events) == 1
    return [replace(each, **members) if isinstance(each, kind) else each for each in events]


def found(events: Sequence[Any], kind: type) -> Any:
    return next(each for each in events if isinstance(each, kind))


def without(events: Sequence[Any], *kinds: type) -> Log:
    return [each for each in events if not isinstance(each, kinds)]


def test_what_the_beacon_gave_passes(night: Night) -> None:
    assert night.faults() == set()
    assert night.audit.lapsed == 0
    assert night.findings.checks["decks"].checked >= 1


@pytest.mark.parametrize("kind", [BeaconRecorded, TableBeaconMixed])
def test_a_round_that_the_beacon_did_not_sign_is_found(night: Night, kind: type) -> None:
    """Pulses signed by another key, for another number, or with other randomness."""
    events = night.floor if kind is BeaconRecorded else night.hands
    told: Pulse = found(events, kind).pulse
    for wrong in (
        Holders(7).said(told.round),
        night.said(told.round + 1),
        replace(night.said(told.round + 1), round=told.round),
        replace(told, randomness="00" * 32),
    ):
        bad = changed(events, kind, pulse=wrong)
        if kind is BeaconRecorded:
            assert {"entropy", "seat_draws"} <= night.faults(floor=bad)
        else:
            assert {"entropy", "decks"} <= night.faults(hands=bad)


def test_a_round_chosen_beside_the_formula_is_found(night: Night) -> None:
    number = found(night.floor, BeaconAwaited).round + 1
    bad = changed(night.floor, BeaconAwaited, round=number)
    assert "entropy" in night.faults(floor=bad)
    number = found(night.hands, TableBeaconAwaited).round + 1
    assert "entropy" in night.faults(hands=changed(night.hands, TableBeaconAwaited, round=number))


def test_other_openings_than_were_settled_are_found(night: Night) -> None:
    assert "entropy" in night.faults(hands=changed(night.hands, TableBeaconAwaited, openings=()))
    hidden = changed(night.hands, TableBeaconAwaited, omissions=())
    assert "entropy" in night.faults(hands=hidden)


def test_another_chain_than_was_named_is_found(night: Night) -> None:
    other = replace(night.chain, genesis=night.chain.genesis - 1)
    assert "entropy" in night.faults(hands=changed(night.hands, TableBeaconAwaited, chain=other))
    late = [*night.floor, BeaconNamed(chain=other, rule="beacon.named")]
    assert "entropy" in night.faults(floor=late)


def test_a_deal_or_a_draw_without_its_round_is_found(night: Night) -> None:
    alone = without(night.hands, TableBeaconAwaited, TableBeaconMixed)
    assert "entropy" in night.faults(hands=alone)
    drawn = without(night.floor, BeaconAwaited, BeaconRecorded)
    assert "entropy" in night.faults(floor=drawn)
    assert found(night.floor, SeatsDrawn)


def test_a_round_that_lapsed_is_counted(night: Night) -> None:
    """A player left and came back while the table waited, so the first pulse lapsed."""
    opened, first = night.hands[:2]
    here = reduce(night.table.evolve, (opened, first), night.table.initial)
    gone = here.places[3]
    back = Arrival(seat=gone.seat, entrant=gone.entrant, stack=gone.stack)
    asked = (
        VacateSeats(departures=(gone.entrant,), now=NOON),
        SeatArrivals(arrivals=(back,), now=NOON),
        AwaitBeacon(
            chain=night.chain,
            openings=first.openings,
            omissions=first.omissions,
            now=first.at,
        ),
    )
    events, _ = decide_in_turn(night.table, here, asked)
    assert night.faults(hands=[opened, first, *events, *night.hands[2:]]) == set()
    assert night.audit.lapsed == 1
    assert found(night.hands, HandOpened)


async def logged(night: Night, late: type, seconds: int) -> list[str]:
    """
    Return the faults of the night's pulses after it is written to a log.

    Args:
        late: The kind of event that enters the log *seconds* after its own time.
    """
    clock = NOON
    writer = Writer(MemoryStore(), DECIDERS, lambda: clock)
    announced, opened = found(night.floor, TournamentAnnounced), found(night.hands, TableOpened)
    league, floor = announced.league, stream_of(announced.tournament)
    table = stream_of(opened.table)
    await writer.start()
    try:
        written = [
            *(StreamEvents(floor, (event,)) for event in night.floor),
            *(StreamEvents(table, (event,)) for event in night.hands),
        ]
        for number, entry in enumerate(written, start=1):
            (event,) = entry.events
            if isinstance(event, BeaconAwaited | TableBeaconAwaited):
                clock = event.at + timedelta(seconds=seconds if isinstance(event, late) else 0)

            async def decide(_: States, entry: StreamEvents = entry) -> list[StreamEvents]:
                return [entry]

            order = Order(
                command_id=UUID(int=number), actor="test", received_at=clock, request=b"{}"
            )
            await writer.submit(league, order, decide)
        rows = await writer.store.league(number_of(league), limit=1_000)
        keys = await writer.store.keys(number_of(league))
    finally:
        await writer.aclose()
    findings = Findings()
    audit = StreamAudit(keys, findings, {row.stream for row in rows})
    for row in rows:
        audit.read(row)
    audit.end(clock)
    return [fault.what for fault in findings.checks["entropy"].faults]


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [BeaconAwaited, TableBeaconAwaited])
async def test_a_round_named_by_an_instant_long_past_is_found(night: Night, kind: type) -> None:
    """A server that dates its events back knows the pulse that it names."""
    assert await logged(night, kind, 60) == []
    assert await logged(night, kind, 61) == [
        "a pulse was named by an instant 0:01:01 before the log's"
    ]
