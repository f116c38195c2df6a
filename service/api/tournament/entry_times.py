"""The start, and the ends of late registration and of offers, as they hold now."""

from dataclasses import replace
from datetime import datetime, timedelta

import msgspec

from engine.tournament.levels import breaks_of, structure_of
from engine.tournament.model.state import Cancelled, Finished, Running
from service.api.http.access.phases import Tournament, entering_of
from service.api.http.access.rights import TournamentPlace
from service.api.http.shell import Shell
from service.director.entry_times import held
from service.log.record import league_number
from service.projections.reads import queries


async def with_entry_times(shell: Shell, place: TournamentPlace) -> TournamentPlace:
    """Return *place* with the ends of entry that outages have moved."""
    state = await with_outages(shell, place.league, place.state)
    return replace(place, loaded=msgspec.structs.replace(place.loaded, state=state))


async def with_outages(shell: Shell, league: str, state: Tournament) -> Tournament:
    """
    Return *state* with the ends of entry that outages have moved.

    While the league is closed, they are the ends without this closure.
    """
    until = shell.doors.closed_since(league) or shell.now()
    return await held(shell.pool, league_number(league), state, until)


async def started_at(shell: Shell, state: Tournament) -> datetime | None:
    """Return the instant at which play started, as the read models know it, or None."""
    if not isinstance(state, Running | Finished | Cancelled):
        return None
    async with shell.engine.connect() as connection:
        row = await queries.tournament(connection, state.terms.tournament)
    return None if row is None else row.started_at


def late_registration_ends_at(state: Tournament) -> datetime | None:
    """
    Return the likely end of late registration, with the break that follows its last level.

    Before play it follows from the planned start. In play it follows from the clock. There is none
    without late registration, once it is over, and while the clock stands.
    """
    terms, known = state.terms, entering_of(state)
    level, seconds = terms.entry.late_registration_level, terms.entry.late_registration_seconds
    if isinstance(state, Finished | Cancelled) or (isinstance(state, Running) and not known.late):
        return None
    if known.late_until is not None:
        return known.late_until
    if seconds is not None:
        return terms.starts_at + timedelta(seconds=seconds)
    if level is None:
        return None
    if not isinstance(state, Running):
        return terms.starts_at + _time_after(state, 0, level)
    if state.clock is None or state.clock.due is None:
        return None
    return state.clock.due + _time_after(state, state.clock.level, level)


def _time_after(state: Tournament, ended: int, last: int) -> timedelta:
    """Return the time from the end of level *ended* to the end of level *last* and its break."""
    steps = structure_of(state.terms.ruleset)
    breaks = {each.level: each.seconds for each in state.terms.floor.breaks}
    if isinstance(state, Running):
        breaks = {**breaks_of(state)}
    seconds = sum(each.length or 0 for each in steps[ended:last])
    seconds += sum(lasts for level, lasts in breaks.items() if ended <= level <= last)
    return timedelta(seconds=seconds)
