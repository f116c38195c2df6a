"""Engines and pools, and the statements that prepare a server: roles and databases."""

import errno
from collections.abc import Mapping
from functools import partial
from typing import cast

import asyncpg
import msgspec
import psycopg
import sqlalchemy as sa
from psycopg import sql
from sqlalchemy.engine import AdaptedConnection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from service.base.addresses import asyncpg_dsn
from service.base.drivers import leave_as_is
from service.base.shipped import ROLES_SQL

MIGRATOR = "holotable_migrate"
LOGINS = (
    MIGRATOR,
    "holotable_api",
    "holotable_worker",
    "holotable_project",
    "holotable_audit",
    "holotable_broker",
)
"""The roles that may log in. ``holotable_owner`` owns the relations and may not."""

OWNER = "holotable_owner"
DATABASE = "holotable"
"""The default name of the database with the log and everything beside it."""

BROKER = "holotable_broker"
"""The login and the database of Celery's messages."""


UNFINISHED = "holotable: a restore did not end; run `holotable restore` again"
"""The comment on a database that a restore has closed to all processes."""

_OF_THE_LOG = tuple(login for login in LOGINS if login != BROKER)
_COMPARING = ("holotable_worker", "holotable_project", "holotable_audit")
"""The logins that build a second copy of read models in temporary relations."""

_ADMITTED = (("CONNECT", _OF_THE_LOG), ("TEMPORARY", _COMPARING))
"""The rights on the log's database, each with the logins that have it."""

_AWAY_CLASSES = frozenset({"08", "28", "3D", "40", "53", "55", "57"})
"""SQLSTATE classes: no connection, no login, no database, a deadlock, too busy, intervention."""

_OF_THE_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS})

_SET_UP_CLASSES = frozenset({"28", "3D"})
"""SQLSTATE classes: no login, no database. A starting process does not wait for these."""


def driver_error(error: BaseException) -> BaseException:
    """Return the driver's error in SQLAlchemy's, or *error* itself."""
    if isinstance(error, sa.exc.StatementError) and error.orig is not None:
        return error.orig
    return error


def sqlstate_of(error: BaseException) -> str:
    """Return the SQLSTATE of a driver's error, or of the one in SQLAlchemy's; "" without one."""
    # Each driver has a base class of its own. Their errors have only this name in common.
    return getattr(driver_error(error), "sqlstate", None) or ""


def is_away(error: BaseException) -> bool:
    """Return whether *error* means that the database is not available or too busy."""
    if state := sqlstate_of(error):
        return state[:2] in _AWAY_CLASSES
    cause = driver_error(error)
    if isinstance(cause, OSError):
        return is_of_a_connection(cause)
    if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(
        error,
        asyncpg.InterfaceError
        | asyncpg.InternalClientError
        | psycopg.OperationalError
        | sa.exc.InterfaceError
        | sa.exc.OperationalError
        | sa.exc.TimeoutError,
    )


def is_of_a_connection(error: OSError) -> bool:
    """
    Return whether *error* comes from a connection, and not from a file or a full disk.

    That of a connection names no file, even if it goes through a socket in a folder.
    """
    return error.filename is None and not is_of_the_disk(error)


def is_of_the_disk(error: BaseException) -> bool:
    """Return whether *error* says that this machine's disk is full or cannot be written."""
    return isinstance(error, OSError) and error.errno in _OF_THE_DISK


def is_coming(error: BaseException) -> bool:
    """
    Return whether *error* is one of a server that is absent, starting or out of means.

    A wrong password or a missing database is not one of them: waiting would not help.
    """
    return is_away(error) and sqlstate_of(error)[:2] not in _SET_UP_CLASSES


def connect(url: str, *, autocommit: bool = False) -> psycopg.Connection:
    """
    Connect to any database of a server.

    A database for administrators may have the encoding SQL_ASCII, as on Debian's server without a
    locale. Unless the client names an encoding, psycopg would return its rows as bytes.
    """
    return psycopg.connect(url, autocommit=autocommit, client_encoding="UTF8")


def sync_engine(url: str) -> sa.Engine:
    """Return an engine over psycopg that keeps no connection."""
    return sa.create_engine(
        "postgresql+psycopg://", creator=partial(connect, url), poolclass=sa.NullPool
    )


_REPLACED = "replaced"
"""Marks a place in the pool whose dead connection is being replaced."""


