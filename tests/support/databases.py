"""Databases for tests: a server for each worker of pytest, an empty database for each test."""

import os
import re
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from psycopg import sql

from service.base import database, migrations
from service.base.embedded import Cluster, binaries
from service.base.settings import Settings
from tests.support.resetting import Fingerprint, fingerprint, reset

SECRET_KEY = "5a" * 32
SIGNER_TOKEN = "7c" * 32
"""What the signers of tests know their clients by."""

TEMPLATE = "holotable_template"

CHEAP = {"autovacuum": "off", "wal_level": "minimal", "max_wal_senders": "0"}
"""Settings that let the server write less. Nothing in it lives long enough to be vacuumed."""

_numbers = count(1)


@dataclass(frozen=True)
class TestServer:
    """A running server with the production roles and a migrated template."""

    __test__ = False

    cluster: Cluster
    passwords: dict[str, str] = field(default_factory=dict)
    spare: dict[str, Fingerprint] = field(default_factory=dict)
    """Databases that were used and reset."""

    def url(self, name: str, role: str) -> str:
        """Return the address of database *name* for *role*. ``postgres`` is the superuser."""
        if role == "postgres":
            return self.cluster.url(name)
        return self.cluster.url(name, role, self.passwords[role])

    def copy(self, name: str, template: str = TEMPLATE) -> "TestDatabase":
        """Make database *name* as a copy of *template*."""
        with psycopg.connect(self.cluster.url(), autocommit=True) as connection:
            # Copying files needs a third of the processor time of copying through the WAL.
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY FILE_COPY").format(
                    *map(sql.Identifier, (name, database.OWNER, template))
                )
            )
        database.create_database(self.cluster.url(), name)  # the copy exists; this sets its rights
        return TestDatabase(self, name)

    def drop(self, name: str) -> None:
        """Remove database *name*."""
        database.drop_database(self.cluster.url(), name)

    @contextmanager
    def fresh(self) -> Iterator["TestDatabase"]:
        """Lend an empty migrated database for as long as the block takes."""
        if self.spare:
            name, given = self.spare.popitem()
            lent = TestDatabase(self, name)
        else:
            lent = self.copy(f"test_{next(_numbers)}")
            with psycopg.connect(lent.url("postgres")) as connection:
                given = fingerprint(connection)
        yield lent
        found = reset(lent.url("postgres"), given)
        if found is None:
            self.drop(lent.name)
        else:
            self.spare[lent.name] = found


@dataclass(frozen=True)
class TestDatabase:
    """A database that belongs to one test."""

    __test__ = False

    server: TestServer
    name: str

    def url(self, role: str = "holotable_api") -> str:
        """Return this database's address for *role* (``postgres``, ``holotable_worker``, …)."""
        return self.server.url(self.name, role)

    @property
    def broker_url(self) -> str:
        """The address of this test's broker database, which the fixture ``broker`` makes."""
        return self.server.url(f"{self.name}_broker", database.BROKER)

    def settings(self, role: str = "holotable_api", **changes: Any) -> Settings:
        """Return the settings of a process that logs in as *role*."""
        chosen: dict[str, Any] = {"log_level": "warning", "port": 0, "worker_processes": 1}
        chosen |= {"secret_key": SECRET_KEY, "signer_token": SIGNER_TOKEN}
        chosen["password_memory_kib"] = 8  # one hash takes 0.1 ms instead of 26
        far = datetime.now(UTC) + timedelta(hours=12)
        chosen["nightly_audit"] = f"{far:%H:%M}"  # no night begins while a test runs
        return Settings(database_url=self.url(role), **(chosen | changes))


def cheap_logins(programs: Path) -> dict[str, str]:
    """
    Return the options with which a password is hashed only once.

    A test opens many connections. Without the options, both sides of each one hash 4,096 times.
    PostgreSQL 15 has no such option.
    """
    told = subprocess.run([programs / "postgres", "--version"], capture_output=True, check=True)
    version = re.search(rb"\d+", told.stdout)
    return {"scram_iterations": "1"} if version and int(version[0]) >= 16 else {}


@contextmanager
def running_server() -> Iterator[TestServer]:
    """Run a server in a temporary directory, and make its roles and template."""
    with TemporaryDirectory(prefix="holotable-test-") as directory:
        programs = binaries(os.environ)
        options = CHEAP | cheap_logins(programs)
        cluster = Cluster(Path(directory) / "cluster", programs, durable=False, options=options)
        with cluster:
            server = TestServer(
                cluster, {login: secrets.token_hex(16) for login in database.LOGINS}
            )
            database.create_roles(cluster.url(), server.passwords)
            with psycopg.connect(cluster.url(), autocommit=True) as connection:
                kept = sql.Literal(connection.info.password)  # hashed again, now cheaply
                connection.execute(sql.SQL("ALTER ROLE postgres PASSWORD {}").format(kept))
                database.close_databases(connection, "postgres", "template1")
            database.create_database(cluster.url(), TEMPLATE)
            migrations.migrate(server.url(TEMPLATE, "holotable_migrate"))
            yield server
