"""The ends of late registration and of offers, as they hold now."""

from dataclasses import replace

import msgspec

from service.api.http.access.rights import TournamentPlace
from service.api.http.shell import Shell
from service.director.entry_times import held
from service.log.record import league_number


async def with_entry_times(shell: Shell, place: TournamentPlace) -> TournamentPlace:
    """
    Return *place* with the ends of entry that outages have moved.

    While the league is closed, they are the ends without this closure.
    """
    until = shell.doors.closed_since(place.league) or shell.now()
    state = await held(shell.pool, league_number(place.league), place.state, until)
    return replace(place, loaded=msgspec.structs.replace(place.loaded, state=state))
