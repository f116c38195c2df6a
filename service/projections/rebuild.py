"""
Building read models again from the log, beside the ones in use.

The new relations grow in the schema ``reads_next``. The statements are those of the
runner, translated to that schema. The new relations replace the old ones in one
transaction, when both have applied the same position of every league.

All projections share one scan of the log. Each writes on a connection of its own, so one
that fails stops no other. If an event cannot be applied, that projection stops before it in
that league, as with the runner. If a rebuild is killed, the next one starts from the beginning.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.base.database import async_engine, sqlstate_of
from service.base.settings import Settings
from service.log.catalogue import event_types
from service.projections.comparing import CHUNK, Difference, compare
from service.projections.models import chosen
from service.projections.projection import (
    NOTHING,
    Projection,
    ProjectionBroken,
    Read,
    advance,
    applied,
    apply,
    head,
    leagues,
    mark_broken,
)
from service.projections.scanning import batches
from service.projections.schema import LIVE, NEXT, checkpoint

__all__ = ["Difference", "Extent", "Progress", "RebuildRefused", "compare", "extents", "rebuild"]

Progress = Callable[[int, int], None]
"""Called with the positions done and the positions in total."""

Swapped = Callable[[AsyncConnection, str], Awaitable[None]]
"""Called with a read model's name, in the transaction in which its new rows replace the old."""

# Two rebuilds would write into the same relations. The lock needs the right to write to this
# relation, and blocks neither reads nor writes. An autovacuum that holds the lock
# gives way within a second.
_TAKE_TURN = sa.text("LOCK TABLE reads_next.checkpoint IN SHARE UPDATE EXCLUSIVE MODE")
_LOCKED = "55P03"
_PATIENCE = sa.text("SET LOCAL lock_timeout = '3s'")


_OVERTAKEN = frozenset({"40001", "40P01", _LOCKED})
"""SQLSTATEs of a replacement that met the projector, or a long statement of a reader."""

_REPLACEMENTS_MAX = 100
_PAUSE_SECONDS = 1.0
"""The time before a replacement is tried again."""

_WRITERS = 2
"""Connections that write: while the database takes in one projection's rows, another makes its."""

_log = logging.getLogger(__name__)


class RebuildRefused(Exception):
    """Another rebuild is running."""


class Extent(NamedTuple):
    """The rows that a rebuild of one read model would replace, and what it would read."""

    name: str
    rows: int
    events: int
    leagues: int


async def extents(settings: Settings, name: str = "all") -> list[Extent]:
    """Return what a rebuild of *name* (or ``all``) would replace. Nothing is changed."""
    database = async_engine(settings.database_url, connections=1)
    try:
        async with database.connect() as connection:
            heads = [await head(connection, league) for league in await leagues(connection)]
            found = []
            for projection in chosen(name):
                rows = 0
                for relation in projection.relations:
                    counted = sa.select(sa.func.count()).select_from(relation)
                    rows += await connection.scalar(counted) or 0
                found.append(Extent(projection.name, rows, sum(heads) + len(heads), len(heads)))
            return found
    finally:
        await database.dispose()


@dataclass
class _Build:
    """A projection whose new rows grow."""

    projection: Projection
    goals: dict[str, int]
    """By league, the position at which the live rows are, or at which the projection stops."""

    waiting: list[Read] = field(default_factory=list)
    """Events of the batch at hand."""

    stopped: dict[str, ProjectionBroken] = field(default_factory=dict)
    """By league, the event that could not be applied."""

    failed: Exception | None = None
    """The error that ended this build. All others go on."""

    async def take(self, database: AsyncEngine, league: str, after: int, until: int) -> None:
        """Apply the events that wait, which are those up to position *until*."""
        events, self.waiting = self.waiting, []
        try:
            while self.failed is None and after < (
                goal := min(until, self.goals.get(league, NOTHING))
            ):
                try:
                    async with database.begin() as connection:
                        beside = await _beside(connection)
                        batch = [each for each in events if each.position <= goal]
                        await apply(beside, self.projection, league, batch, after, goal)
                    return
                except ProjectionBroken as error:
                    self.stopped[league], self.goals[league] = error, error.position - 1
        except Exception as error:  # noqa: BLE001 - raised again when the others are done
            self._fail(error)

    async def finish(self, database: AsyncEngine, swapped: Swapped | None) -> None:
        """
        Have the new rows catch up with the live ones and replace them.

        The replacement waits for no lock for long, because all readers wait behind it meanwhile.
        """
        try:
            async with database.begin() as connection:  # the projector goes on meanwhile
                await _meet(connection, self.projection, self.stopped)
            for left in reversed(range(_REPLACEMENTS_MAX)):
                try:
                    async with database.begin() as connection:
                        await connection.execute(_PATIENCE)
                        await self._replace(connection, swapped)
                    return
                except DBAPIError as error:
                    if not left or sqlstate_of(error) not in _OVERTAKEN:
                        raise
                await asyncio.sleep(_PAUSE_SECONDS)
        except Exception as error:  # noqa: BLE001 - raised again when the others are done
            self._fail(error)

    async def _replace(self, connection: AsyncConnection, swapped: Swapped | None) -> None:
        await _meet(connection, self.projection, self.stopped, for_good=True)
        await _swap(connection, self.projection)
        for each in self.stopped.values():
            await mark_broken(connection, self.projection, each)
        if swapped is not None:
            await swapped(connection, self.projection.name)

    def _fail(self, error: Exception) -> None:
        error.add_note(f"The projection {self.projection.name} was not rebuilt.")
        self.failed = error


