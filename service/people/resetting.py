"""
Reset codes: a new password for a person who has lost theirs.

An operator may give out a code for anybody. A person who has confirmed an e-mail address may have
one mailed. An owner may give one out only for an account that the
league's claim code made and that belongs to no other league. An owner's rights thus affect nobody
outside the league. Such a code is valid while its giver is an owner.
"""

import base64
import hashlib
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import PlayerId, identifier, number_of
from service.base.drivers import Driver
from service.people import accounts, calendar_keys, emails, sign_ins, tokens
from service.people.memberships import roles_of
from service.people.relocations import given_up
from service.people.schema import account, entered_player, password_reset, push_subscription
from service.people.sealed_addresses import AddressKeys

GOOD_FOR: Final = timedelta(hours=24)
SECRET_BYTES: Final = 24

Origin = Literal["operator", "owner", "mail"]
"""
The way in which a code was handed out. An account has one code of each.

Anybody may have a code mailed. So a mailed code must not end one that a person has handed out.
"""

# Whoever removes or replaces the address waits for its row, and then ends the code.
_BY_MAIL = """
    WITH mailbox AS (
        SELECT account, address FROM account_email
         WHERE account = $1 AND address IS NOT NULL FOR UPDATE
    ), kept AS (
        INSERT INTO password_reset (account, origin, hash, expires_at)
        SELECT account, 'mail', $2, $3 FROM mailbox
        ON CONFLICT (account, origin) DO UPDATE SET hash = $2, expires_at = $3
    )
    SELECT address FROM mailbox
"""


class Reset(NamedTuple):
    """The account that a valid code is for."""

    person: UUID
    login: str
    league: str | None
    """The league of the owner who gave it out, or None if it was mailed or the operator did."""

    by: PlayerId | None
    """The owner who gave it out."""


def code_text(random: bytes) -> str:
    """Return the reset code made of :data:`SECRET_BYTES` random bytes."""
    return base64.urlsafe_b64encode(random).decode()


async def offer(
    connection: AsyncConnection,
    person: UUID,
    code: str,
    now: datetime,
    *,
    league: str | None = None,
    by: UUID | None = None,
) -> bool:
    """
    Store the hash of a reset code. Return whether it replaces an earlier one of the same origin.

    Args:
      league: The league of the owner who gives out the code, or None for the operator.
      by: That owner.
    """
    origin: Origin = "operator" if league is None else "owner"
    values = {
        "hash": _digest(code),
        "league": None if league is None else number_of(league),
        "given_by": by,
        "expires_at": now + GOOD_FOR,
    }
    found = await connection.scalar(
        sa.select(password_reset.c.account).where(
            password_reset.c.account == person,
            password_reset.c.origin == origin,
            password_reset.c.expires_at > now,
        )
    )
    await connection.execute(
        insert(password_reset)
        .values(account=person, origin=origin, **values)
        .on_conflict_do_update(index_elements=["account", "origin"], set_=values)
    )
    return found is not None


async def offer_by_mail(
    connection: Driver, keys: AddressKeys, person: UUID, code: str, now: datetime
) -> str | None:
    """
    Store the hash of a reset code that is about to be mailed. It replaces a mailed one.

    Returns:
      The confirmed address to which to mail it, or None if there is none. Then nothing is stored.
    """
    box = await connection.fetchval(_BY_MAIL, person, _digest(code), now + GOOD_FOR)
    return None if box is None else keys.opened(emails.RELATION, person, box)


async def resettable_by(connection: AsyncConnection, league: str, person: UUID) -> bool:
    """
    Return whether a code of *league* made this account, and it belongs to no other league.

    A league that waits for its release counts, because the account has its office there afterwards.
    """
    made = await connection.scalar(
        sa.select(account.c.id)
        .join(entered_player, entered_player.c.account == account.c.id)
        .where(
            account.c.id == person,
            account.c.login.is_not(None),
            entered_player.c.league == number_of(league),
            entered_player.c.made_account,
        )
    )
    if made is None:
        return False
    roles = await roles_of(connection, identifier("plr", person))
    return roles.keys() - await given_up(connection) <= {league}


async def good(connection: AsyncConnection, code: str, now: datetime) -> Reset | None:
    """
    Return the account that *code* is for, or None if the code is not valid.

    A code is not valid if it is unknown, used or too old, or if the account has joined another
    league. The person's tokens stay locked until the transaction ends. So a code is used once. The
    caller checks that the giver is still an owner.
    """
    own = password_reset.c.hash == _digest(code)
    person = await connection.scalar(sa.select(password_reset.c.account).where(own))
    if person is None:
        return None
    await tokens.lock_family(connection, person)
    found = await connection.execute(
        sa.select(password_reset, account.c.login)
        .join(account, account.c.id == password_reset.c.account)
        .where(own, password_reset.c.expires_at > now, account.c.login.is_not(None))
    )
    row = found.first()
    if row is None:
        return None
    if row.league is None:
        return Reset(row.account, row.login, None, None)
    league = identifier("lge", row.league)
    if row.given_by is None or not await resettable_by(connection, league, row.account):
        return None
    return Reset(row.account, row.login, league, PlayerId(identifier("plr", row.given_by)))


async def set_password(
    connection: AsyncConnection,
    person: UUID,
    kept: str,
    now: datetime,
    kind: sign_ins.Kind,
    *,
    address: str,
    but: UUID | None = None,
) -> int:
    """
    Set another password, end everything from the old one, and return the number of ended tokens.

    An e-mail address that waits for its confirmation is forgotten. The confirmed one stays, so the
    caller must show it: it can reset the new password.

    Args:
      kept: The hashed password.
      but: A token that stays valid, with the tokens it descends from.
    """
    ended = await tokens.revoke_all(connection, person, now, but=but)
    await accounts.change_password(connection, person, kept, now)
    await emails.stop_waiting(connection, person)  # locked before the codes, as everywhere
    await connection.execute(sa.delete(password_reset).where(password_reset.c.account == person))
    await end_beside(connection, person, now)
    await sign_ins.add(connection, person, kind, now, address=address)
    return ended


async def end_beside(connection: AsyncConnection, person: UUID, now: datetime) -> int:
    """
    End everything else that a thief may have made, and return the number of ended calendar keys.

    These are calendar keys, reset codes that the person gave out, and subscribed browsers.
    """
    await connection.execute(sa.delete(password_reset).where(password_reset.c.given_by == person))
    await connection.execute(
        sa.delete(push_subscription).where(push_subscription.c.account == person)
    )
    return await calendar_keys.revoke_all(connection, person, now)


def _digest(code: str) -> bytes:
    return hashlib.sha256(code.encode()).digest()
