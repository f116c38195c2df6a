"""
Erasing a person: everything that names them is removed, and the log does not change.

The log knows a player by number only. Erasing empties the account (login, name, password), the
texts they wrote and the texts about them, with their salts. It deletes their tokens, calendar keys,
sign-ins, e-mail addresses, browsers, notices and the digests of their requests. Nothing can restore
these, and every proof still holds.

Accounts that leagues merged into the person are the same person. Those without a login are emptied
too. One with a login has its own password, and is erased with it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import ClassVar
from uuid import UUID

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from engine.league.roles import Role
from engine.values import identifier, number_of
from service.base.errors import NotCaughtUp, ServiceError, StreamNotFound
from service.log.subscription import DOORS
from service.people import operator_log, relocations
from service.people.confidential_claims import erase_claims
from service.people.entered_players import forget_entered
from service.people.memberships import merged_into, named_since
from service.people.rechecking import demand_unchanged
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
from service.people.tokens import lock_families
from service.projections.applying.events import head
from service.projections.reads import queries
from service.projections.reads.progress import positions, wait_for

WAIT_SECONDS = 5.0

_BESIDE = (
    idempotency,
    account_email,
    password_reset,
    sign_in,
    notice,
    notice_settings,
    push_subscription,
)


class StillEntered(ServiceError):
    """The player is entered in a tournament that is not over."""

    code: ClassVar[str] = "still_entered"


class StillOwner(ServiceError):
    """The player is an owner of a league."""

    code: ClassVar[str] = "still_owner"


class Erased(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of erased tokens, calendar keys and texts of a player."""

    player: str
    tokens: int
    """The number of tokens deleted."""

    calendars: int
    """Calendar keys."""

    texts: int
    """The number of texts erased, by the player or about the player."""

    unreadable: int
    """The number of confidential claims that do not open. Words of the player may be in them."""


async def erase(
    engine: AsyncEngine,
    keys: KeysOf,
    person: UUID,
    now: datetime,
    *,
    by: str | None = None,
    kept: str | None = None,
    dry_run: bool = False,
) -> Erased:
    """
    Erase a person. A second call finds nothing left to erase.

    The last look comes after everything else, so that little time is left for an entry.

    Args:
      engine: With the login of the API.
      keys: Returns the keys that open confidential claims, to find the person's.
      by: The person who erases, if it is somebody else.
      kept: The hash of the password that the person gave. None if an operator erases.
      dry_run: True to take everything back at the end, and only count.

    Raises:
      StreamNotFound: If the account is unknown.
      StillEntered: If the player is entered in tournaments, which the error names.
      StillOwner: If the player is an owner of leagues, which the error names.
      NotCaughtUp: If the read models do not reach the log within five seconds, or the log names
        the player meanwhile.
      WrongPassword: If the account has another password by now.
      AccountSuspended: If an operator has suspended the account of a person who gave a password.
    """
    player = identifier("plr", person)
    seen = await _caught_up(engine, player)
    async with engine.connect() as connection, connection.begin() as transaction:
        merged = await _merged_locked(connection, person)
        if kept is not None:
            await demand_unchanged(connection, person, kept)
        erased = await _erase(connection, keys, person, merged, now, by)
        await _demand_free(connection, player, seen)
        if dry_run:
            await transaction.rollback()
    return erased


async def _merged_locked(connection: AsyncConnection, person: UUID) -> list[UUID]:
    """
    Lock a person's account and those merged into it in one order. Return the merged ones.

    Raises:
      NotCaughtUp: If another one was merged while this waited. To lock it now, out of order, could
        end in a deadlock.
    """
    player = identifier("plr", person)
    merged = await merged_into(connection, player)
    await lock_families(connection, [person, *map(number_of, merged)])
    if await merged_into(connection, player) != merged:
        raise NotCaughtUp("somebody has just been merged into the player; try again")
    return [number_of(each) for each in merged]


async def _erase(
    connection: AsyncConnection,
    keys: KeysOf,
    person: UUID,
    merged: Sequence[UUID],
    now: datetime,
    by: str | None,
) -> Erased:
    player = identifier("plr", person)
    # The row of the e-mail addresses comes before everything for which a mailing worker may wait.
    for beside in _BESIDE:
        await connection.execute(sa.delete(beside).where(beside.c.account == person))
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
    people = [person, *await _emptied(connection, merged)]
    texts = 0
    for each in people:
        await forget_entered(connection, each)
        texts += await erase_texts(connection, each, now)
    claims, unreadable = await erase_claims(connection, keys, people)
    # Every process forgets the token at the commit. Otherwise it could enter the player again.
    await connection.execute(sa.select(sa.func.pg_notify(DOORS, f"account {person.hex}")))
    return Erased(
        player=player,
        tokens=tokens.rowcount,
        calendars=calendars.rowcount,
        texts=texts + claims,
        unreadable=unreadable,
    )


async def _emptied(connection: AsyncConnection, merged: Sequence[UUID]) -> list[UUID]:
    """Empty the accounts of *merged* that nobody signs in to. Return their numbers."""
    emptied = await connection.scalars(
        sa.update(account)
        .where(account.c.id.in_(merged), account.c.login.is_(None))
        .values(name=None)
        .returning(account.c.id)
    )
    return list(emptied)


async def _caught_up(engine: AsyncEngine, player: str) -> dict[str, int]:
    """
    Wait until the read models know the player's entries. Return how far each league's log went.

    Raises:
      StillOwner: If the player is an owner.
      NotCaughtUp: After five seconds.
    """
    async with engine.connect() as connection:
        # The leagues come from the log. A read model might miss one that is a moment old.
        leagues = await relocations.roles_here(connection, player)
        heads = {league: await head(connection, league) for league in leagues}
    _demand_no_owner(leagues)
    reached = positions(engine)
    for league, position in heads.items():
        if not await wait_for(reached, "tournaments", league, position, WAIT_SECONDS):
            raise NotCaughtUp("the read model has not reached the end of the log yet; try again")
    return heads


async def _demand_free(connection: AsyncConnection, player: str, seen: Mapping[str, int]) -> None:
    """
    Check that the player is no owner, and entered nowhere.

    Args:
      seen: How far the read models have followed the log of each of the player's leagues. After
        that no event may name the player, because it may be an entry.
    """
    roles = await relocations.roles_here(connection, player)
    _demand_no_owner(roles)
    gone = await relocations.elsewhere(connection)
    seats = await queries.seats_of(connection, player)
    entered = {each.tournament for each in seats if each.league not in gone}
    if entered:
        raise StillEntered(
            "the player is entered in a tournament; erase the player when it is over, or "
            "after the player has withdrawn",
            tournaments=sorted(entered),
        )
    if not roles.keys() <= seen.keys() or await named_since(connection, player, seen):
        raise NotCaughtUp("something has just happened to the player; try again")


def _demand_no_owner(roles: Mapping[str, Role]) -> None:
    """
    Check that the player owns no league.

    The log keeps every role, and erasing appends nothing. So the rules would count an erased owner
    for ever, and the last other owner could go. Owners step down first, which the last one cannot.
    """
    owned = sorted(league for league, role in roles.items() if role == "owner")
    if owned:
        raise StillOwner(
            "the player is an owner; erase the player after the player has left the league or has "
            "another role in it, for which the league needs another owner",
            leagues=owned,
        )
