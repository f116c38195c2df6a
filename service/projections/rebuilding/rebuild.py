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

from engine.values import identifier
from service.base.database import async_engine, sqlstate_of
from service.base.settings import Settings
from service.log.catalogue import event_types
from service.log.read import ends_of
from service.log.read import leagues as known_leagues
from service.projections.applying.advancing import advance, apply, mark_broken
from service.projections.applying.checkpoints import positions_of, put_away
from service.projections.applying.events import Read, head, leagues
from service.projections.applying.projection import NOTHING, Projection, ProjectionBroken
from service.projections.models.all import chosen
from service.projections.rebuilding.comparing import CHUNK
from service.projections.rebuilding.scanning import Part, batches
from service.projections.schema import LIVE, NEXT, checkpoint

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


# A crash loses the rows that grow in any case. Their replacement waits for the disk.
_HASTE = sa.text("SET LOCAL synchronous_commit = off")

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

    waiting: list[list[Read]] = field(default_factory=list)
    """For each part of the batch at hand, the events that this projection applies."""

    stopped: dict[str, ProjectionBroken] = field(default_factory=dict)
    """By league, the event that could not be applied."""

    failed: Exception | None = None
    """The error that ended this build. All others go on."""

    async def take(self, database: AsyncEngine, batch: Sequence[Part]) -> None:
        """Apply the events that wait, which are those of *batch*, in one transaction."""
        waiting, self.waiting = self.waiting, []
        try:
            while self.failed is None and any(self._goal(each) > each.after for each in batch):
                try:
                    async with database.begin() as connection:
                        await connection.execute(_HASTE)
                        beside = await _beside(connection)
                        for part, events in zip(batch, waiting, strict=True):
                            await self._apply(beside, part, events)
                    return
                except ProjectionBroken as error:
                    self.stopped[error.league] = error
                    self.goals[error.league] = error.position - 1
        except Exception as error:  # noqa: BLE001 - raised again when the others are done
            self._fail(error)

    async def _apply(self, beside: AsyncConnection, part: Part, waiting: Sequence[Read]) -> None:
        goal = self._goal(part)
        if goal > part.after:
            events = [each for each in waiting if each.position <= goal]
            await apply(beside, self.projection, part.league, events, part.after, goal)

    def _goal(self, part: Part) -> int:
        """Return the last position of *part* that is to be applied."""
        return min(part.until, self.goals.get(part.league, NOTHING))

    async def finish(
        self, database: AsyncEngine, turns: asyncio.Semaphore, swapped: Swapped | None
    ) -> None:
        """
        Have the new rows catch up with the live ones and replace them.

        The replacement waits for no lock for long, because all readers wait behind it meanwhile.
        """
        if self.failed is not None:
            return
        async with turns:
            await self._finish(database, swapped)

    async def _finish(self, database: AsyncEngine, swapped: Swapped | None) -> None:
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
            async with database.begin() as connection:
                builds = await _begin(connection, projections)
            turns = asyncio.Semaphore(_WRITERS)
            await _scan(database, builds, turns, progress or _untold)
            await asyncio.gather(*(each.finish(database, turns, swapped) for each in builds))
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


async def _begin(connection: AsyncConnection, projections: Sequence[Projection]) -> list[_Build]:
    """
    Make the new relations of the projections, which are empty.

    They grow in each league to the live checkpoint, or to the head if there is none that can be
    believed.
    """
    ends = await ends_of(connection, await known_leagues(connection))
    heads = {identifier("lge", number): position for number, (position, _) in ends.items()}
    builds = []
    for each in projections:
        await connection.execute(sa.select(sa.func.reads_begin_rebuild(*_names(each))))
        builds.append(_Build(each, {**heads, **await positions_of(connection, each.name)}))
    return builds


async def _scan(
    database: AsyncEngine,
    builds: Sequence[_Build],
    turns: asyncio.Semaphore,
    progress: Progress,
) -> None:
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
    passed_over = event_types().difference(takers)

    async def give(build: _Build, batch: Sequence[Part]) -> None:
        async with turns:
            await build.take(database, batch)

    async with database.connect() as reading:
        async for batch in batches(reading, goals, passed_over):
            for part in batch:
                for build in builds:
                    build.waiting.append([])
                for each in part.events:
                    for build in takers.get(each.type, builds):  # an unknown type stops all
                        build.waiting[-1].append(each)
            await asyncio.gather(*(give(each, batch) for each in builds))
            done += sum(part.until - part.after for part in batch)
            progress(done, total)


async def _checkpoints(beside: AsyncConnection, projection: Projection) -> dict[str, int]:
    """Return the last position that the new rows follow in each league."""
    found = await beside.execute(
        sa.select(checkpoint.c.league, checkpoint.c.position).where(
            checkpoint.c.name == projection.name
        )
    )
    return {row.league: row.position for row in found}


async def _meet(
    connection: AsyncConnection,
    projection: Projection,
    stopped: dict[str, ProjectionBroken],
    *,
    for_good: bool = False,
) -> None:
    """
    Bring the new rows to the live checkpoints, which are locked if they meet *for_good*.

    Where a live checkpoint is misplaced, the new rows stay at the head that the rebuild found.
    """
    if for_good:
        await put_away(connection, projection.name)
    live = await positions_of(connection, projection.name)
    beside = await _beside(connection)
    new = await _checkpoints(beside, projection)
    for league, until in live.items():
        goal = min(until, stopped[league].position - 1) if league in stopped else until
        done = new.get(league, NOTHING)
        while done < goal:
            try:
                done = await advance(beside, projection, league, event_types(), goal, CHUNK)
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
