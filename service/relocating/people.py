"""The accounts that a league names, when it is packed."""

import re
from typing import Final

from service.base.drivers import Driver
from service.relocating.relations import COPIED

_PLAYER: Final = re.compile(rb"plr_([0-9a-f]{32})")
_LENGTH: Final = 36

_TABLES: Final = """
    CREATE TEMPORARY TABLE going_league (league uuid, name text) ON COMMIT DROP;
    CREATE TEMPORARY TABLE going_person (id uuid PRIMARY KEY, shared boolean) ON COMMIT DROP;
    CREATE TEMPORARY TABLE going_token (id uuid PRIMARY KEY) ON COMMIT DROP;
"""
_FROM_EVENTS: Final = """
    INSERT INTO going_person (id) SELECT id FROM account WHERE id = ANY ($1) ON CONFLICT DO NOTHING
"""
_FROM_COLUMN: Final = """
    INSERT INTO going_person (id)
    SELECT id FROM account WHERE id IN (SELECT {column} FROM {relation} WHERE {rows})
    ON CONFLICT DO NOTHING
"""
# Somebody whom another league of this cell knows. Credentials of such a person stay here alone.
_SHARED: Final = """
    WITH others AS (
        SELECT 'lge_' || replace(league::text, '-', '') AS name, league FROM key
         WHERE league <> (SELECT league FROM going_league)
           AND league NOT IN (SELECT league FROM append_turn WHERE relocation = 'released')
    ), named AS (
        SELECT id, 'plr_' || replace(id::text, '-', '') AS player FROM going_person
    )
    UPDATE going_person SET shared =
        EXISTS (SELECT FROM reads.member JOIN others ON name = member.league
                 WHERE member.player = named.player)
     OR EXISTS (SELECT FROM reads.record_game JOIN others ON name = record_game.league
                 WHERE record_game.player = named.player)
     OR EXISTS (SELECT FROM entered_player JOIN others ON others.league = entered_player.league
                 WHERE entered_player.account = named.id)
      FROM named WHERE named.id = going_person.id
"""
# Living tokens, each with its parents. An operator's tokens are of this cell alone.
_TOKENS: Final = """
    INSERT INTO going_token
    WITH RECURSIVE living AS (
        SELECT token.id, parent FROM token JOIN going_person ON going_person.id = account
         WHERE NOT shared AND revoked_at IS NULL AND expires_at > service_time()
           AND NOT 'admin' = ANY (scopes)
    ), going AS (
        SELECT id FROM living WHERE parent IS NULL
         UNION ALL
        SELECT living.id FROM living JOIN going ON living.parent = going.id
    )
    SELECT id FROM going
"""


class PlayersSeen:
    """Finds the identifiers of players in bytes that arrive in pieces."""

    def __init__(self) -> None:
        self._found: set[bytes] = set()
        self._rest = b""

    def look(self, data: bytes) -> None:
        """Look through the next piece."""
        piece = self._rest + data
        self._found.update(_PLAYER.findall(piece))
        self._rest = piece[1 - _LENGTH :]

    @property
    def numbers(self) -> list[str]:
        """The accounts' numbers."""
        return sorted(each.decode() for each in self._found)


async def begin(connection: Driver, league: object, name: str) -> None:
    """Make the temporary relations that say which rows go into the file."""
    await connection.execute(_TABLES)
    await connection.execute("INSERT INTO going_league VALUES ($1, $2)", league, name)


async def find(connection: Driver, seen: PlayersSeen) -> None:
    """Note the accounts that the league names, in its log or beside it, and their tokens."""
    await connection.execute(_FROM_EVENTS, seen.numbers)
    for relation, answer in COPIED.items():
        for column in answer.people:
            asked = _FROM_COLUMN.format(column=column, relation=relation, rows=answer.rows)
            await connection.execute(asked)
    await connection.execute(_SHARED)
    await connection.execute(_TOKENS)
