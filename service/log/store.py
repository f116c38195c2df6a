"""The store that a writer appends to: PostgreSQL's, and the interface that every store offers."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import Concatenate, ParamSpec, Protocol, TypeVar
from uuid import UUID

import asyncpg

from service.base.addresses import asyncpg_dsn
from service.base.drivers import Driver, leave_as_is
from service.base.grouping import Grouped
from service.log import append, read
from service.log.keys import Keys, LeagueKeys
from service.log.record import Append, Disconnected, Outcome, Recorded
from service.log.turns import Turns

CHANNEL = "holotable_log"
_CLOSE_SECONDS = 2.0
_WAKE_SECONDS = 0.02
"""The shortest time between two wake-ups. The first goes out at once."""

# A wake-up lost in a crash does no harm, so its commit does not wait for the disk.
_WAKE = """
    SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, p)
      FROM unnest($2::text[]) AS p
"""

_Answer = TypeVar("_Answer")
_What = ParamSpec("_What")

_log = logging.getLogger(__name__)


class Store(Protocol):
    """
    A log. Every method raises ``Disconnected`` when the log cannot be asked.

    There are two stores, one in PostgreSQL and one in memory. One test suite covers both.
    """

    async def start(self) -> None:
        """Prepare the store. This does not fail when the log is away."""

    async def aclose(self) -> None:
        """Release connections and tasks."""

    async def append(
        self, league: UUID, epoch: int, appends: Sequence[Append], checked: bool = False
    ) -> Outcome:
        """Make *appends* in order. See ``service.log.append.call``."""

    def turn(self, league: UUID) -> AbstractAsyncContextManager[None]:
        """Keep other processes from deciding for *league* meanwhile. Nothing relies on it."""

    async def stream(
        self, league: UUID, stream: str, after_version: int = 0, limit: int = read.CHUNK
    ) -> list[Recorded]:
        """Return events of a stream, oldest first."""

    async def head(self, league: UUID, stream: str) -> tuple[int, bytes] | None:
        """Return the version and hash of a stream's last event, or None if it has no events."""

    async def books(
        self, league: UUID, stream: str, closing: str, limit: int = read.CHUNK
    ) -> list[Recorded]:
        """Return a stream's first event, and the events from the one before its last *closing*."""

    async def league(
        self, league: UUID, after_position: int = -1, limit: int = read.CHUNK
    ) -> list[Recorded]:
        """Return events of a league, in the order of their positions."""

    async def ends(self, leagues: Sequence[UUID]) -> dict[UUID, tuple[int, bytes]]:
        """Return the position and hash of the last event of each league that has one."""

    async def request_of(self, league: UUID, event: UUID) -> str | None:
        """Return the digest of the request that caused an event, or None without the event."""

    async def epoch(self, league: UUID) -> int:
        """Return a league's epoch."""

    async def time(self, league: UUID) -> tuple[datetime | None, datetime | None]:
        """Return the time by the log's own clock, and the instant of a league's last event."""

    async def voided(self, league: UUID) -> frozenset[int]:
        """Return the positions of a league's voided events."""

    async def keys(self, league: UUID) -> LeagueKeys:
        """Return a league's keys, made on the first call."""

    def wake(self, league: UUID, position: int) -> None:
        """Notify subscribers, soon and without waiting, that a league has grown to *position*."""


async def chunks(
    store: Store, league: UUID, stream: str, after_version: int = 0
) -> AsyncIterator[list[Recorded]]:
    """Yield a stream's events in chunks, oldest first. The next chunk is fetched meanwhile."""
    rows = await store.stream(league, stream, after_version)
    while rows:
        if len(rows) < read.CHUNK:
            yield rows
            return
        following = asyncio.ensure_future(store.stream(league, stream, rows[-1].stream_version))
        try:
            await asyncio.sleep(0)  # sends the query now, so that the database answers meanwhile
            yield rows
            rows = await following
        finally:
            following.cancel()


async def _read_committed(connection: Driver) -> None:
    """
    Have each statement see what is committed. Otherwise heads are compared on an old snapshot.

    It is a statement, because PgBouncer refuses it as a parameter of the connection.
    """
    await connection.execute("SET default_transaction_isolation TO 'read committed'")


