"""Old records are deleted, young ones and events stay, and no setting can shorten a promise."""

import asyncio
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from service.base.settings import SettingsInvalid, environment, read
from service.director.runtime import open_runtime
from service.tasks import forgetting
from tests.service.league_night import played
from tests.support.commands import in_fork
from tests.support.databases import TestDatabase

ROWS = (
    (
        "INSERT INTO account (id, login, name, created_at)"
        " VALUES (gen_random_uuid(), 'han', 'Han', now())"
    ),
    """
    INSERT INTO job (occurrence, task, args, due_at, state, created_at)
    SELECT state || age, 'league.sign', '{}', now() - age * interval '1 day', state,
           now() - age * interval '1 day'
      FROM unnest(ARRAY[31, 29]) age, unnest(ARRAY['done', 'ready', 'dead']) state
    """,
    """
    INSERT INTO outage (process, since_at, until_at)
    SELECT 'api', now() - (age + 1) * interval '1 day', now() - age * interval '1 day'
      FROM unnest(ARRAY[401, 399]) age
    """,
    """
    INSERT INTO audit_report (id, league, scope, state, finished_at)
    SELECT 'report' || age, 'lge', 'league', 'passed', now() - age * interval '1 day'
      FROM unnest(ARRAY[15, 13]) age
    """,
    "INSERT INTO audit_plan (report, plan) SELECT id, '{}' FROM audit_report",
    """
    INSERT INTO audit_unit (report, number, key, weight, state, part, done_at)
    SELECT report, number, number::text, 1, 'done', '{}', now()
      FROM audit_plan, generate_series(0, 2) number
    """,
    """
    INSERT INTO refused_command (received_at, league, account, stream, command, code)
    SELECT now() - age * interval '1 day', gen_random_uuid(), gen_random_uuid(), 'table-1',
           gen_random_uuid(), 'not_your_turn'
      FROM unnest(ARRAY[401, 399]) age
    """,
    """
    INSERT INTO token (id, account, hash, name, scopes, created_at, expires_at, revoked_at, parent)
    SELECT ('00000000-0000-0000-0000-00000000000' || number)::uuid, account.id,
           sha256(number::text::bytea), 'it', '{}', now(), now() + expires * interval '1 day',
           now() + ended * interval '1 day',
           ('00000000-0000-0000-0000-00000000000' || parent)::uuid
      FROM account, (VALUES (1, -31, NULL, NULL), (2, -31, NULL, 1), (3, 90, -31, NULL),
                            (4, -29, NULL, NULL), (5, 90, NULL, NULL))
                    AS made (number, expires, ended, parent)
    """,
    """
    INSERT INTO calendar_key (id, account, hash, created_at, token)
    SELECT gen_random_uuid(), account, hash, now(), id FROM token WHERE id::text LIKE '%3'
    """,
    """
    INSERT INTO idempotency (command, digest, created_at, account)
    SELECT gen_random_uuid(), sha256('it'), now() - age * interval '1 day', gen_random_uuid()
      FROM unnest(ARRAY[8, 6]) age
    """,
)
"""For each relation rows just older and just younger than its period, and some of no age."""

KEPT = {
    "job": {"done29", "ready31", "ready29", "dead31", "dead29"},
    "outage": 1,
    "audit_unit": 3,
    "audit_plan": 1,
    "audit_report": 2,
    "refused_command": 1,
    "token": 2,
    "calendar_key": 0,
    "idempotency": 1,
}
GONE = {
    "job": 1,
    "outage": 1,
    "audit_unit": 3,
    "refused_command": 1,
    "token": 3,
    "idempotency": 1,
}


def held(database: TestDatabase) -> dict[str, Any]:
    """Return what each relation holds: the names of jobs, and the number of other rows."""
    with psycopg.connect(database.url("postgres")) as connection:
        jobs = {row[0] for row in connection.execute("SELECT occurrence FROM job")}
        counts = {
            name: (connection.execute(f"SELECT count(*) FROM {name}").fetchone() or (0,))[0]
            for name in KEPT
        }
    return counts | {"job": jobs}


def events(database: TestDatabase) -> list[Any]:
    with psycopg.connect(database.url("postgres")) as connection:
        return connection.execute("SELECT * FROM events ORDER BY league, position").fetchall()


def deeds(database: TestDatabase) -> list[Any]:
    with psycopg.connect(database.url("postgres")) as connection:
        asked = "SELECT league, kind, about FROM operator_deed WHERE kind = 'pruned' ORDER BY id"
        return connection.execute(asked).fetchall()


