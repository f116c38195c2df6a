"""A player's role in a league, read from the league's own events. No other code reads it."""

import msgspec

from engine.coordination.aggregates import DECIDERS
from engine.league.events import LeagueCreated, MemberAdded, MemberRemoved, MemberRoleChanged
from engine.league.roles import Role
from service.log.catalogue import tag_of
from service.log.codec import Codec
from service.log.streams import league_stream

TELLING = tuple(
    tag_of(each) for each in (LeagueCreated, MemberAdded, MemberRoleChanged, MemberRemoved)
)
"""The types of events that change a role."""

_codec = Codec(DECIDERS)


class Told(msgspec.Struct, frozen=True):
    """An event of a type in :data:`TELLING`, as its league's stream holds it."""

    league: str
    type: str
    schema_version: int
    data: str


def role_after(held: Role | None, told: Told, player: str) -> Role | None:
    """
    Return the role of *player* after an event, or None for a player who is not a member.

    Args:
      held: The player's role before the event.

    Raises:
      EventUnreadable: If the event is malformed.
    """
    event = _codec.public(
        league_stream(told.league), told.type, told.schema_version, told.data.encode()
    )
    match event:
        case LeagueCreated() if event.owner == player:
            return "owner"
        case MemberAdded() | MemberRoleChanged() if event.player == player:
            return event.role
        case MemberRemoved() if event.player == player:
            return None
    return held
