"""
Words in ordinary rows, sealed with the league's key. A dump alone does not reveal them.

A box is 0x01 ‖ key id (16) ‖ random IV (12) ‖ AES-256-GCM of the text, padded with spaces to a
multiple of 512 bytes. Relation, row and column are authenticated, so that no box can be moved.
"""

from collections.abc import Awaitable, Callable
from uuid import UUID

from cryptography.exceptions import InvalidTag
from sqlalchemy.ext.asyncio import AsyncEngine

from service.base.errors import EventUnreadable
from service.log.keys import Keys, LeagueKeys

KeysOf = Callable[[UUID], Awaitable[LeagueKeys]]
"""Returns a league's keys, as a store's ``keys`` does."""

_FORMAT = b"\x01"
_BLOCK = 512
_IV = 12
_HEAD = 1 + 16 + _IV


def close(keys: LeagueKeys, relation: str, row: UUID, column: str, text: bytes) -> bytes:
    """Return the box of *text* for one column of one row. *text* must not end with a space."""
    iv = keys.random(_IV)
    padded = text + b" " * (-len(text) % _BLOCK)
    closed = keys.cipher(relation).encrypt(iv, padded, _place(keys, relation, row, column))
    return _FORMAT + keys.key_id.bytes + iv + closed


def opened(keys: LeagueKeys, relation: str, row: UUID, column: str, box: bytes) -> bytes:
    """
    Return the text in *box*.

    Raises:
      EventUnreadable: If the box is damaged, is not this row's, or needs another key.
    """
    if box[:1] != _FORMAT or box[1:17] != keys.key_id.bytes:
        raise EventUnreadable("a row was sealed with an unknown key", relation=relation)
    try:
        place = _place(keys, relation, row, column)
        text = keys.cipher(relation).decrypt(box[17:_HEAD], box[_HEAD:], place)
    except InvalidTag as error:
        raise EventUnreadable("a sealed row does not open", relation=relation) from error
    return text.rstrip(b" ")


def keys_over(engine: AsyncEngine, *secret_keys: str) -> KeysOf:
    """Return a function that reads keys from the database, for a process without a store."""
    ring = Keys(*secret_keys)

    async def of(league: UUID) -> LeagueKeys:
        async with engine.connect() as connection:
            return await ring.of(connection, league)

    return of


def _place(keys: LeagueKeys, relation: str, row: UUID, column: str) -> bytes:
    return b"holotable/row/1" + keys.league.bytes + row.bytes + f"{relation}/{column}".encode()