def async_engine(url: str, connections: int = 8) -> AsyncEngine:
    """Return an engine. It connects at its first use, and its errors show no parameters."""
    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=partial(asyncpg.connect, asyncpg_dsn(url)),
        pool_size=connections,
        max_overflow=0,
        json_serializer=_json,
        json_deserializer=msgspec.json.decode,
        # A statement's parameters are digests, names and texts, which no log line may hold.
        hide_parameters=True,
    )
    sa.event.listen(engine.sync_engine, "checkout", _refuse_dead)
    return engine


def _json(value: object) -> str:
    """Return *value* with the spaces that rows have always had, in a third of the usual time."""
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


def _refuse_dead(lent: AdaptedConnection, record: sa.pool.ConnectionPoolEntry, *_: object) -> None:
    """
    Have the pool replace its connections if the one it hands out is dead.

    This takes one round trip. ``pool_pre_ping`` takes three, because it opens a transaction.

    Raises:
      InvalidatePoolError: If the connection is dead. The pool hands out a new one.
      ConnectionError: If that one is dead too. The pool itself would call this a wrong request.
    """
    place = cast(dict[str, bool], record.record_info)
    replaced = place.pop(_REPLACED, False)
    try:
        lent.run_async(lambda driver: driver.fetchrow(";"))
    except Exception as error:
        if not is_away(error):
            raise
        if replaced:
            raise ConnectionError("new connections end at once") from error
        place[_REPLACED] = True
        raise sa.exc.InvalidatePoolError from error


async def pool(url: str, connections: int = 8, application: str = "holotable") -> asyncpg.Pool:
    """Return a pool that connects on first use, so that it can be made while the server is away."""
    return await asyncpg.create_pool(
        asyncpg_dsn(url),
        min_size=0,
        max_size=connections,
        reset=leave_as_is,
        server_settings={"application_name": application},
    )


class ServerRefused(Exception):
    """A given server cannot be used: the login lacks rights, or other processes use its roles."""


_ASKING = """
    SELECT rolname, rolsuper, rolsuper OR (rolcreaterole AND rolcreatedb AND rolinherit)
      FROM pg_catalog.pg_roles WHERE rolname = current_user
"""
_KNOWN = "SELECT rolname FROM pg_catalog.pg_roles WHERE rolname = ANY (%s)"
_GUARDED = """
    SELECT rolname FROM pg_catalog.pg_authid
     WHERE rolname = ANY (%s) AND rolpassword IS NOT NULL
"""


def bare_logins(url: str) -> list[str]:
    """
    Return the logins that have no password yet, in the order of ``LOGINS``.

    Only a superuser may see whether a role has a password. For others, each role that exists has
    one, because :func:`create_roles` makes both in one transaction.

    Raises:
      ServerRefused: If the login of *url* may not make roles and databases.
    """
    with connect(url, autocommit=True) as connection:
        _, taken = _found(connection)
    return [login for login in LOGINS if login not in taken]


def inspect_server(url: str, ours: bool) -> bool:
    """
    Check whether roles and databases may be made on a given server.

    Args:
      url: With a login that may make roles and databases.
      ours: True if this installation holds the passwords of the roles from an earlier start.

    Returns:
      True if Holotable's roles are there already.

    Raises:
      ServerRefused: If the login may not make them. Also if the roles have passwords of another
          installation, whose processes log in with them.
    """
    with connect(url, autocommit=True) as connection:
        found, taken = _found(connection)
    if taken and not ours:
        raise ServerRefused(
            f"{', '.join(sorted(taken))} have passwords already: another Holotable uses this server"
        )
    return bool(found)


async def opens(url: str) -> bool:
    """Return whether the server believes the login and the password of *url*."""
    try:
        await (await asyncpg.connect(asyncpg_dsn(url))).close()
    except asyncpg.InvalidAuthorizationSpecificationError:
        return False
    except (asyncpg.InsufficientPrivilegeError, asyncpg.InvalidCatalogNameError):
        pass  # believed, and not let into this database
    return True


def _found(connection: psycopg.Connection) -> tuple[set[str], set[str]]:
    """Return the existing logins, and those with a password, as far as this login can see."""
    name, superuser, able = connection.execute(_ASKING).fetchone() or ("", False, False)
    if not able:
        raise ServerRefused(
            f"the login {name} may not make roles and databases: "
            "use a superuser's, or that of a role with CREATEROLE, CREATEDB and INHERIT"
        )
    asked = [list(LOGINS)]
    found = {its for (its,) in connection.execute(_KNOWN, asked)}
    if not superuser:
        return found, found
    return found, {its for (its,) in connection.execute(_GUARDED, asked)}


