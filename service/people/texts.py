"""
What people write: reasons, claims, answers.

The words stand in relation ``text``, the log holds a :class:`~engine.values.TextRef`.
A text is kept before the event that names it is appended; if the event is refused
the text stays unnamed, nobody reads it, and it goes when its author or its subject is erased.

Words are compared with the digest in the log whenever they are read: whoever owns the
database can change a row, and not the log.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Annotated, Literal, NamedTuple
from uuid import UUID

import msgspec
import sqlalchemy as sa
import structlog
from msgspec import Meta
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from engine.values import TextId, TextRef, identifier, number_of
from service.base.errors import IdempotencyKeyReused, TextForged
from service.base.uuids import uuid5
from service.people.schema import text
from service.people.text_refs import named_in, types_with_texts

_log = structlog.get_logger(__name__)

SALT_BYTES = 32
"""The relation demands it too."""

TEXT_MAX = 2000
"""Characters; the relation demands it too."""

Written = Annotated[str, Meta(min_length=1, max_length=TEXT_MAX, pattern=r"\S")]
"""A text in a request's body."""

Audience = Literal["members", "staff"]
"""Who may read a text beside its author: everybody in the league, or those with an office."""


# The event was appended after the text was kept: it is looked for from there on.  Instants of
# a league only grow, so the place is found by halving.
_NAMED = sa.text(
    """
    WITH RECURSIVE halved (low, high) AS (
        SELECT -1::bigint, 1 + (SELECT position FROM events WHERE league = :league
                                 ORDER BY position DESC LIMIT 1)
        UNION ALL
        SELECT CASE WHEN middle.at < :since THEN middle.position ELSE low END,
               CASE WHEN middle.at < :since THEN high ELSE middle.position END
          FROM halved
         CROSS JOIN LATERAL (SELECT position, at FROM events
                              WHERE league = :league AND position = (low + high) / 2) middle
         WHERE high - low > 1
    )
    SELECT data::text FROM events
     WHERE league = :league AND position > (SELECT max(low) FROM halved)
       AND type = ANY(CAST(:types AS text[])) AND strpos(data::text, :name) > 0
     ORDER BY position LIMIT 1
    """
)
_EARLIER = timedelta(minutes=10)
"""How much a process that kept a text may have been ahead of the one that appended."""


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
                digest=digest_of(salt, draft.body),
                salt=salt,
                body=draft.body,
                written_at=now,
            )
            .on_conflict_do_nothing()
        )
        found = await connection.execute(sa.select(text).where(text.c.id == own))
        row = found.one()
    if row.body not in (draft.body, None):
        raise IdempotencyKeyReused("this key was used for another request")
    ref = TextRef(text=TextId(identifier("txt", own)), digest=row.digest.hex())
    demand_unchanged(ref.text, ref.digest, row.salt, row.body)
    return ref


async def text_of(engine: AsyncEngine, name: str) -> Text | None:
    """
    Return the text ``txt_…``, whoever asks; None if no event names such a text.

    Raises:
        TextForged: If the words are not those that the log names.
    """
    async with engine.connect() as connection:
        found = await connection.execute(sa.select(text).where(text.c.id == number_of(name)))
        row = found.one_or_none()
        if row is None:
            return None
        asked = {
            "league": row.league,
            "name": name,
            "since": row.written_at - _EARLIER,
            "types": types_with_texts(),
        }
        document = await connection.scalar(_NAMED, asked)
    named = {} if document is None else named_in(msgspec.json.decode(document))
    if name not in named:
        return None
    demand_unchanged(name, named[name], row.salt, row.body)
    league = identifier("lge", row.league)
    return Text(league, row.author, row.subject, row.audience, row.body, row.written_at)


async def words(engine: AsyncEngine, refs: Iterable[TextRef]) -> dict[TextId, str]:
    """
    Return what these texts say; erased ones are missing.  Who may read is asked before.

    Raises:
        TextForged: If words are not those that the log names.
    """
    wanted = {number_of(each.text): each for each in refs}
    if not wanted:
        return {}
    async with engine.connect() as connection:
        found = await connection.execute(
            sa.select(text.c.id, text.c.salt, text.c.body).where(
                text.c.id.in_(wanted), text.c.body.is_not(None)
            )
        )
        rows = found.all()
    for row in rows:
        ref = wanted[row.id]
        demand_unchanged(ref.text, ref.digest, row.salt, row.body)
    return {wanted[row.id].text: row.body for row in rows}


def demand_unchanged(name: str, digest: str | None, salt: bytes | None, body: str | None) -> None:
    """
    Demand that a text is the one that the log names; an erased text has no words to compare.

    Args:
        digest: As the log has it; None for names of older events, which bear none.

    Raises:
        TextForged: If it is another text.
    """
    if body is None or digest is None or matches(salt, body, digest):
        return
    _log.error("text_forged", text=name)
    raise TextForged(
        "the words in the database are not those that the log names; an operator must "
        "look into it, and an audit shows the event",
        text=name,
    )


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


def matches(salt: bytes | None, body: str, digest: str) -> bool:
    """
    Return whether *digest* is that of these words.

    The salt has 32 bytes: with another length the first words could pass for salt.
    """
    return salt is not None and len(salt) == SALT_BYTES and digest_of(salt, body).hex() == digest


def digest_of(salt: bytes, body: str) -> bytes:
    """Return what the log holds of a text."""
    return hashlib.sha256(salt + body.encode()).digest()
