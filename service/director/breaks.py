"""Floor work that the clock does: it ends breaks and calls the last hands."""

from datetime import datetime, timedelta

from engine.tournament.model.commands.floor import CallLastHands, EndDueBreak
from engine.tournament.model.errors import TournamentNotRunning
from engine.tournament.model.state import Announced, Registering, Running
from service.base import heartbeats
from service.director.runtime import Runtime
from service.director.silence import AGAIN, is_silent
from service.director.submitting import submit_to_tournament
from service.log.record import league_number
from service.log.streams import tournament_stream

_NOT_BEGUN = timedelta(minutes=1)
"""The delay before last hands are tried again if play has not begun at their hour."""


async def end_due_break(
    runtime: Runtime, league: str, tournament_id: str, begun_by: int
) -> datetime | None:
    """
    End a tournament's break if its time is over, and resume play. Repeating the call is harmless.

    Outages lengthen the break, and so do suspensions and maintenance, because they are outages.

    Args:
        begun_by: Version of the event that began the break. Other breaks are left alone.

    Returns:
        The instant at which the break ends, if it has not come yet, or that of the next look while
        the API is silent. None once the break is over.
    """
    state = (await runtime.writer.load(league, tournament_stream(tournament_id))).state
    rest = state.floor.rest if isinstance(state, Running) else None
    if rest is None or rest.begun_by != begun_by:
        return None
    order = runtime.order(f"break/{tournament_id}/{begun_by}")
    due = await heartbeats.lengthened(runtime.pool, league_number(league), rest.since, rest.due)
    if order.received_at < due:
        return due
    if await is_silent(runtime, league, rest.since, due):
        return order.received_at + AGAIN
    command = EndDueBreak(begun_by=begun_by, now=order.received_at)
    await submit_to_tournament(runtime, league, tournament_id, command, order)
    return None


async def call_last_hands(runtime: Runtime, league: str, tournament_id: str) -> datetime | None:
    """
    Call a tournament's last hands at their hour. Repeating the call is harmless.

    Returns:
        The instant to call again, if play has not begun or the hour has not come. Otherwise None.
    """
    state = (await runtime.writer.load(league, tournament_stream(tournament_id))).state
    if isinstance(state, Announced | Registering):
        return runtime.clock.now() + _NOT_BEGUN
    due = state.terms.floor.last_hands_at if isinstance(state, Running) else None
    if due is not None and runtime.clock.now() < due:
        # The start was postponed after this job was armed, and the last hands with it.
        return due
    order = runtime.order(f"last_hands/{tournament_id}")
    try:
        await submit_to_tournament(
            runtime, league, tournament_id, CallLastHands(now=order.received_at), order
        )
    except TournamentNotRunning:
        return None
    return None
