"""
The owners of a league, who hear of failed audits.

An audit may find that the league's own stream cannot be read. Then the read models say who the
owners were before the fault.
"""

from typing import NamedTuple

from engine.errors import InvariantViolated
from engine.league.state import Created
from service.base.errors import EventUnreadable
from service.director.runtime import Runtime
from service.log.streams import league_stream

_NAME = "SELECT name FROM reads.league WHERE league = $1"
_OWNERS = "SELECT player FROM reads.member WHERE league = $1 AND role = 'owner'"


class House(NamedTuple):
    """A league as its owners know it."""

    name: str
    owners: frozenset[str]


async def house_of(runtime: Runtime, league: str) -> House:
    """Return the name and the owners of a league, from its stream or else from the read models."""
    try:
        state = (await runtime.writer.load(league, league_stream(league))).state
    except (EventUnreadable, InvariantViolated):
        name = await runtime.pool.fetchval(_NAME, league)
        rows = await runtime.pool.fetch(_OWNERS, league)
        return House(name or league, frozenset(row["player"] for row in rows))
    if not isinstance(state, Created):
        return House(league, frozenset())
    owners = {state.one(each.player) for each in state.members if each.role == "owner"}
    return House(state.name, frozenset(owners))
