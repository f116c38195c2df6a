"""What tests of the service share."""

from collections.abc import AsyncIterator

import pytest

from service.log.memory import MemoryStore
from service.log.store import PostgresStore, Store
from tests.support.databases import TestDatabase
from tests.support.logs import SECRET, utcnow


@pytest.fixture(params=["memory", "postgres"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """Each log in turn; started and closed by the writers that use it."""
    if request.param == "memory":
        yield MemoryStore(now=utcnow)
        return
    database: TestDatabase = request.getfixturevalue("database")
    yield PostgresStore(database.url("holotable_api"), SECRET)
