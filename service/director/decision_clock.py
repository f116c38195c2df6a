"""The clock's work at live tables: timeouts, extensions after an outage, and the next hand."""

from datetime import datetime, timedelta

import structlog

from engine.errors import CommandRejected
from engine.table.model.commands import ExtendDecision, ResumeTable, TimeOut
from engine.table.model.hand import Decision
from engine.table.model.state import Table
from engine.tournament.model.state import Cancelled, Finished
from service.base import heartbeats
from service.director.next_hand import open_next_hand
from service.director.runtime import Runtime
from service.director.submitting import submit_to_table
from service.log.record import league_number
from service.log.streams import table_stream, tournament_stream

_log = structlog.get_logger(__name__)


async def time_out(runtime: Runtime, league: str, table_id: str, decision: Decision) -> None:
    """
    Have the clock answer *decision* for every seat that has not answered yet.

    Raises:
        CommandRejected: If the decision has been answered, or its time is not over.
    """
    command = TimeOut(
        decision=decision.token,
        salts=tuple(runtime.entropy.token() for _ in decision.seats),
        now=runtime.clock.now(),
    )
    order = runtime.order(f"time_out/{table_id}/{decision.token}")
    await submit_to_table(runtime, league, table_id, command, order)


async def extend(runtime: Runtime, league: str, table_id: str, decision: Decision) -> None:
    """Give *decision* its full time again, because the service was away while it was open."""
    order = runtime.order(f"extend/{table_id}/{decision.token}/{decision.deadline.isoformat()}")
    await submit_to_table(runtime, league, table_id, ExtendDecision(now=runtime.clock.now()), order)


async def watch_table(runtime: Runtime, league: str, table_id: str) -> datetime | None:
    """
    Do what is due at one live table: time a decision out, extend it, or open the next hand.

    Returns:
        The instant to watch the table again, or ``None`` once it is closed.
    """
    stream = table_stream(table_id)
    state = (await runtime.writer.load(league, stream)).state
    if not isinstance(state, Table) or state.closed:
        return None
    if state.idle:
        # The pause between two hands may be long, and other jobs wait for this process.
        patience = runtime.settings.sweep_seconds
        runtime.later(open_next_hand(runtime, league, table_id, fresh=True, patience=patience))
    elif state.held is not None:
        await _release_after_the_end(runtime, league, state)
    elif state.decision is not None:
        try:
            await _see_to_decision(runtime, league, state, state.decision)
        except CommandRejected as refusal:
            # Meanwhile it was answered, held or extended. The table is still to be watched.
            _log.info("a decision went on by itself", table=table_id, code=refusal.code)
    state = (await runtime.writer.load(league, stream, fresh=False)).state
    if not isinstance(state, Table) or state.closed:
        return None
    soon = runtime.clock.now() + timedelta(seconds=runtime.settings.sweep_seconds)
    if state.decision is None:
        return soon
    return max(
        state.answered_by_clock_at(state.decision),
        runtime.clock.now() + timedelta(seconds=min(1, runtime.settings.sweep_seconds)),
    )


async def _release_after_the_end(runtime: Runtime, league: str, held: Table) -> None:
    """
    Resume a table on hold whose tournament is over.

    A cancellation releases its tables, but older logs hold some that were not released. Nobody can
    do it any more, and the hand could never end. Such an end is old, so this process's copy of the
    tournament knows it.
    """
    above = await runtime.writer.load(league, tournament_stream(held.tournament), fresh=False)
    if isinstance(above.state, Finished | Cancelled):
        order = runtime.order(f"release/{held.table}/{held.hand_number}")
        command = ResumeTable(now=runtime.clock.now())
        await submit_to_table(runtime, league, held.table, command, order)


async def _see_to_decision(runtime: Runtime, league: str, state: Table, decision: Decision) -> None:
    opened_at = decision.deadline - timedelta(seconds=state.decision_seconds)
    ends = state.answered_by_clock_at(decision)
    interval = timedelta(seconds=runtime.settings.heartbeat_seconds)
    match await heartbeats.interruption(
        runtime.pool, league_number(league), opened_at, ends, interval
    ):
        case "over":
            await extend(runtime, league, state.table, decision)
        case "none":
            if runtime.clock.now() > ends:
                await time_out(runtime, league, state.table, decision)
        case "lasting":
            _log.info("a decision waits for the API", table=state.table)
