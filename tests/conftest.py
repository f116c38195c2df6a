"""Fixtures that every test of the service shares."""

from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import settings

from service.base import database as databases
from tests.support.databases import TestDatabase, TestServer, running_server

# A red run must be red again when it is looked into; ``make soak`` is what plays by chance.
settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("repeatable")

TEMPLATE = "holotable_template"
_numbers = count(1)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio only, which is what the service runs on."""
    return "asyncio"


@pytest.fixture(scope="session")
def cluster() -> Iterator[TestServer]:
    """One PostgreSQL for the whole session, with the roles of production."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def template(cluster: TestServer) -> str:
    """Name of a migrated database that tests copy."""
    databases.create_database(cluster.cluster.url(), TEMPLATE)
    databases.migrate(cluster.url(TEMPLATE, "holotable_migrate"))
    return TEMPLATE


@pytest.fixture
def database(cluster: TestServer, template: str) -> Iterator[TestDatabase]:
    """A fresh migrated database, removed afterwards."""
    made = TestDatabase(cluster, f"test_{next(_numbers)}")
    databases.create_database(cluster.cluster.url(), made.name, template=template)
    yield made
    databases.drop_database(cluster.cluster.url(), made.name)