class PostgresStore:
    """
    The log in PostgreSQL.

    Args:
      url: Of a role that may execute ``append_events``.
      secret_key: The settings' key, which wraps the leagues' keys.
      second_key: Another accepted key, while the settings' key is being changed.
      connections: The number of connections for appending, shared by all leagues.
      reading: The number of connections for everything else.
    """

    def __init__(
        self,
        url: str,
        secret_key: str,
        *,
        second_key: str | None = None,
        connections: int = 8,
        reading: int = 4,
    ) -> None:
        self._dsn = asyncpg_dsn(url)
        self._keys = Keys(secret_key, *([] if second_key is None else [second_key]))
        self._sizes = (connections, reading)
        self._appending: asyncpg.Pool | None = None
        self._reading: asyncpg.Pool | None = None
        self._turns = Turns(self._dsn, connections)
        self._open: list[asyncpg.Pool] = []
        self._grown: dict[UUID, int] = {}
        self._growth = asyncio.Event()
        self._waker: asyncio.Task[None] | None = None
        self._heads: Grouped[tuple[UUID, str], tuple[int, bytes] | None] = Grouped(
            lambda streams: self._read(read.heads_of, streams)
        )

    async def start(self) -> None:
        """Create the pools, which connect on first use, and start waking subscribers."""
        self._appending, self._reading = [
            await asyncpg.create_pool(
                self._dsn,
                min_size=0,
                max_size=size,
                reset=leave_as_is,
                init=_read_committed,
                # The process id, so that operators can find the process in pg_stat_activity.
                server_settings={"application_name": f"holotable-{name} {os.getpid()}"},
            )
            for size, name in zip(self._sizes, ("append", "read"), strict=True)
        ]
        self._open = [self._appending, self._reading, await self._turns.start()]
        self._waker = asyncio.create_task(self._wake_subscribers(), name="log-waker")

    async def aclose(self) -> None:
        """Close the connections."""
        if self._waker is not None:
            self._waker.cancel()
            await asyncio.gather(self._waker, return_exceptions=True)
        for pool in self._open:
            try:
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await pool.close()
            except TimeoutError:  # the server did not even close the connection
                pool.terminate()
        await self._heads.aclose()

    async def append(
        self, league: UUID, epoch: int, appends: Sequence[Append], checked: bool = False
    ) -> Outcome:
        """Make *appends* in order, in one call."""
        async with _borrowed(self._appending) as connection:
            return await append.call(connection, league, epoch, appends, checked)

    def turn(self, league: UUID) -> AbstractAsyncContextManager[None]:
        """Keep other processes from deciding for *league* meanwhile. See :class:`Turns`."""
        return self._turns.of(league)

    async def stream(
        self, league: UUID, stream: str, after_version: int = 0, limit: int = read.CHUNK
    ) -> list[Recorded]:
        """Return events of a stream, oldest first."""
        return await self._read(read.read_stream, league, stream, after_version, limit)

    async def head(self, league: UUID, stream: str) -> tuple[int, bytes] | None:
        """Return the version and hash of a stream's last event, or None if it has no events."""
        return await self._heads.of((league, stream))

    async def books(
        self, league: UUID, stream: str, closing: str, limit: int = read.CHUNK
    ) -> list[Recorded]:
        """Return a stream's first event, and the events from the one before its last *closing*."""
        return await self._read(read.read_books, league, stream, closing, limit)

    async def league(
        self, league: UUID, after_position: int = -1, limit: int = read.CHUNK
    ) -> list[Recorded]:
        """Return events of a league, in the order of their positions."""
        return await self._read(read.read_league, league, after_position, limit)

    async def ends(self, leagues: Sequence[UUID]) -> dict[UUID, tuple[int, bytes]]:
        """Return the position and hash of the last event of each league that has one."""
        return await self._read(read.ends_of, leagues)

    async def request_of(self, league: UUID, event: UUID) -> str | None:
        """Return the digest of the request that caused an event, or None without the event."""
        return await self._read(read.request_of, league, event)

    async def epoch(self, league: UUID) -> int:
        """Return a league's epoch."""
        return await self._read(read.epoch_of, league)

    async def time(self, league: UUID) -> tuple[datetime | None, datetime | None]:
        """Return the time by the database, and the instant of a league's last event."""
        return await self._read(read.time_of, league)

    async def voided(self, league: UUID) -> frozenset[int]:
        """Return the positions of a league's voided events."""
        return await self._read(read.voided, league)

    async def keys(self, league: UUID) -> LeagueKeys:
        """Return a league's keys, made on the first call."""
        found = self._keys.known(league)
        if found is None:
            found = await self._read(self._keys.of_or_new, league)
        return found

    async def _read(
        self,
        ask: Callable[Concatenate[Driver, _What], Awaitable[_Answer]],
        *what: _What.args,
        **named: _What.kwargs,
    ) -> _Answer:
        """Ask, and retry once on another connection if this one turns out to be dead."""
        try:
            async with _borrowed(self._reading) as connection:
                return await ask(connection, *what, **named)
        except Disconnected:
            async with _borrowed(self._reading) as connection:
                return await ask(connection, *what, **named)

    def wake(self, league: UUID, position: int) -> None:
        """Notify subscribers soon. Growth until then goes into the same wake-up."""
        self._grown[league] = max(position, self._grown.get(league, -1))
        self._growth.set()

    async def _wake_subscribers(self) -> None:
        while True:
            await self._growth.wait()
            self._growth.clear()
            grown, self._grown = self._grown, {}
            payloads = [f"{league.hex}:{position}" for league, position in grown.items()]
            try:
                async with _borrowed(self._reading) as connection:
                    await connection.execute(_WAKE, CHANNEL, payloads)
            except Exception as error:  # noqa: BLE001
                # A wake-up is a hint, and subscribers also poll. But nothing would restart this
                # loop, so it survives a full notification queue and an absent database.
                _log.warning("subscribers were not woken: %s", type(error).__name__)
            await asyncio.sleep(_WAKE_SECONDS)  # growth meanwhile goes into one wake-up


@asynccontextmanager
async def _borrowed(pool: asyncpg.Pool | None) -> AsyncIterator[Driver]:
    if pool is None:
        raise Disconnected("the store is not started")
    try:
        async with pool.acquire() as connection:
            yield connection
    except append.GONE as error:
        raise Disconnected(str(error)) from error
