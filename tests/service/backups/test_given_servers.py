"""Restoring the folder of ``up`` onto a given server, and what may run during a restore."""

import asyncio
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from service.base import database, migrations
from service.base.database import DATABASE, ServerRefused
from service.base.embedded import Cluster, binaries
from service.base.secret_files import write_secret
from service.process import at_rest, preparing
from service.process.starting import StackFailed
from service.process.supervisor import Stack
from tests.service.backups.test_restoring import log_of
from tests.service.league_night import Night, played
from tests.support.commands import Ended, begun, in_fork
from tests.support.databases import SECRET_KEY, TestDatabase, TestServer
from tests.support.waiting import until

FILLING = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pg_restore'"


@dataclass(frozen=True)
class Given:
    """A given server with an installation of ``up --data``, and a backup of it."""

    cluster: Cluster
    data: Path
    backup: Path
    night: Night
    log: list[tuple[int, str]]

    def run(self, *asked: str) -> Ended:
        """Run a command as an operator who has given ``up`` this server."""
        return in_fork(asked, {"HOLOTABLE_DATABASE_URL": self.cluster.url()})

    def database(self, data: Path) -> TestDatabase:
        """Return the log's database, with the passwords in *data*."""
        return database_of(self.cluster, data)


def database_of(cluster: Cluster, data: Path) -> TestDatabase:
    secrets = {name: file.read_text().strip() for name, file in at_rest.secret_files(data).items()}
    return TestDatabase(TestServer(cluster, secrets), DATABASE)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Given]:
    place = tmp_path_factory.mktemp("given")
    data, backup = place / "data", place / "backup"
    with Cluster(place / "server", binaries(os.environ), durable=False) as cluster:
        (data / "secrets").mkdir(parents=True)
        write_secret(data / "secrets" / "key", SECRET_KEY)
        with at_rest.prepared(data, cluster.url()) as url:
            migrations.migrate(url)
        source = database_of(cluster, data)
        night = asyncio.run(played(source, steps_max=12))
        made = Given(cluster, data, backup, night, log_of(source, night.league))
        taken = made.run("backup", str(backup), "--data", str(data))
        assert taken.returncode == 0, taken.stderr
        yield made


def login_works(given: Given, data: Path) -> bool:
    try:
        psycopg.connect(given.database(data).url("holotable_api")).close()
    except psycopg.OperationalError:
        return False
    return True


def passwords(given: Given) -> list[tuple[str, str]]:
    with psycopg.connect(given.cluster.url()) as connection:
        return connection.execute(
            "SELECT rolname, rolpassword FROM pg_authid ORDER BY 1"
        ).fetchall()


def test_a_new_folder_and_a_lost_database_come_back_with_their_logins(
    given: Given, tmp_path: Path
) -> None:
    """The passwords are those of the backup, so units that have them go on."""
    data = tmp_path / "new"
    rehearsed = ("restore", str(given.backup), "--data", str(data))
    nothing = given.run(*rehearsed, "--dry-run")
    assert (nothing.returncode, "holds no database yet" in nothing.stdout) == (0, True)
    database.drop_database(given.cluster.url(), DATABASE)
    before = passwords(given)

    done = given.run(*rehearsed)

    assert done.returncode == 0, done.stderr
    assert [name for name, _ in passwords(given)] == [name for name, _ in before]
    assert log_of(given.database(data), given.night.league) == given.log
    assert login_works(given, data) and login_works(given, given.data)
    assert not at_rest.unfinished(data)
    # A second time it is refused, says what would be lost, and replaces what is there.
    later = asyncio.run(played(given.database(data), "afterwards", steps_max=3))
    again = given.run(*rehearsed)
    assert (again.returncode, "is not empty" in again.stderr) == (1, True)
    lost = given.run(*rehearsed, "--dry-run")
    assert f"{later.league} would lose" in lost.stdout
    replaced = given.run(*rehearsed, "--replace")
    assert replaced.returncode == 0, replaced.stderr
    assert log_of(given.database(data), later.league) == []
    assert log_of(given.database(data), given.night.league) == given.log


