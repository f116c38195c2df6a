"""
The process that keeps the read models up: it follows every league's log.

A wake-up says which league has news; a slow poll behind it finds what a lost
wake-up did not say.  It may be killed at any instruction: rows and checkpoint
change together.  Two of them at once do no harm, and one of them no good.
"""

import asyncio
import signal
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service import telemetry
from service.catalogue import event_types
from service.database import async_engine
from service.eventstore.subscription import Subscription
from service.projections.models import ALL
from service.projections.projection import (
    CHUNK,
    NOTHING,
    CheckpointMoved,
    Projection,
    ProjectionBroken,
    VersionDiffers,
    advance,
    applied,
    head,
    leagues,
)
from service.projections.schema import checkpoint
from service.settings import Settings

POLL_SECONDS = 1.0
"""How long a lost wake-up may go unnoticed."""

RETRY_SECONDS = 1.0
"""How long to wait when the database is away."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Lag:
    """How far one projection is behind one league's log."""

    name: str
    league: str
    position: int
    head: int
    broken_at: int | None = None
    reason: str | None = None

    @property
    def behind(self) -> int:
        """Positions still to apply."""
        return max(self.head - self.position, 0)


@dataclass
class Runner:
    """
    Applies what is new, league by league.

    A projection that breaks in a league stops there, loudly, and the rest goes
    on; it is tried again when the process starts anew.
    """

    database: AsyncEngine
    projections: Sequence[Projection] = ALL
    chunk: int = CHUNK
    stopped: dict[tuple[str, str], str] = field(default_factory=dict)
    """Why a (projection, league) stands still."""

    reached: dict[tuple[str, str], int] = field(default_factory=dict)
    """How far each has come; leagues without news then cost one look at their head."""

    known: frozenset[str] = field(default_factory=event_types)

    async def catch_up(self) -> int:
        """Bring every projection to the head of every league; return how many steps it took."""
        async with self.database.connect() as connection:
            heads = {league: await head(connection, league) for league in await leagues(connection)}
        scanned = 0
        for league, until in heads.items():
            for projection in self.projections:
                place = (projection.name, league)
                if place not in self.stopped and self.reached.get(place, NOTHING) < until:
                    scanned += await self._bring(projection, league, until)
        return scanned

    async def _bring(self, projection: Projection, league: str, until: int) -> int:
        start: int | None = None
        try:
            while True:
                async with self.database.begin() as connection:
                    before = await applied(connection, projection, league)
                    start = before if start is None else start
                    if before >= until:
                        self.reached[projection.name, league] = before
                        return before - start
                    await advance(connection, projection, league, self.known, until, self.chunk)
        except CheckpointMoved:
            return 0
        except VersionDiffers as error:
            self.stopped[projection.name, league] = str(error)
            log.error("projection_wants_rebuild", name=projection.name, league=league)
        except ProjectionBroken as error:
            self.stopped[projection.name, league] = error.reason
            log.error(
                "projection_broken",
                name=error.name,
                league=league,
                position=error.position,
                reason=error.reason,
            )
            await self._record(error)
        return 0

    async def _record(self, error: ProjectionBroken) -> None:
        async with self.database.begin() as connection:
            broken = {"broken_at": error.position, "reason": error.reason}
            version = next(each.version for each in self.projections if each.name == error.name)
            made = insert(checkpoint).values(
                name=error.name, league=error.league, version=version, position=NOTHING, **broken
            )
            await connection.execute(
                made.on_conflict_do_update(index_elements=["name", "league"], set_=broken)
            )

    async def follow(self, stop: asyncio.Event, subscription: Subscription) -> None:
        """Catch up again and again until *stop* is set; a batch under way is finished first."""
        while not stop.is_set():
            # Listen before looking: news that comes while we catch up must wake the next wait.
            news = asyncio.create_task(subscription.wait_for(None, timeout=POLL_SECONDS))
            await asyncio.sleep(0)
            try:
                await self.catch_up()
            except (DBAPIError, OSError) as error:
                log.warning("projections_wait_for_database", reason=type(error).__name__)
                await _first(stop, asyncio.sleep(RETRY_SECONDS))
            await _first(stop, news)


async def lag(connection: AsyncConnection, projections: Sequence[Projection] = ALL) -> list[Lag]:
    """Return how far each projection is behind each league's log."""
    found = await connection.execute(sa.select(checkpoint))
    rows = {(row.name, row.league): row for row in found}
    answer: list[Lag] = []
    for league in await leagues(connection):
        until = await head(connection, league)
        for projection in projections:
            row = rows.get((projection.name, league))
            if row is None:
                answer.append(Lag(projection.name, league, NOTHING, until))
            else:
                answer.append(
                    Lag(projection.name, league, row.position, until, row.broken_at, row.reason)
                )
    return answer


def run(settings: Settings) -> None:
    """Follow every league until SIGTERM or SIGINT; the batch under way is finished or undone."""
    telemetry.configure(settings, "project")
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


async def _first(stop: asyncio.Event, other: Coroutine[Any, Any, Any] | asyncio.Task[Any]) -> None:
    """Return when *other* is done or *stop* is set; the other is then given up."""
    stopped = asyncio.create_task(stop.wait())
    waiting = asyncio.ensure_future(other)
    await asyncio.wait((stopped, waiting), return_when=asyncio.FIRST_COMPLETED)
    for task in (stopped, waiting):
        task.cancel()
    await asyncio.gather(stopped, waiting, return_exceptions=True)
