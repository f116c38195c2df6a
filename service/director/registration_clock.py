"""
The clock's work around entry: it closes registration, opens check-in and expires offers.

Each job is due at an instant that the log fixes, and does nothing before then. Source:
rulebook ``registration.closed``, ``waitlist.expired``, ``check_in`` and ``entry.late_closed``.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from engine.tournament.entering.checking_in import check_in_opens_at
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands.entering import (
    CloseLateRegistration,
    CloseRegistration,
    ExpireOffer,
    OpenCheckIn,
)
from engine.tournament.model.state import Announced, Registering, Running
from engine.tournament.model.state import State as Tournament
from engine.tournament.model.terms.announced import closes_at
from engine.values import EntrantId
from service.director.entry_times import held
from service.director.runtime import Runtime
from service.director.silence import AGAIN, is_silent
from service.director.submitting import after_opening, submit_to_tournament
from service.log.record import league_number
from service.log.streams import tournament_stream

_INSTANT = timedelta(milliseconds=1)
"""The clock acts this much after the end of an offer, because an answer at the end counts."""


async def close_registration(runtime: Runtime, league: str, tournament_id: str) -> datetime | None:
    """Close registration if its time has come. Otherwise return the instant to try again."""
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
    """Open check-in if its time has come. Otherwise return the instant to try again."""
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
    """
    Offer a place to the next player if its offer has expired. Otherwise return its end.

    Outages lengthen the offer.
    """
    mine = EntrantId(entrant)

    def ends(state: Tournament) -> datetime | None:
        waiter = state.entering.waiter(mine) if isinstance(state, Registering) else None
        until = None if waiter is None else waiter.offered_until
        return None if until is None else until + _INSTANT

    command = ExpireOffer(entrant=mine, now=runtime.clock.now())
    what = f"offer/{entrant}"
    return await _tend(runtime, league, tournament_id, what, command, ends, stands_still=True)


async def close_late_registration(
    runtime: Runtime, league: str, tournament_id: str
) -> datetime | None:
    """
    End late registration if its time has come. Otherwise return the instant to try again.

    Outages lengthen late registration.
    """
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
        stands_still=True,
    )


async def _tend(
    runtime: Runtime,
    league: str,
    tournament_id: str,
    what: str,
    command: TournamentCommand,
    due: Callable[[Tournament], datetime | None],
    *,
    stands_still: bool = False,
) -> datetime | None:
    """
    Submit *command* if it is due, or return the instant to try again.

    The command's id follows from *what*, the due time and the tournament's version. A repeated
    message makes the same command. Work that was undone is done again, even at the same due time.

    Args:
        due: Returns the due time for a tournament's state, or None once the work is done.
        stands_still: True if outages move the due time. A new one is recorded at once, and its
            event asks for another job.
    """
    loaded = await runtime.writer.load(league, tournament_stream(tournament_id))
    if isinstance(loaded.state, Announced):
        return after_opening(runtime, loaded.state, runtime.clock.now())
    at = due(loaded.state)
    if at is None:
        return None
    now: datetime = command.now  # type: ignore[union-attr]
    moved: datetime | None = at
    if stands_still:
        moved = due(await held(runtime.pool, league_number(league), loaded.state, now))
        if moved == at and now >= at and await is_silent(runtime, league, at, at):
            return now + AGAIN
    if now >= at or moved != at:
        order = runtime.order(f"{what}/{tournament_id}/{at.isoformat()}/{loaded.version}")
        await submit_to_tournament(runtime, league, tournament_id, command, order)
        return None
    return at
