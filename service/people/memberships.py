"""
A player's current leagues and merges: the read model, plus the log's newer events.

The read models follow the log and may lag or stand still. A security decision asks here instead:
neither a stopped projector nor one broken league changes the answer.
"""

from collections.abc import Mapping
from contextlib import suppress
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.merging import PlayersMerged
from engine.league.roles import Role
from engine.values import identifier, number_of
from service.base.errors import EventUnreadable
from service.log.catalogue import tag_of
from service.log.read import KNOWN, voided
from service.log.roles import TELLING, Told, role_after
from service.projections.applying.checkpoints import believed
from service.projections.applying.projection import NOTHING
from service.projections.models.members import members

# One statement reads rows and checkpoint, so they are of one instant.
_ROLES = f"""
    SELECT substr(league, 5)::uuid AS league, :nothing AS position, NULL AS type,
           NULL AS schema_version, role AS data
      FROM reads.member WHERE player = :player
     UNION ALL
    SELECT new.league, new.position, new.type, new.schema_version, new.data
      FROM known
      LEFT JOIN reads.checkpoint done
        ON done.name = :projection
       AND done.league = 'lge_' || replace(known.league::text, '-', '')
     CROSS JOIN LATERAL (
        SELECT league, position, type, schema_version, data::text AS data FROM events
         WHERE league = known.league AND position > coalesce({believed()}, :nothing)
           AND stream = 'league-' || replace(known.league::text, '-', '')
           AND type = ANY(CAST(:types AS text[]))
     ) new
     WHERE strpos(new.data, :player) > 0
     ORDER BY league, position
"""  # noqa: S608 - a constant
_KNOWN = sa.text(KNOWN + _ROLES)

# The newest merges come first, so that the one who stands for somebody is known before.
_MERGES = f"""
    , newer AS MATERIALIZED (
    SELECT known.league, new.position, new.player, new."into"
      FROM known
      LEFT JOIN reads.checkpoint done
        ON done.name = :projection
       AND done.league = 'lge_' || replace(known.league::text, '-', '')
     CROSS JOIN LATERAL (
        SELECT position, data->>'player' AS player, data->>'into' AS "into" FROM events
         WHERE league = known.league AND position > coalesce({believed()}, :nothing)
           AND stream = 'league-' || replace(known.league::text, '-', '')
           AND type = :merged
     ) new
    )
    SELECT league, position, player, "into" FROM newer
     UNION ALL
    SELECT substr(league, 5)::uuid, :nothing, player, "into" FROM reads.member_alias
     WHERE "into" = :player OR "into" IN (SELECT player FROM newer)
     ORDER BY position DESC
"""  # noqa: S608 - a constant
_MERGED = sa.text(KNOWN + _MERGES)

_NAMED_SINCE = sa.text("""
    SELECT EXISTS (
        SELECT FROM unnest(CAST(:leagues AS uuid[]), CAST(:positions AS bigint[]))
               AS seen (league, position)
          JOIN events ON events.league = seen.league AND events.position > seen.position
         WHERE strpos(events.data::text, :player) > 0
    )
""")


async def roles_of(connection: AsyncConnection, player: str) -> dict[str, Role]:
    """Return *player*'s role in each of the player's leagues, as of the end of the log."""
    asked = {
        "player": player,
        "projection": members.name,
        "types": sorted(TELLING),
        "nothing": NOTHING,
    }
    found: dict[str, Role] = {}
    for row in (await connection.execute(_KNOWN, asked)).all():
        league = identifier("lge", row.league)
        if row.type is None:
            found[league] = row.data  # from the read model
            continue
        if row.position in await voided(connection, league):
            continue
        told = Told(league, row.type, row.schema_version, row.data)
        # A malformed event changes no role here. The player's other leagues are unaffected.
        with suppress(EventUnreadable):
            role = role_after(found.get(league), told, player)
            if role is None:
                found.pop(league, None)
            else:
                found[league] = role
    return found


async def merged_into(connection: AsyncConnection, player: str) -> list[str]:
    """Return the players for whom *player* stands in any league, as of the end of the log."""
    asked = {
        "player": player,
        "projection": members.name,
        "merged": tag_of(PlayersMerged),
        "nothing": NOTHING,
    }
    found: set[tuple[UUID, str]] = set()
    for row in (await connection.execute(_MERGED, asked)).all():
        stands = row.into == player or (row.league, row.into) in found
        if stands and row.position not in await voided(connection, row.league):
            found.add((row.league, row.player))
    return sorted({each for _, each in found})


async def named_since(connection: AsyncConnection, player: str, seen: Mapping[str, int]) -> bool:
    """Return whether the logs name *player* after the positions in *seen*, one for each league."""
    leagues = [number_of(each) for each in seen]
    asked = {"leagues": leagues, "positions": list(seen.values()), "player": player}
    return bool(await connection.scalar(_NAMED_SINCE, asked))
