"""
Building read models again from the log, beside the ones in use.

The new relations grow in the schema ``reads_next``. The statements are those of the
runner, translated to that schema. The new relations replace the old ones in one
transaction, when both have applied the same position of every league.

If a rebuild is killed, the next one starts from the beginning. If an event cannot be
applied, that league stops before it, as with the runner. All other leagues are rebuilt.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.base.database import async_engine
from service.base.settings import Settings
from service.log.catalogue import event_types
from service.projections.comparing import CHUNK, Difference, compare
from service.projections.models import chosen
from service.projections.projection import (
    NOTHING,
    Projection,
    ProjectionBroken,
    advance,
    applied,
    head,
    leagues,
    mark_broken,
)
from service.projections.schema import LIVE, NEXT, checkpoint

__all__ = ["Difference", "Progress", "RebuildRefused", "compare", "rebuild"]

Progress = Callable[[int, int], None]
"""Called with the positions done and the positions in total."""

# Two rebuilds would write into the same relations. The lock needs the right to write to this
# relation, and blocks neither reads nor writes. An autovacuum that holds the lock
# gives way within a second.
_TAKE_TURN = sa.text("LOCK TABLE reads_next.checkpoint IN SHARE UPDATE EXCLUSIVE MODE")
_LOCKED = "55P03"
_PATIENCE = sa.text("SET LOCAL lock_timeout = '3s'")


class RebuildRefused(Exception):
    """Another rebuild is running."""


async def rebuild(
    settings: Settings, name: str = "all", progress: Progress | None = None
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
    database = async_engine(settings.database_url, connections=1 + len(projections))
    steps: dict[str, tuple[int, int]] = {}
    broken: list[ProjectionBroken] = []

    async def one(projection: Projection) -> None:
        def step(done: int, total: int) -> None:
            steps[projection.name] = (done, total)
            if progress is not None and len(steps) == len(projections):
                progress(sum(each for each, _ in steps.values()), sum(t for _, t in steps.values()))

        stopped = await _build(database, projection, step)
        async with database.begin() as connection:
            await _meet(connection, projection, stopped)
            await _swap(connection, projection)
            for each in stopped.values():
                await mark_broken(connection, projection, each)
        broken.extend(stopped.values())

    try:
        async with _alone(database):
            # Side by side: while one projection waits for the database, another makes its rows.
            ended = await asyncio.gather(*map(one, projections), return_exceptions=True)
        for error in ended:
            if error is not None:
                raise error
    finally:
        await database.dispose()
    return sorted(broken, key=lambda each: (each.league, each.name))


@asynccontextmanager
async def _alone(database: AsyncEngine) -> AsyncIterator[None]:
    """Hold the rebuild lock on a connection of its own."""
    async with database.connect() as connection:
        await connection.execute(_PATIENCE)
        try:
            await connection.execute(_TAKE_TURN)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == _LOCKED:
                raise RebuildRefused("another rebuild is running") from error
            raise
        yield


async def _build(
    database: AsyncEngine, projection: Projection, progress: Progress
) -> dict[str, ProjectionBroken]:
    """Build the new rows. Return the event that stopped each league that is not complete."""
    async with database.begin() as connection:
        await connection.execute(sa.select(sa.func.reads_begin_rebuild(*_names(projection))))
        targets = await _targets(connection, projection)
    total = sum(targets.values()) + len(targets)
    done = 0
    progress(done, total)
    stopped: dict[str, ProjectionBroken] = {}
    for league, until in targets.items():
        position, goal = NOTHING, until
        while position < goal:
            try:
                async with database.begin() as connection:
                    beside = await _beside(connection)
                    reached = await advance(beside, projection, league, event_types(), goal, CHUNK)
            except ProjectionBroken as error:
                stopped[league], goal = error, error.position - 1
                continue
            done += reached - position
            position = reached
            progress(done, total)
        done += until - goal
    return stopped


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
    connection: AsyncConnection, projection: Projection, stopped: dict[str, ProjectionBroken]
) -> None:
    """Lock the live checkpoints and bring the new rows to exactly these positions."""
    held = await connection.execute(
        sa.select(checkpoint.c.league, checkpoint.c.position)
        .where(checkpoint.c.name == projection.name)
        .with_for_update()
    )
    live = held.all()
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
