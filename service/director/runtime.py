"""What a process works with: one writer, one clock, one source of entropy, one pool."""

import asyncio
import gc
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

import asyncpg
import structlog

from engine.coordination.aggregates import DECIDERS
from engine.table.model.state import State as TableState
from engine.tournament.model.state import State as Tournament
from service.base import heartbeats
from service.base.database import pool as open_pool
from service.base.errors import StoreUnavailable
from service.base.settings import Settings
from service.base.sources import Clock, DatabaseClock, Entropy, SystemEntropy
from service.base.uuids import uuid5
from service.director.beacon import Pulses, beacon_of
from service.log.store import PostgresStore
from service.log.writer import Command, Loaded, Writer

NAMESPACE = UUID("5abacc00-0000-5000-8000-686f75736500")
"""Of the ids of commands that the house gives itself; fixed for ever."""

HOUSE = "house"
"""Actor of those commands."""

CLOCK_SECONDS = 60
"""How often the offset to the database's clock is measured anew."""

START_SECONDS = 30.0
"""So long a process that starts waits for a database that is away."""

RETRY_SECONDS = 0.25
_ANSWER_SECONDS = 5.0
_CLOSE_SECONDS = 2.0

_COMING = (OSError, TimeoutError, asyncpg.CannotConnectNowError, asyncpg.PostgresConnectionError)
"""What a database that is away, or about to come, looks like; a wrong password is neither."""

