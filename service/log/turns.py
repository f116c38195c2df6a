"""
Turns: one process at a time decides the commands of a league.

A turn is a lock that nothing relies on: the append alone decides whether a batch stands. The lock
saves batches that would be refused because another process decides on the same states. The server
ends a turn whose process gives no sign for 300 milliseconds. A process that waits for a slow append
gives one every 100 milliseconds. No process waits longer than 300 milliseconds for a lock or for a
connection.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import UUID

import asyncpg

from service.base.drivers import Driver, leave_as_is
from service.log.append import GONE

_MILLISECONDS = 300
"""The limit for an idle turn, for waiting for a turn, and for waiting for a connection."""

_SIGN_SECONDS = 0.1
"""The time between two signs that the process goes on."""

_TAKE = f"""
    BEGIN;
    SET LOCAL lock_timeout = {_MILLISECONDS};
    SET LOCAL idle_in_transaction_session_timeout = {_MILLISECONDS};
    SELECT pg_advisory_xact_lock({{key}})
"""

_log = logging.getLogger(__name__)


class Turns:
    """
    The turns of one process, at most one for a league.

    Args:
      dsn: The database, in asyncpg's form.
      connections: The number of turns at once. A connection is opened when it is first needed.
    """

    def __init__(self, dsn: str, connections: int) -> None:
        self._dsn = dsn
        self._connections = connections
        self._pool: asyncpg.Pool | None = None

    async def start(self) -> asyncpg.Pool:
        """Create the pool, and return it for its owner to close."""
        self._pool = await asyncpg.create_pool(
            self._dsn,
            min_size=0,
            max_size=self._connections,
            reset=leave_as_is,
            server_settings={"application_name": "holotable-turn"},
        )
        return self._pool

    @asynccontextmanager
    async def of(self, league: UUID) -> AsyncIterator[None]:
        """Take the turn of *league* and hold it.

        If the lock is not free in time, go on without it.
        """
        async with AsyncExitStack() as held:
            try:
                if self._pool is not None:
                    seconds = _MILLISECONDS / 1000
                    connection = await held.enter_async_context(self._pool.acquire(timeout=seconds))
                    held.push_async_callback(_leave, connection)
                    await connection.execute(_TAKE.format(key=_key(league)))
                    await held.enter_async_context(_kept(connection))
            except GONE as error:  # a lock that was not free in time is one of these
                _log.info("a batch is decided without a turn: %s", type(error).__name__)
            yield


@asynccontextmanager
async def _kept(connection: Driver) -> AsyncIterator[None]:
    """
    Keep the server from ending the turn while this process goes on.

    Otherwise a database that takes its time for an append would cost each batch a new session.
    """
    ended = asyncio.Event()
    keeping = asyncio.create_task(_keep(connection, ended))
    try:
        yield
    finally:
        ended.set()
        await keeping  # never cancelled: that would cost a session to say so


async def _keep(connection: Driver, ended: asyncio.Event) -> None:
    try:
        while not ended.is_set():
            try:
                async with asyncio.timeout(_SIGN_SECONDS):
                    await ended.wait()
            except TimeoutError:
                await connection.execute("SELECT")
    except GONE as error:
        _log.info("a turn has ended too early: %s", type(error).__name__)


async def _leave(connection: Driver) -> None:
    try:
        await connection.execute("ROLLBACK")
    except GONE as error:
        _log.info("a turn had ended already: %s", type(error).__name__)


def _key(league: UUID) -> int:
    """Return the league's number in the space of advisory locks."""
    half = league.bytes[:8], league.bytes[8:]
    return int.from_bytes(half[0], signed=True) ^ int.from_bytes(half[1], signed=True)
