"""Fixtures that tests of the service share."""

import logging
from collections.abc import AsyncIterator

import pytest
import structlog

from service.log.memory import MemoryStore
from service.log.store import PostgresStore, Store
from tests.support.databases import TestDatabase
from tests.support.logs import SECRET, utcnow

# A process sets its level when it starts. Tests run its parts without, and some read the output.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))


@pytest.fixture(params=["memory", "postgres"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """Yield each kind of log in turn. The writers that use a log start and close it."""
    if request.param == "memory":
        yield MemoryStore(now=utcnow)
        return
    database: TestDatabase = request.getfixturevalue("database")
    yield PostgresStore(database.url("holotable_api"), SECRET)
