"""
A command of an operator dies at the worst moment, or hangs while another one runs.

A lock on a relation stops the command at that relation, and then it is killed.
"""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from service.base import migrations
from service.base.database import async_engine, drop_database
from service.base.settings import environment
from service.cli.deeds import PATIENCE_SECONDS, carried_out
from service.people.operator_log import entries
from tests.service.cli.test_dry_runs import DEEDS, KEYS, contents, night
from tests.service.league_night import Night
from tests.support.commands import begun, in_fork
from tests.support.databases import TestDatabase, TestServer
from tests.support.waiting import until

__all__ = ["night"]

LOG = "operator_deed"
WHERE = {"epoch open": "epoch_opening"}
"""The relation that a deed writes to last, if it is not the operators' log."""

_WAITING = """
    SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@contextmanager
def locked(database: TestDatabase, relation: str) -> Iterator[None]:
    """Let nobody read or write a relation during the block."""
    with psycopg.connect(database.url("postgres")) as connection:
        connection.execute(f"LOCK TABLE {relation} IN ACCESS EXCLUSIVE MODE".encode())
        yield
        connection.rollback()


def until_waiting(database: TestDatabase, number: int = 1) -> None:
    """Wait until so many sessions wait for a lock."""
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        until(lambda: connection.execute(_WAITING).fetchone() == (number,))


def until_alone(database: TestDatabase) -> None:
    """Wait until the server has noticed that the command is gone."""
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        until(lambda: connection.execute(others).fetchone() == (1,))


def kinds(database: TestDatabase) -> list[str]:
    """Return the kinds in the operators' log, oldest first."""

    async def found() -> list[str]:
        engine = async_engine(database.url("holotable_migrate"), 1)
        try:
            async with engine.connect() as connection:
                return [each.kind for each in reversed(await entries(connection, 100))]
        finally:
            await engine.dispose()

    return asyncio.run(found())


def rows(database: TestDatabase) -> dict[str, object]:
    """Return a digest of all rows, but those of a rebuild that was not finished."""
    found = contents(database).items()
    return {name: rows for name, rows in found if not name.startswith("reads_next.")}


@pytest.mark.parametrize("name", DEEDS)
def test_a_deed_that_is_killed_before_its_end_was_not_done_and_can_be_done_again(
    database: TestDatabase, night: Night, name: str
) -> None:
    deed = DEEDS[name]
    with psycopg.connect(database.url("postgres")) as connection:
        if deed.before:
            connection.execute(deed.before.encode())
        han = connection.execute("SELECT id FROM account WHERE login = 'han'").fetchone()
        token = connection.execute("SELECT id FROM token").fetchone()
    assert han is not None
    assert token is not None
    asked = tuple(each.format(night.league[4:], han[0].hex, token[0].hex) for each in deed.asked)
    told = environment(database.settings(f"holotable_{deed.login}")) | deed.changes
    before = rows(database)

    with locked(database, WHERE.get(name, LOG)), begun(asked, told) as command:
        until_waiting(database)
        command.kill()
        assert command.end().returncode == -signal.SIGKILL
    until_alone(database)

    assert rows(database) == before
    again = in_fork(asked, told)
    assert again.returncode == 0, again.stderr
    assert kinds(database).count(deed.kind) == 1


def test_a_pruning_that_is_killed_stands_in_the_log_and_the_next_one_deletes_the_rest(
    database: TestDatabase,
) -> None:
    """Its first entry comes before the first row is gone."""
    with psycopg.connect(database.url("postgres")) as connection:
        connection.execute(
            "INSERT INTO job (occurrence, task, args, due_at, created_at, state)"
            " SELECT n::text, 'table.watch', '{}', years.ago, years.ago, 'done'"
            " FROM generate_series(1, 1500) n, (SELECT now() - interval '2 years') years (ago)"
        )
        connection.execute(
            "INSERT INTO idempotency (command, digest, created_at, account)"
            " VALUES (gen_random_uuid(), sha256(''), now() - interval '2 years', gen_random_uuid())"
        )
    worker = environment(database.settings("holotable_worker"))
    with locked(database, "refused_command"), begun(("prune",), worker) as command:
        until_waiting(database)
        command.kill()
        command.end()
    until_alone(database)
    left = "SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM idempotency)"
    with psycopg.connect(database.url("postgres")) as connection:
        assert connection.execute(left).fetchone() == (0, 1)
    assert kinds(database) == ["pruned"]
    again = in_fork(("prune",), worker)
    assert again.returncode == 0, again.stderr
    with psycopg.connect(database.url("postgres")) as connection:
        assert connection.execute(left).fetchone() == (0, 0)
    assert kinds(database) == ["pruned", "pruned", "pruned"]


def test_of_two_changes_of_the_key_at_once_one_finds_nothing_to_do(
    database: TestDatabase, night: Night
) -> None:
    told = environment(database.settings("holotable_migrate")) | KEYS
    with ExitStack() as kept:
        with locked(database, LOG):
            both = [kept.enter_context(begun(("rotate-key",), told)) for _ in range(2)]
            until_waiting(database, 2)  # one for the log, and the other one for the keys
        ends = [each.end() for each in both]
    said = sorted(each.stdout.splitlines()[0] for each in ends)
    assert said == [f"wrapped with the new key: {each} of 1 leagues' keys" for each in (0, 1)]
    assert kinds(database).count("key_rotated") == 1


