"""The entrant as whom a caller looks at a table."""

from engine.table.model.state import Table
from engine.tournament.model.state import (
    Cancelled,
    Finished,
    Registering,
    Running,
    State,
    Unannounced,
)
from engine.values import EntrantId, stream_of
from service.api.http.access.phases import Tournament
from service.api.http.access.rights import TablePlace
from service.api.http.shell import Shell
from service.base.errors import StreamNotFound
from service.people.tokens import Principal


def entrant_of(state: object, player: str) -> EntrantId | None:
    """Return *player*'s latest entry in a tournament, or None if there is none."""
    if not isinstance(state, Registering | Running | Finished | Cancelled):
        return None
    found = [each.entrant for each in state.entrants if each.player == player]
    return found[-1] if found else None


def viewer_in(shell: Shell, principal: Principal, tournament: Tournament) -> EntrantId | None:
    """Return the caller's entrant at the tables of *tournament*, or None for a spectator."""
    if not isinstance(tournament, Registering | Running | Finished | Cancelled):
        return None
    entrants = tournament.entrants
    by_player: dict[str, EntrantId] = shell.index(
        tournament.terms.tournament,
        entrants,
        lambda: {each.player: each.entrant for each in entrants},
    )
    return by_player.get(principal.account.player)


async def tournament_of_table(shell: Shell, place: TablePlace) -> Tournament:
    """Return a table's tournament, from this process's copy if it knows everybody at the table."""
    stream = stream_of(place.state.tournament)
    writer = shell.runtime.writer
    copy = writer.known(place.league, stream)
    if copy is None or not _knows(shell, copy.state, place.state):
        # Entries change until play begins and during late registration. An old copy
        # would treat a new player as a spectator.
        copy = await writer.load(place.league, stream)
    state: State = copy.state
    if isinstance(state, Unannounced):
        raise StreamNotFound("it does not exist, or you may not see it")
    return state


def _knows(shell: Shell, tournament: object, table: Table) -> bool:
    """Return whether this copy of the tournament has an entry for everybody seated at *table*."""
    if not isinstance(tournament, Running | Finished | Cancelled):
        return False
    entries = tournament.entrants
    known: dict[str, bool] = shell.index(
        f"entries of {tournament.terms.tournament}",
        entries,
        lambda: {each.entrant: True for each in entries},
    )
    return all(place.entrant in known for place in table.places)
