"""The doctor finds each fault, and names the command that repairs it."""

import asyncio
import json
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, NamedTuple, Self

import asyncpg
import psycopg
import pytest

from service.base import sources
from service.base.database import async_engine
from service.base.settings import PASSWORD_MEMORY_KIB, environment
from service.cli.checks import disk as disks
from service.cli.checks import parts
from service.cli.checks.finding import CheckFailed
from service.cli.common import AWAY, NO
from service.cli.doctor import CHECKS, Finding, _of_connecting
from service.process import demos
from service.projections.following.runner import Runner
from tests.service.league_night import Night, played
from tests.support.commands import Ended, in_fork
from tests.support.databases import TestDatabase

LEAGUE = "lge_{0}"
NUMBER = "(SELECT league FROM key)"
AS_MIGRATE = "as holotable_migrate"


class Broken(NamedTuple):
    """Something broken for real, and the doctor's sentence and step."""

    sql: str
    said: str
    step: str
    state: str = "wrong"


FAULTS = {
    "schema": Broken(
        "UPDATE alembic_version SET version_num = '0046'",
        "the schema is at 0046, and this version needs",
        "run `holotable migrate`",
    ),
    "clock": Broken(
        "INSERT INTO clock_step (noticed_at, ahead_us) VALUES (clock_timestamp(), 1000)",
        "the database's clock has been +0.0 s off",
        f"`holotable clock believe --operator NAME --reason WHY` {AS_MIGRATE}",
    ),
    "logins": Broken(
        "REVOKE INSERT ON operator_deed FROM holotable_audit;"
        "GRANT UPDATE ON events TO holotable_api",
        "holotable_api has too much: relation:public.events UPDATE",
        "`psql ADDRESS -c 'REVOKE UPDATE ON public.events FROM holotable_api;'`",
    ),
    "doors": Broken(
        "INSERT INTO maintenance (since_at, retry_seconds) VALUES (now(), 60)",
        "maintenance has lasted since",
        f"`holotable maintenance off --reason WHY` {AS_MIGRATE}",
        "weak",
    ),
    "backups": Broken(
        "INSERT INTO operator_deed (size, at, actor, kind, about)"
        " VALUES (0, now() - interval '50 hours', 'x', 'backup_taken', 'b')",
        "the last one is 50 hours old",
        "`holotable backup FOLDER`",
        "weak",
    ),
    "projections": Broken(
        "UPDATE reads.checkpoint SET version = 0 WHERE name = 'tables';"
        f"UPDATE reads.checkpoint SET position = {2**63 - 1} WHERE name = 'standings'",
        "tables stopped: its rows are of another version",
        "`holotable projections rebuild tables` as holotable_project",
    ),
    "jobs": Broken(
        f"""
        INSERT INTO job (occurrence, task, args, due_at, state, last_error)
        SELECT 'dead', 'table.watch', json_build_object('league', '{LEAGUE}'), now(), 'dead', 'boom'
        """,
        "job/table.watch at dead: boom",
        f"`holotable quarantine release {LEAGUE} job/table.watch` {AS_MIGRATE}",
    ),
    "quarantine": Broken(
        "INSERT INTO quarantine (league, consumer, position, reason)"
        f" VALUES ({NUMBER}, 'arming', 3, E'boom \\x1b[2J')",
        "arming at position 3: boom",
        f"`holotable quarantine release {LEAGUE} arming` {AS_MIGRATE}",
    ),
    "audits": Broken(
        "INSERT INTO audit_report (id, league, scope, state, finished_at)"
        f" VALUES ('nightly_1', '{LEAGUE}', '{LEAGUE}', 'failed', now())",
        f"{LEAGUE}: audit nightly_1 failed",
        f"`holotable audit {LEAGUE}` as holotable_audit",
    ),
    "heartbeats": Broken(
        "INSERT INTO heartbeat VALUES ('worker', now() - interval '1 minute')",
        "no worker for 6",
        "`systemctl restart holotable-worker`",
    ),
}
"""A fault of each check of the database."""

