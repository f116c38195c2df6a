"""The log proves texts that are kept beside it, and they can be erased without changing it."""

import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from uuid import UUID, uuid4

import asyncpg
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.values import identifier
from service.base.database import async_engine
from service.base.errors import IdempotencyKeyReused
from service.people.texts import NewText, erase_texts, keep_text, text_of, words
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
AUTHOR, SUBJECT = UUID(int=1), UUID(int=2)
SALT = bytes(range(32))


@pytest.fixture
async def engine(database: TestDatabase) -> AsyncIterator[AsyncEngine]:
    """The database with the API's login."""
    made = async_engine(database.url("holotable_api"), 2)
    yield made
    await made.dispose()


def draft(body: str = "marked cards", subject: UUID | None = SUBJECT) -> NewText:
    """Return a draft of a text about *subject*."""
    return NewText(identifier("lge", UUID(int=9)), AUTHOR, body, "staff", subject)


async def test_the_log_can_hold_a_text_without_its_words(engine: AsyncEngine) -> None:
    ref = await keep_text(engine, uuid4(), draft(), salt=SALT, now=NOW)

    assert ref.digest == hashlib.sha256(SALT + b"marked cards").hexdigest()
    assert await words(engine, [ref]) == {ref.text: "marked cards"}


async def test_a_text_that_no_event_names_is_read_by_nobody(engine: AsyncEngine) -> None:
    ref = await keep_text(engine, uuid4(), draft(), salt=SALT, now=NOW)

    assert await text_of(engine, ref.text) is None


async def test_a_retry_finds_the_text_and_its_first_salt(engine: AsyncEngine) -> None:
    command = uuid4()
    first = await keep_text(engine, command, draft(), salt=SALT, now=NOW)
    again = await keep_text(engine, command, draft(), salt=bytes(32), now=NOW)
    other = await keep_text(engine, uuid4(), draft(), salt=SALT, now=NOW)

    assert again == first
    assert other.text != first.text


async def test_other_words_under_the_same_command_are_refused(engine: AsyncEngine) -> None:
    command = uuid4()
    await keep_text(engine, command, draft(), salt=SALT, now=NOW)

    with pytest.raises(IdempotencyKeyReused):
        await keep_text(engine, command, draft("a grudge"), salt=SALT, now=NOW)


@pytest.mark.parametrize("person", [AUTHOR, SUBJECT])
async def test_erasing_a_person_empties_what_they_wrote_and_what_is_about_them(
    engine: AsyncEngine, person: UUID
) -> None:
    command = uuid4()
    ref = await keep_text(engine, command, draft(), salt=SALT, now=NOW)
    bystander = NewText(identifier("lge", UUID(int=9)), UUID(int=7), "hello")
    kept = await keep_text(engine, uuid4(), bystander, salt=SALT, now=NOW)
    async with engine.begin() as connection:
        assert await erase_texts(connection, person, NOW) == 1
        assert await erase_texts(connection, person, NOW) == 0

    assert await words(engine, [ref, kept]) == {kept.text: "hello"}
    # A retry of a request that was accepted long ago still gets its answer.
    assert await keep_text(engine, command, draft(), salt=SALT, now=NOW) == ref


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE text SET digest = salt",
        "UPDATE text SET author = id",
        "UPDATE text SET audience = 'members'",
        "DELETE FROM text",
    ],
)
async def test_the_service_can_empty_a_text_and_change_nothing_else(
    engine: AsyncEngine, database: TestDatabase, statement: str
) -> None:
    await keep_text(engine, uuid4(), draft(), salt=SALT, now=NOW)
    connection = await asyncpg.connect(database.url("holotable_api"))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(statement)
    await connection.close()
