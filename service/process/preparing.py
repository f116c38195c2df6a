"""Preparing a server for its first process, without the supervisor."""

from collections.abc import Callable

from service.base import database, migrations
from service.base.addresses import with_database, with_login, with_role
from service.base.sources import SystemEntropy
from service.tasks import broker


def make_logins(url: str, keep: Callable[[str, str], None]) -> None:
    """
    Create the missing roles, and give a password to each login that has none.

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


def prepare(url: str) -> None:
    """Create the missing parts of both databases, the newest schema, and PGMQ, for the logins."""
    database.create_database(url, database.DATABASE)
    database.create_database(url, database.BROKER, owner=database.BROKER)
    migrations.migrate(with_database(url, database.DATABASE))
    # The broker's login owns everything that is made there.
    broker.install(with_role(with_database(url, database.BROKER), database.BROKER))


def _address(url: str, login: str, password: str) -> str:
    name = database.BROKER if login == database.BROKER else database.DATABASE
    return with_login(with_database(url, name), login, password)
