"""
What the caller may see and do, decided at the object.

A thing in a league the caller does not belong to looks exactly like a thing
that is not there.
"""

from dataclasses import dataclass
from typing import Any

from engine.league.roles import Capability, Role, may
from engine.league.state import Created
from engine.tournament.state import Finished, Registering, Running, Unannounced
from engine.values import EntrantId, PlayerId, number_of, stream_of
from service.addresses import league_of_stream
from service.api.shell import Asked, Shell, principal_of, shell_of
from service.errors import Forbidden, StoreUnavailable, StreamNotFound
from service.writer import Loaded


@dataclass(frozen=True, slots=True)
class Place:
    """An object the caller may see, in the league it stands in."""

    league: str
    role: Role
    stream: str
    loaded: Loaded
    """As far as it has been read; its state is the aggregate's."""

    @property
    def state(self) -> Any:
        """The aggregate's state."""
        return self.loaded.state


async def reach(request: Asked, identifier: str, prefix: str, *, fresh: bool = True) -> Place:
    """
    Return the object *identifier* names, if the caller belongs to its league.

    Raises:
        StreamNotFound: If there is none such, or it is foreign.
    """
    shell = shell_of(request)
    stream = _stream(identifier, prefix)
    league = await league_of(shell, stream)
    role = await role_in(request, league)
    if role is None:
        raise StreamNotFound("there is nothing here under this name")
    loaded = await shell.desk.writer.load(league, stream, fresh)
    return Place(league, role, stream, loaded)


async def league_of(shell: Shell, stream: str) -> str:
    """Return the league *stream* stands in; ``StreamNotFound`` if it was never written."""
    known = shell.leagues.get(stream)
    if known is None:
        try:
            number = await league_of_stream(shell.pool, stream)
        except OSError as error:
            raise StoreUnavailable("the database is away") from error
        if number is None:
            raise StreamNotFound("there is nothing here under this name")
        known = shell.leagues[stream] = f"lge_{number.hex}"
    return known


async def role_in(request: Asked, league: str) -> Role | None:
    """Return the caller's role in *league*, None for a stranger."""
    shell = shell_of(request)
    state = (await shell.desk.writer.load(league, stream_of(league), fresh=True)).state
    if not isinstance(state, Created):
        return None
    return state.role_of(PlayerId(principal_of(request).account.player))


def demand(place: Place, capability: Capability, *, entered: bool = False) -> None:
    """
    Check that the caller's role permits *capability*.

    Raises:
        Forbidden: With the capability that is missing.
    """
    if not may(place.role, capability, entered=entered):
        raise Forbidden("the role in this league does not allow this", capability=capability)


def entrant_of(state: Any, player: str) -> EntrantId | None:
    """Return *player*'s entry in a tournament, the latest one if there are several."""
    if not isinstance(state, Registering | Running | Finished):
        return None
    found = [each.entrant for each in state.entrants if each.player == player]
    return found[-1] if found else None


async def tournament_of_table(request: Asked, place: Place) -> Any:
    """Return the state of the tournament a table belongs to, as this process last saw it."""
    stream = stream_of(place.state.tournament)
    writer = shell_of(request).desk.writer
    state = (await writer.load(place.league, stream, fresh=False)).state
    if not isinstance(state, Running | Finished):
        # Entries change until play begins: a copy from before would make a player a spectator.
        state = (await writer.load(place.league, stream)).state
    if isinstance(state, Unannounced):
        raise StreamNotFound("there is nothing here under this name")
    return state


def _stream(identifier: str, prefix: str) -> str:
    try:
        if not identifier.startswith(f"{prefix}_"):
            raise StreamNotFound("there is nothing here under this name")
        number_of(identifier)
        return stream_of(identifier)
    except ValueError as error:
        raise StreamNotFound("there is nothing here under this name") from error
