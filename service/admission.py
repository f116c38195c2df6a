"""Who may enter a league's tournaments, as of the append that lets them in."""

from datetime import datetime

from engine.league.banning import demand_unbanned
from engine.league.roles import may
from engine.league.state import Created
from engine.values import PlayerId, stream_of
from service.errors import StreamNotFound
from service.writer import Entry, States


async def admitted(states: States, league: str, player: PlayerId, now: datetime) -> Entry:
    """
    Return the guard under which *player* may enter a tournament of *league*.

    It belongs into the append that lets the player in: one who is removed or banned
    at the same moment is either in before that, or not at all.

    Raises:
        StreamNotFound: If the player does not belong to the league (any longer).
        PlayerBanned: If the player is banned from it.
    """
    stream = stream_of(league)
    state = (await states.load(stream)).state
    role = state.role_of(player) if isinstance(state, Created) else None
    if not isinstance(state, Created) or not may(role, "enter_tournaments"):
        raise StreamNotFound("there is nothing here under this name")
    demand_unbanned(state, player, now)
    return Entry(stream)
