"""Listeners survive every message, because anybody with a login can send one."""

import random
from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest

from service.log.store import CHANNEL
from service.log.subscription import Subscription
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

LEAGUE = "00112233445566778899aabbccddeeff"
HOSTILE = (
    *("", ":", "x", LEAGUE, f"{LEAGUE}:", f":{LEAGUE}", f"{LEAGUE}:x", f"{LEAGUE}:-1"),
    *(f"{LEAGUE}:1e5", f"{LEAGUE}:0x10", f"{LEAGUE}:{'9' * 7000}", f"{LEAGUE[:-1]}:1", "é" * 3000),
    *(f"{LEAGUE}:{2**63}", f"{LEAGUE}: ٣", "\n", "null", "[]", '{"league": 1}', "%s%d{}"),
)


@pytest.fixture
async def owner(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database.url("holotable_migrate"))
    yield connection
    await connection.close()


@pytest.fixture
async def subscription(
    database: TestDatabase, owner: asyncpg.Connection
) -> AsyncIterator[Subscription]:
    """A subscription that listens and never polls during the test."""
    made = Subscription(database.url("holotable_project"), poll_seconds=20)
    await made.start()
    await until_heard(made, owner)
    yield made
    await made.aclose()


async def until_heard(subscription: Subscription, owner: asyncpg.Connection) -> None:
    """Send valid messages until one arrives."""
    league = uuid4()

    async def heard() -> bool:
        await owner.execute("SELECT pg_notify($1, $2)", CHANNEL, f"{league.hex}:0")
        return await subscription.wait_for(league, timeout=0.05)

    await until_awaited(heard)
    assert league in subscription.told()


async def test_a_listener_survives_every_message(
    subscription: Subscription, owner: asyncpg.Connection
) -> None:
    chosen = random.Random(14)
    signs = [*f"{LEAGUE}::::-+ _.", "\t", "\u202e", "\U0001f0cf"]
    made = ("".join(chosen.choices(signs, k=chosen.randrange(60))) for _ in range(200))
    for payload in (*HOSTILE, *made):
        await owner.execute("SELECT pg_notify($1, $2)", CHANNEL, payload)

    await until_heard(subscription, owner)


async def test_a_listener_that_may_not_log_in_for_a_while_listens_again(
    database: TestDatabase, subscription: Subscription, owner: asyncpg.Connection
) -> None:
    """An error other than an absent database does not end a listener either."""
    superuser = await asyncpg.connect(database.server.url("postgres", "postgres"))
    await superuser.execute(f'ALTER DATABASE "{database.name}" CONNECTION LIMIT 0')
    ended = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = $1 AND "
    named = "application_name = 'holotable-listen'"
    assert await superuser.fetchval(ended + named, database.name) == 1
    await superuser.execute(f'ALTER DATABASE "{database.name}" CONNECTION LIMIT -1')
    await superuser.close()

    await until_heard(subscription, owner)