GONE = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError)
"""What a database that is away, or in trouble, looks like in the middle of work."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Runtime:
    """
    Wired once for a process; everything that changes a league goes over it.

    Args:
        pool: For jobs, heartbeats and accounts; the writer has connections of its own.
    """

    writer: Writer
    clock: Clock
    entropy: Entropy
    pool: asyncpg.Pool
    settings: Settings
    pulses: Pulses
    """Of the public beacon, where one is set up."""

    _running: set[asyncio.Task[None]] = field(default_factory=set)

    def later(self, work: Coroutine[None, None, None]) -> None:
        """Do *work* in the background; if this process ends first, the tables' watch repairs it."""
        task = asyncio.get_running_loop().create_task(_guarded(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        # Given up before it began, it would be said never to have been awaited.
        task.add_done_callback(lambda _: work.close())

    async def aclose(self) -> None:
        """Give up what runs in the background, and the pool; never waits for long."""
        for task in tuple(self._running):
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=_CLOSE_SECONDS)
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self.pool.close()
        except TimeoutError:  # somebody holds a connection that answers nothing
            self.pool.terminate()

    def order(self, occurrence: str) -> Command:
        """Return a command of the house: the same occurrence is the same command, everywhere."""
        return Command(
            command_id=uuid5(NAMESPACE, occurrence),
            actor=HOUSE,
            received_at=self.clock.now(),
            request=occurrence.encode(),
        )


def naming_instant(
    runtime: Runtime, league: str, loaded: Loaded[Tournament] | Loaded[TableState]
) -> datetime:
    """
    Return the instant by which a pulse of the beacon is named in a stream, asked in its turn.

    It is the log's own for that event, so that no audit takes the house for one that dates
    back: a command may have waited since it came, and another process may have measured
    the database's clock sooner.  Source: rulebook ``beacon.round``.
    """
    return max(runtime.clock.now(), loaded.at, runtime.writer.latest(league))


def new_id(order: Command, number: int) -> UUID:
    """Return a command's own identifier *number*: a retry finds what it made."""
    return uuid5(order.command_id, f"id/{number}")


async def _guarded(work: Coroutine[None, None, None]) -> None:
    try:
        await work
    except asyncio.CancelledError:
        raise
    except Exception as error:  # noqa: BLE001
        # Nobody awaits a background task, so nobody would see what it raised.  It is
        # logged; what was left undone is found by the next who asks or by the sweep.
        _log.warning("background work failed", error=f"{type(error).__name__}: {error}")


def settle() -> None:
    """
    Tell the garbage collector that the process has started.

    What is loaded by now lives as long as the process, and states are trees that
    reference counting frees: looking for cycles often only costs pauses.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 1_000)


@asynccontextmanager
async def open_runtime(
    settings: Settings, process: str | None = None, stopping: asyncio.Event | None = None
) -> AsyncIterator[Runtime]:
    """
    Open a runtime for the length of a process.

    Args:
        process: Says "I am here" under this name (``api``); ``None`` for those whose
            absence keeps nobody from acting.  With a name it waits for the database.
        stopping: Ends that waiting when it is set.

    Raises:
        StoreUnavailable: If the database does not come.
    """
    store = PostgresStore(
        settings.database_url,
        settings.secret_key,
        second_key=settings.second_secret_key,
        connections=settings.database_connections,
    )
    clock = DatabaseClock()
    writer = Writer(store, DECIDERS, clock.now, connections=settings.database_connections)
    connections = await open_pool(settings.database_url, settings.database_connections)

    async def measure() -> None:
        async with connections.acquire() as connection:
            await clock.measure(connection)

    writer.measure = measure
    await writer.start()
    pulses = Pulses(beacon_of(settings), clock)
    runtime = Runtime(writer, clock, SystemEntropy(), connections, settings, pulses)
    try:
        patience = START_SECONDS if process is not None else 0
        await _unless(stopping, _first_measure(connections, clock, patience))
        runtime.later(_measure(connections, clock))
        if process is not None:
            runtime.later(
                _beat(connections, clock, process, timedelta(seconds=settings.heartbeat_seconds))
            )
        yield runtime
    finally:
        await runtime.aclose()
        await pulses.aclose()
        await writer.aclose()


async def _unless(stopping: asyncio.Event | None, work: Coroutine[None, None, None]) -> None:
    """Do *work*, but give it up when *stopping* is set."""
    working = asyncio.create_task(work)
    stopped = asyncio.create_task((stopping or asyncio.Event()).wait())
    try:
        await asyncio.wait((working, stopped), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise StoreUnavailable("told to stop while waiting for the database")
        await working
    finally:
        for task in (working, stopped):
            task.cancel()
        await asyncio.gather(working, stopped, return_exceptions=True)


async def _first_measure(pool: asyncpg.Pool, clock: DatabaseClock, patience: float) -> None:
    """Learn the database's time, without which nothing may be decided."""
    loop = asyncio.get_running_loop()
    until = loop.time() + patience
    told = False
    while True:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS), pool.acquire() as connection:
                await clock.measure(connection)
        except _COMING as error:
            if loop.time() >= until:
                raise StoreUnavailable(
                    f"the database did not answer for {patience:.0f} s: {error}"
                ) from error
            if not told:
                _log.warning("waiting for the database", error=str(error), seconds=patience)
                told = True
            await asyncio.sleep(RETRY_SECONDS)
        else:
            return


async def _measure(pool: asyncpg.Pool, clock: DatabaseClock) -> None:
    while True:
        await asyncio.sleep(CLOCK_SECONDS)
        try:
            async with pool.acquire() as connection:
                await clock.measure(connection)
        except Exception as error:  # noqa: BLE001
            # Nobody would begin this loop again, and the process would go by a clock that
            # drifts away for ever.
            _log.warning("the clock was not measured", error=str(error))


async def _beat(
    pool: asyncpg.Pool, clock: DatabaseClock, process: str, interval: timedelta
) -> None:
    away = True  # until just now this process did not run
    while True:
        try:
            # A step that nobody doubts yet would look like an outage.
            async with asyncio.timeout(interval.total_seconds()), pool.acquire() as connection:
                await clock.measure(connection)
            if await heartbeats.beat(pool, process, interval, returning=away):
                _log.warning("an outage ended; open decisions get their full time anew")
            away = False
        except Exception as error:  # noqa: BLE001
            # Nobody would begin this loop again, and no deadline runs out while the API
            # is silent: whatever it is, the next beat is tried.
            if not away:
                _log.warning("no heartbeat", error=str(error))
            away = True
        # Soon after the database's return: until then the deadlines' clock runs.
        await asyncio.sleep(RETRY_SECONDS if away else interval.total_seconds())
