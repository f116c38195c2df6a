"""
Signing up and founding leagues: the rules of the settings, and the operator's invitations.

An invitation is a code of 256 random bits, of which the database keeps SHA-256. It opens a number
of accounts until it expires. The API can use invitations, and cannot make any.
"""

import hashlib
from datetime import datetime, timedelta
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.errors import FoundingClosed, InvitationNeeded, SignUpClosed, StreamNotFound
from service.base.settings import Admission
from service.base.sources import Entropy, service_now
from service.people import operator_log
from service.people.schema import account, sign_up_invitation

PREFIX = "holo_inv_"
_NUMBERED = "inv_"
"""The beginning of an invitation's identifier, which is no secret."""


async def invite(
    connection: AsyncConnection, entropy: Entropy, by: str, *, uses: int, days: int, founds: bool
) -> str:
    """
    Keep an invitation to sign up, and return its code. Nobody can show the code again.

    Args:
      founds: True if the accounts may found leagues where the operator's permission is needed.
    """
    now, number, code = await service_now(connection), entropy.uuid(), PREFIX + entropy.token()
    await connection.execute(
        sa.insert(sign_up_invitation).values(
            id=number,
            hash=_digest(code),
            uses_left=uses,
            founds_leagues=founds,
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
    )
    about = f"{_NUMBERED}{number.hex}"
    await operator_log.add(connection, [None], by, "sign_up_invited", about, f"{uses} uses")
    return code


async def uninvite(connection: AsyncConnection, named: str, by: str) -> bool:
    """
    End an invitation, named as ``inv_…`` or by its code. Return False if no use of it was left.

    Accounts that it has opened stay.

    Raises:
      StreamNotFound: If there is no such invitation.
    """
    own = sign_up_invitation.c.hash == _digest(named)
    if named.startswith(_NUMBERED):
        try:
            own = sign_up_invitation.c.id == UUID(hex=named.removeprefix(_NUMBERED))
        except ValueError:
            raise StreamNotFound("there is no such invitation") from None
    found = await connection.execute(
        sa.select(sign_up_invitation.c.id, sign_up_invitation.c.uses_left)
        .where(own)
        .with_for_update()
    )
    row = found.one_or_none()
    if row is None:
        raise StreamNotFound("there is no such invitation")
    if not row.uses_left:
        return False
    await connection.execute(
        sa.update(sign_up_invitation).where(sign_up_invitation.c.id == row.id).values(uses_left=0)
    )
    about = f"{_NUMBERED}{row.id.hex}"
    await operator_log.add(
        connection, [None], by, "sign_up_uninvited", about, f"{row.uses_left} uses were left"
    )
    return True


def demand_open(mode: Admission, code: str | None) -> None:
    """
    Check that signing up is possible, before anything costs time.

    Raises:
      SignUpClosed: If nobody may.
      InvitationNeeded: If *code* is None and an invitation is needed.
    """
    if mode == "closed":
        raise SignUpClosed("only the operator makes accounts here")
    if mode == "invite" and code is None:
        raise InvitationNeeded("an account here needs an invitation by the operator")


async def take(connection: AsyncConnection, code: str, now: datetime) -> bool:
    """
    Use an invitation up by one. Return whether the account may found leagues.

    Raises:
      InvitationNeeded: If it is unknown, used up or expired. All look the same.
    """
    taken = await connection.execute(
        sa.update(sign_up_invitation)
        .where(
            sign_up_invitation.c.hash == _digest(code),
            sign_up_invitation.c.uses_left > 0,
            sign_up_invitation.c.expires_at > now,
        )
        .values(uses_left=sign_up_invitation.c.uses_left - 1)
        .returning(sign_up_invitation.c.founds_leagues)
    )
    row = taken.one_or_none()
    if row is None:
        raise InvitationNeeded("the invitation is unknown, used up or expired")
    return bool(row.founds_leagues)


async def demand_founder(connection: AsyncConnection, mode: Admission, person: UUID) -> None:
    """
    Check that a person may found a league.

    Raises:
      FoundingClosed: If nobody may, or the operator has not given this person permission.
    """
    if not await may_found(connection, mode, person):
        raise FoundingClosed("you need the operator's permission to found a league here")


async def may_found(connection: AsyncConnection, mode: Admission, person: UUID) -> bool:
    """Return whether a person may found a league."""
    if mode != "invite":
        return mode == "open"
    leave = sa.select(account.c.founds_leagues).where(account.c.id == person)
    return bool(await connection.scalar(leave))


async def let_found(connection: AsyncConnection, person: UUID, by: str, *, may: bool) -> bool:
    """Give or take a person's permission to found leagues. Return False if nothing changed."""
    changed = await connection.execute(
        sa.update(account)
        .where(account.c.id == person, account.c.founds_leagues.is_not(may))
        .values(founds_leagues=may)
    )
    if not changed.rowcount:
        return False
    kind: operator_log.Kind = "founding_allowed" if may else "founding_ended"
    await operator_log.add(connection, [None], by, kind, f"plr_{person.hex}")
    return True


def _digest(code: str) -> bytes:
    return hashlib.sha256(code.encode()).digest()
