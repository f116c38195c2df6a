"""One command prepares a server, without the supervisor."""

import os
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory

import psycopg
import pytest

from service.base.database import BROKER, DATABASE, LOGINS
from service.base.embedded import Cluster, binaries
from service.base.settings import Settings, environment
from tests.support.commands import in_fork, in_own_python
from tests.support.databases import SECRET_KEY


@pytest.fixture(scope="module")
def bare() -> Iterator[Cluster]:
    """A new server without roles and databases of Holotable."""
    with (
        TemporaryDirectory(prefix="holotable-test-") as directory,
        Cluster(Path(directory) / "cluster", binaries(os.environ), durable=False) as cluster,
    ):
        yield cluster


@pytest.fixture(scope="module")
def first(bare: Cluster) -> CompletedProcess[str]:
    """What the first ``prepare`` of the server printed."""
    return in_own_python(("prepare", bare.url()), {})


def test_a_bare_server_is_ready_after_one_command(
    bare: Cluster, first: CompletedProcess[str]
) -> None:
    """Each login's address works, the doctor finds no fault, and a second run changes nothing."""
    assert first.returncode == 0, first.stderr
    addresses = dict(line.split() for line in first.stdout.splitlines()[:-1])
    assert set(addresses) == set(LOGINS)

    for login, address in addresses.items():
        with psycopg.connect(address) as connection:
            found = connection.execute("SELECT current_user, current_database()").fetchone()
        assert found == (login, BROKER if login == BROKER else DATABASE)
    with psycopg.connect(addresses[BROKER]) as connection:
        connection.execute("SELECT pgmq.create('play')")
    settings = Settings(
        database_url=addresses["holotable_api"],
        secret_key=SECRET_KEY,
        broker_url=addresses[BROKER],
    )
    seen = in_fork(("doctor",), environment(settings))
    assert (seen.returncode, seen.stdout.count("ok    ")) == (0, 12), seen.stdout

    again = in_fork(("prepare", bare.url()), {})
    assert (again.returncode, again.stdout) == (0, "the server is ready\n")


@pytest.mark.usefixtures("first")
def test_a_login_that_may_not_make_roles_is_told_so(bare: Cluster) -> None:
    """The answer is two lines with the next step, and no traceback."""
    with psycopg.connect(bare.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE visitor LOGIN PASSWORD 'known' IN ROLE holotable_audit")

        refused = in_fork(("prepare", bare.url(DATABASE, "visitor", "known")), {})

        connection.execute("DROP ROLE visitor")

    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
