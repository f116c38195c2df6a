"""The data of an installation from before the first release, migrated to this version."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from service.base import database as server
from service.base import migrations
from service.cli.bundle import write
from service.director.decision_clock import watch_table
from service.director.runtime import open_runtime
from service.projections.rebuilding.comparing import compare
from service.projections.rebuilding.rebuild import rebuild
from tests.service.api.conftest import PASSWORD, Person
from tests.service.api.proof.test_evidence import KEY, signing
from tests.service.upgrades.test_two_versions import audited, play
from tests.support.databases import TestDatabase, TestServer

pytestmark = pytest.mark.anyio

__all__ = ["signing"]

FIRST = Path(__file__).parent / "data" / "first.0041.sql"
VERIFIER = Path(__file__).resolve().parents[3] / "api-spec" / "verifier" / "verify.py"
EVENTS = "SELECT count(*), sum(hashtext(hash::text)) FROM events"


@pytest.fixture
def database(cluster: TestServer) -> Iterator[TestDatabase]:
    """The rows of the first release in a database of its schema."""
    admin, name = cluster.cluster.url(), "first_release"
    server.create_database(admin, name)
    made = TestDatabase(cluster, name)
    migrations.migrate(made.url("holotable_migrate"), "0041")
    with psycopg.connect(made.url("postgres")) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(FIRST.read_bytes())
    yield made
    cluster.drop(name)


def asked(database: TestDatabase, query: str) -> tuple[Any, ...]:
    with psycopg.connect(database.url("postgres")) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row


async def test_data_of_the_first_release_is_audited_rebuilt_verified_and_played_on(
    serving: Callable[[], Any], signing: Callable[[], Any], database: TestDatabase, tmp_path: Path
) -> None:
    before = asked(database, EVENTS)
    await asyncio.to_thread(migrations.migrate, database.url("holotable_migrate"))
    assert asked(database, EVENTS) == before, "stored events do not change"
    recorded = "SELECT kind, about FROM operator_deed ORDER BY at DESC LIMIT 1"
    assert asked(database, recorded) == ("schema_migrated", f"0041 to {migrations.newest()}")
    [league] = asked(database, "SELECT league FROM reads.league")
    [over] = asked(database, "SELECT tournament FROM reads.tournament WHERE state = 'finished'")

    projector = database.settings("holotable_project")
    await rebuild(projector, "all")
    assert await compare(projector, "all") == []
    async with signing() as sign:
        await sign(league)
    file, keys = tmp_path / "bundle", tmp_path / "keys"
    keys.write_text(KEY.verifier_key() + "\n")
    settings = database.settings("holotable_audit")
    assert await write(settings, "tournament", over, "auditor", str(file)) == 0
    verified = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, str(VERIFIER), str(file), "--keys", str(keys)],
        capture_output=True,
        text=True,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr

    # The hand that was paused in the older version is played on in this one.
    async with serving() as api:
        people = await signed_in(api, database)
        owner = people[0]
        [paused] = asked(database, "SELECT tournament FROM reads.tournament WHERE state = 'paused'")
        assert (await owner.post(f"/v1/tournaments/{paused}/resume")).is_success
        shown = (await owner.get(f"/v1/tournaments/{paused}")).json()
        table = shown["tables"][0]["id"]
        # The hand has waited since then: the worker gives its decision the full time again.
        async with open_runtime(database.settings("holotable_worker")) as runtime:
            await watch_table(runtime, league, table)
        await play(people[1:3], table, 6)
    report = await audited(database, league)
    assert report.passed, [each for each in report.checks if each.failed]


async def signed_in(api: Any, database: TestDatabase) -> list[Person]:
    """Sign everybody in with the password of that time, the owner first."""
    with psycopg.connect(database.url("postgres")) as connection:
        logins = connection.execute("SELECT login FROM account ORDER BY created_at").fetchall()
    people = []
    for (login,) in logins:
        wanted = {
            "login": login,
            "password": PASSWORD,
            "scopes": ["leagues:read", "leagues:manage", "tournaments:manage", "tables:play"],
        }
        made = await api.http.post("/v1/tokens", json=wanted)
        assert made.status_code == 201, made.text
        people.append(Person(api.http, {"id": "", "login": login}, made.json()["token"]))
    return people
