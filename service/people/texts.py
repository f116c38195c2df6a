"""
Texts that people write: reasons, claims, answers.

The relation ``text`` keeps the words, and the log holds a :class:`~engine.values.TextRef`. A text
is kept before the event that names it is appended. If the event is refused, the text stays unnamed
and nobody can read it. It is erased with its author or its subject.

Every read compares the words with the digest in the log. The owner of the database can change a
row, but not the log.
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
from service.people.rechecking import demand_writer
from service.people.schema import text
from service.people.text_refs import named_in, types_with_texts

_log = structlog.get_logger(__name__)

SALT_BYTES = 32
"""The relation requires it too."""

TEXT_MAX = 2000
"""Characters. The relation requires it too."""

Written = Annotated[str, Meta(min_length=1, max_length=TEXT_MAX, pattern=r"\S")]
"""A text in a request's body."""

Audience = Literal["members", "staff"]
"""The readers of a text beside its author: everybody in the league, or its staff."""


# The event was appended after the text was kept, so the search begins there. Instants of a league
# only grow, so a binary search finds the place.
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
"""
The most by which the clocks differ: of the process that kept a text, and of the appending one.
"""


class Text(NamedTuple):
    """A stored text. ``body`` is None once it is erased."""

    league: str
    author: UUID
    subject: UUID | None
    audience: str
    body: str | None
    written_at: datetime
    taken_down: bool
    """True if an operator emptied it."""


class NewText(NamedTuple):
    """
    A text to keep.

    Args:
      subject: The person it is about. Erasing this person also erases the text.
    """

    league: str
    author: UUID
    body: str
    audience: Audience = "members"
    subject: UUID | None = None


def text_id(command: UUID) -> UUID:
    """Return the identifier of a command's text."""
    return uuid5(command, "id/text/0")


async def keep_text(
    engine: AsyncEngine,
    command: UUID,
    draft: NewText,
    *,
    salt: bytes,
    now: datetime,
) -> TextRef:
    """
    Keep the text of a command. A retry finds the text that is already kept.

    Args:
      command: The text's identifier follows from this command's.
      salt: 32 random bytes. They must not be derived, or erasing would erase nothing.

    Raises:
      IdempotencyKeyReused: If the same command came with other words.
      Unauthenticated: If the author was erased.
    """
    own = text_id(command)
    async with engine.begin() as connection:
        await demand_writer(connection, draft.author, draft.subject)
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
    Return the text ``txt_…``, or None if no event names it. The caller checks the reader's rights.

    Raises:
      TextForged: If the words do not match their digest in the log.
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
    return Text(
        league, row.author, row.subject, row.audience, row.body, row.written_at, row.taken_down
    )


async def words(engine: AsyncEngine, refs: Iterable[TextRef]) -> dict[TextId, str]:
    """
    Return the words of texts. Erased texts are missing. The caller checks the reader's rights.

    Raises:
      TextForged: If words do not match their digest in the log.
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
    Check the words of a text against its digest in the log. An erased text has no words to check.

    Args:
      digest: The log's digest. None for the names in older events, which hold none.

    Raises:
      TextForged: If the words do not match.
    """
    if body is None or digest is None or matches(salt, body, digest):
        return
    _log.error("text_forged", text=name)
    raise TextForged(
        "the words in the database do not match their digest in the log; an operator must "
        "investigate, and an audit shows the event",
        text=name,
    )


async def erase_texts(connection: AsyncConnection, person: UUID, now: datetime) -> int:
    """Empty every text by *person* or about them. Return the number of emptied texts."""
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
    Return whether *digest* is the digest of these words.

    The salt must have 32 bytes. With another length the first words could pass for salt.
    """
    return salt is not None and len(salt) == SALT_BYTES and digest_of(salt, body).hex() == digest


def digest_of(salt: bytes, body: str) -> bytes:
    """Return the digest that the log holds of a text."""
    return hashlib.sha256(salt + body.encode()).digest()
