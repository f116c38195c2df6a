"""One command prepares a server, without the supervisor."""

import errno
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import psycopg
import pytest

from service.base import database
from service.base.database import BROKER, DATABASE, LOGINS
from service.base.embedded import Cluster
from service.base.settings import Settings, environment
from service.process.preparing import make_logins
from tests.support import rights
from tests.support.commands import MODULE, in_fork, in_own_python
from tests.support.databases import SECRET_KEY
from tests.support.servers import SERVERS, free_port, programs

MANAGER = "CREATE ROLE manager LOGIN CREATEROLE CREATEDB PASSWORD 'managed'"


@pytest.fixture(scope="module", params=SERVERS)
def bare(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A new server without roles and databases of Holotable."""
    with (
        TemporaryDirectory(prefix="holotable-test-") as directory,
        Cluster(Path(directory) / "cluster", programs(request.param), durable=False) as cluster,
    ):
        with psycopg.connect(cluster.url(), autocommit=True) as connection:
            connection.execute(MANAGER)
        yield cluster


@pytest.fixture(scope="module", params=["postgres", "manager"])
def address(bare: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """
    The address with which the server is prepared: a superuser's, or one like that which managed
    PostgreSQL gives to its users. Afterwards the server is bare again.
    """
    managed = bare.url(user="manager", password="managed")
    yield bare.url() if request.param == "postgres" else managed
    for name in (DATABASE, BROKER):
        database.drop_database(bare.url(), name)
    database.drop_roles(bare.url())


@pytest.fixture(scope="module")
def first(address: str) -> CompletedProcess[str]:
    """The output of the first ``prepare`` of the server."""
    return in_own_python(("prepare", address), {})


def test_a_bare_server_is_ready_after_one_command(
    address: str, first: CompletedProcess[str]
) -> None:
    """Each login's address works, the doctor finds no fault, and a second run changes nothing."""
    assert first.returncode == 0, first.stderr
    addresses = dict(line.split() for line in first.stdout.splitlines()[:-1])
    assert set(addresses) == set(LOGINS)

    for login, its in addresses.items():
        with psycopg.connect(its) as connection:
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
    assert (seen.returncode, seen.stdout.count("ok    ")) == (0, 20), seen.stdout

    again = in_fork(("prepare", address), {})
    assert (again.returncode, again.stdout) == (0, "the server is ready\n")
    told = {"HOLOTABLE_DATABASE_URL": addresses["holotable_migrate"]}
    told |= {"HOLOTABLE_SECRET_KEY": SECRET_KEY}
    assert in_fork(("operators-log",), told).stdout.count("logins_made") == 1

    # An installation from before that entry gets none: who made its logins is not known.
    with psycopg.connect(addresses["holotable_migrate"]) as connection:
        connection.execute("SET ROLE holotable_owner")
        connection.execute("DELETE FROM operator_deed WHERE kind = 'logins_made'")
    assert in_fork(("prepare", address), {}).returncode == 0
    entries = in_fork(("operators-log",), told)
    assert (entries.returncode, entries.stdout) == (0, "")


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[str]:
    """A new server without a locale, as Debian makes it: its databases know only bytes."""
    with Cluster(tmp_path / "c", programs(None), durable=False) as cluster:
        with psycopg.connect(cluster.url(), autocommit=True) as connection:
            connection.execute("UPDATE pg_database SET encoding = pg_char_to_encoding('SQL_ASCII')")
        yield cluster.url()


def test_addresses_and_a_key_are_written_where_settings_read_them(
    plain: str, tmp_path: Path
) -> None:
    """Containers and units get them as files. Nobody else can read them, and none is printed."""
    folder = tmp_path / "secrets"
    done = in_fork(("prepare", plain, "--into", str(folder)), {})
    assert (done.returncode, done.stdout) == (0, "the server is ready\n")
    assert {each.name for each in folder.iterdir()} == {*LOGINS, "secret_key", "signer_token"}
    assert {each.stat().st_mode & 0o777 for each in folder.iterdir()} == {0o600}
    told = {
        "HOLOTABLE_DATABASE_URL_FILE": str(folder / "holotable_migrate"),
        "HOLOTABLE_SECRET_KEY_FILE": str(folder / "secret_key"),
    }
    assert in_fork(("migrate",), told).returncode == 0
    written = {each.name: each.read_bytes() for each in folder.iterdir()}
    assert in_fork(("prepare", plain, "--into", str(folder)), {}).returncode == 0
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == written
    with psycopg.connect((folder / "holotable_api").read_text().strip()) as connection:
        assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)
    other = tmp_path / "other"
    done = in_fork(("prepare", plain, "--into", str(other)), {})
    assert (done.returncode, "no secret_key is made" in done.stdout) == (0, True), done.stdout
    assert {each.name for each in other.iterdir()} == {"signer_token"}


