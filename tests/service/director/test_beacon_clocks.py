"""A house with clocks that are set forward or back passes its own audit of pulses."""

import asyncio
from collections.abc import Coroutine
from datetime import datetime, timedelta
from typing import Any, Self, cast

import pytest
from msgspec.structs import replace

from engine.coordination.aggregates import DECIDERS
from engine.kit.beacon import Chain, Pulse, time_of
from engine.table.model.events import TableBeaconAwaited
from engine.tournament import decider
from engine.tournament.model.commands import Register
from engine.tournament.model.events.fairness import BeaconAwaited
from engine.tournament.model.state import Finished, Running
from engine.values import EntrantId, PlayerId, identifier, number_of, stream_of
from service.base.settings import Settings
from service.director import submitting
from service.director.beacon import BeaconSilent, Pulses
from service.director.next_hand import open_next_hand
from service.director.runtime import Runtime
from service.log.memory import MemoryStore
from service.log.writer import Writer
from service.sandbox.generating.world import FIRST_DAY, SeededEntropy, VirtualClock, VirtualLoop
from tests.service.director.test_directing import (
    announced,
    at,
    bet_everything,
    command,
    decided,
    played,
)
from tests.service.sandbox.test_generating import faults_in
from tests.support import play
from tests.support.drand import Holders

STEP = timedelta(seconds=90)


class Rounds:
    """A beacon's pulses, each available from its real time on, even if the house errs about it."""

    def __init__(self) -> None:
        self._holders = Holders()
        genesis = int(FIRST_DAY.timestamp()) - 1000
        self.chain: Chain = replace(self._holders.chain, genesis=genesis)

    async def fetch(self, number: int) -> Pulse:
        if time_of(self.chain, number) > VirtualClock().now():
            raise BeaconSilent("it is not there yet")
        return self._holders.said(number)

    async def aclose(self) -> None:
        """Do nothing, because nothing is open."""


class Measured:
    """A clock that shows the database's time as a process last measured it."""

    def __init__(self, house: "House") -> None:
        self._house = house
        self._offset = house.wrong

    def measure(self) -> None:
        self._offset = self._house.wrong

    def now(self) -> datetime:
        return VirtualClock().now() + self._offset


class House:
    """A database with a clock that a test can set, and processes that measure it now and then."""

    def __init__(self, wrong: timedelta = timedelta()) -> None:
        self.wrong = wrong
        self.runtimes: list[Runtime] = []
        self.rounds = Rounds()
        self.store = MemoryStore(now=lambda: VirtualClock().now() + self.wrong)
        self._entropy = SeededEntropy("a house")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for runtime in self.runtimes:
            await runtime.aclose()
            await runtime.writer.aclose()

    async def close(self) -> None:
        """Stand in for the connection pool, which has nothing to close here."""

    async def process(self) -> Runtime:
        clock = Measured(self)
        writer = Writer(self.store, DECIDERS, clock.now)
        await writer.start()
        settings = Settings(database_url="postgresql://nobody@nowhere/nothing", secret_key="0" * 32)
        pulses = Pulses(self.rounds, clock)
        runtime = Runtime(writer, clock, self._entropy, cast("Any", self), settings, pulses)
        self.runtimes.append(runtime)
        return runtime

    async def story(self, league: str) -> list[Any]:
        """Audit the log, and return its events that name pulses."""
        number = number_of(league)
        rows, keys = await self.store.league(number, limit=10_000), await self.store.keys(number)
        assert faults_in(rows, keys)[0] == []
        events = [self.runtimes[0].writer.codec.decode(row, keys) for row in rows]
        return [each for each in events if isinstance(each, BeaconAwaited | TableBeaconAwaited)]


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run *work* in virtual time, which passes only while every task waits."""
    loop = VirtualLoop()
    try:
        loop.run_until_complete(work)
    finally:
        loop.close()


def measured(runtime: Runtime) -> None:
    cast("Measured", runtime.clock).measure()


async def seated(runtime: Runtime, league: str, name: str) -> str:
    """Draw the seats, as often as that takes, and return the only table."""
    while not isinstance(state := await at(runtime, league, name), Running):
        assert not isinstance(state, Finished)
        await submitting.draw_by_beacon(runtime, league, name)
    (seating,) = state.tables
    return str(seating.table)


async def settled(runtime: Runtime, league: str, table: str) -> None:
    """Play the next hand cheaply to its end, and stop the process before it opens another."""
    await open_next_hand(runtime, league, table)

    async def known() -> Any:
        # Use this process's own state, because reading the log would let other tasks run.
        return (await runtime.writer.load(league, stream_of(table), fresh=False)).state

    while (decision := (here := await known()).decision) is not None:
        if decision.phase in ("select", "improve"):
            await bet_everything(runtime, league, table)
        else:
            entrant = here.at(decision.seats[0]).entrant
            asked = (runtime, league, table, command(runtime), entrant, decision.token)
            await play.act(*asked, "fold")
    assert here.hand_number
    await asyncio.sleep(0)  # the next step begins, and closing cuts it off
    await runtime.aclose()


async def registered(runtime: Runtime, league: str, name: str) -> None:
    entrant = EntrantId(identifier("ent", runtime.entropy.uuid()))
    player = PlayerId(identifier("plr", runtime.entropy.uuid()))
    asked = Register(entrant=entrant, player=player, bot=True, now=runtime.clock.now())
    await decided(runtime, league, name, decider, asked)


async def set_forward() -> None:
    """One process has measured the new time and writes with it. Another has not."""
    async with House(-2 * STEP) as house:
        one, other = await house.process(), await house.process()
        league, name = await announced(one, 2, beacon=house.rounds.chain, hands_max=3)
        house.wrong += STEP
        measured(one)
        await registered(one, league, name)
        await submitting.start_tournament(other, league, name, other.clock.now())
        measured(other)
        table = await seated(other, league, name)
        third = await house.process()
        house.wrong += STEP
        measured(other)
        await settled(other, league, table)
        await open_next_hand(third, league, table, fresh=True)
        measured(third)
        assert isinstance(await played(third, league, name), Finished)
        seats, *deals = await house.story(league)
        assert isinstance(seats, BeaconAwaited)
        assert len(deals) >= 2


async def set_back(at_once: bool) -> None:
    """From then on the log is ahead of the database's clock, but play does not wait."""
    async with House() as house:
        runtime = await house.process()
        terms = {"beacon": house.rounds.chain, "hands_max": 3, "hands_between_seconds": 0}
        league, name = await announced(runtime, 3, **terms)
        await submitting.start_tournament(runtime, league, name, runtime.clock.now())
        table = await seated(runtime, league, name)
        await settled(runtime, league, table)
        before = (await runtime.writer.load(league, stream_of(table))).version
        house.wrong -= STEP
        if at_once:
            measured(runtime)
        await open_next_hand(runtime, league, table, fresh=True)
        measured(runtime)
        assert (await runtime.writer.load(league, stream_of(table))).version > before
        assert isinstance(await played(runtime, league, name), Finished)
        assert len(await house.story(league)) >= 3


def test_a_house_whose_clock_is_set_forward_names_rounds_by_the_instants_of_its_log() -> None:
    run(set_forward())


@pytest.mark.parametrize("at_once", [True, False])
def test_a_house_whose_clock_is_set_back_plays_on(at_once: bool) -> None:
    """Play goes on both before and after the processes have measured the new time."""
    run(set_back(at_once))
