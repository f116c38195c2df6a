"""
Leading tables from hand to hand, and tournaments from hour to hour.

A settling command never opens the next hand: whoever settled asks here at once,
and a worker's watch finds tables left lying.  What is to happen is decided by
``engine.policies``; here it is loaded, appended and asked again.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog

from engine import boundaries, policies, purchases, season, table, tournament
from engine.aggregates import DECIDERS
from engine.boundaries import BoundaryPlan
from engine.errors import InvariantViolated
from engine.table.commands import Command as TableCommand
from engine.table.commands import ExtendDecision, TimeOut
from engine.table.events import DealVoided, HandSettled
from engine.table.state import Decision, Table
from engine.tournament.commands import Command as TournamentCommand
from engine.tournament.commands import OpenRegistration, RecordBusts, StartPlay
from engine.tournament.state import Finished, Registering, Running
from engine.tournament.values import Masters
from engine.values import HandId, TableId, identifier
from service import heartbeats
from service.addresses import stream_of
from service.desk import Desk, new_id
from service.writer import Command, Entry, Loaded, Receipt, States

__all__ = [
    "Desk",
    "award_points",
    "open_next_hand",
    "open_registration",
    "start_tournament",
    "submit",
    "time_out",
    "watch",
]

_STEPS_MAX = 100
"""More steps at one boundary than tables can break are a defect."""

_log = structlog.get_logger(__name__)


class PlanChanged(Exception):
    """What was planned outside the writer's turn no longer holds in it; plan again."""


async def open_registration(
    desk: Desk, league: str, tournament_id: str, order: Command | None = None
) -> None:
    """
    Open a tournament's registration and commit to its masters.

    Args:
        order: The request behind it; without one the house does it, once.
    """
    entropy, stream = desk.entropy, stream_of(tournament_id)
    command = OpenRegistration(
        masters=Masters(cards=entropy.token(), open=entropy.token()),
        salts=(entropy.token(), entropy.token()),
        now=desk.clock.now(),
    )

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        return [Entry(stream, tournament.decider.decide(state, command))]

    await desk.writer.submit(
        league, order or desk.order(f"open_registration/{tournament_id}"), decide
    )


async def start_tournament(
    desk: Desk, league: str, tournament_id: str, now: datetime, order: Command | None = None
) -> None:
    """
    Close registration, draw seats, open the tables, and soon their first hands.

    With too few entrants it is cancelled instead.  Asking again changes nothing.

    Args:
        order: The request behind it; without one the house does it, once.

    Raises:
        CommandRejected: If it is not registering, or over.
    """
    stream = stream_of(tournament_id)
    command = order or desk.order(f"start/{tournament_id}")

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        count = len(state.entrants) if isinstance(state, Registering) else 0
        ids = tuple(
            TableId(identifier("tbl", new_id(command, number))) for number in range(1, count + 1)
        )
        events = tournament.decider.decide(state, StartPlay(table_ids=ids, now=now))
        entries = [Entry(stream, events)]
        for event in events:
            state = tournament.decider.evolve(state, event)
        if events and isinstance(state, Running):
            for opening in policies.tables_of(state, now=now):
                before = (await states.load(stream_of(opening.table))).state
                entries.append(
                    Entry(stream_of(opening.table), table.decider.decide(before, opening))
                )
        return entries

    await desk.writer.submit(league, command, decide)
    started = (await desk.writer.load(league, stream, fresh=False)).state
    if isinstance(started, Running):
        for seating in started.tables:
            desk.later(open_next_hand(desk, league, seating.table))


async def open_next_hand(desk: Desk, league: str, table_id: str, *, fresh: bool = False) -> None:
    """
    Lead a table over its boundary: moves and breaks first, then the next hand, or none.

    Harmless at any time by any number of processes: each step is one command whose
    id follows from what it does, guarded by the tournament's head.

    Args:
        fresh: Whether to ask the log for what other processes did.
    """
    for _ in range(_STEPS_MAX):
        here = await desk.writer.load(league, stream_of(table_id), fresh)
        if not isinstance(here.state, Table) or here.state.closed or not here.state.idle:
            return
        plan = await _planned(desk, league, here, fresh)
        if plan.outcome == "nothing":
            return
        earliest = here.at + timedelta(seconds=plan.wait_seconds)
        if plan.wait_seconds and (pause := earliest - desk.clock.now()) > timedelta():
            await asyncio.sleep(pause.total_seconds())
        try:
            receipt = await _step(desk, league, here.state, plan)
        except PlanChanged:
            fresh = True
            continue
        if _settled(receipt.recorded):
            # All but one were away: the hand was over before anybody was asked.
            desk.later(open_next_hand(desk, league, table_id))
        for other in plan.ask_again:
            desk.later(open_next_hand(desk, league, other))
        if plan.outcome in ("open", "hold", "close"):
            return
    _log.error("a boundary does not end", table=table_id)


