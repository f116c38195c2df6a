"""
The steps that take a table from one hand to the next.

A command that settles a hand never opens the next one. Its caller calls this module at once,
and a worker's watch finds tables that were left idle. ``engine.coordination.next_hand`` plans
each step. This module loads the states, appends the step and plans again.
"""

import asyncio
import contextlib
import math
from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog

from engine import table, tournament
from engine.coordination import policies
from engine.coordination.next_hand import plan_next_hand
from engine.coordination.plans import ForTable, ForTournament, NextHandPlan, Outcome
from engine.errors import InvariantViolated
from engine.kit.beacon import Pulse
from engine.table.model.events import DealVoided, HandSettled
from engine.table.model.state import State as TableState
from engine.table.model.state import Table, opened_of
from engine.tournament.model.commands import Withdraw
from engine.tournament.model.directives import CloseRebuys, EndRound, Finish, NextRound
from engine.tournament.model.state import Running, running_of
from engine.tournament.model.state import State as Tournament
from engine.values import HandId, Stream, identifier
from service.base import heartbeats
from service.director.admission import unwelcome
from service.director.busts import at_table
from service.director.level_clock import after_outages
from service.director.runtime import Runtime, naming_instant
from service.director.silence import AGAIN, is_silent
from service.log.record import league_number
from service.log.states import State
from service.log.streams import table_stream, tournament_stream
from service.log.waiting import PATIENT_SECONDS
from service.log.writer import Loaded, Receipt, RecordedEvent, States, StreamEvents

_STEPS_MAX = 100
"""The limit of steps between two hands. More steps than tables can break are a defect."""

_log = structlog.get_logger(__name__)


class PlanChanged(Exception):
    """The plan made outside the writer's turn no longer holds inside it. Plan again."""


class Overtaken(Exception):
    """Another process has already taken the table to a later hand or deal."""


def lead(runtime: Runtime, league: str, table_id: str) -> None:
    """
    Take an idle table's next steps in the background.

    If a task for the table is running, it checks once more. Every settled hand calls this for all
    idle tables of its tournament. A task for each request would be hundreds at a time, most with
    the same step.
    """
    asked = runtime.leading.get((league, table_id))
    if asked is None:
        asked = runtime.leading[league, table_id] = asyncio.Event()
        runtime.later(_leading(runtime, league, table_id, asked))
    asked.set()


def lead_on(runtime: Runtime, league: str, state: Tournament) -> None:
    """Take the next step at every table of a running tournament, in the background."""
    for seating in state.tables if isinstance(state, Running) else ():
        lead(runtime, league, seating.table)


async def _leading(runtime: Runtime, league: str, table_id: str, asked: asyncio.Event) -> None:
    try:
        while asked.is_set():
            asked.clear()
            await open_next_hand(runtime, league, table_id, asked=asked)
    finally:
        del runtime.leading[league, table_id]


async def open_next_hand(
    runtime: Runtime,
    league: str,
    table_id: str,
    *,
    fresh: bool = False,
    patience: float = math.inf,
    asked: asyncio.Event | None = None,
) -> None:
    """
    Take an idle table's next steps: moves and breaks first, then the next hand if there is one.

    Any number of processes may call this at any time. Each step is one command. Its id follows
    from its effect, and the tournament's head guards it.

    Args:
        fresh: True to read the log for events of other processes first.
        patience: The longest wait for a step's time, in seconds. A caller that will look again
            later needs no task that sleeps for a day.
        asked: An event that ends such a wait when it is set. The caller then calls again.
    """
    changed = ""
    asked = asked or asyncio.Event()
    for _ in range(_STEPS_MAX):
        here = await runtime.writer.load(league, table_stream(table_id), fresh)
        state = here.state
        if not isinstance(state, Table) or state.closed or not state.idle:
            return
        try:
            plan = await _planned(runtime, league, state, fresh)
            if not await _waited(runtime, league, pauses_since(here), plan, patience, asked):
                return
            outcome = await _led(runtime, league, state, plan)
        except Overtaken:
            # The process that opened that hand takes care of the next one. If hands end at once,
            # following each of them would never end.
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


async def _led(runtime: Runtime, league: str, here: Table, plan: NextHandPlan) -> Outcome:
    """Append a planned step. Return its outcome, or "nothing" if its pulse has not arrived."""
    if plan.outcome == "nothing":
        return "nothing"
    pulse = None
    if plan.awaits is not None:
        pulse = await runtime.pulses.pulse(plan.awaits.chain, plan.awaits.round)
        if pulse is None:
            return "nothing"
    receipt = await _step(runtime, league, here, plan, pulse)
    if settled(receipt.recorded):
        # All players but one were away, so the hand was over before any decision.
        lead(runtime, league, here.table)
    for other in plan.ask_again:
        lead(runtime, league, other)
    return plan.outcome


async def _waited(
    runtime: Runtime,
    league: str,
    last: datetime,
    plan: NextHandPlan,
    patience: float,
    asked: asyncio.Event,
) -> bool:
    """
    Wait for the plan's pause, counted from *last* and from the last hands of ``plan.since``.

    Returns:
        True after the pause, or False at once if it would take longer than *patience*, and as
        soon as *asked* is set.
    """
    if not plan.wait_seconds:
        return True
    for other in plan.since:
        there = await runtime.writer.load(league, table_stream(other), fresh=False)
        last = max(last, pauses_since(there))
    ends = await pause_ends(runtime, league, last, plan)
    # The log may be ahead of the clock, so the wait never exceeds the plan's pause.
    pause = (ends - max(last, runtime.clock.now())).total_seconds()
    while pause > 0:
        if pause > patience:
            return False
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await asked.wait()
                return False
        later = await pause_ends(runtime, league, last, plan)
        pause, ends = (later - ends).total_seconds(), later
    return True


