"""
Subscriptions: webhooks as an owner makes, changes and removes them.

The address and the secrets are sealed with the league's key, because an address may be a secret
itself.
"""

from datetime import datetime, timedelta
from typing import Literal, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import identifier
from service.base.errors import EventUnreadable
from service.log.keys import LeagueKeys
from service.log.schema import events
from service.people.sealed_rows import close, opened
from service.webhooks.kinds import Name
from service.webhooks.schema import webhook as relation
from service.webhooks.signing import Signing, public_text, secret_text

Form = Literal["v1", "v1a", "discord"]
"""``v1`` and ``v1a`` are Standard Webhooks with their two kinds of signatures."""

_NAME = "webhook"

_log = structlog.get_logger(__name__)


class Webhook(NamedTuple):
    """A subscription without its secrets."""

    id: UUID
    league: UUID
    name: str
    kinds: tuple[Name, ...]
    form: Form
    url: str | None
    """None if the stored address does not open. Its owner may set it again."""

    public_key: str | None
    created_by: UUID
    created_at: datetime
    failing_since: datetime | None
    disabled_at: datetime | None
    disabled_why: str | None

    @property
    def shown_url(self) -> str | None:
        """The address as its owner sees it.

        Discord's address holds a secret, so only its host is shown.
        """
        if self.form != "discord" or self.url is None:
            return self.url
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}/…"


def new_secret(form: Form, random: bytes) -> str | None:
    """Return a secret for a webhook of this form, or None if the form has none."""
    signing = signing_of(form)
    return None if signing is None else secret_text(signing, random)


def signing_of(form: Form) -> Signing | None:
    """Return the kind of signatures of a form, or None if it is not signed."""
    return None if form == "discord" else form


async def add(
    connection: AsyncConnection, keys: LeagueKeys, made: Webhook, url: str, secret: str | None
) -> None:
    """Store a webhook for *url*. It gets messages about later events."""
    await connection.execute(
        insert(relation).values(
            id=made.id,
            league=made.league,
            name=made.name,
            kinds=list(made.kinds),
            form=made.form,
            url=_box(keys, made.id, "url", url),
            secret=None if secret is None else _box(keys, made.id, "secret", secret),
            since=_last_of(made.league),
            created_by=made.created_by,
            created_at=made.created_at,
        )
    )


async def lock(connection: AsyncConnection, league: UUID) -> int:
    """Let one transaction at a time add webhooks to a league. Return the number it has."""
    await connection.execute(
        sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(league.hex, 0)))
    )
    held = await connection.scalar(
        sa.select(sa.func.count()).select_from(relation).where(relation.c.league == league)
    )
    return int(held or 0)


async def change(
    connection: AsyncConnection,
    keys: LeagueKeys,
    kept: Webhook,
    changed: Webhook,
    *,
    enabled: bool,
) -> None:
    """
    Store another name, other kinds and another address.

    A webhook that is enabled again gets messages about later events, not about missed ones. A new
    address does not answer for the failures of the old one.

    Args:
        kept: The webhook as it is stored now.
    """
    values: dict[str, object] = {"name": changed.name, "kinds": list(changed.kinds)}
    if changed.url is not None and changed.url != kept.url:
        url = _box(keys, changed.id, "url", changed.url)
        values |= {"url": url, "failing_since": None}
    if enabled and changed.disabled_at is not None:
        anew = {"disabled_at": None, "disabled_why": None, "failing_since": None}
        values |= anew | {"since": _last_of(changed.league)}
    elif not enabled and changed.disabled_at is None:
        values |= {"disabled_at": sa.func.service_time(), "disabled_why": "disabled by hand"}
    await connection.execute(sa.update(relation).where(relation.c.id == changed.id).values(values))


async def rotate(
    connection: AsyncConnection,
    keys: LeagueKeys,
    rotated: Webhook,
    secret: str,
    now: datetime,
    overlap: timedelta,
) -> None:
    """Give a webhook another secret. For *overlap*, messages carry both signatures."""
    before = await connection.scalar(
        sa.select(relation.c.secret).where(relation.c.id == rotated.id).with_for_update()
    )
    old = _opened(keys, rotated.id, "secret", before)
    await connection.execute(
        sa.update(relation)
        .where(relation.c.id == rotated.id)
        .values(
            secret=_box(keys, rotated.id, "secret", secret),
            second_secret=None if old is None else _box(keys, rotated.id, "second_secret", old),
            second_until=now + overlap,
        )
    )


async def remove(connection: AsyncConnection, number: UUID) -> None:
    """Delete a webhook with its deliveries."""
    await connection.execute(sa.delete(relation).where(relation.c.id == number))


async def webhooks_of(connection: AsyncConnection, keys: LeagueKeys, league: UUID) -> list[Webhook]:
    """Return a league's webhooks, the newest first."""
    found = await connection.execute(
        sa.select(relation)
        .where(relation.c.league == league)
        .order_by(relation.c.created_at.desc(), relation.c.id.desc())
    )
    return [_webhook(row, keys) for row in found.mappings()]


async def league_of(connection: AsyncConnection, number: UUID) -> UUID | None:
    """Return the league of a webhook, or None if there is no such webhook."""
    found: UUID | None = await connection.scalar(
        sa.select(relation.c.league).where(relation.c.id == number)
    )
    return found


async def webhook_of(
    connection: AsyncConnection, keys: LeagueKeys, number: UUID, *, for_update: bool = False
) -> Webhook | None:
    """Return a webhook, or None if it was removed."""
    asked = sa.select(relation).where(relation.c.id == number)
    found = await connection.execute(asked.with_for_update() if for_update else asked)
    row = found.mappings().first()
    return None if row is None else _webhook(row, keys)


def _webhook(row: sa.RowMapping, keys: LeagueKeys) -> Webhook:
    number = row["id"]
    secret = _opened(keys, number, "secret", row["secret"])
    return Webhook(
        id=number,
        league=row["league"],
        name=row["name"],
        kinds=tuple(row["kinds"]),
        form=row["form"],
        url=_opened(keys, number, "url", row["url"]),
        public_key=None if secret is None else public_text(secret),
        created_by=row["created_by"],
        created_at=row["created_at"],
        failing_since=row["failing_since"],
        disabled_at=row["disabled_at"],
        disabled_why=row["disabled_why"],
    )


def _opened(keys: LeagueKeys, number: UUID, column: str, box: bytes | None) -> str | None:
    """
    Return the text in *box*, or None if it does not open. Log that.

    Otherwise one damaged webhook would hide all of its league, and could not even be removed.
    """
    if box is None:
        return None
    try:
        return opened(keys, _NAME, number, column, box).decode()
    except EventUnreadable as error:
        name = identifier("whk", number)
        _log.error("webhook_unreadable", webhook=name, column=column, error=str(error))
        return None


def _box(keys: LeagueKeys, number: UUID, column: str, text: str) -> bytes:
    return close(keys, _NAME, number, column, text.encode())


def _last_of(league: UUID) -> sa.ScalarSelect[int]:
    """Return the query for the position of a league's last event."""
    return (
        sa.select(sa.func.coalesce(sa.func.max(events.c.position), -1))
        .where(events.c.league == league)
        .scalar_subquery()
    )
