"""``holotable prepare`` and ``migrate``: make a server ready, bring its schema to this version."""

import rich_click as click

from service.base import database
from service.cli.common import settings
from service.process import preparing


@click.command()
@click.argument("superuser", metavar="URL")
def prepare(superuser: str) -> None:
    """
    Make roles, databases, schema and queue on the server of URL, a superuser's address.

    Prints the address of each login that it gives a password, this once.  Running it
    again changes nothing.
    """
    for login, address in preparing.prepare(superuser).items():
        click.echo(f"{login:<18} {address}")
    click.echo("the server is ready")


@click.command()
def migrate() -> None:
    """
    Bring the database's schema to this version; does nothing the second time.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate, and
    HOLOTABLE_SECRET_KEY.
    """
    database.migrate(settings().database_url)
    click.echo("the schema is up to date")
