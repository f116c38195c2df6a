"""``demo`` and ``up`` with ``HOLOTABLE_DATABASE_URL`` instead of a PostgreSQL of their own."""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from service.base.embedded import Cluster, binaries
from service.process.supervisor import Stack
from tests.journeys.test_signals import holotable
from tests.support.databases import TestServer

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


@pytest.mark.long
def test_a_night_on_a_given_server_leaves_it_as_it_was(given: Cluster, tmp_path: Path) -> None:
    arguments = ("demo", "--players", "4", "--tournaments", "1")
    told = {"HOLOTABLE_DATABASE_URL": given.url(), "TMPDIR": str(tmp_path)}
    with holotable(*arguments, **told) as running:
        said, _ = running.communicate(timeout=300)
    assert running.returncode == 0, said
    assert found(given) == []
    assert list(tmp_path.glob("holotable-demo-*")) == []


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
