"""
The operators' log: actions beside the log, such as archives, erasures, dry runs, suspensions.

Rows are only added. Each records the size of the league's log at that time. The staff log uses it
to show the action between the right events.
"""

import getpass
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal, NamedTuple
from uuid import UUID

import sqlalchemy as sa
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
    "token_revoked",
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
    "league_suspended",
    "league_restored",
    "league_packed",
    "league_released",
    "league_unpacked",
    "league_kept",
    "text_taken_down",
    "season_archived",
    # Of the whole installation
    "account_created",
    "account_suspended",
    "account_restored",
    "account_mapped",
    "maintenance_began",
    "maintenance_ended",
    "sign_up_invited",
    "sign_up_uninvited",
    "founding_allowed",
    "founding_ended",
    "key_rotated",
    "signer_key_revoked",
    "clock_believed",
    "read_models_rebuilt",
    "schema_migrated",
    "logins_made",
    "backup_begun",
    "backup_taken",
    "backup_restored",
    "pruned",
]

REASON_MAX = 500
"""The most characters of a reason."""

_ADD = """
    INSERT INTO operator_deed (league, size, at, actor, kind, about, reason)
    SELECT $1, coalesce(max(position) + 1, 0), service_time(), $2, $3, $4, $5
      FROM (SELECT position FROM events WHERE league = $1
             ORDER BY position DESC LIMIT 1) last
"""

# New epochs are in a relation of their own.
_ENTRIES = sa.text(
    """
    SELECT at, actor, kind, about, league, reason FROM operator_deed
     UNION ALL
    SELECT opened_at, operator, 'epoch_opened', 'epoch ' || epoch, league, reason FROM epoch_opening
     ORDER BY at DESC LIMIT :limit
    """
)


def operator() -> str:
    """Return the name of the operator at this terminal, as the machine knows it."""
    try:
        return f"operator {getpass.getuser()}"
    except (KeyError, OSError):  # a container may know only a number
        return f"operator {os.getuid()}"


async def add(
    connection: Connection,
    leagues: Iterable[UUID | None],
    actor: str,
    kind: Kind,
    about: str,
    reason: str | None = None,
) -> None:
    """
    Record an action of *actor* beside the log, in each league that it touches.

    Args:
      leagues: None stands for the whole installation, whose actions no league's staff log shows.
      actor: A player's id, the house, or the name that :func:`operator` returned.
      about: Identifier of the action's object. A dry run puts its operation before it.
      reason: The operator's words, 500 characters at most. Only operators read them.
    """
    driver = await driver_of(connection)
    for league in leagues:
        await driver.execute(_ADD, league, actor, kind, about, reason)


async def leagues_of(connection: AsyncConnection, player: str) -> list[UUID]:
    """Return the leagues that a player belongs to. Their staff may read actions on that player."""
    return [number_of(each) for each in await roles_of(connection, player)]


async def add_on(
    connection: AsyncConnection, player: str, actor: str, kind: Kind, reason: str | None = None
) -> None:
    """
    Record an action on a player, in each of the player's leagues.

    Without a league it is an action of the whole installation, so no action goes unrecorded.
    """
    leagues = await leagues_of(connection, player)
    await add(connection, leagues or [None], actor, kind, player, reason)


class Entry(NamedTuple):
    """An entry of the operators' log."""

    at: datetime
    actor: str
    kind: str
    about: str
    league: UUID | None
    """The league, or None for the whole installation."""

    reason: str | None


async def entries(connection: AsyncConnection, limit: int) -> list[Entry]:
    """Return the newest entries, newest first, of every league and of the installation."""
    found = await connection.execute(_ENTRIES, {"limit": limit})
    return [Entry(row.at.astimezone(UTC), *row[1:]) for row in found]
