"""``holotable prepare`` and ``migrate``: prepare a server, and migrate its schema."""

import rich_click as click

from service.base import migrations
from service.cli.common import settings
from service.process import preparing


@click.command()
@click.argument("url")
def prepare(url: str) -> None:
    """
    Create roles, databases, schema and queue on the server at URL.

    URL has the login of a superuser, or of a role with CREATEROLE and CREATEDB, as managed
    PostgreSQL gives to its users.  Prints, once, the address of each login that gets a password.
    A second run changes nothing.
    """
    for login, address in preparing.make_logins(url).items():
        click.echo(f"{login:<18} {address}")
    preparing.prepare(url)
    click.echo("the server is ready")


@click.command()
def migrate() -> None:
    """
    Migrate the database's schema to this version. A second run changes nothing.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate, and
    HOLOTABLE_SECRET_KEY.
    """
    migrations.migrate(settings().database_url)
    click.echo("the schema is up to date")
