"""
Actions of operators and staff beside the log: archives, bundles, erasures, dry runs, more.

Rows are only added. Each records the size of the league's log at that time. The staff log uses it
to show the action between the right events.
"""

import getpass
import os
from collections.abc import Iterable
from typing import Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of
from service.base.drivers import Connection
from service.log.keys import driver_of
from service.people.memberships import roles_of

Kind = Literal[
    "archive_taken",
    "bundle_taken",
    "player_erased",
    "hand_opened_by_operator",
    "token_made",
    "password_reset_offered",
    "command_rehearsed",
    "quarantine_released",
    "positions_voided",
    "webhook_made",
    "webhook_changed",
    "webhook_removed",
    "webhook_secret_rotated",
    "webhook_disabled",
    "screen_key_made",
    "screen_key_revoked",
]

_ADD = """
    INSERT INTO operator_deed (league, size, at, actor, kind, about)
    SELECT $1, coalesce(max(position) + 1, 0), service_time(), $2, $3, $4
      FROM (SELECT position FROM events WHERE league = $1
             ORDER BY position DESC LIMIT 1) last
"""


def operator() -> str:
    """Return the name of the operator at this terminal, as the machine knows it."""
    try:
        return f"operator {getpass.getuser()}"
    except (KeyError, OSError):  # a container may know only a number
        return f"operator {os.getuid()}"


async def add(
    connection: Connection, leagues: Iterable[UUID], actor: str, kind: Kind, about: str
) -> None:
    """
    Record an action of *actor* beside the log, in each league that it touches.

    Args:
      actor: A player's id, the house, or the name that :func:`operator` returned.
      about: Identifier of the action's object. A dry run puts its operation before it.
    """
    driver = await driver_of(connection)
    for league in leagues:
        await driver.execute(_ADD, league, actor, kind, about)


async def leagues_of(connection: AsyncConnection, player: str) -> list[UUID]:
    """Return the leagues that a player belongs to. Their staff may read actions on that player."""
    return [number_of(each) for each in await roles_of(connection, player)]
