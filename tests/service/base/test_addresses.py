"""An address means the same to every driver, over TLS and through a socket."""

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import asyncpg
import psycopg
import pytest
import sqlalchemy as sa
from celery import Celery

from service.base import addresses, migrations
from service.base.addresses import AddressInvalid
from service.base.database import (
    BROKER,
    LOGINS,
    async_engine,
    create_database,
    create_roles,
    sync_engine,
)
from service.base.embedded import Cluster
from service.base.settings import Settings
from service.tasks import broker
from tests.support.servers import DEBIAN, needs_debian, programs

pytestmark = pytest.mark.anyio

PASSWORD = "p@ss/w?rd:%&"


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("postgresql://a:b%40c@db:5433/x?sslmode=require", "postgresql://a:b%40c@db:5433/y?sslmode=require"),
        ("postgres://a@[::1]:1/x", "postgresql://a@[::1]:1/y"),
        ("postgresql://a:b@/x?host=/run/pg&port=6", "postgresql://a:b@/y?host=/run/pg&port=6"),
        ("postgresql://a@%2Frun%2Fpg:6/x", "postgresql://a@/y?host=/run/pg&port=6"),
        ("postgresql://a@one:1,two:2/x", "postgresql://a@/y?host=one,two&port=1,2"),
        ("postgresql://db/x?user=a&password=b", "postgresql://a:b@db/y"),
    ],
)  # fmt: skip
def test_the_address_of_another_database_keeps_everything_else(given: str, made: str) -> None:
    assert addresses.with_database(given, "y") == made
    assert addresses.parts(made) == addresses.parts(given) | {"dbname": "y"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("postgresql://a:geheim@db/x?channel_binding=require", "channel_binding"),
        ("postgresql://a:geheim@db/x?sslrootcert=system", "ca-certificates.crt"),
        ("postgresql://a:geheim@db/x?pgbouncer=true", "percent-encoded"),
        ("postgresql://a:geheim@db:port of call/x", "percent-encoded"),
    ],
)
def test_an_address_that_a_driver_would_misread_is_refused_without_its_password(
    given: str, told: str
) -> None:
    with pytest.raises(AddressInvalid) as refused:
        addresses.parts(given)
    assert told in str(refused.value)
    assert "geheim" not in str(refused.value)


def _certify(key: Path, certificate: Path) -> None:
    """Write a new key and its certificate for localhost, which is its own root."""
    asked = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    asked += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    asked += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(asked, check=True, capture_output=True)


@pytest.fixture(scope="module")
def guarded() -> Iterator[tuple[Cluster, Path]]:
    """A server that takes TCP with TLS only. The embedded one has none, so it is Debian's."""
    with TemporaryDirectory(prefix="holotable-test-") as folder:
        key, certificate = Path(folder) / "server.key", Path(folder) / "server.crt"
        _certify(key, certificate)
        options = {
            "ssl": "on",
            "ssl_cert_file": str(certificate),
            "ssl_key_file": str(key),
            "unix_socket_directories": folder,
        }
        where = Path(folder) / "cluster"
        cluster = Cluster(where, programs(DEBIAN), durable=False, options=options)
        with cluster:
            rules = where / "data" / "pg_hba.conf"
            rules.write_text(
                "hostssl all all 127.0.0.1/32 scram-sha-256\nlocal all all scram-sha-256\n"
            )
            cluster.stop()
            cluster.start()
            yield cluster, Path(folder)


def _url(guarded: tuple[Cluster, Path], way: str, login: str, database: str) -> str:
    """Return an address over verified TLS, or through the socket."""
    cluster, folder = guarded
    secret = quote(PASSWORD, safe="")
    return {
        "tls": f"postgresql://{login}:{secret}@localhost:{cluster.port}/{database}"
        f"?sslmode=verify-full&sslrootcert={folder}/server.crt",
        "query": f"postgresql:///{database}?host=localhost&port={cluster.port}&user={login}"
        f"&password={secret}&sslmode=verify-full&sslrootcert={folder}/server.crt",
        "socket": f"postgresql://{login}:{secret}@/{database}?host={folder}&port={cluster.port}",
    }[way]


@pytest.fixture(scope="module")
def prepared(guarded: tuple[Cluster, Path]) -> tuple[Cluster, Path]:
    """The same server with roles and databases, made over TLS."""
    cluster, folder = guarded
    with psycopg.connect(f"{cluster.url()}?sslmode=require", autocommit=True) as connection:
        kept = psycopg.sql.Literal(PASSWORD)
        connection.execute(psycopg.sql.SQL("ALTER ROLE postgres PASSWORD {}").format(kept))
    url = _url(guarded, "tls", "postgres", "postgres")
    create_roles(url, dict.fromkeys(LOGINS, PASSWORD))
    create_database(url, "holotable")
    create_database(url, BROKER, owner=BROKER)
    migrations.migrate(_url(guarded, "tls", "holotable_migrate", "holotable"))
    return cluster, folder


IN_USE = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"


@needs_debian
@pytest.mark.parametrize("way", ["tls", "query", "socket"])
async def test_every_driver_takes_the_same_way(prepared: tuple[Cluster, Path], way: str) -> None:
    """asyncpg, SQLAlchemy over both drivers, and Celery's broker connect, encrypted or not."""
    encrypted = way != "socket"
    url = _url(prepared, way, "holotable_api", "holotable")

    connection = await asyncpg.connect(addresses.asyncpg_dsn(url))
    assert await connection.fetchval(IN_USE) is encrypted
    await connection.close()

    engine = async_engine(url, 1)
    async with engine.connect() as asked:
        assert (await asked.execute(sa.text(IN_USE))).scalar_one() is encrypted
    await engine.dispose()

    with sync_engine(url).connect() as asked_in_turn:
        assert asked_in_turn.execute(sa.text(IN_USE)).scalar_one() is encrypted

    celery = _celery(_url(prepared, way, BROKER, BROKER))
    with celery.connection() as to_broker:
        to_broker.connect()
        transport = to_broker.transport
        with transport._get_pgmq_client().pool.connection() as lent:
            assert lent.execute(IN_USE).fetchone() == (encrypted,)
        waiter = transport._get_notify_waiter()
        waiter.register("play")
        assert waiter._conn.execute(IN_USE).fetchone() == (encrypted,)


def _celery(url: str) -> Celery:
    broker.install(url)
    settings = Settings(database_url=url, secret_key="0" * 32, broker_url=url)
    celery = Celery("tried", set_as_current=False)
    celery.conf.update(**broker.transport(settings))
    return celery


@needs_debian
async def test_a_server_with_another_certificate_is_refused_by_every_driver(
    prepared: tuple[Cluster, Path], tmp_path: Path
) -> None:
    """
    Only a driver that got the root certificate refuses. Without the check the connection would
    succeed.
    """
    foreign = tmp_path / "foreign.crt"
    _certify(tmp_path / "foreign.key", foreign)
    login = _url(prepared, "tls", "holotable_api", "holotable")
    url = login.replace(str(prepared[1] / "server.crt"), str(foreign))

    with pytest.raises(ssl.SSLCertVerificationError):
        await asyncpg.connect(addresses.asyncpg_dsn(url))
    engine = async_engine(url, 1)
    with pytest.raises(ssl.SSLCertVerificationError):
        async with engine.connect():
            pass
    await engine.dispose()
    with pytest.raises(psycopg.OperationalError, match="certificate verify failed"):
        broker.install(url)
    with pytest.raises(sa.exc.OperationalError, match="certificate verify failed"):
        migrations.migrate(url)
