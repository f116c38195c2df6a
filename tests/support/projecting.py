"""Read models for tests that run no projector process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from service.base.database import async_engine
from service.projections.runner import Runner
from tests.support.databases import TestDatabase


@asynccontextmanager
async def projecting(database: TestDatabase) -> AsyncIterator[Runner]:
    """Yield a runner that brings the read models of *database* up to date on request."""
    engine = async_engine(database.url("holotable_project"), 2)
    try:
        yield Runner(engine)
    finally:
        await engine.dispose()