async def _planned(desk: Desk, league: str, here: Loaded, fresh: bool) -> BoundaryPlan:
    """Plan outside the writer's turn, to know what the command is called."""

    async def load(stream: str) -> Loaded:
        return await desk.writer.load(league, stream, fresh)

    hand = HandId(identifier("hnd", new_id(desk.order("plan"), 1)))
    return await _plan(load, here.state, hand, desk.clock.now())


async def _plan(load: Any, here: Table, hand: HandId, now: datetime) -> BoundaryPlan:
    above = await load(stream_of(here.tournament))
    tables = {here.table: here}
    if isinstance(above.state, Running):
        for seating in above.state.tables:
            if seating.table != here.table:
                tables[seating.table] = (await load(stream_of(seating.table))).state
    return boundaries.plan_boundary(
        above.state,
        tables,
        here.table,
        now=now,
        hand=hand,
        tournament_version=above.version,
        tournament_head=above.hash.hex(),
    )


async def _step(desk: Desk, league: str, here: Table, planned: BoundaryPlan) -> Receipt:
    """Append one step of a boundary; it is planned again in its turn, on what stands then."""
    above = await desk.writer.load(league, stream_of(here.tournament), fresh=False)
    order = desk.order(_occurrence(here, planned, above.version))
    hand = HandId(identifier("hnd", new_id(order, 1)))
    now = order.received_at

    async def decide(states: States) -> Sequence[Entry]:
        current = (await states.load(stream_of(here.table))).state
        if _next(current) != _next(here):
            raise PlanChanged
        plan = await _plan(states.load, current, hand, now)
        if plan.outcome != planned.outcome:
            raise PlanChanged
        if plan.outcome == "open":
            return await _opened(states, current, plan)
        entries = [await _decided(states, each.stream, each.commands) for each in plan.entries]
        written = {entry.stream for entry in entries}
        if plan.guard is not None:
            entries.append(Entry(plan.guard))
        if plan.outcome == "finish":
            # Every stack counts for the placings, so no table may have moved.
            above = (await states.load(stream_of(here.tournament))).state
            entries += [
                Entry(stream_of(each.table))
                for each in above.tables
                if stream_of(each.table) not in written
            ]
        return entries

    return await desk.writer.submit(league, order, decide)


async def _opened(states: States, here: Table, plan: BoundaryPlan) -> Sequence[Entry]:
    """Open a hand; if it is over at once, the tournament is told who went out by it."""
    (opening,) = plan.entries
    entries = await _at_table(states, here, opening.commands)
    guard = stream_of(here.tournament)
    return entries if len(entries) > 1 else (*entries, Entry(guard))


async def _at_table(states: States, here: Table, asked: Sequence[Any]) -> tuple[Entry, ...]:
    """Have the table decide, and the tournament what it is to be told of it."""
    stream = stream_of(here.table)
    events, after = policies.decide_in_turn(DECIDERS["table"], here, asked)
    busts = policies.busts_of(here.table, events, level=after.level_number)
    if busts is None:
        return (Entry(stream, events, after),)
    above = stream_of(here.tournament)
    told, _, bought, after = with_busts((await states.load(above)).state, after, busts)
    return Entry(stream, (*events, *bought), after), Entry(above, told)


async def _decided(states: States, stream: str, commands: Sequence[Any]) -> Entry:
    state = (await states.load(stream)).state
    decider: Any = tournament.decider if stream.startswith("tournament-") else table.decider
    return Entry(stream, *policies.decide_in_turn(decider, state, commands))


def _next(here: Table) -> tuple[int, int]:
    return here.next_hand_number, here.next_deal


def _occurrence(here: Table, plan: BoundaryPlan, tournament_version: int) -> str:
    """Return what names a step: by these numbers two processes make the same command."""
    boundary = f"{here.table}/{here.next_hand_number}"
    match plan.outcome:
        case "open":
            return f"open_hand/{boundary}/{here.next_deal}"
        case "close":
            return f"close/{here.table}"
        case "finish":
            return f"finish/{here.tournament}"
        case outcome:
            return f"{outcome}/{boundary}/{tournament_version}"


def with_busts(
    above: Any, here: Table, busts: RecordBusts
) -> tuple[tuple[Any, ...], Any, tuple[Any, ...], Table]:
    """
    Return what a tournament makes of *busts*, the chips brought *here*, and both states then.

    A rebuy that was declared beforehand brings its chips at once.
    """
    told, above = policies.decide_in_turn(tournament.decider, above, (busts,))
    owed = purchases.chips_of(told, now=busts.now).get(here.table, ())
    bought, after = policies.decide_in_turn(table.decider, here, owed)
    if not isinstance(after, Table):
        raise InvariantViolated("chips were brought to a table that is not open")
    return told, above, bought, after


async def submit(
    desk: Desk, league: str, table_id: str, command: TableCommand, order: Command
) -> Receipt:
    """
    Have *command* decided by the table, and by the tournament what follows from it.

    A bust is written to both streams in one append.  If the hand is settled the
    next one is opened in the background, after the commit.
    """
    stream = stream_of(table_id)

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        if not isinstance(state, Table):
            return [Entry(stream, table.decider.decide(state, command))]
        return await _at_table(states, state, (command,))

    receipt = await desk.writer.submit(league, order, decide)
    if _settled(receipt.recorded):
        desk.later(open_next_hand(desk, league, table_id))
    return receipt


