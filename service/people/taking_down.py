"""
Taking words down by order of an operator: texts, claims, and the names that people chose.

The log holds no words of a text, only their salted digest. So bundles and audits verify as before.
Words in an event itself, such as a league's name, cannot be taken down.

Every function works in the caller's transaction. For a dry run, roll it back.
"""

from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of
from service.base.errors import StreamNotFound
from service.base.sources import service_now
from service.log.keys import driver_of
from service.log.subscription import DOORS
from service.people import operator_log
from service.people.confidential_claims import empty_claim
from service.people.schema import account, text
from service.people.sealed_rows import KeysOf


async def take_down_text(connection: AsyncConnection, named: str, by: str, reason: str) -> bool:
    """
    Empty the text ``txt_…``. Return False if it was empty already.

    Raises:
      StreamNotFound: If there is no such text.
    """
    number = _number(named)
    league = await connection.scalar(sa.select(text.c.league).where(text.c.id == number))
    if league is None:
        raise StreamNotFound(f"there is no text {named}")
    emptied = await connection.execute(
        sa.update(text)
        .where(text.c.id == number, text.c.erased_at.is_(None))
        .values(salt=None, body=None, erased_at=await service_now(connection), taken_down=True)
    )
    if not emptied.rowcount:
        return False
    await operator_log.add(connection, [league], by, "text_taken_down", named, reason)
    return True


async def take_down_claim(
    connection: AsyncConnection, named: str, by: str, reason: str, *, keys: KeysOf
) -> bool:
    """
    Empty the confidential claim ``cnf_…`` and its answer. Return False if they are empty already.

    Its league's staff log has no entry: it would show everybody there that somebody came forward.

    Raises:
      StreamNotFound: If there is no such claim.
    """
    done = await empty_claim(connection, keys, _number(named))
    if done is None:
        raise StreamNotFound(f"there is no claim {named}")
    if done:
        await operator_log.add(connection, [None], by, "text_taken_down", named, reason)
    return done


async def take_down_name(connection: AsyncConnection, named: str, by: str, reason: str) -> bool:
    """
    Replace the name of the player ``plr_…`` by a marker. Return False if it is the marker already.

    Raises:
      StreamNotFound: If there is no such player.
    """
    number = _number(named)
    name = await connection.scalar(
        sa.select(account.c.name).where(account.c.id == number).with_for_update()
    )
    if name is None:
        raise StreamNotFound(f"there is no player {named}")
    marker = marker_of(number)
    if name == marker:
        return False
    await connection.execute(sa.update(account).where(account.c.id == number).values(name=marker))
    await operator_log.add_on(connection, named, by, "text_taken_down", reason)
    driver = await driver_of(connection)
    await driver.execute("SELECT pg_notify($1, $2)", DOORS, f"name {number.hex}")
    return True


def marker_of(number: UUID) -> str:
    """
    Return the marker that replaces a name that was taken down. Each player has another marker.

    >>> marker_of(UUID(int=1))
    'name taken down 00000001'
    """
    return f"name taken down {number.hex[-8:]}"


def _number(named: str) -> UUID:
    try:
        return number_of(named)
    except ValueError:
        raise StreamNotFound(f"there is nothing called {named}") from None