@pytest.fixture
def older(cluster: TestServer) -> Iterator[TestDatabase]:
    """A database of an earlier schema."""
    made = cluster.copy("older", "template0")
    migrations.migrate(made.url("holotable_migrate"), "0046")
    yield made
    drop_database(cluster.cluster.url(), "older")


def revision(database: TestDatabase) -> str:
    with psycopg.connect(database.url("postgres")) as connection:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    assert found is not None
    return str(found[0])


def test_a_migration_and_its_entry_are_one_transaction(older: TestDatabase) -> None:
    """A killed one changes nothing. Of two at once, only the one that did the work has an entry."""
    told = environment(older.settings("holotable_migrate"))
    with locked(older, LOG), begun(("migrate",), told) as command:
        until_waiting(older)
        command.kill()
        command.end()
    until_alone(older)
    assert (revision(older), kinds(older)) == ("0046", [])
    with ExitStack() as kept:
        with locked(older, LOG):
            both = [kept.enter_context(begun(("migrate",), told)) for _ in range(2)]
            until_waiting(older, 2)  # one for the log, and the other one for its turn
        assert [each.end().returncode for each in both] == [0, 0]
    assert (revision(older), kinds(older)) == (migrations.newest(), ["schema_migrated"])


def test_a_deed_that_stands_still_lets_others_on_after_a_while(database: TestDatabase) -> None:
    """Its terminal may be stopped or its machine dead, so the server rolls it back."""
    settings = database.settings("holotable_migrate")
    take = sa.text("LOCK TABLE append_turn IN EXCLUSIVE MODE")
    bounds = sa.text("SHOW idle_in_transaction_session_timeout")
    seen = []

    async def stand_still(connection: sa.ext.asyncio.AsyncConnection) -> str:
        seen.append(await connection.scalar(bounds))
        await connection.execute(take)
        held.set()
        await others_done.wait()
        await connection.execute(take)
        return "never said"

    async def one_more(connection: sa.ext.asyncio.AsyncConnection) -> str:
        seen.append(await connection.scalar(bounds))
        await connection.execute(take)
        return "done"

    async def both() -> None:
        first = asyncio.create_task(carried_out(settings, stand_still, dry_run=False, patience=0.5))
        await held.wait()
        assert await carried_out(settings, one_more, dry_run=False) == 0
        others_done.set()
        with pytest.raises(sa.exc.DBAPIError):
            await first

    held, others_done = asyncio.Event(), asyncio.Event()
    asyncio.run(both())
    assert seen == ["500ms", f"{PATIENCE_SECONDS:.0f}s"]


def test_of_two_backups_into_one_folder_the_slower_one_is_refused(
    database: TestDatabase, tmp_path: Path
) -> None:
    """It was stopped while ``pg_dump`` ran. It leaves nothing in the folder or beside it."""
    asked = ("backup", str(tmp_path / "night"))
    told = environment(database.settings("holotable_migrate"))
    with ExitStack() as kept:
        with locked(database, "job"):
            slow = kept.enter_context(begun(asked, told))
            until_waiting(database)
            slow.kill_all(signal.SIGSTOP)
        quick = in_fork(asked, told)
        slow.kill_all(signal.SIGCONT)
        late = slow.end()
    assert quick.returncode == 0, quick.stderr
    assert (late.returncode, "exists already" in late.stderr) == (1, True), late.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["night"]
    assert in_fork(("restore", asked[1], "--dry-run"), told).returncode == 0
    assert kinds(database) == ["backup_begun", "backup_begun", "backup_taken"]


def test_a_killed_backup_leaves_no_program_behind_and_the_next_one_removes_its_draft(
    database: TestDatabase, tmp_path: Path
) -> None:
    asked = ("backup", str(tmp_path / "night"))
    told = environment(database.settings("holotable_migrate"))
    dumping = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pg_dump'"
    with locked(database, "job"), begun(asked, told) as command:
        until_waiting(database)
        command.kill()
        command.end()
        assert len(list(tmp_path.glob("night.*.part"))) == 1
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        until(lambda: connection.execute(dumping).fetchone() == (0,))
    assert in_fork(asked, told).returncode == 0
    assert [each.name for each in tmp_path.iterdir()] == ["night"]
    assert kinds(database) == ["backup_begun", "backup_begun", "backup_taken"]


def test_a_backup_that_is_killed_after_it_has_its_name_stands_in_the_log_as_begun(
    database: TestDatabase, tmp_path: Path
) -> None:
    """It is complete, so its keys may be in other hands. Its copy says that it was begun."""
    asked = ("backup", str(tmp_path / "night"))
    told = environment(database.settings("holotable_migrate"))
    with ExitStack() as kept, psycopg.connect(database.url("postgres")) as holding:
        with locked(database, "job"):
            command = kept.enter_context(begun(asked, told))
            until_waiting(database)
            holding.execute(f"LOCK TABLE {LOG} IN SHARE MODE")  # pg_dump waits for its lock
        until((tmp_path / "night").exists)
        until_waiting(database)
        command.kill()
        command.end()
        holding.rollback()
    until_alone(database)
    assert kinds(database) == ["backup_begun"]
    assert in_fork(("restore", asked[1], "--dry-run"), told).returncode == 0
