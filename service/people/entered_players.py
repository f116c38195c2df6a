"""
Players that a league enters before they have an account of their own.

Such a player is an account without a login: it has a name and a ``plr_`` identifier, and nobody can
act as it. A person with its claim code takes it over by choosing a login and a password. Codes are
kept as digests and can be used once.

A league recognises such a player by an *identity*. That is the external id if there is one,
otherwise the e-mail address and the name, otherwise the name alone.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from engine.values import LeagueId, PlayerId, identifier, number_of
from service.base.errors import IdempotencyKeyReused
from service.people.names import folded
from service.people.schema import account, entered_player
from service.people.tokens import lock_family

CLAIM_FOR = timedelta(days=60)
SECRET_BYTES = 20
_NUMBER_BYTES = 16

# The turn is a row lock, which needs rights on the relation. Any login could take an advisory lock.
_ONE_AT_A_TIME = sa.text(
    "INSERT INTO entering_turn (league) VALUES (:league) "
    "ON CONFLICT (league) DO UPDATE SET league = excluded.league"
)


class Entered(NamedTuple):
    """A player to enter, with an identifier from the command and the digest of a claim code."""

    number: UUID
    name: str
    identity: str
    claim: bytes


class Claimable(NamedTuple):
    """The player that a valid code is for, and the giver of the code."""

    league: LeagueId
    player: PlayerId
    by: PlayerId | None
    """None for codes from before the giver was kept."""


class PlayerClaim(NamedTuple):
    """The input of a person who claims an entered player."""

    code: str
    login: str
    password: str


def identity_of(name: str, email: str | None, external_id: str | None) -> str:
    """
    Return the identity by which a league recognises a player.

    >>> identity_of("Han Solo", "Han@Falcon.example", None)
    'email:han@falcon.example han solo'
    """
    if external_id is not None:
        return f"id:{external_id}"
    called = folded(name)
    return f"name:{called}" if email is None else f"email:{email.casefold()} {called}"


def claim_code(player: UUID, random: bytes) -> str:
    """Return the code for *player*, made of :data:`SECRET_BYTES` random bytes."""
    return base64.urlsafe_b64encode(player.bytes + random).decode()


def digest_of(code: str) -> bytes:
    """Return the digest that the database keeps of a code."""
    return hashlib.sha256(code.encode()).digest()


async def known(engine: AsyncEngine, league: str, identities: Iterable[str]) -> dict[str, PlayerId]:
    """Return the *identities* that the league has entered before, with their players."""
    async with engine.connect() as connection:
        return await _known(connection, league, identities)


async def enter(
    connection: AsyncConnection,
    league: str,
    players: Sequence[Entered],
    now: datetime,
    *,
    by: UUID,
) -> tuple[dict[str, PlayerId], frozenset[str]]:
    """
    Enter *players*. Return the player of each identity, and the identities that were new.

    If another request has entered an identity meanwhile, its player is returned.

    Args:
      by: The person who gives out the claim codes.

    Raises:
      IdempotencyKeyReused: If the same command entered somebody else.
    """
    # Two requests that enter the same person must see each other's rows.
    await connection.execute(_ONE_AT_A_TIME, {"league": league})
    before = await _known(connection, league, [each.identity for each in players])
    new = [each for each in players if each.identity not in before]
    if not new:
        return before, frozenset()
    made = sa.select(account.c.id).where(account.c.id.in_([each.number for each in new]))
    if (await connection.execute(made.limit(1))).first() is not None:
        raise IdempotencyKeyReused("this key was used for another request")
    await connection.execute(
        insert(account),
        [{"id": each.number, "name": each.name, "created_at": now} for each in new],
    )
    await connection.execute(
        insert(entered_player),
        [
            {
                "account": each.number,
                "league": number_of(league),
                "identity": each.identity,
                "claim": each.claim,
                "claim_until": now + CLAIM_FOR,
                "claim_by": by,
                "entered_at": now,
                "made_account": True,
            }
            for each in new
        ],
    )
    known = await _known(connection, league, [each.identity for each in players])
    return known, frozenset(each.identity for each in new)


async def renew_claim(
    connection: AsyncConnection, league: str, player: str, claim: bytes, now: datetime, *, by: UUID
) -> bool:
    """
    Replace a player's claim code. Return False if the player cannot be claimed in this league.
    """
    # A claim that is under way ends first. The statement below then sees the new login.
    await lock_family(connection, number_of(player))
    unclaimed = (
        sa.select(account.c.id)
        .where(account.c.id == entered_player.c.account, account.c.login.is_(None))
        .exists()
    )
    changed = await connection.execute(
        sa.update(entered_player)
        .where(
            entered_player.c.account == number_of(player),
            entered_player.c.league == number_of(league),
            unclaimed,
        )
        .values(claim=claim, claim_until=now + CLAIM_FOR, claim_by=by)
    )
    return bool(changed.rowcount)


async def end_claim(connection: AsyncConnection, league: str, player: str) -> None:
    """End a player's claim code in this league. Without a code nothing changes."""
    await connection.execute(
        sa.update(entered_player)
        .where(
            entered_player.c.account == number_of(player),
            entered_player.c.league == number_of(league),
        )
        .values(claim=None, claim_until=None, claim_by=None)
    )


