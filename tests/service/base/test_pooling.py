"""Behind PgBouncer: session pooling works, transaction pooling is refused in words."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from service.base.addresses import parts
from service.base.database import BROKER, create_database, drop_database
from service.base.pooling import SessionsShared, refuse_shared_sessions
from service.base.settings import environment
from service.tasks.worker import READY
from tests.support.commands import in_fork
from tests.support.databases import TestDatabase
from tests.support.servers import free_port
from tests.support.waiting import until

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
PLAYED_SECONDS = 90

pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed")

Pooled = Callable[[str], str]
"""Turns a server's address into the pooler's."""


@contextmanager
def pooler(database: TestDatabase, mode: str, folder: Path) -> Iterator[Pooled]:
    """Run PgBouncer with *mode* in front of the server of *database*."""
    port = free_port()
    told = parts(database.url("postgres"))
    names = {"postgres": told["password"]} | database.server.passwords
    (folder / "users.txt").write_text("".join(f'"{its}" "{key}"\n' for its, key in names.items()))
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = host=127.0.0.1 port={told['port']}\n[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = scram-sha-256\nauth_file = {folder}/users.txt\n"
        f"pool_mode = {mode}\nmax_client_conn = 200\ndefault_pool_size = 60\n"
    )
    # PgBouncer refuses to run as root, and the files are root's: as in service.base.embedded.
    named = ["unshare", "--user", "--map-user=1000"] if os.geteuid() == 0 else []
    log = folder / "pgbouncer.log"
    with log.open("wb") as output:
        running = subprocess.Popen(
            [*named, str(PGBOUNCER), str(folder / "pgbouncer.ini")], stdout=output, stderr=output
        )
    try:
        until(lambda: f"listening on 127.0.0.1:{port}" in log.read_text(), seconds=10)
        yield lambda url: re.sub(r"@127\.0\.0\.1:\d+", f"@127.0.0.1:{port}", url)
    finally:
        running.terminate()
        running.wait(10)


def test_a_pooler_that_shares_sessions_is_refused_in_words(
    database: TestDatabase, tmp_path: Path
) -> None:
    """A process says so at its start, and ends with the code of settings."""
    settings = database.settings("holotable_project")
    with pooler(database, "transaction", tmp_path) as pooled:
        told = environment(settings) | {"HOLOTABLE_DATABASE_URL": pooled(settings.database_url)}
        ended = in_fork(("project",), told)
    assert ended.returncode == 2, ended.stderr
    assert "pool_mode = session" in ended.stderr.replace("\n", " ")
    assert "Traceback" not in ended.stderr


def test_statement_pooling_is_refused(database: TestDatabase, tmp_path: Path) -> None:
    """It refuses transactions, and so shows its mode."""
    with pooler(database, "statement", tmp_path) as pooled, pytest.raises(SessionsShared):
        refuse_shared_sessions(pooled(database.url()))


def test_a_busy_pool_is_refused_too(database: TestDatabase, tmp_path: Path) -> None:
    """Others take and return sessions all the time. The check meets one that changed hands."""
    with pooler(database, "transaction", tmp_path) as pooled, ExitStack() as open_ones:
        url = pooled(database.url())
        others = [open_ones.enter_context(psycopg.connect(url)) for _ in range(5)]
        for each in others:
            each.execute("SELECT 1")  # five sessions are in transactions, and then idle
        for each in others[:3]:
            each.commit()
        with pytest.raises(SessionsShared):
            refuse_shared_sessions(url)


def test_a_direct_address_and_an_absent_server_are_not_refused(database: TestDatabase) -> None:
    refuse_shared_sessions(database.url())
    refuse_shared_sessions("postgresql://nobody:nothing@127.0.0.1:1/none")


@pytest.mark.long
def test_api_worker_and_projections_work_behind_session_pooling(
    database: TestDatabase, tmp_path: Path
) -> None:
    """A league is founded, read from the read models, and the worker takes tasks."""
    broker = f"{database.name}_broker"
    create_database(database.url("postgres"), broker, owner=BROKER)
    port = free_port()
    with pooler(database, "session", tmp_path) as pooled, ExitStack() as running:
        for process in ("api", "project", "worker"):
            settings = database.settings(f"holotable_{process}", port=port, log_level="info")
            told = environment(settings) | {"HOLOTABLE_DATABASE_URL": pooled(settings.database_url)}
            if process == "worker":
                told["HOLOTABLE_BROKER_URL"] = pooled(database.broker_url)
            running.enter_context(_process(process, told, tmp_path / process))
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=10) as client:
            until(lambda: _ready(client), seconds=PLAYED_SECONDS)
            until(lambda: READY in (tmp_path / "worker").read_text(), seconds=PLAYED_SECONDS)
            until(lambda: _founded(client), seconds=PLAYED_SECONDS)
    drop_database(database.url("postgres"), broker)


@contextmanager
def _process(name: str, told: dict[str, str], log: Path) -> Iterator[None]:
    kept = {its: value for its, value in os.environ.items() if not its.startswith("HOLOTABLE_")}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "service.cli.main", name],
            env=kept | told,
            stdout=output,
            stderr=output,
        )
    try:
        yield
        assert process.poll() is None, log.read_text()
    finally:
        process.terminate()
        process.wait(30)


def _ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def _founded(client: httpx.Client) -> bool:
    """Found a league with a new account, and return whether the read models show it."""
    sign_up = {"login": "lando", "password": "a long night ahead", "name": "Lando"}
    if "Authorization" not in client.headers:
        made = client.post("/v1/accounts", json=sign_up)
        assert made.status_code == 201, made.text
        scopes = ["leagues:manage", "leagues:read"]
        made = client.post("/v1/tokens", json=sign_up | {"name": "test", "scopes": scopes})
        assert made.status_code == 201, made.text
        client.headers["Authorization"] = f"Bearer {made.json()['token']}"
        asked = {"Idempotency-Key": "cloud-city"}
        founded = client.post("/v1/leagues", json={"name": "Cloud City"}, headers=asked)
        assert founded.status_code == 201, founded.text
    shown = client.get("/v1/leagues")
    return shown.status_code == 200 and "Cloud City" in shown.text
