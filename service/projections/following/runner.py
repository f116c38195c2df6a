"""
The process that keeps the read models up to date by following every league's log.

A wake-up names the league that has news. A slow poll finds the news of a lost
wake-up. The process may be killed at any instruction, because rows and checkpoint
change together. Several such processes share the read models of the leagues: each
passes over what another one has taken.
"""

import asyncio
import logging
import signal
from collections import deque
from collections.abc import Awaitable, Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

import sqlalchemy as sa
import structlog
from prometheus_client import REGISTRY
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from engine.values import number_of
from service.base import metrics, telemetry
from service.base.database import async_engine, sqlstate_of
from service.base.health import PULSE, Schema
from service.base.settings import Settings
from service.base.telemetry import request_id
from service.log.catalogue import event_types
from service.log.read import CORRELATION
from service.log.subscription import Subscription
from service.projections.applying.advancing import (
    CHUNK,
    CheckpointMoved,
    VersionDiffers,
    advance,
    applied,
    mark_broken,
    mark_misplaced,
)
from service.projections.applying.events import behind
from service.projections.applying.projection import NOTHING, Projection, ProjectionBroken
from service.projections.following.measuring import measured
from service.projections.models.all import ALL
from service.projections.schema import checkpoint

POLL_SECONDS = 1.0
"""The longest time in seconds that a lost wake-up goes unnoticed."""

RETRY_SECONDS = 1.0
"""Seconds to wait before trying again after the database failed."""

_BAD_VALUES = frozenset({"21", "22", "23"})
"""Classes of SQLSTATE for rows that break a constraint and values that do not fit a column."""

# A chunk of play may have hundreds of requests. The newest are enough to find the others.
_REQUESTS = sa.text(
    f"""
    SELECT {CORRELATION} FROM events
     WHERE league = :league AND position > :after AND position <= :until
       AND {CORRELATION} IS NOT NULL
     GROUP BY 1 ORDER BY max(position) DESC LIMIT 100
    """  # noqa: S608
)

log = structlog.get_logger()

_IDLE = "30s"
"""The server ends a step's transaction that sends nothing for this long."""

_PART = "the projector"


class _Place(NamedTuple):
    """A projection that has events of a league to apply."""

    projection: Projection
    league: str
    head: int


@dataclass
class Runner:
    """
    Applies new events chunk by chunk, taking turns among the leagues.

    A projection that breaks in a league stops there and logs an error. All others go on.
    It is tried again when an operator releases it, and when the process restarts. One whose
    checkpoint is misplaced goes on after a rebuild.
    """

    database: AsyncEngine
    projections: Sequence[Projection] = ALL
    chunk: int = CHUNK
    stopped: dict[tuple[str, str], str] = field(default_factory=dict)
    """By projection and league, the reason why it has stopped."""

    outdated: set[str] = field(default_factory=set)
    """Projections with rows from another version. They go on after a rebuild."""

    known: frozenset[str] = field(default_factory=event_types)
    _careful: set[tuple[str, str]] = field(default_factory=set)
    """Projections and leagues that apply events one by one, to find the one that breaks."""

    async def catch_up(self, some: Collection[UUID] | None = None) -> int:
        """
        Bring every projection to the head of every league. Return the number of positions applied.

        Args:
            some: Look at these leagues only.
        """
        waiting = deque(await self._look(some))
        scanned = 0
        while waiting:
            place = waiting.popleft()
            steps, more = await self._step(place)
            scanned += steps
            if more:  # at the end of the queue, so a long log does not delay a short log
                waiting.append(place)
        return scanned

    async def _look(self, some: Collection[UUID] | None) -> list[_Place]:
        """
        Return the projections and leagues with news, using one statement for all leagues.

        A projection that has stopped in a league, or that needs a rebuild, is left out.
        """
        by_name = {projection.name: projection for projection in self.projections}
        async with self.database.connect() as connection:
            rows = await behind(connection, list(by_name), some)
        current = [row for row in rows if row.version in (None, by_name[row.name].version)]
        outdated = {
            row.name for row in rows if row.version not in (None, by_name[row.name].version)
        }
        for name in outdated - self.outdated:
            log.error("projection_wants_rebuild", name=name)
        self.outdated = outdated if some is None else self.outdated | outdated
        for row in current:
            if row.misplaced:
                await self._pass_over(by_name[row.name], row.league, row.position, row.head)
            elif row.broken_at is None:  # new, rebuilt, or released by an operator
                self.stopped.pop((row.name, row.league), None)
        return [
            _Place(by_name[row.name], row.league, row.head)
            for row in current
            if (row.name, row.league) not in self.stopped
        ]

    async def _pass_over(
        self, projection: Projection, league: str, position: int, head: int
    ) -> None:
        """Stop at a misplaced checkpoint: after it, events would be passed over for ever."""
        key = projection.name, league
        reason = f"its checkpoint is at position {position}, where no projector has put it"
        if self.stopped.get(key) == reason:
            return
        async with self.database.begin() as connection:
            await mark_misplaced(connection, projection, league, position, head)
        self.stopped[key] = reason
        log.error("projection_wants_rebuild", name=projection.name, league=league, reason=reason)

    async def _step(self, place: _Place) -> tuple[int, bool]:
        """Apply the next chunk. Return its number of positions, and whether there are more."""
        projection, league, until = place
        key, before = (projection.name, league), NOTHING
        PULSE.beat(_PART)
        chunk = 1 if key in self._careful else self.chunk
        try:
            async with self.database.begin() as connection:
                taken = await _taken(connection, place)
                if taken is None:
                    return 0, False  # another process is applying it
                before = taken
                after = await advance(connection, projection, league, self.known, until, chunk)
        except (CheckpointMoved, VersionDiffers):
            return 0, False  # the next look reads the new state
        except ProjectionBroken as error:
            await self._stop(error)
            return 0, False
        except Exception as error:
            # An error that an event can cause stops its own league only: a value that no column
            # takes, a missing row. Every other error is raised again.
            if not _of_events(error):
                raise
            return 0, await self._narrow(projection, league, before, chunk, error)
        if after > before and log.is_enabled_for(logging.DEBUG):
            requests = await self._requests(league, before, after)
            log.debug("projected", name=projection.name, league=league, requests=requests)
        metrics.PROJECTED.labels(projection.name).inc(after - before)
        if after >= until:
            self._careful.discard(key)
        return after - before, after < until

    async def _narrow(
        self, projection: Projection, league: str, before: int, chunk: int, error: Exception
    ) -> bool:
        """Find the event of a chunk that broke it. Return whether to go on looking."""
        async with self.database.connect() as connection:
            if await applied(connection, projection, league) != before:
                return False  # another runner was quicker, and its rows do not match ours
        if chunk > 1:
            self._careful.add((projection.name, league))
            return True
        reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        await self._stop(ProjectionBroken(projection.name, league, before + 1, reason))
        return False

    async def _stop(self, error: ProjectionBroken) -> None:
        self.stopped[error.name, error.league] = error.reason
        self._careful.discard((error.name, error.league))
        log.error(
            "projection_broken",
            name=error.name,
            league=error.league,
            position=error.position,
            reason=error.reason,
            requests=await self._requests(error.league, error.position - 1, error.position),
        )
        await self._record(error)

    async def _requests(self, league: str, after: int, until: int) -> list[str]:
        """Return the requests of the events after a position, up to another one."""
        asked = {"league": number_of(league), "after": after, "until": until}
        async with self.database.connect() as connection:
            found = (await connection.execute(_REQUESTS, asked)).scalars()
            return [each for each in map(request_id, found) if each is not None]

    async def _record(self, error: ProjectionBroken) -> None:
        projection = next(each for each in self.projections if each.name == error.name)
        async with self.database.begin() as connection:
            await mark_broken(connection, projection, error)

    async def follow(self, stop: asyncio.Event, subscription: Subscription) -> None:
        """Catch up again and again until *stop* is set. A batch under way is finished first."""
        loop = asyncio.get_running_loop()
        looked: float | None = None
        while not stop.is_set():
            PULSE.beat(_PART)
            # Listen before looking: news that comes during the catch-up must wake the next wait.
            news = asyncio.create_task(subscription.wait_for(None, timeout=POLL_SECONDS))
            await asyncio.sleep(0)
            told, now = subscription.told(), loop.time()
            try:
                if looked is None or now - looked >= POLL_SECONDS:
                    await self.catch_up()
                    looked = now
                    metrics.LOOKED.set_to_current_time()
                elif told:  # woken: only these leagues have news
                    await self.catch_up(told)
            except (SQLAlchemyError, OSError) as error:
                looked = None
                log.warning("projections_wait_for_database", reason=type(error).__name__)
                await _first(stop, asyncio.sleep(RETRY_SECONDS))
            await _first(stop, news)
        PULSE.ended(_PART)