def test_another_installations_logins_keep_their_passwords(given: Given, tmp_path: Path) -> None:
    """Otherwise its processes could not log in any more. Nothing is written on either side."""
    data = tmp_path / "new"
    with psycopg.connect(given.cluster.url(), autocommit=True) as connection:
        connection.execute("ALTER ROLE holotable_migrate PASSWORD 'another one'")
    before = passwords(given)
    refused = given.run("restore", str(given.backup), "--data", str(data))
    assert (refused.returncode, "have passwords already" in refused.stderr) == (2, True)
    assert passwords(given) == before
    assert not data.exists()
    mine = (given.data / "secrets" / "holotable_migrate").read_text()
    with psycopg.connect(given.cluster.url(), autocommit=True) as connection:
        connection.execute(f"ALTER ROLE holotable_migrate PASSWORD '{mine}'".encode())


def test_a_folder_without_secrets_is_named(given: Given, tmp_path: Path) -> None:
    (tmp_path / "d" / "secrets").mkdir(parents=True)
    (tmp_path / "d" / "secrets" / "key").touch()
    refused = given.run("restore", str(given.backup), "--data", str(tmp_path / "d"), "--dry-run")
    assert (refused.returncode, "no folder of `holotable up`" in refused.stderr) == (1, True)


def test_nobody_opens_a_database_that_a_restore_fills(given: Given, tmp_path: Path) -> None:
    """
    ``prepare``, ``migrate`` and ``up`` are refused, whenever they began.

    A ``prepare`` that had checked before the restore began used to open the database to every
    process and migrate it meanwhile.
    """
    data = tmp_path / "new"
    shutil.copytree(given.data, data)
    url = given.cluster.url()
    asked = ("restore", str(given.backup), "--data", str(data), "--replace")
    own = {
        "HOLOTABLE_DATABASE_URL": given.database(data).url("holotable_migrate"),
        "HOLOTABLE_SECRET_KEY": SECRET_KEY,
    }
    with (
        psycopg.connect(url, autocommit=True) as connection,
        begun(asked, {"HOLOTABLE_DATABASE_URL": url}) as restore,
    ):
        until(lambda: connection.execute(FILLING).fetchone() == (1,))
        restore.kill_all(signal.SIGSTOP)
        try:
            assert not login_works(given, data)
            whole = given.run("prepare", url, "--into", str(tmp_path / "into"))
            assert (whole.returncode, "restore" in whole.stderr) == (2, True), whole.stderr
            with pytest.raises(ServerRefused, match="restore"):  # its second half
                preparing.prepare(url)
            migrate = in_fork(("migrate",), own)
            assert (migrate.returncode, "restore" in migrate.stderr) == (2, True), migrate.stderr
            with pytest.raises(ServerRefused, match="restore"):
                Stack(given.data, server=url).start()
            assert not login_works(given, data)
        finally:
            restore.kill_all(signal.SIGCONT)
        done = restore.end()
    assert done.returncode == 0, done.stderr
    assert login_works(given, data)
    assert log_of(given.database(data), given.night.league) == given.log
    ready = in_fork(("prepare", url), {})
    assert ready.returncode == 0, ready.stderr
    assert login_works(given, data)


def test_a_killed_restore_stays_closed_while_it_is_repeated(given: Given, tmp_path: Path) -> None:
    """The second restore prepares the server again. This must not open the half-filled database."""
    data = tmp_path / "new"
    shutil.copytree(given.data, data)
    url = given.cluster.url()
    asked = ("restore", str(given.backup), "--data", str(data), "--replace")
    with psycopg.connect(url, autocommit=True) as connection:
        with begun(asked, {"HOLOTABLE_DATABASE_URL": url}) as restore:
            until(lambda: connection.execute(FILLING).fetchone() == (1,))
            restore.kill()
            restore.end()
        until(lambda: connection.execute(FILLING).fetchone() == (0,))
    assert not login_works(given, data)
    with at_rest.prepared(data, url):
        assert not login_works(given, data)
    again = given.run(*asked[:-1])
    assert again.returncode == 0, again.stderr
    assert log_of(given.database(data), given.night.league) == given.log
    assert login_works(given, data)


def test_up_does_not_make_a_new_key_for_leagues_that_have_one(given: Given, tmp_path: Path) -> None:
    """It did so silently. Then no hand went on, and its jobs were dead after ten attempts."""
    data = tmp_path / "data"
    shutil.copytree(given.data / "secrets", data / "secrets")
    (data / "secrets" / "key").unlink()
    with pytest.raises(StackFailed, match="key is missing"):
        Stack(data, server=given.cluster.url()).start()
    assert not (data / "secrets" / "key").exists()
