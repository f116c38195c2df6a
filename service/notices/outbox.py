"""
The outbox: one row for each notice to one person by one channel.

The row is also the record of what was sent. A second notice of the same kind and occasion to the
same person by the same channel, or to the same browser, is never made.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple
from uuid import UUID

import msgspec

from service.base.documents import Document
from service.base.drivers import Driver
from service.notices.kinds import KINDS, URGENT
from service.people.relocations import STAYS

Channel = Literal["mail", "push"]

KEPT_FOR: Final = timedelta(days=30)
"""The time after which the record of a notice is deleted."""

DELAYS: Final = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
)
"""The waits after failed attempts. A notice has failed when the attempt after them fails."""

_ADD = """
    INSERT INTO notice (id, account, channel, kind, occasion, league, facts, state, attempts,
                        next_at, ends_at, created_at, target)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 'waiting', 0, $8, $9, $8, $10)
    ON CONFLICT DO NOTHING
"""
_CAN_WAIT: Final = [kind for kind in KINDS if kind not in URGENT]
_OURS: Final = STAYS.format(league="notice.league")
_DUE = f"""
    SELECT id, account, target, kind, occasion, league, facts, attempts, ends_at, created_at,
           recipient
      FROM notice
     WHERE state = 'waiting' AND next_at <= $1 AND channel = $2 AND {_OURS}
       AND NOT id = ANY ($4) AND (account IS NULL OR NOT account = ANY ($5))
     ORDER BY kind = ANY ($6), next_at, created_at LIMIT $3
"""  # noqa: S608
_BEGIN = f"""
    UPDATE notice SET state = 'begun', attempts = attempts + 1, next_at = NULL, told_at = $2
     WHERE id = $1 AND state = 'waiting' AND {_OURS} RETURNING id
"""  # noqa: S608
_PUT_OFF = """
    UPDATE notice SET next_at = $2 WHERE id = $1 AND state = 'waiting'
"""
_PUT_ALL_OFF = """
    UPDATE notice SET next_at = $3 WHERE channel = $1 AND state = 'waiting' AND next_at <= $2
"""
_AGAIN = """
    UPDATE notice SET state = 'waiting', next_at = $2, told_at = NULL, error = $3,
                      attempts = attempts + CASE state WHEN 'waiting' THEN 1 ELSE 0 END
     WHERE id = $1 AND state IN ('waiting', 'begun')
"""
_END = """
    UPDATE notice SET state = $2, next_at = NULL, error = $3, recipient = NULL,
                      told_at = CASE $2 WHEN 'sent' THEN told_at WHEN 'unknown' THEN told_at END
     WHERE id = $1 AND state IN ('waiting', 'begun')
"""


class New(NamedTuple):
    """A notice to be made."""

    id: UUID
    """Follows from kind, occasion, person, channel and browser, so a notice is made only once."""

    account: UUID | None
    """The person, or None for the operator."""

    channel: Channel
    target: UUID | None
    """The browser of a push message."""

    kind: str
    occasion: UUID
    """The event or the request that the notice is about."""

    league: UUID | None
    facts: Document
    ends_at: datetime
    """The instant after which the notice is no longer useful."""


class Due(NamedTuple):
    """A notice whose time has come."""

    id: UUID
    account: UUID | None
    target: UUID | None
    kind: str
    occasion: UUID
    league: UUID | None
    facts: str
    attempts: int
    ends_at: datetime
    created_at: datetime
    recipient: bytes | None
    """The sealed address, if it is no longer that of the account."""


async def add(connection: Driver, made: New, now: datetime) -> None:
    """Store a notice that is due now, unless this person has it already by this channel."""
    facts = msgspec.json.encode(made.facts).decode()
    about = (made.id, made.account, made.channel, made.kind, made.occasion, made.league)
    await connection.execute(_ADD, *about, facts, now, made.ends_at, made.target)


async def due(
    connection: Driver,
    channel: Channel,
    now: datetime,
    limit: int,
    *,
    without: Collection[UUID] = (),
    nobody_of: Collection[UUID] = (),
) -> list[Due]:
    """
    Return notices that are due. Those that can wait come last: neither urgent nor about an account.

    Args:
        without: Notices that are under way already.
        nobody_of: Accounts whose notices have to wait.
    """
    asked = (now, channel, limit, list(without), list(nobody_of), _CAN_WAIT)
    return [Due(**row) for row in await connection.fetch(_DUE, *asked)]


async def begin(connection: Driver, number: UUID, now: datetime) -> bool:
    """
    Record that a notice is about to be handed over. Return False if another process did.

    From here on it is never sent again, unless the receiver says that it did not take it.
    """
    return await connection.fetchval(_BEGIN, number, now) is not None


async def sent(connection: Driver, number: UUID) -> None:
    """Record that the receiver took the notice."""
    await connection.execute(_END, number, "sent", None)


async def unknown(connection: Driver, number: UUID, error: str) -> None:
    """Record that the receiver may or may not have taken the notice. It is not sent again."""
    await connection.execute(_END, number, "unknown", error)


async def drop(connection: Driver, number: UUID, why: str) -> None:
    """Record that the notice is no longer wanted."""
    await connection.execute(_END, number, "dropped", why)


async def refuse(connection: Driver, number: UUID, error: str) -> None:
    """Record that the receiver will never take the notice."""
    await connection.execute(_END, number, "failed", error)


async def put_off(connection: Driver, number: UUID, until: datetime) -> None:
    """Let a notice wait. This is no attempt."""
    await connection.execute(_PUT_OFF, number, until)


async def put_all_off(connection: Driver, channel: Channel, now: datetime, until: datetime) -> None:
    """Let every due notice of a channel wait, because the channel does not work now."""
    await connection.execute(_PUT_ALL_OFF, channel, now, until)


async def try_again(connection: Driver, failed: Due, error: str, now: datetime) -> None:
    """Record a failed attempt, and have the notice sent later if it is still wanted then."""
    wait = DELAYS[failed.attempts] if failed.attempts < len(DELAYS) else None
    if wait is None or now + wait > failed.ends_at:
        await refuse(connection, failed.id, error)
    else:
        await connection.execute(_AGAIN, failed.id, now + wait, error)
