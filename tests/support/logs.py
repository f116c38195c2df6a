"""A writer for a test's log, in memory or in PostgreSQL."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from engine.decider import Decider
from service.log.store import Store
from service.log.writer import Writer

SECRET = "a key of the tests, and of nothing else"


def utcnow() -> datetime:
    """Return the present instant. The database runs on the same machine as the tests."""
    return datetime.now(UTC)


@asynccontextmanager
async def writing(
    store: Store, deciders: Mapping[str, Decider[Any, Any, Any]]
) -> AsyncIterator[Writer]:
    """Run a writer on *store*."""
    writer = Writer(store, deciders, utcnow)
    await writer.start()
    try:
        yield writer
    finally:
        await writer.aclose()
