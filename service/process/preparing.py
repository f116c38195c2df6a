"""Preparing a server for its first process, without the supervisor."""

import asyncio
from collections.abc import Callable, Sequence

import asyncpg

from service.base import database, migrations
from service.base.addresses import asyncpg_dsn, with_database, with_login, with_role
from service.base.sources import SystemEntropy
from service.people import operator_log
from service.tasks import broker


def make_logins(url: str, keep: Callable[[str, str], None]) -> list[str]:
    """
    Create the missing roles, and give a password to each login that has none. Return these.

    Args:
      url: Any database of the server, with a login that may make roles and databases.
      keep: Called with each such login and its address, before the server knows the password.
        A password that only the server knew would be lost.

    Raises:
      ServerRefused: If the login may not make roles or databases.
    """
    database.refuse_unfinished(url, database.DATABASE)
    bare = database.bare_logins(url)
    passwords = {login: SystemEntropy().bytes(24).hex() for login in bare}
    for login, its in passwords.items():
        keep(login, _address(url, login, its))
    database.create_roles(url, passwords)
    return bare


def prepare(url: str, made: Sequence[str] = ()) -> None:
    """
    Create the missing parts of both databases, the newest schema, and PGMQ, for the logins.

    Args:
      made: The logins that have just got a password, for the operators' log. They are recorded
        when the schema exists. A run that is killed before that leaves no entry.
    """
    database.create_database(url, database.DATABASE)
    database.create_database(url, database.BROKER, owner=database.BROKER)
    log = with_database(url, database.DATABASE)
    migrations.migrate(log)
    if made:
        asyncio.run(_record(with_role(log, database.OWNER), ", ".join(made)))
    # The broker's login owns everything that is made there.
    broker.install(with_role(with_database(url, database.BROKER), database.BROKER))


async def _record(url: str, about: str) -> None:
    connection = await asyncpg.connect(asyncpg_dsn(url))
    try:
        by = operator_log.operator()
        await operator_log.add(connection, [None], by, "logins_made", about)
    finally:
        await connection.close()


def _address(url: str, login: str, password: str) -> str:
    name = database.BROKER if login == database.BROKER else database.DATABASE
    return with_login(with_database(url, name), login, password)
