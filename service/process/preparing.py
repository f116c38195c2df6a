"""Preparing a server for its first process, as a superuser and without the supervisor."""

from urllib.parse import urlsplit, urlunsplit

import psycopg

from service.base import database, migrations
from service.base.sources import SystemEntropy
from service.tasks import broker

_UNSET = """
    SELECT rolname FROM pg_catalog.pg_authid
     WHERE rolname = ANY (%s) AND rolpassword IS NULL ORDER BY rolname
"""


def prepare(superuser_url: str) -> dict[str, str]:
    """
    Create the missing parts: roles, both databases, the newest schema, and PGMQ.

    Args:
      superuser_url: Any database of the server.

    Returns:
      The addresses of the logins that had no password and got one, by login.
    """
    database.refuse_unfinished(superuser_url, database.DATABASE)
    database.create_roles(superuser_url, {})
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        rows = connection.execute(_UNSET, [list(database.LOGINS)]).fetchall()
    passwords = {login: SystemEntropy().bytes(24).hex() for (login,) in rows}
    database.create_roles(superuser_url, passwords)
    database.create_database(superuser_url, database.DATABASE)
    database.create_database(superuser_url, database.BROKER, owner=database.BROKER)
    migrations.migrate(database.with_database(superuser_url, database.DATABASE))
    broker.install(_as_broker(superuser_url))
    return {login: _address(superuser_url, login, its) for login, its in passwords.items()}


def _as_broker(superuser_url: str) -> str:
    """
    Return the broker database's address, with the broker as the owner of everything made there.
    """
    parts = urlsplit(database.with_database(superuser_url, database.BROKER))
    role = f"options=-c%20role%3D{database.BROKER}"
    return urlunsplit(parts._replace(query=f"{parts.query}&{role}" if parts.query else role))


def _address(superuser_url: str, login: str, password: str) -> str:
    name = database.BROKER if login == database.BROKER else database.DATABASE
    return database.with_login(database.with_database(superuser_url, name), login, password)
