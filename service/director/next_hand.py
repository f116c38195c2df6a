"""
Leading a table from one hand to the next.

A settling command never opens the next hand: whoever settled asks here at once,
and a worker's watch finds tables left lying.  What is to happen is decided by
``engine.coordination.next_hand``; here it is loaded, appended and asked again.
"""

import asyncio
import math
from collections.abc import Sequence
from datetime import datetime

import structlog

from engine import table, tournament
from engine.coordination import policies
from engine.coordination.next_hand import plan_next_hand
from engine.coordination.plans import ForTable, ForTournament, NextHandPlan, Outcome
from engine.errors import InvariantViolated
from engine.kit.beacon import Pulse
from engine.table.model.events import DealVoided, HandSettled
from engine.table.model.state import Table, opened_of
from engine.tournament.model.commands import Withdraw
from engine.tournament.model.state import Running, running_of
from engine.tournament.model.state import State as Tournament
from engine.values import HandId, Stream, identifier
from service.director.admission import unwelcome
from service.director.busts import at_table
from service.director.runtime import Runtime, naming_instant, new_id
from service.log.states import State
from service.log.streams import table_stream, tournament_stream
from service.log.writer import Entry, Loaded, Receipt, RecordedEvent, States

_STEPS_MAX = 100
"""More steps between two hands than tables can break are a defect."""

_log = structlog.get_logger(__name__)


class PlanChanged(Exception):
    """What was planned outside the writer's turn no longer holds in it; plan again."""


class Overtaken(Exception):
    """Somebody else has led the table into a later hand or deal."""


async def open_next_hand(
    runtime: Runtime,
    league: str,
    table_id: str,
    *,
    fresh: bool = False,
    patience: float = math.inf,
) -> None:
    """
    Lead a table on between hands: moves and breaks first, then the next hand, or none.

    Harmless at any time by any number of processes: each step is one command whose
    id follows from what it does, guarded by the tournament's head.

    Args:
        fresh: Whether to ask the log for what other processes did.
        patience: Seconds that it waits for a step's time; a caller who looks again later
            needs no task that sleeps for a day.
    """
    changed = ""
    for _ in range(_STEPS_MAX):
        here = await runtime.writer.load(league, table_stream(table_id), fresh)
        state = here.state
        if not isinstance(state, Table) or state.closed or not state.idle:
            return
        try:
            outcome = await _led(runtime, league, state, here.at, fresh, patience)
        except Overtaken:
            # Who opened that hand sees to the next one.  To follow from hand to hand
            # would never end at a table whose hands are over at once.
            if fresh:
                return
            fresh = True
            continue
        except PlanChanged as error:
            fresh, changed = True, str(error)
            continue
        if outcome in ("nothing", "open", "hold", "close"):
            return
    _log.error("a table finds no next hand", table=table_id, changed=changed)


async def _led(
    runtime: Runtime, league: str, here: Table, last: datetime, fresh: bool, patience: float
) -> Outcome:
    """Plan one step and append it; return its outcome, "nothing" if it cannot be done now."""
    plan = await _planned(runtime, league, here, fresh)
    if plan.outcome == "nothing":
        return "nothing"
    pulse = None
    if plan.awaits is not None:
        pulse = await runtime.pulses.pulse(plan.awaits.chain, plan.awaits.round)
        if pulse is None:
            return "nothing"
    if not await _waited(runtime, league, last, plan, patience):
        return "nothing"
    receipt = await _step(runtime, league, here, plan, pulse)
    if settled(receipt.recorded):
        # All but one were away: the hand was over before anybody was asked.
        runtime.later(open_next_hand(runtime, league, here.table))
    for other in plan.ask_again:
        runtime.later(open_next_hand(runtime, league, other))
    return plan.outcome


async def _waited(
    runtime: Runtime, league: str, last: datetime, plan: NextHandPlan, patience: float
) -> bool:
    """
    Wait until the plan's time has come, after *last* and after what it names besides.

    Returns:
        False at once if that takes longer than *patience*.
    """
    if not plan.wait_seconds:
        return True
    for other in plan.since:
        last = max(last, (await runtime.writer.load(league, table_stream(other), fresh=False)).at)
    pause = (last - runtime.clock.now()).total_seconds() + plan.wait_seconds
    # The log may be ahead of the clock; nobody waits for longer than the plan says.
    pause = min(pause, plan.wait_seconds)
    if pause > patience:
        return False
    if pause > 0:
        await asyncio.sleep(pause)
    return True


async def _planned(runtime: Runtime, league: str, here: Table, fresh: bool) -> NextHandPlan:
    """Plan outside the writer's turn, to know what the command is called."""
    hand = HandId(identifier("hnd", new_id(runtime.order("plan"), 1)))
    return await _plan(_Outside(runtime, league, fresh), here, hand, runtime.clock.now())