async def _taken(connection: AsyncConnection, place: _Place) -> int | None:
    """
    Take a place for this transaction. Return the last position applied, or -1 if there is none.

    The answer is None if another process has it. A place without a checkpoint cannot be taken, so
    two processes may both try the first chunk of a league.

    A process that hangs, or whose machine has vanished, would keep the place for hours. So the
    server ends a transaction that sends nothing for a while.
    """
    asked = sa.select(checkpoint.c.position).where(
        checkpoint.c.name == place.projection.name, checkpoint.c.league == place.league
    )
    free = asked.with_for_update(skip_locked=True).scalar_subquery().label("free")
    limit = sa.func.set_config("idle_in_transaction_session_timeout", _IDLE, True)
    found = await connection.execute(sa.select(free, asked.scalar_subquery().label("there"), limit))
    row = found.one()
    return NOTHING if row.there is None else row.free


def _of_events(error: Exception) -> bool:
    """Return whether the content of an event caused *error*, rather than the database."""
    if isinstance(error, DBAPIError):
        return sqlstate_of(error)[:2] in _BAD_VALUES
    return not isinstance(error, SQLAlchemyError | OSError)


def run(settings: Settings) -> None:
    """Follow every league until SIGTERM or SIGINT, then finish or roll back the last batch."""
    telemetry.configure(settings, "project")
    ready = Schema(settings.database_url)
    if metrics.serve(settings.metrics_address, ready=ready) is not None:
        REGISTRY.register(metrics.DatabaseMetrics(settings.database_url, measured))
    asyncio.run(_run(settings))


async def _run(settings: Settings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop.set)
    database = async_engine(settings.database_url, connections=2)
    subscription = Subscription(settings.database_url, POLL_SECONDS)
    await subscription.start()
    try:
        log.info("projections_follow", names=[projection.name for projection in ALL])
        await Runner(database).follow(stop, subscription)
    finally:
        await subscription.aclose()
        await database.dispose()
        log.info("projections_stopped")


async def _first(stop: asyncio.Event, other: Awaitable[object]) -> None:
    """Return when *other* is done or *stop* is set, and cancel whichever is still pending."""
    stopped = asyncio.create_task(stop.wait())
    waiting = asyncio.ensure_future(other)
    await asyncio.wait((stopped, waiting), return_when=asyncio.FIRST_COMPLETED)
    for task in (stopped, waiting):
        task.cancel()
    await asyncio.gather(stopped, waiting, return_exceptions=True)