def drop_roles(url: str) -> None:
    """Remove the roles. Their databases must be gone."""
    with connect(url, autocommit=True) as connection:
        for role in (*LOGINS, OWNER):
            connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(role)))


def forget_passwords(url: str) -> None:
    """Reset the roles to ``roles.sql``, so that nobody can log in."""
    with connect(url, autocommit=True) as connection:
        for login in LOGINS:
            connection.execute(sql.SQL("ALTER ROLE {} PASSWORD NULL").format(sql.Identifier(login)))


def create_roles(url: str, passwords: Mapping[str, str]) -> None:
    """
    Make the roles of ``deploy/postgres/roles.sql`` and set the passwords of the logins.

    Args:
      url: Any database of the server.
      passwords: By login. Logins that are not named keep their passwords.
    """
    with connect(url) as connection:  # roles and passwords in one transaction
        connection.execute(sql.SQL(ROLES_SQL.read_text(encoding="utf-8")))
        for login, password in passwords.items():
            # The server gets a verifier only, and none of its logs or monitors the password.
            verifier = connection.pgconn.encrypt_password(
                password.encode(), login.encode(), b"scram-sha-256"
            )
            connection.execute(
                sql.SQL("ALTER ROLE {} PASSWORD {}").format(
                    sql.Identifier(login), sql.Literal(verifier.decode())
                )
            )


def create_database(url: str, name: str, owner: str = OWNER) -> None:
    """
    Make a database unless it exists, and close it to everybody but its owner and its logins.

    The log's database admits every login except the broker's. Any other database admits only its
    owner. One that a restore has closed stays closed.
    """
    with connect(url, autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if known.fetchone() is None:
            made = "CREATE DATABASE {} OWNER {} TEMPLATE template0 ENCODING 'UTF8'"
            connection.execute(sql.SQL(made).format(sql.Identifier(name), sql.Identifier(owner)))
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(owner)))
        with connection.transaction():
            close_databases(connection, name)  # from here on no restore can close it
            if owner == OWNER and not is_unfinished(connection, name):
                for right, logins in _ADMITTED:
                    connection.execute(
                        sql.SQL("GRANT {} ON DATABASE {} TO {}").format(
                            sql.SQL(right),
                            sql.Identifier(name),
                            sql.SQL(", ").join(map(sql.Identifier, logins)),
                        )
                    )


def is_unfinished(connection: psycopg.Connection, name: str) -> bool:
    """Return whether a restore has closed a database and not opened it again."""
    said = connection.execute(
        "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s", [name]
    ).fetchone()
    return said is not None and said[0] == UNFINISHED


def refuse_unfinished(superuser_url: str, name: str) -> None:
    """
    Check that no restore has left a database unfinished.

    Raises:
      ServerRefused: If one has. No process may open such a database.
    """
    with connect(superuser_url, autocommit=True) as connection:
        if is_unfinished(connection, name):
            raise ServerRefused(f"{name}: {UNFINISHED.removeprefix('holotable: ')}")


async def close_logins(connection: asyncpg.Connection, name: str) -> None:
    """
    Close a database to every process, and mark it. Sessions that are open stay open.

    Args:
      connection: As the owner. Migrations can still log in.
    """
    name = await connection.fetchval("SELECT quote_ident($1)", name)
    async with connection.transaction():
        for right, logins in _ADMITTED:
            named = ", ".join(login for login in logins if login != MIGRATOR)
            await connection.execute(f"REVOKE {right} ON DATABASE {name} FROM {named}")
        await connection.execute(f"COMMENT ON DATABASE {name} IS '{UNFINISHED}'")


async def open_logins(connection: asyncpg.Connection, name: str) -> None:
    """Undo :func:`close_logins`."""
    name = await connection.fetchval("SELECT quote_ident($1)", name)
    async with connection.transaction():
        for right, logins in _ADMITTED:
            await connection.execute(f"GRANT {right} ON DATABASE {name} TO {', '.join(logins)}")
        await connection.execute(f"COMMENT ON DATABASE {name} IS NULL")


def close_databases(connection: psycopg.Connection, *names: str) -> None:
    """Revoke the right to connect, which PostgreSQL gives to everybody."""
    for name in names:
        connection.execute(
            sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(sql.Identifier(name))
        )


def drop_database(url: str, name: str) -> None:
    """Remove a database and end its connections."""
    with connect(url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )


def server_version(url: str) -> str:
    """Return the server's version, as ``18.4``."""
    with connect(url) as connection:
        shown = connection.execute("SHOW server_version").fetchone()
    return str(shown[0]).split()[0] if shown else ""