MORE = {
    "projections": [
        (
            f"standings stopped in {LEAGUE}: its checkpoint is at position {2**63 - 1}, where no",
            "`holotable projections rebuild standings` as holotable_project",
        )
    ],
    "logins": [
        (
            "holotable_audit lacks: relation:public.operator_deed INSERT",
            "`psql ADDRESS -c 'GRANT INSERT ON public.operator_deed TO holotable_audit;'`",
        )
    ],
}


@pytest.fixture
def night(database: TestDatabase) -> Night:
    """A league whose read models are at its end."""
    return asyncio.run(_night(database))


async def _night(database: TestDatabase) -> Night:
    made = await played(database, steps_max=8)
    engine = async_engine(database.url("holotable_project"), 2)
    await Runner(engine).catch_up()
    await engine.dispose()
    return made


def doctor(database: TestDatabase, *asked: str, **changes: Any) -> Ended:
    """Run the doctor with the one login that may read everything."""
    sound = {"password_memory_kib": PASSWORD_MEMORY_KIB} | changes
    settings = database.settings("holotable_migrate", **sound)
    return in_fork(("doctor", *asked), environment(settings))


def findings(ended: Ended) -> list[Finding]:
    return [Finding(**each) for each in json.loads(ended.stdout)["findings"]]


def sql(database: TestDatabase, statement: str) -> None:
    with psycopg.connect(database.url("postgres")) as connection:
        connection.execute(statement.encode())


def test_each_fault_of_the_database_is_found_with_the_command_that_mends_it(
    database: TestDatabase, night: Night
) -> None:
    """All of them at once: no fault hides another one."""
    sound = findings(doctor(database, "--json"))
    assert {each.check for each in sound} == {"settings", *CHECKS}
    weak = [each for each in sound if each.state != "ok"]
    assert [(each.check, each.said) for each in weak] == [("backups", "none has been taken")]

    number = night.league[4:]
    schema, *others = FAULTS.items()
    for _, broken in others:
        sql(database, broken.sql.replace("{0}", number))
    ended = doctor(database, "--json")
    found = findings(ended)
    assert "\x1b[2J" not in doctor(database).stdout
    sql(database, schema[1].sql)
    after = findings(doctor(database, "--json"))

    assert (ended.returncode, json.loads(ended.stdout)["passed"]) == (1, False)
    for check, broken in others:
        wanted = [(broken.said, broken.step), *MORE.get(check, [])]
        for said, step in wanted:
            of_check = [each for each in found if each.check == check]
            mine = [each for each in of_check if said.replace("{0}", number) in each.said]
            assert len(mine) == 1, of_check
            (one,) = mine
            assert step.replace("{0}", number) in (one.step or ""), one
            assert one.state == broken.state, one
    (one,) = [each for each in after if each.check == "schema"]
    assert (one.state, one.step) == ("wrong", "run `holotable migrate`")
    assert schema[1].said in one.said


