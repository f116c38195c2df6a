"""
What the clock brings to those who enter a tournament: ends, openings, offers that run out.

Each is due at an instant that the log knows, and does nothing before it.  Source:
rulebook ``registration.closed``, ``waitlist.expired``, ``check_in`` and ``entry.late_closed``.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from engine.tournament.entering.checking_in import check_in_opens_at
from engine.tournament.entering.places import closes_at
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.entering_commands import (
    CloseLateRegistration,
    CloseRegistration,
    ExpireOffer,
    OpenCheckIn,
)
from engine.tournament.model.state import Registering, Running
from engine.tournament.model.state import State as Tournament
from engine.values import EntrantId
from service.director.runtime import Runtime
from service.director.submitting import submit_to_tournament
from service.log.streams import tournament_stream

_INSTANT = timedelta(milliseconds=1)
"""An answer at the very end of an offer counts: the clock comes after it."""


async def close_registration(runtime: Runtime, league: str, tournament_id: str) -> datetime | None:
    """Close registration if it is time; return when to ask again."""
    return await _tend(
        runtime,
        league,
        tournament_id,
        "close_registration",
        CloseRegistration(scheduled=True, now=runtime.clock.now()),
        lambda state: (
            closes_at(state.terms) if isinstance(state, Registering) and not state.closed else None
        ),
    )


async def open_check_in(runtime: Runtime, league: str, tournament_id: str) -> datetime | None:
    """Open check-in if it is time; return when to ask again."""
    return await _tend(
        runtime,
        league,
        tournament_id,
        "check_in",
        OpenCheckIn(now=runtime.clock.now()),
        lambda state: (
            check_in_opens_at(state.terms)
            if isinstance(state, Registering) and not state.entering.check_in_opened
            else None
        ),
    )


async def expire_offer(
    runtime: Runtime, league: str, tournament_id: str, entrant: str
) -> datetime | None:
    """Pass a place on whose offer has run out; return when to ask again."""
    mine = EntrantId(entrant)

    def ends(state: Tournament) -> datetime | None:
        waiter = state.entering.waiter(mine) if isinstance(state, Registering) else None
        until = None if waiter is None else waiter.offered_until
        return None if until is None else until + _INSTANT

    command = ExpireOffer(entrant=mine, now=runtime.clock.now())
    return await _tend(runtime, league, tournament_id, f"offer/{entrant}", command, ends)


async def close_late_registration(
    runtime: Runtime, league: str, tournament_id: str
) -> datetime | None:
    """End late registration if it is time; return when to ask again."""
    return await _tend(
        runtime,
        league,
        tournament_id,
        "close_late",
        CloseLateRegistration(scheduled=True, now=runtime.clock.now()),
        lambda state: (
            None
            if not isinstance(state, Running) or state.entering.late_until is None
            else state.entering.late_until + _INSTANT
        ),
    )


async def _tend(
    runtime: Runtime,
    league: str,
    tournament_id: str,
    what: str,
    command: TournamentCommand,
    due: Callable[[Tournament], datetime | None],
) -> datetime | None:
    """
    Do at its time what the clock brings.

    The command is called after what it is about and when that was due: two messages
    make the same command, and what is due anew is another.

    Args:
        due: When it is to be done, by a tournament's state; None once it is done.
    """
    state = (await runtime.writer.load(league, tournament_stream(tournament_id))).state
    at = due(state)
    if at is None:
        return None
    if command.now >= at:  # type: ignore[union-attr]
        order = runtime.order(f"{what}/{tournament_id}/{at.isoformat()}")
        await submit_to_tournament(runtime, league, tournament_id, command, order)
        return None
    return at
