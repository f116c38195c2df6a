"""
What operators and staff did beside the log: archives, bundles, erasures, dry runs, more.

A row is only ever added, and says how far the league's log was then, so that the staff log
shows it between the events it came between.
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
    """Return who sits at this terminal, as the machine knows them."""
    try:
        return f"operator {getpass.getuser()}"
    except (KeyError, OSError):  # a container may know a number alone
        return f"operator {os.getuid()}"


async def add(
    connection: AsyncConnection, leagues: Iterable[UUID], actor: str, kind: Kind, about: str
) -> None:
    """
    Write down that *actor* did something that the log does not say, in each league it touches.

    Args:
        actor: A player's id, or what :func:`operator` returns.
        about: Identifier of what it was done to; of a dry run the operation before it.
    """
    for league in leagues:
        await connection.execute(
            _ADD, {"league": league, "actor": actor, "kind": kind, "about": about}
        )


async def leagues_of(connection: AsyncConnection, player: str) -> list[UUID]:
    """Return the leagues that a player belongs to: their staff reads what is done to them."""
    return [number_of(each) for each in await roles_of(connection, player)]
