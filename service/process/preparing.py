"""Preparing a server for its first process, without the supervisor."""

from pathlib import Path

from service.base import database, migrations
from service.base.addresses import with_database, with_login, with_role
from service.base.sources import SystemEntropy
from service.tasks import broker


def make_logins(url: str) -> dict[str, str]:
    """
    Create the missing roles, and give a password to each login that has none.

    Args:
      url: Any database of the server, with a login that may make roles and databases.

    Returns:
      The addresses of the logins that got a password, by login.

    Raises:
      ServerRefused: If the login may not make roles or databases.
    """
    database.refuse_unfinished(url, database.DATABASE)
    bare = database.bare_logins(url)
    passwords = {login: SystemEntropy().bytes(24).hex() for login in bare}
    database.create_roles(url, passwords)
    return {login: _address(url, login, its) for login, its in passwords.items()}


def prepare(url: str) -> None:
    """Create what is missing of both databases, the newest schema, and PGMQ, for the logins."""
    database.create_database(url, database.DATABASE)
    database.create_database(url, database.BROKER, owner=database.BROKER)
    migrations.migrate(with_database(url, database.DATABASE))
    # The broker owns everything that is made there.
    broker.install(with_role(with_database(url, database.BROKER), database.BROKER))


def write_secret(file: Path, text: str) -> None:
    """Write *text* to a file that only its owner can read."""
    file.touch(mode=0o600)
    file.write_text(text + "\n", encoding="utf-8")


def _address(url: str, login: str, password: str) -> str:
    name = database.BROKER if login == database.BROKER else database.DATABASE
    return with_login(with_database(url, name), login, password)
