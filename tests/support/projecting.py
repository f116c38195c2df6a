"""Read models for tests that run no projector process."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.database import async_engine
from service.projections.applying.events import head, leagues
from service.projections.applying.projection import NOTHING, Projection
from service.projections.following.runner import Runner
from service.projections.models.all import ALL
from service.projections.schema import checkpoint
from tests.support.databases import TestDatabase


@asynccontextmanager
async def projecting(database: TestDatabase) -> AsyncIterator[Runner]:
    """Yield a runner that brings the read models of *database* up to date on request."""
    engine = async_engine(database.url("holotable_project"), 2)
    try:
        yield Runner(engine)
    finally:
        await engine.dispose()


@dataclass(frozen=True, slots=True)
class Lag:
    """The distance between one projection and the head of one league's log."""

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


async def lag(connection: AsyncConnection, projections: Sequence[Projection] = ALL) -> list[Lag]:
    """Return the lag of each projection in each league."""
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