async def buy(
    desk: Desk, league: str, tournament_id: str, command: TournamentCommand, order: Command
) -> Receipt:
    """
    Have a rebuy, a stake or its return decided, and its chips brought to the table or away.

    Raises:
        CommandRejected: If the tournament or the table refuses it.
    """
    stream = stream_of(tournament_id)

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        events, state = policies.decide_in_turn(tournament.decider, state, (command,))
        entries = []
        for each, asked in purchases.chips_of(events, now=order.received_at).items():
            there = stream_of(each)
            before = (await states.load(there)).state
            decided, after = policies.decide_in_turn(table.decider, before, asked)
            # Who leaves may end a hand in which somebody else had nothing left.
            busts = policies.busts_of(each, decided, level=after.level_number)
            if busts is not None:
                told, state, bought, _ = with_busts(state, after, busts)
                events, decided = (*events, *told), (*decided, *bought)
            entries.append(Entry(there, decided))
        return [Entry(stream, events), *entries]

    receipt = await desk.writer.submit(league, order, decide)
    running = (await desk.writer.load(league, stream, fresh=False)).state
    for seating in getattr(running, "tables", ()):
        desk.later(open_next_hand(desk, league, seating.table))
    return receipt


def _settled(recorded: Sequence[Any]) -> bool:
    """Return whether the table is idle after what was *recorded*."""
    return any(type(each.event) in (HandSettled, DealVoided) for each in recorded)


async def time_out(desk: Desk, league: str, table_id: str, decision: Decision) -> None:
    """
    Have the clock answer *decision* for everybody it still waits for.

    Raises:
        CommandRejected: If it was answered meanwhile, or its time is not over.
    """
    command = TimeOut(
        decision=decision.token,
        salts=tuple(desk.entropy.token() for _ in decision.seats),
        now=desk.clock.now(),
    )
    order = desk.order(f"time_out/{table_id}/{decision.token}")
    await submit(desk, league, table_id, command, order)


async def extend(desk: Desk, league: str, table_id: str, decision: Decision) -> None:
    """Give *decision* its full time anew: the service was away while it was open."""
    order = desk.order(f"extend/{table_id}/{decision.token}/{decision.deadline.isoformat()}")
    await submit(desk, league, table_id, ExtendDecision(now=desk.clock.now()), order)


async def watch(desk: Desk, league: str, table_id: str) -> datetime | None:
    """
    See to one live table: time out what ran out, extend what an outage took, open what lies.

    Returns:
        When to look again; ``None`` once the table is closed.
    """
    stream = stream_of(table_id)
    state: Any = (await desk.writer.load(league, stream)).state
    if not isinstance(state, Table) or state.closed:
        return None
    if state.idle:
        # The pause between two hands may be long, and others wait for this process.
        desk.later(open_next_hand(desk, league, table_id, fresh=True))
    elif state.decision is not None and state.held is None:
        await _see_to_decision(desk, league, state, state.decision)
    state = (await desk.writer.load(league, stream, fresh=False)).state
    if not isinstance(state, Table) or state.closed:
        return None
    soon = desk.clock.now() + timedelta(seconds=desk.settings.sweep_seconds)
    if state.decision is None:
        return soon
    return max(
        state.decision.deadline + timedelta(seconds=state.grace_seconds),
        desk.clock.now() + timedelta(seconds=min(1, desk.settings.sweep_seconds)),
    )


async def _see_to_decision(desk: Desk, league: str, state: Table, decision: Decision) -> None:
    opened_at = decision.deadline - timedelta(seconds=state.decision_seconds)
    interval = timedelta(seconds=desk.settings.heartbeat_seconds)
    match await heartbeats.interruption(desk.pool, opened_at, decision.deadline, interval):
        case "over":
            await extend(desk, league, state.table, decision)
        case "none":
            ends = decision.deadline + timedelta(seconds=state.grace_seconds)
            if desk.clock.now() > ends:
                await time_out(desk, league, state.table, decision)
        case "lasting":
            _log.info("a decision waits for the API", table=state.table)


async def award_points(desk: Desk, league: str, tournament_id: str) -> None:
    """
    Give the season the placings of a finished tournament; asking again changes nothing.

    Raises:
        CommandRejected: If the season is closed.
    """
    state = (await desk.writer.load(league, stream_of(tournament_id))).state
    if not isinstance(state, Finished) or state.terms.season is None:
        return
    stream = stream_of(state.terms.season)
    command = policies.points_of(state, now=desk.clock.now())

    async def decide(states: States) -> Sequence[Entry]:
        before = (await states.load(stream)).state
        return [Entry(stream, season.decider.decide(before, command))]

    await desk.writer.submit(league, desk.order(f"award_points/{tournament_id}"), decide)
