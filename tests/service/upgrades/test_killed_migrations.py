"""
`migrate` is killed at each of its steps, and run again.

A lock that the test holds stops it after a step, and it is killed there. The locks that others wait
for then belong to a dead process.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest

from service.base import migrations, revisions
from service.base.settings import environment
from tests.service.upgrades.test_first_release import EVENTS, asked
from tests.service.upgrades.test_first_release import database as first_release
from tests.service.upgrades.test_two_versions import audited, newer, play, process, ready
from tests.support.commands import Begun, begun, in_fork
from tests.support.databases import TestDatabase
from tests.support.waiting import until, until_awaited

pytestmark = pytest.mark.anyio

__all__ = ["first_release", "newer"]

STOPPING = 0x5709
"""The first number of the advisory locks at which a migration stops."""

STEPS = (
    "ALTER TABLE account ADD COLUMN pronouns text",
    "ALTER TABLE append_turn ADD COLUMN seen integer NOT NULL DEFAULT 0",
    "CREATE INDEX ix_idempotency_made ON idempotency (created_at)",
    "ALTER TABLE token ADD COLUMN colour text",
    "UPDATE schema_support SET oldest = oldest",
)
GROWING = f'''"""Grow."""
from alembic import op
revision = "9001"
down_revision = "{{head}}"
def upgrade():
    for number, step in enumerate({STEPS!r}):
        op.execute(step)
        op.execute("SELECT pg_advisory_xact_lock({STOPPING}, %s)" % number)
'''
MIGRATING = """
import sys
from pathlib import Path
from service.base import migrations, revisions
revisions.FOLDER = Path(sys.argv[1])
migrations.migrate(sys.argv[2])
"""
"""The newer version's `migrate`."""

COUNTING = f"""
    CREATE SCHEMA drill;
    CREATE SEQUENCE drill.step;
    GRANT USAGE ON SCHEMA drill TO PUBLIC;
    GRANT USAGE ON SEQUENCE drill.step TO PUBLIC;
    CREATE FUNCTION drill.stop() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('drill.step') = current_setting('drill.at', true)::bigint THEN
            PERFORM pg_advisory_xact_lock({STOPPING}, 0);
        END IF;
    END $$;
    CREATE EVENT TRIGGER drill ON ddl_command_end EXECUTE FUNCTION drill.stop();
"""
"""Stops a migration after so many of its statements."""

_WAITING = f"SELECT count(*) FROM pg_locks WHERE classid = {STOPPING} AND NOT granted"


@contextmanager
def held(database: TestDatabase, number: int) -> Iterator[Callable[[], bool]]:
    """Hold the lock of a step. Yield a function that returns whether a migration has come to it."""
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s, %s)", [STOPPING, number])
        yield lambda: connection.execute(_WAITING).fetchone() == (1,)


def schema_of(database: TestDatabase) -> str:
    return str(asked(database, "SELECT version_num FROM alembic_version")[0])


def begun_newer(database: TestDatabase) -> subprocess.Popen[str]:
    """Begin the newer version's migration."""
    url = database.url("holotable_migrate")
    return subprocess.Popen(
        [sys.executable, "-c", MIGRATING, str(revisions.FOLDER), url],
        stderr=subprocess.PIPE,
        text=True,
    )


async def until_reached(reached: Callable[[], bool], migrating: subprocess.Popen[str]) -> None:
    """Wait until a migration stops at the step, or fail with what it has said at its end."""

    async def has_come() -> bool:
        assert migrating.poll() is None, migrating.communicate()[1]
        return reached()

    await until_awaited(has_come)


async def stopped_or_done(database: TestDatabase, acting: asyncio.Task[None]) -> bool:
    """Wait until the actions are done, or wait for the migration. Return whether they wait."""
    others = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock' AND wait_event <> 'advisory'"
    )
    stopped = False

    async def settled() -> bool:
        nonlocal stopped
        stopped = asked(database, others)[0] > 0
        return stopped or acting.done()

    await until_awaited(settled)
    return stopped


@pytest.mark.long
async def test_play_goes_on_through_a_migration_that_is_killed_at_each_step(
    database: TestDatabase, newer: Callable[[str, str], None]
) -> None:
    """
    Two versions run, and every action is accepted once.

    An action that waits for the migration's locks is answered after the kill.
    """
    async with process(database) as old:
        _, league, _, people, table = await old.playing(hands_max=400)
        before = schema_of(database)
        held_up: list[bool] = []
        newer("9001_growing", GROWING)
        async with process(database) as new:
            for step in range(len(STEPS)):
                with held(database, step) as reached:
                    migrating = begun_newer(database)
                    try:
                        await until_reached(reached, migrating)
                        waiting = asyncio.create_task(play(people, table, 4))
                        held_up.append(await stopped_or_done(database, waiting))
                    finally:
                        migrating.kill()
                        await asyncio.to_thread(migrating.communicate)
                    # The server notices that nobody is there any more, while the lock is held.
                    async with asyncio.timeout(30):
                        await waiting
                assert schema_of(database) == before
                assert await ready(old) == (200, "")
                code, said = await ready(new)
                assert (code, "holotable migrate" in said) == (503, True)
            migrating = begun_newer(database)
            await play(people, table, 10)
            _, errors = await asyncio.to_thread(migrating.communicate)
            assert migrating.returncode == 0, errors
            assert [await ready(each) for each in (old, new)] == [(200, ""), (200, "")]
            people[1].http = new.http
            await play(people, table, 20)
    assert any(held_up), "no action waited for a migration"
    report = await audited(database, league)
    assert report.passed, report.findings


def ended(command: Begun) -> bool:
    return not Path(f"/proc/{command.process}").exists()


@pytest.mark.long
def test_each_statement_of_the_migrations_since_the_first_release_may_be_the_last(
    first_release: TestDatabase,
) -> None:
    """Nothing has changed after a kill, and at the end one run does all of it."""
    database = first_release
    told = environment(database.settings("holotable_migrate"))
    url = database.url("postgres")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(COUNTING)
    log, tried = asked(database, EVENTS), 0
    for step in count(1):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SELECT setval('drill.step', 1, false)")
            connection.execute(f"ALTER DATABASE {database.name} SET drill.at = '{step}'".encode())
        with held(database, 0) as reached, begun(("migrate",), told) as command:
            until(lambda: reached() or ended(command))
            if not reached():
                done = command.end()
                break
            os.kill(command.process, signal.SIGKILL)
            command.end()
            until(lambda: not reached())
        assert schema_of(database) == "0041"
        tried = step
    assert (done.returncode, done.stderr) == (0, "")
    assert tried >= 30
    assert schema_of(database) == migrations.newest()
    assert asked(database, EVENTS) == log
    again = in_fork(("migrate",), told)
    assert again.returncode == 0, again.stderr
