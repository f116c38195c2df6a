"""
What people write: reasons, claims, answers.

The words stand in relation ``text``, the log holds a :class:`~engine.values.TextRef`.
A text is kept before the event that names it is appended; if the event is refused
the text stays unnamed, and goes when its author or its subject is erased.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal, NamedTuple
from uuid import UUID

import sqlalchemy as sa
from msgspec import Meta
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from engine.values import TextId, TextRef, identifier, number_of
from service.errors import IdempotencyKeyReused
from service.numbers import uuid5
from service.relations import text

TEXT_MAX = 2000
"""Characters; the relation demands it too."""

Written = Annotated[str, Meta(min_length=1, max_length=TEXT_MAX, pattern=r"\S")]
"""A text in a request's body."""

Audience = Literal["members", "staff"]
"""Who may read a text beside its author: everybody in the league, or those with an office."""


class Text(NamedTuple):
    """A text as it stands; ``body`` is null once it is erased."""

    league: str
    author: UUID
    subject: UUID | None
    audience: str
    body: str | None
    written_at: datetime


class Draft(NamedTuple):
    """
    A text to keep.

    Args:
        subject: Whom it is about; erasing this person erases the text as well.
    """

    league: str
    author: UUID
    body: str
    audience: Audience = "members"
    subject: UUID | None = None


async def keep_text(
    engine: AsyncEngine,
    command: UUID,
    draft: Draft,
    *,
    salt: bytes,
    now: datetime,
    number: int = 0,
) -> TextRef:
    """
    Keep the text *number* of a command, once: a retry finds what it kept.

    Args:
        command: Its id follows from this command's.
        salt: 32 random bytes; never derived, or erasing would erase nothing.

    Raises:
        IdempotencyKeyReused: If the same command came with other words.
    """
    own = uuid5(command, f"id/text/{number}")
    async with engine.begin() as connection:
        await connection.execute(
            insert(text)
            .values(
                id=own,
                league=number_of(draft.league),
                author=draft.author,
                subject=draft.subject,
                audience=draft.audience,
                digest=_digest(salt, draft.body),
                salt=salt,
                body=draft.body,
                written_at=now,
            )
            .on_conflict_do_nothing()
        )
        found = await connection.execute(sa.select(text).where(text.c.id == own))
        row = found.one()
    if row.body not in (draft.body, None):
        raise IdempotencyKeyReused("the same key came with another request")
    return TextRef(text=TextId(identifier("txt", own)), digest=row.digest.hex())


async def text_of(engine: AsyncEngine, name: str) -> Text | None:
    """Return the text ``txt_…``, whoever asks; None if there is none such."""
    async with engine.connect() as connection:
        found = await connection.execute(sa.select(text).where(text.c.id == number_of(name)))
        row = found.one_or_none()
    if row is None:
        return None
    league = identifier("lge", row.league)
    return Text(league, row.author, row.subject, row.audience, row.body, row.written_at)


async def words(engine: AsyncEngine, refs: Iterable[TextRef]) -> dict[TextId, str]:
    """Return what these texts say; erased ones are missing.  Who may read is asked before."""
    wanted = [number_of(each.text) for each in refs]
    if not wanted:
        return {}
    async with engine.connect() as connection:
        found = await connection.execute(
            sa.select(text.c.id, text.c.body).where(text.c.id.in_(wanted), text.c.body.is_not(None))
        )
        return {TextId(identifier("txt", row.id)): row.body for row in found}


async def erase_texts(connection: AsyncConnection, person: UUID, now: datetime) -> int:
    """Empty every text that *person* wrote or that is about them; return how many."""
    emptied = await connection.execute(
        sa.update(text)
        .where(
            sa.or_(text.c.author == person, text.c.subject == person), text.c.erased_at.is_(None)
        )
        .values(salt=None, body=None, erased_at=now)
    )
    return emptied.rowcount


def _digest(salt: bytes, body: str) -> bytes:
    return hashlib.sha256(salt + body.encode()).digest()
