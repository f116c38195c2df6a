"""A worker that starts waits for its broker."""

import threading

import psycopg
from structlog.testing import capture_logs

from service.base import database as databases
from service.tasks import broker
from tests.support.databases import TestDatabase
from tests.support.waiting import until


def test_a_broker_that_comes_late_is_waited_for(database: TestDatabase) -> None:
    """If it ended, its manager would only start it again, with a longer pause each time."""
    server, name = database.server.cluster.url(), f"{database.name}_broker"
    databases.create_database(server, name, owner=databases.BROKER)
    with psycopg.connect(server, autocommit=True) as superuser, capture_logs() as lines:
        superuser.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        work = threading.Thread(target=broker.install_once_there, args=[database.broker_url])
        work.start()
        try:
            until(lambda: [each["event"] for each in lines] == ["waiting for the broker"])
        finally:
            superuser.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        work.join(20)
    with psycopg.connect(database.broker_url) as connection:
        found = connection.execute("SELECT to_regclass('pgmq.meta') IS NOT NULL").fetchone()
    databases.drop_database(server, name)
    assert found == (True,)
