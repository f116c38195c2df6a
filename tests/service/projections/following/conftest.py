"""A projector's database, and the runtime that writes what it follows."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from service.base.database import async_engine
from service.director.runtime import Runtime, open_runtime
from tests.support.databases import TestDatabase


@pytest.fixture
async def runtime(database: TestDatabase) -> AsyncIterator[Runtime]:
    async with open_runtime(database.settings("holotable_api")) as made:
        yield made


@pytest.fixture
async def projecting(database: TestDatabase) -> AsyncIterator[AsyncEngine]:
    engine = async_engine(database.url("holotable_project"), 4)
    yield engine
    await engine.dispose()