@pytest.fixture
def filled(database: TestDatabase) -> TestDatabase:
    """A database with a few events, and with old and young rows in every relation."""
    asyncio.run(played(database, steps_max=3))
    with psycopg.connect(database.url("postgres")) as connection:
        for statement in ROWS:
            connection.execute(statement)
    return database


def test_old_rows_go_and_young_ones_and_events_stay(filled: TestDatabase) -> None:
    """A dry run says exactly what the run after it deletes. Only that is in the operators' log."""
    before, log = held(filled), events(filled)
    told = environment(filled.settings("holotable_worker"))

    dry = in_fork(("prune", "--dry-run"), told)
    assert dry.returncode == 0, dry.stderr
    assert (held(filled), deeds(filled)) == (before, [])
    done = in_fork(("prune",), told)
    again = in_fork(("prune", "--dry-run"), told)

    assert done.returncode == 0, done.stderr
    assert held(filled) == KEPT
    assert events(filled) == log != []
    numbers = {
        line.split()[0]: line.split()[1].rstrip(",") for line in dry.stdout.splitlines()[:-1]
    }
    assert {name: int(it) for name, it in numbers.items() if it != "0"} == GONE
    assert dry.stdout.replace("nothing was deleted", "deleted") == done.stdout
    assert all(line.split()[1].rstrip(",") == "0" for line in again.stdout.splitlines()[:-1])
    [(_, _, begun), (league, _, about)] = deeds(filled)
    assert begun == "begun"  # a run that is killed leaves this
    assert (league, about) == (None, ", ".join(f"{name} {it}" for name, it in GONE.items()))


def test_many_rows_go_in_batches(filled: TestDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of one row needs as many transactions as there are rows, and ends."""
    monkeypatch.setattr(forgetting, "BATCH", 1)

    async def run() -> dict[str, int]:
        async with open_runtime(filled.settings("holotable_worker")) as runtime:
            return await forgetting.forget(runtime)

    deleted = asyncio.run(run())
    assert {name: number for name, number in deleted.items() if number} == GONE
    assert held(filled) == KEPT
    entries = deeds(filled)
    assert [about == "begun" for _, _, about in entries] == [True, False]
    asyncio.run(run())
    assert deeds(filled) == entries, "a night in which nothing is old enough leaves no entry"


@pytest.mark.parametrize(
    ("what", "days"),
    [("job", 7), ("outage", 90), ("audit_unit", 1), ("refused_command", 90), ("token", 1)],
)
def test_the_database_itself_keeps_what_is_too_young(
    database: TestDatabase, what: str, days: int
) -> None:
    """A worker with other settings, or a thief of its login, deletes nothing younger."""
    asked = "SELECT prune(%s, service_time() - %s, 10)"
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
        connection.execute(asked, [what, timedelta(days=days, seconds=1)])
        with pytest.raises(psycopg.errors.RestrictViolation, match="are kept for"):
            connection.execute(asked, [what, timedelta(days=days) - timedelta(seconds=5)])


def test_no_login_deletes_events_or_refused_commands(filled: TestDatabase) -> None:
    """The function knows no events. Without it, the mark it sets opens nothing to a login."""
    with psycopg.connect(filled.url("holotable_worker"), autocommit=True) as connection:
        with pytest.raises(psycopg.errors.RestrictViolation, match="never pruned"):
            connection.execute("SELECT prune('events', '2000-01-01', 10)")
        connection.execute("SET holotable.pruning = 'on'")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DELETE FROM refused_command")
    for login, statement, error in (
        ("holotable_api", "SELECT prune('job', '2000-01-01', 10)", "permission denied"),
        ("postgres", "DELETE FROM refused_command", "append-only"),
    ):
        with (
            psycopg.connect(filled.url(login)) as connection,
            pytest.raises(psycopg.Error, match=error),
        ):
            connection.execute(statement)


def test_a_period_below_its_promise_is_no_setting(database: TestDatabase) -> None:
    """The API promises seven days for retries, and a dispute needs refused commands."""
    for name in ("KEEP_REQUESTS_DAYS", "KEEP_REFUSED_COMMANDS_DAYS", "KEEP_JOBS_DAYS"):
        told = environment(database.settings()) | {f"HOLOTABLE_{name}": "6"}
        with pytest.raises(SettingsInvalid):
            read(told)
