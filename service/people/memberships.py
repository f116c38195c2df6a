"""
The leagues a player belongs to now: the read model, and what the log has beyond it.

The read models follow the log and may lag or stand still.  A decision about security asks
here: a stopped projector, or one broken league, changes no answer.
"""

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import identifier
from service.log.read import voided
from service.projections.members import members
from service.projections.projection import NOTHING

# One statement, so that rows and checkpoint are of one instant.
_KNOWN = sa.text(
    """
    WITH RECURSIVE known AS (
        (SELECT league FROM events ORDER BY league LIMIT 1)
        UNION ALL
        SELECT (SELECT e.league FROM events e WHERE e.league > k.league ORDER BY e.league LIMIT 1)
          FROM known k WHERE k.league IS NOT NULL
    )
    SELECT substr(league, 5)::uuid AS league, :nothing AS position, NULL AS type,
           json_build_object('role', role)::text AS data
      FROM reads.member WHERE player = :player
     UNION ALL
    SELECT new.league, new.position, new.type, new.data
      FROM known
      LEFT JOIN reads.checkpoint done
        ON done.name = :projection
       AND done.league = 'lge_' || replace(known.league::text, '-', '')
     CROSS JOIN LATERAL (
        SELECT league, position, type, data::text AS data FROM events
         WHERE league = known.league AND position > coalesce(done.position, :nothing)
           AND stream = 'league-' || replace(known.league::text, '-', '')
           AND type = ANY(CAST(:types AS text[]))
     ) new
     WHERE strpos(new.data, :player) > 0
     ORDER BY league, position
    """
)


class _Change(msgspec.Struct):
    """What counts here of a member's row, or of an event about a member."""

    player: str | None = None
    owner: str | None = None
    role: str | None = None


async def roles_of(connection: AsyncConnection, player: str) -> dict[str, str]:
    """Return *player*'s role in each league to which the log says the player belongs."""
    asked = {
        "player": player,
        "projection": members.name,
        "types": sorted(members.handlers),
        "nothing": NOTHING,
    }
    found: dict[str, str] = {}
    for row in (await connection.execute(_KNOWN, asked)).all():
        league, change = identifier("lge", row.league), msgspec.json.decode(row.data, type=_Change)
        if row.type is not None and row.position in await voided(connection, league):
            continue
        if change.player != player and change.owner != player and row.type is not None:
            continue
        if row.type == "member_removed":
            found.pop(league, None)
        elif row.type == "league_created":
            found[league] = "owner"
        elif change.role is not None:
            found[league] = change.role
    return found