async def unclaimed_in(connection: AsyncConnection, league: str) -> dict[UUID, str]:
    """Return the names of a league's unclaimed players, by account number."""
    found = await connection.execute(
        sa.select(account.c.id, account.c.name)
        .join(entered_player, entered_player.c.account == account.c.id)
        .where(
            entered_player.c.league == number_of(league),
            account.c.login.is_(None),
            account.c.name.is_not(None),
        )
        .order_by(account.c.name, account.c.id)
    )
    return {row.id: row.name for row in found}


class Known(NamedTuple):
    """A player that a league knows from a list, or by hand."""

    player: str
    name: str
    claimed: bool
    until: datetime | None
    """The instant at which the newest code expires."""


async def entered_in(
    connection: AsyncConnection, league: str, player: str | None = None
) -> list[Known]:
    """
    Return the players that a league has entered, by name and player.

    Args:
        player: The only player to look for, or None for everybody.
    """
    only = () if player is None else (account.c.id == number_of(player),)
    found = await connection.execute(
        sa.select(
            account.c.id,
            account.c.name,
            account.c.login.is_not(None).label("claimed"),
            entered_player.c.claim_until,
        )
        .join(entered_player, entered_player.c.account == account.c.id)
        .where(entered_player.c.league == number_of(league), account.c.name.is_not(None), *only)
    )
    known = [
        Known(identifier("plr", row.id), row.name, row.claimed, row.claim_until) for row in found
    ]
    return sorted(known, key=lambda each: (each.name, each.player))


async def claimable(connection: AsyncConnection, code: str, now: datetime) -> Claimable | None:
    """
    Return the player that *code* can claim, or None if the code is not valid.

    The player stays locked until the transaction ends. Nobody claims an account that has a login.
    """
    number = number_in(code)
    if number is None:
        return None
    await lock_family(connection, number)
    found = await connection.execute(
        sa.select(entered_player)
        .join(account, account.c.id == entered_player.c.account)
        .where(entered_player.c.account == number, account.c.login.is_(None))
        .with_for_update(of=entered_player)
    )
    row = found.one_or_none()
    if row is None or row.claim is None or now >= row.claim_until:
        return None
    good = hmac.compare_digest(row.claim, digest_of(code))
    if not good:
        return None
    by = None if row.claim_by is None else PlayerId(identifier("plr", row.claim_by))
    player = PlayerId(identifier("plr", number))
    return Claimable(LeagueId(identifier("lge", row.league)), player, by)


async def joined(connection: AsyncConnection, person: UUID) -> LeagueId | None:
    """Return the league that knows *person* from a list, or None."""
    found = await connection.scalar(
        sa.select(entered_player.c.league).where(entered_player.c.account == person)
    )
    return None if found is None else LeagueId(identifier("lge", found))


async def join_player(connection: AsyncConnection, code: str, person: UUID) -> None:
    """
    Transfer a league's knowledge of the player that *code* is for to *person*.

    Raises:
      sqlalchemy.exc.IntegrityError: If leagues know that person from a list already.
    """
    known = entered_player.c
    gone = await connection.execute(
        sa.delete(entered_player)
        .where(known.account == number_in(code))
        .returning(known.league, known.identity, known.entered_at)
    )
    values = dict(gone.one()._mapping)
    await connection.execute(
        insert(entered_player).values(account=person, made_account=False, **values)
    )


async def claim_player(
    connection: AsyncConnection, claim: PlayerClaim, hashed: str, now: datetime
) -> UUID | None:
    """
    Give an entered player the login and password of the person with the code.

    Returns:
      The account's number, or None if the code is unknown, used or too old.

    Raises:
      sqlalchemy.exc.IntegrityError: If somebody else has the login.
    """
    number = number_in(claim.code)
    if await claimable(connection, claim.code, now) is None:
        return None
    claimed = await connection.execute(
        sa.update(account)
        .where(account.c.id == number, account.c.login.is_(None))
        .values(login=claim.login.lower(), password=hashed, password_set_at=now)
    )
    if not claimed.rowcount:
        return None
    await connection.execute(
        sa.update(entered_player)
        .where(entered_player.c.account == number)
        .values(claim=None, claim_until=None, claim_by=None)
    )
    return number


async def forget_entered(connection: AsyncConnection, person: UUID) -> None:
    """Erase the identity by which leagues recognise a person, and the claim code."""
    await connection.execute(sa.delete(entered_player).where(entered_player.c.account == person))


async def _known(
    connection: AsyncConnection, league: str, identities: Iterable[str]
) -> dict[str, PlayerId]:
    found = await connection.execute(
        sa.select(entered_player.c.identity, entered_player.c.account).where(
            entered_player.c.league == number_of(league),
            entered_player.c.identity.in_(list(identities)),
        )
    )
    return {row.identity: PlayerId(identifier("plr", row.account)) for row in found}


def number_in(code: str) -> UUID | None:
    """Return the player that a code names, even if it has expired. Return None if malformed."""
    try:
        raw = base64.urlsafe_b64decode(code.encode("ascii"))
    except (UnicodeEncodeError, ValueError):
        return None
    if len(raw) != _NUMBER_BYTES + SECRET_BYTES:
        return None
    return UUID(bytes=raw[:_NUMBER_BYTES])