async def rebuild(
    settings: Settings,
    name: str = "all",
    progress: Progress | None = None,
    swapped: Swapped | None = None,
) -> list[ProjectionBroken]:
    """
    Rebuild *name* (or ``all``) and replace the live rows with the new ones.

    Returns:
        The events that could not be applied, at most one for each projection and league.

    Raises:
        RebuildRefused: If another rebuild is running.
        ProjectionUnknown: If no projection has this name.
    """
    projections = chosen(name)
    database = async_engine(settings.database_url, connections=2 + _WRITERS)
    try:
        async with _alone(database):
            builds = [await _begin(database, each) for each in projections]
            await _scan(database, builds, progress or _untold)
            for build in builds:
                if build.failed is None:
                    await build.finish(database, swapped)
    finally:
        await database.dispose()
    failed = [build.failed for build in builds if build.failed is not None]
    if failed:
        for other in failed[1:]:
            _log.error("another read model was not rebuilt either", exc_info=other)
        raise failed[0]
    broken = [each for build in builds for each in build.stopped.values()]
    return sorted(broken, key=lambda each: (each.league, each.name))


def _untold(_done: int, _total: int) -> None:
    """Report no progress."""


@asynccontextmanager
async def _alone(database: AsyncEngine) -> AsyncIterator[None]:
    """Hold the rebuild lock on a connection of its own."""
    async with database.connect() as connection:
        await connection.execute(_PATIENCE)
        try:
            await connection.execute(_TAKE_TURN)
        except DBAPIError as error:
            if sqlstate_of(error) == _LOCKED:
                raise RebuildRefused("another rebuild is running") from error
            raise
        yield


async def _begin(database: AsyncEngine, projection: Projection) -> _Build:
    """Make the new relations of a projection, which are empty."""
    async with database.begin() as connection:
        await connection.execute(sa.select(sa.func.reads_begin_rebuild(*_names(projection))))
        return _Build(projection, await _targets(connection, projection))


async def _scan(database: AsyncEngine, builds: Sequence[_Build], progress: Progress) -> None:
    """Give every build the events of every league."""
    goals: dict[str, int] = {}
    takers: dict[str, list[_Build]] = {}
    for build in builds:
        for league, goal in build.goals.items():
            goals[league] = max(goal, goals.get(league, NOTHING))
        for type_ in build.projection.handlers:
            takers.setdefault(type_, []).append(build)
    total, done = sum(goals.values()) + len(goals), 0
    progress(done, total)
    passed_over = event_types() - takers.keys()
    turns = asyncio.Semaphore(_WRITERS)

    async def give(build: _Build, league: str, after: int, until: int) -> None:
        async with turns:
            await build.take(database, league, after, until)

    async with database.connect() as reading:
        for league, until in goals.items():
            after = NOTHING
            async for events, last in batches(reading, league, until, passed_over):
                for each in events:
                    for build in takers.get(each.type, builds):  # an unknown type stops all
                        build.waiting.append(each)
                await asyncio.gather(*(give(each, league, after, last) for each in builds))
                done += last - after
                after = last
                progress(done, total)


async def _targets(connection: AsyncConnection, projection: Projection) -> dict[str, int]:
    """Return the target of each league: the live checkpoint, or the head if there is none."""
    live = await connection.execute(
        sa.select(checkpoint.c.league, checkpoint.c.position).where(
            checkpoint.c.name == projection.name
        )
    )
    targets = {league: await head(connection, league) for league in await leagues(connection)}
    return targets | {row.league: row.position for row in live}


async def _meet(
    connection: AsyncConnection,
    projection: Projection,
    stopped: dict[str, ProjectionBroken],
    *,
    for_good: bool = False,
) -> None:
    """Bring the new rows to the live checkpoints, which are locked if they meet *for_good*."""
    asked = sa.select(checkpoint.c.league, checkpoint.c.position).where(
        checkpoint.c.name == projection.name
    )
    live = (await connection.execute(asked.with_for_update() if for_good else asked)).all()
    beside = await _beside(connection)
    for league, until in live:
        goal = min(until, stopped[league].position - 1) if league in stopped else until
        while await applied(beside, projection, league) < goal:
            try:
                await advance(beside, projection, league, event_types(), goal, CHUNK)
            except ProjectionBroken as error:
                stopped[league], goal = error, error.position - 1
    await connection.execution_options(schema_translate_map={})


async def _beside(connection: AsyncConnection) -> AsyncConnection:
    return await connection.execution_options(schema_translate_map={LIVE: NEXT})


async def _swap(connection: AsyncConnection, projection: Projection) -> None:
    await connection.execute(sa.select(sa.func.reads_swap(*_names(projection))))


def _names(projection: Projection) -> tuple[sa.ColumnElement[Sequence[str]], str]:
    names = [relation.name for relation in projection.relations]
    return sa.literal(names, sa.ARRAY(sa.Text)), projection.name
