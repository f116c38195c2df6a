"""``demo`` and ``up`` with ``HOLOTABLE_DATABASE_URL`` instead of a PostgreSQL of their own."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg import sql

from service.base.embedded import Cluster, binaries
from service.process import demos
from service.process.supervisor import Stack
from tests.journeys.test_signals import holotable
from tests.support.databases import TestServer
from tests.support.waiting import until

pytestmark = pytest.mark.slow

OPTIONS = {"worker_processes": 1, "log_level": "warning"}


@pytest.fixture
def given(tmp_path: Path) -> Iterator[Cluster]:
    """A new server without any preparation."""
    with Cluster(tmp_path / "given", binaries(os.environ), durable=False) as cluster:
        yield cluster


def found(cluster: Cluster) -> list[str]:
    """Return every role and database on the server that belongs to Holotable."""
    with psycopg.connect(cluster.url()) as connection:
        rows = connection.execute(
            "SELECT rolname FROM pg_roles UNION ALL SELECT datname FROM pg_database"
        ).fetchall()
    return sorted(name for (name,) in rows if name.startswith("holotable"))


def everything(cluster: Cluster) -> list[tuple[str, str | None]]:
    """Return every role with its password's digest, and every database."""
    with psycopg.connect(cluster.url()) as connection:
        return connection.execute(
            "SELECT rolname, rolpassword FROM pg_authid"
            " UNION ALL SELECT datname, NULL FROM pg_database ORDER BY 1, 2"
        ).fetchall()


def comments(cluster: Cluster) -> list[str | None]:
    """Return the comment of every database."""
    asked = "SELECT shobj_description(oid, 'pg_database') FROM pg_database"
    with psycopg.connect(cluster.url()) as connection:
        return [said for (said,) in connection.execute(asked.encode()).fetchall()]


@pytest.mark.long
def test_a_night_on_a_given_server_leaves_it_as_it_was(given: Cluster, tmp_path: Path) -> None:
    arguments = ("demo", "--players", "4", "--tournaments", "1")
    told = {"HOLOTABLE_DATABASE_URL": given.url(), "TMPDIR": str(tmp_path)}
    with holotable(*arguments, **told) as running:
        said, _ = running.communicate(timeout=300)
    assert running.returncode == 0, said
    assert found(given) == []
    assert list(tmp_path.glob("holotable-demo-*")) == []


def test_what_a_killed_demo_has_left_is_named_and_removed(given: Cluster, tmp_path: Path) -> None:
    """Not while it runs, not if it was kept, and first in a dry run."""
    told = {"HOLOTABLE_DATABASE_URL": given.url(), "TMPDIR": str(tmp_path)}

    def demo(*asked: str) -> tuple[int, str]:
        with holotable("demo", *asked, **told) as running:
            said, _ = running.communicate(timeout=60)
        return running.returncode, said

    with holotable("demo", "--players", "4", "--tournaments", "1", **told) as running:
        until(lambda: demos.MADE_ROLES in comments(given))
        assert demo("--drop-left") == (0, "no demo has left anything on this server\n")
        running.send_signal(signal.SIGKILL)
        running.wait(20)
    until(lambda: "database" in demo("--drop-left", "--dry-run")[1])  # its parts have ended too
    before, (folder,) = everything(given), tmp_path.glob("holotable-demo-*")
    name = folder.name.replace("-", "_")

    refused = demo()
    assert refused[0] == 2
    assert f"{name}: a demo that was killed has left it" in refused[1]
    assert "next: holotable demo --drop-left --dry-run" in refused[1]
    dry = demo("--drop-left", "--dry-run")
    assert dry[0] == 0 and everything(given) == before and folder.exists()
    for what in (
        f"database {name}\n",
        f"database {name}_broker\n",
        "Holotable's roles\n",
        str(folder),
    ):
        assert what in dry[1]
    for said in (demos.KEPT, None):  # kept by its reader, or a database that only has such a name
        with psycopg.connect(given.url(), autocommit=True) as connection:
            comment = sql.SQL("COMMENT ON DATABASE {} IS {}")
            connection.execute(comment.format(sql.Identifier(name), sql.Literal(said)))
        assert demo("--drop-left")[1].startswith("no demo has left anything")
        assert everything(given) == before
    demos.mark(given.url(), name, demos.MADE)
    left = demos.remains(given.url())
    assert (left.passwords, left.roles) == (True, False)  # somebody else made the roles
    with psycopg.connect(given.url(name)):
        assert demos.drop(given.url(), left) == [f"{name}_broker", name]
    assert everything(given) == before
    demos.mark(given.url(), name, demos.MADE_ROLES)

    with psycopg.connect(given.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE another OWNER holotable_owner")
    assert (
        "no roles and no passwords: other databases use them" in demo("--drop-left", "--dry-run")[1]
    )
    with psycopg.connect(given.url(), autocommit=True) as connection:
        connection.execute("DROP DATABASE another")
    assert demo("--drop-left")[0] == 0
    assert (found(given), folder.exists()) == ([], False)


@pytest.mark.long
def test_a_stack_on_a_given_server_goes_on_where_it_was(given: Cluster, tmp_path: Path) -> None:
    data = tmp_path / "d"
    sign_up = {"login": "lando", "password": "a long night ahead", "name": "Lando"}
    with Stack(data, options=OPTIONS, server=given.url()) as stack:
        made = httpx.post(f"{stack.url}/v1/accounts", json=sign_up, timeout=10).json()
        assert stack.cluster is None
    with Stack(data, options=OPTIONS, server=given.url()) as stack:
        token = {"Authorization": f"Bearer {made['token']['token']}"}
        assert httpx.get(f"{stack.url}/v1/me", headers=token, timeout=10).json()["login"] == "lando"
    assert "holotable" in found(given)


@pytest.mark.parametrize("login", ["postgres", "holotable_api"])
def test_a_server_that_is_not_ours_to_prepare_is_refused_untouched(
    cluster: TestServer, login: str, tmp_path: Path
) -> None:
    """Another Holotable's logins would lose their passwords. A plain login may not make roles."""
    url = cluster.url("postgres", login)
    before = everything(cluster.cluster)
    arguments = ("up", "--port", "0", "--data", str(tmp_path / "d"))
    with holotable(*arguments, HOLOTABLE_DATABASE_URL=url) as running:
        said, _ = running.communicate(timeout=30)
    assert running.returncode == 2, said
    assert "next:" in said and "Traceback" not in said
    assert everything(cluster.cluster) == before