def test_late_lost_and_failing_jobs_and_late_read_models_are_found(
    database: TestDatabase, night: Night
) -> None:
    sql(
        database,
        """
        INSERT INTO job (occurrence, task, args, due_at, state, lease_until, attempts, last_error)
        VALUES ('late', 'table.watch', '{}', now() - interval '300 s', 'ready', NULL, 0, NULL),
               ('lost', 'audit.run', '{}', now(), 'sent', now() - interval '300 s', 1, NULL),
               ('poison', 'mail.send', '{}', now() + interval '1 h', 'ready', NULL, 7, 'boom');
        UPDATE reads.checkpoint SET position = 0 WHERE name = 'hands';
        ALTER TABLE events DISABLE TRIGGER ALL;
        UPDATE events SET at = at - interval '1 hour';
        ALTER TABLE events ENABLE TRIGGER ALL;
        INSERT INTO checkpoint (league, epoch, size, root, note)
        SELECT league, 0, 1, sha256('a root'), 'a note' FROM key;
        INSERT INTO heartbeat VALUES ('worker', now())
        """,
    )
    found = {each.said: each for each in findings(doctor(database, "--json"))}
    said = "\n".join(found)
    assert "1 table.watch are due, the oldest for 30" in said
    assert "1 audit.run were sent, and no worker has finished or repeated them" in said
    assert found["poison has failed 7 times: boom"].state == "weak"
    (behind,) = [each for each in found.values() if each.said.startswith("hands is 3")]
    assert behind.check == "projections"
    assert "`systemctl restart holotable-project`" in (behind.step or "")
    (waiting,) = [each for each in found.values() if each.check == "heads"]
    assert waiting.said.startswith("events have waited for a signed head for 36")
    assert "`systemctl restart holotable-signer`" in (waiting.step or "")
    (away,) = [each for each in found.values() if each.check == "heartbeats"]
    assert away.said == "no project is connected to the database"
    with psycopg.connect(database.url("holotable_project"), application_name="holotable-listen"):
        (well,) = [e for e in findings(doctor(database, "--json")) if e.check == "heartbeats"]
    assert (well.state, well.said) == ("ok", "running: worker")


def test_what_a_killed_demo_has_left_is_found(database: TestDatabase) -> None:
    """Only what bears its mark: a name alone proves nothing."""
    name = "holotable_demo_abcdefgh"
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER holotable_owner".encode())
        try:
            named = findings(doctor(database, "--json"))
            demos.mark(database.url("postgres"), name, demos.MADE)
            marked = findings(doctor(database, "--json"))
        finally:
            connection.execute(f"DROP DATABASE {name}".encode())
    assert [each.state for each in named if each.check == "demos"] == ["ok"]
    (one,) = [each for each in marked if each.check == "demos"]
    assert (one.state, one.said) == ("weak", f"a demo that was killed has left {name}")
    assert "`holotable demo --drop-left --dry-run`" in (one.step or "")


def test_maintenance_suspends_no_league(database: TestDatabase, night: Night) -> None:
    """Its command opens them all. A league that is suspended besides has its own."""
    told = environment(database.settings("holotable_migrate"))
    for asked in (("maintenance", "on"), ("league", "suspend", night.league)):
        doors = [each for each in findings(doctor(database, "--json")) if each.check == "doors"]
        assert [each.state for each in doors] == (["ok"] if asked[1] == "on" else ["weak"])
        assert in_fork((*asked, "--reason", "a drill"), told).returncode == 0
    doors = [each for each in findings(doctor(database, "--json")) if each.check == "doors"]
    assert [(each.step or "").split()[1] for each in doors] == ["maintenance", "league"]


def test_absent_parts_are_found(database: TestDatabase) -> None:
    """Signer, broker and mail server, one of them by an address of each kind."""
    away = {
        "signer_url": "http://127.0.0.1:1",
        "smtp_url": "smtp://127.0.0.1:1",
        "mail_from": "league@example.org",
        "password_memory_kib": 8,
    }
    ended = doctor(database, "--json", broker_url="amqp://me:secretword@127.0.0.1:1//", **away)
    by_check = {each.check: each for each in findings(ended)}
    assert ended.returncode == 1
    assert by_check["passwords"].state == "weak"
    for check, step in {
        "signer": "`systemctl restart holotable-signer`",
        "broker": "`systemctl status rabbitmq-server`",
        "mail": "check HOLOTABLE_SMTP_URL",
    }.items():
        assert by_check[check].state == "wrong", by_check[check]
        assert step in (by_check[check].step or "")
    assert "secretword" not in ended.stdout + ended.stderr
    pgmq = doctor(database, "--json", broker_url="postgresql://me:secretword@127.0.0.1:1/none")
    (broker,) = [each for each in findings(pgmq) if each.check == "broker"]
    assert "`holotable prepare URL`" in (broker.step or "")
    assert "secretword" not in pgmq.stdout + pgmq.stderr


