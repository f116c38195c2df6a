"""
Deeds in the old cell that end something after a league was packed. Its file has it as before.

The people of a packed league are free to go on in the old cell. Somebody is erased, loses a
telephone and ends its token, or takes another password. The file knows nothing of it. If such a
file were released, the new cell would bring back what these people had ended.
"""

from typing import Final, NamedTuple, cast

import asyncpg
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of
from service.log.keys import driver_of
from service.relocating import people

_NAMES: Final = "SELECT data::text, metadata::text FROM public.events WHERE league = $1"
_ENDED: Final = """
    WITH packed AS (
        SELECT since FROM league_relocation JOIN going_league USING (league)
    ), erased AS (
        SELECT about FROM operator_deed, packed WHERE kind = 'player_erased' AND at > since
    ), ended (player, what) AS (
        SELECT about, 'erased' FROM erased
         UNION
        SELECT player, 'erased' FROM reads.member_alias JOIN erased ON about = "into"
         UNION
        SELECT about, 'name taken down' FROM operator_deed, packed
         WHERE kind = 'text_taken_down' AND about LIKE 'plr\\_%' AND at > since
         UNION
        SELECT 'plr_' || replace(id::text, '-', ''), 'suspended' FROM account, packed
         WHERE suspended_at > since
         UNION
        SELECT 'plr_' || replace(id::text, '-', ''), 'has another password' FROM account, packed
         WHERE password_set_at > since
         UNION
        SELECT 'plr_' || replace(account::text, '-', ''), 'tokens ended' FROM token, packed
         WHERE revoked_at > since
         UNION
        SELECT 'plr_' || replace(account::text, '-', ''), 'calendar link ended'
          FROM calendar_key, packed WHERE revoked_at > since
    )
    SELECT player, string_agg(what, ', ' ORDER BY what) FROM ended
     WHERE player IN (SELECT 'plr_' || replace(id::text, '-', '') FROM going_person)
     GROUP BY player ORDER BY player
"""
_TEXTS: Final = """
    SELECT count(*) FROM text JOIN league_relocation r USING (league)
     WHERE league = $1 AND erased_at > since
"""
_CLAIMS: Final = """
    SELECT count(DISTINCT d.about) FROM operator_deed d
      JOIN confidential_claim c ON d.about = 'cnf_' || replace(c.id::text, '-', '')
      JOIN league_relocation r ON r.league = c.league
     WHERE c.league = $1 AND d.kind = 'text_taken_down' AND d.at > r.since
"""


class Ended(NamedTuple):
    """The things that ended since a league was packed."""

    people: tuple[tuple[str, str], ...]
    """Players of the league, each with what happened, in words."""

    texts: int
    claims: int
    """The confidential claims that an operator emptied."""


async def ended_since_packed(connection: AsyncConnection, league: str) -> Ended:
    """Return what ended since *league* was packed first, for everybody whom its file brings."""
    driver = cast("asyncpg.Connection", await driver_of(connection))
    number, seen = number_of(league), people.PlayersSeen()

    async def take(data: bytes) -> None:
        seen.look(data)

    await people.begin(driver, number, league)
    await driver.copy_from_query(_NAMES, number, output=take)
    await people.find(driver, seen)
    found = await driver.fetch(_ENDED)
    return Ended(
        tuple((player, what) for player, what in found),
        await driver.fetchval(_TEXTS, number),
        await driver.fetchval(_CLAIMS, number),
    )
