"""The tools of one process: writer, clock, entropy, pool, settings and beacon."""

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
from service.base.database import is_coming
from service.base.database import pool as open_pool
from service.base.errors import StoreUnavailable
from service.base.settings import Settings
from service.base.sources import Clock, DatabaseClock, Entropy, SystemEntropy
from service.base.uuids import uuid5
from service.director.beacon import Pulses, beacon_of
from service.log import append
from service.log.orders import HOUSE
from service.log.record import Disconnected
from service.log.store import PostgresStore
from service.log.writer import Loaded, Order, Writer

NAMESPACE = UUID("5abacc00-0000-5000-8000-686f75736500")
"""Namespace for the ids of the house's own commands. It never changes."""

CLOCK_SECONDS = 60
"""The interval at which the offset to the database's clock is measured."""

START_SECONDS = 30.0
"""The longest wait of a starting process for an absent database."""

RETRY_SECONDS = 0.25
_ANSWER_SECONDS = 5.0
_CLOSE_SECONDS = 2.0

GONE = (*append.GONE, asyncpg.PostgresError, Disconnected)
"""Errors during work that mean the database is absent or in trouble."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Runtime:
    """
    The tools of one process, built once. Every change to a league goes through them.

    Args:
        pool: Connections for jobs, heartbeats and accounts. The writer has its own.
    """

    writer: Writer
    clock: Clock
    entropy: Entropy
    pool: asyncpg.Pool
    settings: Settings
    pulses: Pulses
    """Pulses of the public beacon. None arrive if no beacon is set up."""

    leading: dict[tuple[str, str], asyncio.Event] = field(default_factory=dict)
    """By league and table, the task that takes the table on.

    Set its event to make it check again.
    """

    _running: set[asyncio.Task[None]] = field(default_factory=set)

    def later(self, work: Coroutine[None, None, None]) -> None:
        """Do *work* in the background. If this process ends first, the tables' watch repairs it."""
        task = asyncio.get_running_loop().create_task(_guarded(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        # A coroutine cancelled before it began would warn that it was never awaited.
        task.add_done_callback(lambda _: work.close())

    async def aclose(self) -> None:
        """Cancel background work and close the pool, within a few seconds."""
        for task in tuple(self._running):
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=_CLOSE_SECONDS)
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self.pool.close()
        except TimeoutError:  # a connection in use no longer answers
            self.pool.terminate()

    def order(self, occurrence: str, actor: str = HOUSE) -> Order:
        """
        Return an order of the house. Every process gives one occurrence the same id.

        Args:
            actor: The house, or one of its bots.
        """
        return Order(
            command_id=uuid5(NAMESPACE, occurrence),
            actor=actor,
            received_at=self.clock.now(),
            request=occurrence.encode(),
        )


def naming_instant(
    runtime: Runtime, league: str, loaded: Loaded[Tournament] | Loaded[TableState]
) -> datetime:
    """
    Return the instant from which a stream names its pulse. Call it in the writer's turn.

    The instant is the one that the log gives the event, so no audit can suspect that it was
    dated back. The command's own time would be earlier if it has waited, or if another process
    measured the database's clock. Source: rulebook ``beacon.round``.
    """
    return max(runtime.clock.now(), loaded.at, runtime.writer.latest(league))


async def _guarded(work: Coroutine[None, None, None]) -> None:
    try:
        await work
    except asyncio.CancelledError:
        raise
    except Exception as error:  # noqa: BLE001
        # Nothing awaits a background task, so its error would go unseen. It is logged here.
        # The next caller or the tables' watch finishes the work.
        _log.warning("background work failed", error=f"{type(error).__name__}: {error}")


def settle() -> None:
    """
    Tell the garbage collector that the process has started.

    Everything loaded by now lives as long as the process. Reference counting frees states,
    because they are trees. Frequent searches for cycles would therefore only cause pauses.
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
        process: The name under which heartbeats are written (``api``). It is ``None`` if players
            can act without this process. A named process waits for the database.
        stopping: An event that ends this wait when it is set.

    Raises:
        StoreUnavailable: If the database does not answer in time.
    """
    store = PostgresStore(
        settings.database_url,
        settings.secret_key,
        second_key=settings.second_secret_key,
        connections=settings.database_connections,
    )
    clock = DatabaseClock()
    most, waiting = settings.database_connections, settings.league_commands
    writer = Writer(store, DECIDERS, clock.now, connections=most, waiting=waiting)
    connections = await open_pool(settings.database_url, most)

    async def measure() -> None:
        try:
            async with connections.acquire() as connection:
                await clock.measure(connection)
        except append.GONE as error:
            raise Disconnected(str(error)) from error

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
    """Do *work*, but cancel it when *stopping* is set."""
    working = asyncio.create_task(work)
    stopped = asyncio.create_task((stopping or asyncio.Event()).wait())
    try:
        await asyncio.wait((working, stopped), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise StoreUnavailable("stopped while waiting for the database")
        await working
    finally:
        for task in (working, stopped):
            task.cancel()
        await asyncio.gather(working, stopped, return_exceptions=True)


async def _first_measure(pool: asyncpg.Pool, clock: DatabaseClock, patience: float) -> None:
    """Measure the database's clock. Nothing may be decided before that."""
    loop = asyncio.get_running_loop()
    until = loop.time() + patience
    told = False
    while True:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS), pool.acquire() as connection:
                await clock.measure(connection)
        except Exception as error:
            if not is_coming(error):
                raise
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
            # Nothing would restart this loop, and the process's clock would drift for ever.
            _log.warning("the clock was not measured", error=str(error))


async def _beat(
    pool: asyncpg.Pool, clock: DatabaseClock, process: str, interval: timedelta
) -> None:
    away = True  # the process has only just started
    while True:
        try:
            # A step of the clock that is not measured yet would look like an outage.
            async with asyncio.timeout(interval.total_seconds()), pool.acquire() as connection:
                await clock.measure(connection)
            if await heartbeats.beat(pool, process, interval, returning=away):
                _log.warning("an outage ended; open decisions get their full time again")
            away = False
        except Exception as error:  # noqa: BLE001
            # Nothing would restart this loop, and no deadline runs out while the API is
            # silent. Therefore the next beat is tried after any error.
            if not away:
                _log.warning("no heartbeat", error=str(error))
            away = True
        # Beat soon after the database's return, because deadlines run until the beat.
        await asyncio.sleep(RETRY_SECONDS if away else interval.total_seconds())