def pauses_since(loaded: Loaded[TableState]) -> datetime:
    """
    Return the instant from which the pause before a table's next hand counts.

    The log dates the end of a hand by the turn of its last command, a little after the command
    came. Later events do not count: otherwise a player who leaves the seat again and again would
    put off the next hand for ever.
    """
    latest = opened_of(loaded.state).pause_since + timedelta(seconds=PATIENT_SECONDS)
    return min(loaded.at, latest)


async def pause_ends(runtime: Runtime, league: str, last: datetime, plan: NextHandPlan) -> datetime:
    """Return the end of a plan's pause. Outages lengthen the time for a rebuy, lasting ones too."""
    ends = last + timedelta(seconds=plan.wait_seconds)
    if not isinstance(plan.directive, CloseRebuys | EndRound):
        return ends
    ends = await heartbeats.lengthened(runtime.pool, league_number(league), last, ends)
    now = runtime.clock.now()
    return now + AGAIN if now >= ends and await is_silent(runtime, league, last, ends) else ends


async def _planned(runtime: Runtime, league: str, here: Table, fresh: bool) -> NextHandPlan:
    """Plan outside the writer's turn, because the plan decides the command's id."""
    if fresh:
        await _catch_up(runtime, league, here)
    hand = HandId(identifier("hnd", runtime.order("plan").new_id(1)))
    return await _plan(_Outside(runtime, league), here, hand, runtime.clock.now())


async def _catch_up(runtime: Runtime, league: str, here: Table) -> None:
    """Compare this process's copies of the tournament and all its tables with the log, at once."""
    above = await runtime.writer.load(league, tournament_stream(here.tournament))
    seatings = above.state.tables if isinstance(above.state, Running) else ()
    streams = [table_stream(each.table) for each in seatings if each.table != here.table]
    await asyncio.gather(*(runtime.writer.load(league, each) for each in streams))


class _Outside:
    """The states as this process knows them, for planning before there is a command."""

    def __init__(self, runtime: Runtime, league: str) -> None:
        self._runtime = runtime
        self.league = league_number(league)
        self._named = league

    async def load(self, stream: Stream[State]) -> Loaded[State]:
        """Return the state of *stream*."""
        return await self._runtime.writer.load(self._named, stream, fresh=False)


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
        # The streams were read one after the other during an append, so one may hold a move that
        # another lacks. A real defect recurs in every step and is logged in the end.
        raise PlanChanged(str(error)) from error


async def _step(
    runtime: Runtime, league: str, here: Table, planned: NextHandPlan, pulse: Pulse | None
) -> Receipt:
    """Append one step towards the next hand. The writer's turn plans it again."""
    above = await runtime.writer.load(league, tournament_stream(here.tournament), fresh=False)
    order = runtime.order(_occurrence(here, planned, above.version))
    hand = HandId(identifier("hnd", order.new_id(1)))

    async def decide(states: States) -> Sequence[StreamEvents]:
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
            return await _opened(runtime, states, current, plan)
        leaving, guarded = await unwelcome(states, await _above(states, here), now)
        entries = [await _decided(runtime, states, each, leaving, now) for each in plan.entries]
        entries += guarded
        written = {entry.stream for entry in entries}
        if plan.guard is not None:
            entries.append(StreamEvents(plan.guard))
        if isinstance(plan.directive, Finish | NextRound | EndRound):
            # Every stack counts for the placings, and every hand for a round of hand-for-hand
            # play, so no table may have changed.
            above = running_of(await _above(states, here))
            entries += [
                StreamEvents(table_stream(each.table))
                for each in above.tables
                if table_stream(each.table) not in written
            ]
        return entries

    return await runtime.writer.submit(league, order, decide)


async def _opened(
    runtime: Runtime, states: States, here: Table, plan: NextHandPlan
) -> Sequence[StreamEvents]:
    """Open a hand. If it is over at once, the same append reports its busts."""
    (opening,) = plan.entries
    if not isinstance(opening, ForTable):
        raise InvariantViolated("a hand is opened at a table")
    entries = await at_table(runtime, states, here, opening.commands)
    guard = tournament_stream(here.tournament)
    return entries if len(entries) > 1 else (*entries, StreamEvents(guard))


async def _above(states: States, here: Table) -> Tournament:
    return (await states.load(tournament_stream(here.tournament))).state


async def _decided(
    runtime: Runtime,
    states: States,
    planned: ForTable | ForTournament,
    leaving: Sequence[Withdraw],
    now: datetime,
) -> StreamEvents:
    """Decide the plan's commands on one stream. On the tournament, decide *leaving* first."""
    if isinstance(planned, ForTable):
        here = (await states.load(planned.stream)).state
        decided = policies.decide_in_turn(table.decider, here, planned.commands)
        return StreamEvents(planned.stream, *decided)
    above = (await states.load(planned.stream)).state
    asked = await after_outages(runtime, states.league, above, (*leaving, *planned.commands), now)
    return StreamEvents(planned.stream, *policies.decide_in_turn(tournament.decider, above, asked))


def _next(here: Table) -> tuple[int, int]:
    return here.next_hand_number, here.next_deal


def _occurrence(here: Table, plan: NextHandPlan, tournament_version: int) -> str:
    """Return the name of a step. Two processes that plan the same step get the same name."""
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
    """Return whether the *recorded* events left the table idle: a hand settled, a deal voided."""
    return any(type(each.event) in (HandSettled, DealVoided) for each in recorded)