def test_no_log_of_the_server_learns_a_password(tmp_path: Path) -> None:
    """
    The server logs every statement, as a monitoring tool may. The address came through a pipe.
    """
    options = {"log_statement": "all"}
    with Cluster(tmp_path / "c", programs(None), durable=False, options=options) as cluster:
        done = subprocess.run(
            [sys.executable, "-m", MODULE, "prepare", "-", "--into", str(tmp_path / "secrets")],
            input=f"{cluster.url()}\n",
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        secrets = [
            urlsplit((tmp_path / "secrets" / login).read_text()).password for login in LOGINS
        ]
        with psycopg.connect((tmp_path / "secrets" / LOGINS[0]).read_text().strip()):
            written = (tmp_path / "c" / "server.log").read_text()
    assert written.count("SCRAM-SHA-256$") >= len(LOGINS)
    assert all(secrets)
    assert not [each for each in secrets if each in written]


def test_an_address_is_kept_before_the_server_knows_its_password(plain: str) -> None:
    """A disk that is full at the third address leaves a server without any password."""
    kept: list[str] = []

    def keep(login: str, address: str) -> None:
        with pytest.raises(psycopg.OperationalError, match="authentication failed"):
            psycopg.connect(address)
        kept.append(login)
        if len(kept) == 3:
            raise OSError(errno.ENOSPC, "no space left")

    with pytest.raises(OSError, match="no space left"):
        make_logins(plain, keep)
    assert kept == list(LOGINS[:3])
    assert database.bare_logins(plain) == list(LOGINS)


def test_a_server_that_nobody_reaches_is_named_and_the_secrets_are_not(tmp_path: Path) -> None:
    """Neither a name that nobody knows nor a closed port ends in a traceback."""
    for host in ("nobody.invalid", f"127.0.0.1:{free_port()}"):
        address = f"postgresql://postgres:hidden@{host}/postgres"
        refused = in_fork(("prepare", address, "--into", str(tmp_path / "secrets")), {})
        assert refused.returncode == 3, refused.stderr
        assert "the database is not available" in refused.stderr
        assert "hidden" not in refused.stderr


@pytest.mark.usefixtures("first")
def test_the_rights_are_the_declared_ones_whoever_prepares(bare: Cluster) -> None:
    """A role with CREATEROLE gives no process more or less than a superuser does."""
    held = rights.held(bare.url(DATABASE), bare.url(BROKER))
    declared = rights.DECLARED.read_text(encoding="utf-8").splitlines()
    # The queue is there by now, and belongs to the broker.
    found, known = (
        {each for each in lines if " broker/" not in each} for lines in (held, declared)
    )
    assert found == {each for each in known if not each.startswith("#")}


@pytest.mark.usefixtures("first")
def test_a_login_that_may_not_make_roles_is_told_so(bare: Cluster) -> None:
    """The answer is two lines with the next step, and no traceback."""
    with psycopg.connect(bare.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE visitor LOGIN PASSWORD 'known' IN ROLE holotable_audit")

        refused = in_fork(("prepare", bare.url(DATABASE, "visitor", "known")), {})

        connection.execute("DROP ROLE visitor")

    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
