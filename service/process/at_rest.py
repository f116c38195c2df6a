"""The folder of ``up`` without its processes: its database, running or not, and its secrets."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx
import psycopg

from service.backups.manifest import BackupRefused
from service.base import addresses, database
from service.base.embedded import Cluster, ClusterFailed, binaries
from service.base.secret_files import PUT_BACK, SecretDamaged, read_secret, write_secret
from service.base.settings import Settings, given_to_up
from service.base.sources import SystemEntropy
from service.process.signer import signing_app
from service.transparency.note import read_private_key
from service.transparency.signer import Memory, Signer

SECRETS = "secrets"
CLUSTER = "cluster"
_MEMORY = "signer"
_UNFINISHED = "restore-unfinished"
"""The file that marks a folder while a restore fills it."""


def secret_files(data: Path) -> dict[str, Path]:
    """Return the secrets of the folder of ``up``, by name: keys and passwords."""
    found = sorted((data / SECRETS).iterdir()) if (data / SECRETS).is_dir() else []
    return {file.name: file for file in found if file.is_file()}


def unfinished(data: Path) -> bool:
    """Return whether a restore into a new folder did not finish."""
    return (data / _UNFINISHED).exists()


def has_database(data: Path, server: str | None) -> bool:
    """Return whether a folder has a database. On a given server, one with secrets has."""
    return bool(secret_files(data)) if server is not None else (data / CLUSTER).exists()


def begin_restore(data: Path, server: str | None) -> bool:
    """Mark a folder that has no database yet, before a restore. Return whether it has none."""
    if unfinished(data):
        return True
    if has_database(data, server):
        return False
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    (data / _UNFINISHED).touch()
    return True


def end_restore(data: Path) -> None:
    """Remove the mark."""
    (data / _UNFINISHED).unlink(missing_ok=True)


def settings(data: Path, url: str, coming: Mapping[str, str] | None = None) -> Settings:
    """
    Return the settings of a command on the folder of ``up``, with the database's address.

    Args:
        coming: Secrets that will be in the folder, by name. They replace the present ones.

    Raises:
        BackupRefused: If the folder has no settings' key, or a secret there is damaged.
    """
    secrets = {name: secret.strip() for name, secret in (coming or {}).items()}
    for name, file in secret_files(data).items():
        if name in ("key", "second-key") and name not in secrets:
            secrets[name] = _content(file)
    if "key" not in secrets:
        raise BackupRefused(
            f"{data / SECRETS} holds no key", "put the settings' key there, in a file named key"
        )
    told = given_to_up(os.environ)
    return Settings(
        database_url=url,
        secret_key=secrets["key"],
        second_secret_key=secrets.get("second-key"),
        push_key=told.get("push_key"),
        push_contact=told.get("push_contact"),
        smtp_url=told.get("smtp_url"),
        mail_from=told.get("mail_from"),
    )


@contextmanager
def existing(data: Path, server: str | None) -> Iterator[str]:
    """
    Yield the address of the log's database of ``up``, with the login of ``holotable_migrate``.

    If ``up`` is not running, its PostgreSQL runs for the length of the block.

    Raises:
        BackupRefused: If the folder is not one of ``up``.
    """
    file = secret_files(data).get(database.MIGRATOR)
    if file is None:
        raise BackupRefused(
            f"{data} is no folder of `holotable up`", "name the one with its secrets"
        )
    password = _content(file)
    if server is not None:
        url = addresses.with_database(server, database.DATABASE)
        yield addresses.with_login(url, database.MIGRATOR, password)
        return
    cluster = Cluster(data / CLUSTER, binaries(os.environ))
    if (port := cluster.running_port()) is not None:
        cluster.port = port
        yield cluster.url(database.DATABASE, database.MIGRATOR, password)
        return
    with cluster:
        yield cluster.url(database.DATABASE, database.MIGRATOR, password)


def refuse_running(data: Path, server: str | None) -> None:
    """
    Refuse a folder whose own PostgreSQL runs.

    Raises:
        BackupRefused: If ``up`` is running on the folder.
    """
    if server is None and Cluster(data / CLUSTER, binaries(os.environ)).running_port() is not None:
        raise BackupRefused(f"`holotable up` is running on {data}", "stop it, and try again")


def refuse_foreign(data: Path, server: str | None, coming: Mapping[str, str]) -> None:
    """
    Refuse a given server whose logins are another installation's, before their passwords change.

    Args:
        coming: Secrets that will be in the folder, by name. Those that are there come first.

    Raises:
        ServerRefused: If the passwords are not those of this folder or of the backup.
    """
    if server is None:
        return
    file, password = secret_files(data).get(database.MIGRATOR), coming.get(database.MIGRATOR)
    if file is not None:
        password = _content(file)
    ours = password is not None and asyncio.run(
        database.opens(addresses.with_login(server, database.MIGRATOR, password.strip()))
    )
    database.inspect_server(server, ours=ours)


@contextmanager
def prepared(data: Path, server: str | None) -> Iterator[str]:
    """
    Make missing roles, passwords and databases, and yield as :func:`existing`.

    Raises:
        BackupRefused: If ``up`` is running on the folder.
    """
    refuse_running(data, server)
    passwords = {login: _password(data, login) for login in database.LOGINS}
    if server is not None:
        yield _prepare(server, passwords)
        return
    with Cluster(data / CLUSTER, binaries(os.environ)) as cluster:
        yield _prepare(superuser(cluster), passwords)


def superuser(cluster: Cluster) -> str:
    """
    Return the superuser's address of a running cluster, after closing its databases to others.

    Raises:
        ClusterFailed: If the file of the password does not hold the superuser's.
    """
    file = cluster.password_file
    try:
        url = cluster.url()
        with database.connect(url, autocommit=True) as connection:
            database.close_databases(connection, "postgres", "template1")
    except FileNotFoundError:
        raise _locked_out(cluster, f"{file} is missing") from None
    except SecretDamaged as error:
        raise _locked_out(cluster, str(error)) from None
    except psycopg.OperationalError as error:
        if error.pgconn is None or not error.pgconn.used_password:
            raise
        raise _locked_out(
            cluster, f"{file} does not hold the password of this cluster's superuser"
        ) from error
    return url


def _locked_out(cluster: Cluster, said: str) -> ClusterFailed:
    """The other logins have passwords of their own, so a backup is possible."""
    data = cluster.directory.parent
    return ClusterFailed(
        said,
        f"put it back from a copy of the folder; without one, `holotable backup COPY --data {data}`"
        f", move {cluster.directory} away, and `holotable restore COPY --data {data}`",
    )


@asynccontextmanager
async def remembering(data: Path) -> AsyncIterator[httpx.AsyncClient | None]:
    """Yield a client for a signer with the memory in *data*, or None if there is no memory."""
    key = secret_files(data).get("signer")
    if key is None or not (data / _MEMORY).is_dir():
        yield None
        return
    with Memory(data / _MEMORY) as memory:
        try:
            signing = read_private_key(_content(key))
        except ValueError as error:
            raise BackupRefused(f"{key}: {error}", PUT_BACK) from error
        app = signing_app(Signer(signing, memory))
        transport = httpx.ASGITransport(app=app)  # type: ignore[arg-type] # Litestar's own type
        async with httpx.AsyncClient(transport=transport, base_url="http://signer") as client:
            yield client


def _content(file: Path) -> str:
    try:
        return read_secret(file)
    except SecretDamaged as error:
        raise BackupRefused(str(error), PUT_BACK) from error


def _prepare(superuser: str, passwords: dict[str, str]) -> str:
    database.create_roles(superuser, passwords)
    database.create_database(superuser, database.DATABASE)
    url = addresses.with_database(superuser, database.DATABASE)
    return addresses.with_login(url, database.MIGRATOR, passwords[database.MIGRATOR])


def _password(data: Path, login: str) -> str:
    """Return a login's password, made now if the folder has none."""
    file = data / SECRETS / login
    if not file.exists():
        write_secret(file, SystemEntropy().bytes(24).hex())
    return _content(file)
