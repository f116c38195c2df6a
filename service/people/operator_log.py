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

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of
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
]

_ADD = sa.text(
    """
    INSERT INTO operator_deed (league, size, at, actor, kind, about)
    SELECT :league, coalesce(max(position) + 1, 0), service_time(), :actor, :kind, :about
      FROM (SELECT position FROM events WHERE league = :league
             ORDER BY position DESC LIMIT 1) last
    """
)


def operator() -> str:
    """Return the name of the operator at this terminal, as the machine knows it."""
    try:
        return f"operator {getpass.getuser()}"
    except (KeyError, OSError):  # a container may know only a number
        return f"operator {os.getuid()}"


async def add(
    connection: AsyncConnection, leagues: Iterable[UUID], actor: str, kind: Kind, about: str
) -> None:
    """
    Record an action of *actor* beside the log, in each league that it touches.

    Args:
      actor: A player's id, or the name that :func:`operator` returned.
      about: Identifier of the action's object. A dry run puts its operation before it.
    """
    for league in leagues:
        await connection.execute(
            _ADD, {"league": league, "actor": actor, "kind": kind, "about": about}
        )


async def leagues_of(connection: AsyncConnection, player: str) -> list[UUID]:
    """Return the leagues that a player belongs to. Their staff may read actions on that player."""
    return [number_of(each) for each in await roles_of(connection, player)]