@pytest.mark.anyio
@pytest.mark.parametrize("login", ["postgres", "holotable_migrate", "holotable_api"])
async def test_a_full_disk_is_found(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch, login: str
) -> None:
    """
    A login that may not ask the server finds the folder of the very server that it is logged in to.

    No disk is filled: the doctor demands that all of a disk is free.
    """
    settings = database.settings("holotable_migrate")
    superuser = await asyncpg.connect(database.url("postgres"))
    folder = await superuser.fetchval("SHOW data_directory")
    await superuser.close()
    connection = await asyncpg.connect(database.url(login))
    assert f"GB are free at {folder}" in await disks.disk(connection, settings)
    monkeypatch.setattr(disks, "DISK_FREE", 1.01)
    with pytest.raises(CheckFailed, match=f"only .* GB are free at {folder}") as failed:
        await disks.disk(connection, settings)
    assert "`holotable prune --dry-run`" in failed.value.faults[0].step
    await connection.close()


@pytest.mark.anyio
async def test_a_disk_that_cannot_be_found_is_not_vouched_for(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As with a server in a container, whose processes have other numbers here."""
    connection = await asyncpg.connect(database.url("holotable_api"))
    number = connection.get_server_pid()
    monkeypatch.setattr(disks, "_PROCESSES", tmp_path)
    for title in (None, "postgres: somebody else idle", "a program\0-D\0/"):
        if title is not None:
            (tmp_path / str(number)).mkdir(exist_ok=True)
            (tmp_path / str(number) / "cmdline").write_text(title)
        said = await disks.disk(connection, database.settings("holotable_api"))
        assert said.count("GB are free") == 1
        assert said.endswith(
            "PostgreSQL's own disk was not found from here: look at it there, with `df`"
        )
    await connection.close()


@pytest.mark.anyio
@pytest.mark.parametrize(("off", "side"), [(-90, "behind"), (90, "ahead of")])
async def test_a_clock_is_called_ahead_if_it_is(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch, off: int, side: str
) -> None:
    class Off(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return super().now(tz) + timedelta(seconds=off)

    monkeypatch.setattr(sources, "datetime", Off)
    connection = await asyncpg.connect(database.url("postgres"))
    with pytest.raises(parts.CheckFailed, match=f"machine's clock is 90.0 s {side} the database's"):
        await parts.clock(connection, database.settings("holotable_migrate"))
    await connection.close()


def test_a_login_with_too_much_power_is_found(database: TestDatabase) -> None:
    """The role is the whole server's, so it gets its power back before the test ends."""
    sql(database, "ALTER ROLE holotable_audit CREATEDB")
    try:
        found = findings(doctor(database, "--json"))
    finally:
        sql(database, "ALTER ROLE holotable_audit NOCREATEDB")
    (one,) = [each for each in found if each.check == "logins"]
    assert one.said == "holotable_audit has more power over the server than it needs"
    assert "`holotable prepare URL`" in (one.step or "")


def test_the_exit_codes_are_those_of_the_help(database: TestDatabase) -> None:
    for asked in ((), ("--json",)):
        assert doctor(database, *asked).returncode == 0
        told = environment(database.settings("holotable_migrate"))
        nowhere = told | {"HOLOTABLE_DATABASE_URL": "postgresql://x:y@127.0.0.1:1/none"}
        assert in_fork(("doctor", *asked), nowhere).returncode == 3
        assert in_fork(("doctor", *asked), told | {"HOLOTABLE_SECRET_KEY": "short"}).returncode == 2


def test_a_full_disk_of_the_database_is_named_and_no_wrong_address() -> None:
    """PostgreSQL then lets no new connection in, and the address was blamed."""
    full = asyncpg.DiskFullError("could not write init file: No space left on device")
    finding, code = _of_connecting(full)
    assert (code, finding.state) == (AWAY, "wrong")
    assert finding.step == "PostgreSQL's disk is full: make room there; it goes on by itself"
    refused, code = _of_connecting(asyncpg.InvalidPasswordError("no"))
    assert code == NO
    assert refused.step is not None
    assert "HOLOTABLE_DATABASE_URL" in refused.step