class _Outside:
    """The states that are planned with before there is a command, as this process knows them."""

    def __init__(self, runtime: Runtime, league: str, fresh: bool) -> None:
        self._runtime = runtime
        self._league = league
        self._fresh = fresh

    async def load(self, stream: Stream[State]) -> Loaded[State]:
        """Return the state of *stream*."""
        return await self._runtime.writer.load(self._league, stream, self._fresh)


async def _plan(
    states: States, here: Table, hand: HandId, now: datetime, pulse: Pulse | None = None
) -> NextHandPlan:
    above = await states.load(tournament_stream(here.tournament))
    tables = {here.table: here}
    if isinstance(above.state, Running):
        for seating in above.state.tables:
            if seating.table != here.table:
                there = await states.load(table_stream(seating.table))
                tables[seating.table] = opened_of(there.state)
    try:
        return plan_next_hand(
            above.state,
            tables,
            here.table,
            now=now,
            hand=hand,
            tournament_version=above.version,
            tournament_head=above.hash.hex(),
            pulse=pulse,
        )
    except InvariantViolated as error:
        # Read one after the other while somebody wrote: one stream knows of a move that
        # another does not.  A defect would show again, and end as a table that finds no next hand.
        raise PlanChanged(str(error)) from error


async def _step(
    runtime: Runtime, league: str, here: Table, planned: NextHandPlan, pulse: Pulse | None
) -> Receipt:
    """Append one step towards the next hand; it is planned again in its turn."""
    above = await runtime.writer.load(league, tournament_stream(here.tournament), fresh=False)
    order = runtime.order(_occurrence(here, planned, above.version))
    hand = HandId(identifier("hnd", new_id(order, 1)))

    async def decide(states: States) -> Sequence[Entry]:
        loaded = await states.load(table_stream(here.table))
        current, now = opened_of(loaded.state), order.received_at
        if _next(current) != _next(here):
            raise Overtaken
        if planned.outcome == "name_pulse":
            now = naming_instant(runtime, league, loaded)
        plan = await _plan(states, current, hand, now, pulse)
        if (plan.outcome, current.awaited) != (planned.outcome, here.awaited):
            raise PlanChanged
        if plan.outcome == "open":
            return await _opened(states, current, plan)
        leaving, guarded = await unwelcome(states, await _above(states, here), now)
        entries = [await _decided(states, each, leaving) for each in plan.entries] + guarded
        written = {entry.stream for entry in entries}
        if plan.guard is not None:
            entries.append(Entry(plan.guard))
        if plan.outcome == "finish":
            # Every stack counts for the placings, so no table may have moved.
            above = running_of(await _above(states, here))
            entries += [
                Entry(table_stream(each.table))
                for each in above.tables
                if table_stream(each.table) not in written
            ]
        return entries

    return await runtime.writer.submit(league, order, decide)


async def _opened(states: States, here: Table, plan: NextHandPlan) -> Sequence[Entry]:
    """Open a hand; if it is over at once, the tournament is told who went out by it."""
    (opening,) = plan.entries
    if not isinstance(opening, ForTable):
        raise InvariantViolated("a hand is opened at a table")
    entries = await at_table(states, here, opening.commands)
    guard = tournament_stream(here.tournament)
    return entries if len(entries) > 1 else (*entries, Entry(guard))


async def _above(states: States, here: Table) -> Tournament:
    return (await states.load(tournament_stream(here.tournament))).state


async def _decided(
    states: States, planned: ForTable | ForTournament, leaving: Sequence[Withdraw]
) -> Entry:
    """Decide on one stream; who may not come in any more leaves the tournament's line first."""
    if isinstance(planned, ForTable):
        here = (await states.load(planned.stream)).state
        decided = policies.decide_in_turn(table.decider, here, planned.commands)
        return Entry(planned.stream, *decided)
    above = (await states.load(planned.stream)).state
    asked = (*leaving, *planned.commands)
    return Entry(planned.stream, *policies.decide_in_turn(tournament.decider, above, asked))


def _next(here: Table) -> tuple[int, int]:
    return here.next_hand_number, here.next_deal


def _occurrence(here: Table, plan: NextHandPlan, tournament_version: int) -> str:
    """Return what names a step: by these numbers two processes make the same command."""
    next_hand = f"{here.table}/{here.next_hand_number}"
    match plan.outcome:
        case "open":
            return f"open_hand/{next_hand}/{here.next_deal}"
        case "name_pulse":
            return f"name_round/{next_hand}/{here.next_deal}/{tournament_version}"
        case "close":
            return f"close/{here.table}"
        case "finish":
            return f"finish/{here.tournament}"
        case outcome:
            return f"{outcome}/{next_hand}/{tournament_version}"


def settled(recorded: Sequence[RecordedEvent]) -> bool:
    """Return whether the table is idle after what was *recorded*."""
    return any(type(each.event) in (HandSettled, DealVoided) for each in recorded)
