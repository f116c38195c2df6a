"""
Erasing a person: everything that names them is removed, and the log does not change.

The log knows a player by number only. Erasing empties the account (login, name, password), the
texts they wrote and the texts about them, with their salts. It deletes their tokens, calendar keys,
sign-ins, e-mail addresses, browsers, notices and the digests of their requests. Nothing can restore
these, and every proof still holds.

Accounts that leagues merged into the person are the same person. Those without a login are emptied
too. One with a login has its own password, and is erased with it.
"""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from engine.league.errors import LastOwner
from engine.values import identifier, number_of
from service.base.errors import NotCaughtUp, ServiceError, StreamNotFound
from service.people import operator_log
from service.people.confidential_claims import erase_claims
from service.people.entered_players import forget_entered
from service.people.memberships import roles_of
from service.people.schema import (
    account,
    account_email,
    calendar_key,
    idempotency,
    notice,
    notice_settings,
    password_reset,
    push_subscription,
    sign_in,
    token,
)
from service.people.sealed_rows import KeysOf
from service.people.texts import erase_texts
from service.projections import schema
from service.projections.applying.events import head
from service.projections.reads import queries
from service.projections.reads.merged_queries import merged_into
from service.projections.reads.progress import positions, wait_for

WAIT_SECONDS = 5.0

_BESIDE = (
    idempotency,
    password_reset,
    sign_in,
    account_email,
    notice,
    notice_settings,
    push_subscription,
)


class StillEntered(ServiceError):
    """The player is entered in a tournament that is not over."""

    code: ClassVar[str] = "still_entered"


class Erased(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of erased tokens, calendar keys and texts of a player."""

    player: str
    tokens: int
    """The number of tokens deleted."""

    calendars: int
    """Calendar keys."""

    texts: int
    """The number of texts erased, by the player or about the player."""


async def erase(
    engine: AsyncEngine,
    keys: KeysOf,
    person: UUID,
    now: datetime,
    *,
    by: str | None = None,
    dry_run: bool = False,
) -> Erased:
    """
    Erase a person. A second call finds nothing left to erase.

    Args:
      engine: With the login of the API.
      keys: Returns the keys that open confidential claims, to find the person's.
      by: The person who erases, if it is somebody else.
      dry_run: True to take everything back at the end, and only count.

    Raises:
      StreamNotFound: If the account is unknown.
      StillEntered: If the player is entered in tournaments, which the error names.
      LastOwner: If a league would be left without an owner.
      NotCaughtUp: If the read models do not reach the log within five seconds.
    """
    await _demand_nobody_waits(engine, identifier("plr", person))
    async with engine.connect() as connection, connection.begin() as transaction:
        erased = await _erase(connection, keys, person, now, by)
        if dry_run:
            await transaction.rollback()
    return erased


async def _erase(
    connection: AsyncConnection, keys: KeysOf, person: UUID, now: datetime, by: str | None
) -> Erased:
    player = identifier("plr", person)
    found = await connection.execute(
        sa.update(account)
        .where(account.c.id == person)
        .values(login=None, name=None, password=None)
        .returning(account.c.id)
    )
    if found.first() is None:
        raise StreamNotFound("there is no account of this player", player=player)
    await operator_log.add_on(connection, player, by or player, "player_erased")
    calendars = await connection.execute(
        sa.delete(calendar_key).where(calendar_key.c.account == person)
    )
    tokens = await connection.execute(sa.delete(token).where(token.c.account == person))
    for beside in _BESIDE:
        await connection.execute(sa.delete(beside).where(beside.c.account == person))
    await forget_entered(connection, person)
    texts = await erase_texts(connection, person, now)
    texts += await erase_claims(connection, keys, person)
    for each in await merged_into(connection, player):
        texts += await _erase_merged(connection, keys, number_of(each), now)
    return Erased(player=player, tokens=tokens.rowcount, calendars=calendars.rowcount, texts=texts)


async def _erase_merged(
    connection: AsyncConnection, keys: KeysOf, person: UUID, now: datetime
) -> int:
    """Empty an account that nobody signs in to. Return the number of its texts."""
    emptied = await connection.execute(
        sa.update(account)
        .where(account.c.id == person, account.c.login.is_(None))
        .values(name=None)
        .returning(account.c.id)
    )
    if emptied.first() is None:
        return 0
    await forget_entered(connection, person)
    return await erase_texts(connection, person, now) + await erase_claims(connection, keys, person)


async def _demand_nobody_waits(engine: AsyncEngine, player: str) -> None:
    async with engine.connect() as connection:
        # The leagues come from the log. A read model might miss a league that is a moment old, and
        # its only owner would be erased.
        leagues = await roles_of(connection, player)
        heads = {league: await head(connection, league) for league in leagues}
    reached = positions(engine)
    for league, position in heads.items():
        for name in ("members", "tournaments"):
            if not await wait_for(reached, name, league, position, WAIT_SECONDS):
                raise NotCaughtUp(
                    "the read model has not reached the end of the log yet; try again"
                )
    async with engine.connect() as connection:
        entered = {each.tournament for each in await queries.seats_of(connection, player)}
        if entered:
            raise StillEntered(
                "the player is entered in a tournament; erase the player when it is over, or "
                "after the player has withdrawn",
                tournaments=sorted(entered),
            )
        if await _owns_alone(connection, player):
            raise LastOwner


async def _owns_alone(connection: AsyncConnection, player: str) -> bool:
    """Return whether some league has no other owner than *player*."""
    member = schema.member
    owner, other = member.alias("owner"), member.alias("other")
    others = (
        sa.select(sa.literal(1))
        .where(other.c.league == owner.c.league, other.c.role == "owner", other.c.player != player)
        .exists()
    )
    alone = sa.select(sa.literal(1)).where(
        owner.c.player == player, owner.c.role == "owner", sa.not_(others)
    )
    return await connection.scalar(alone.limit(1)) is not None
