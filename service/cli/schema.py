"""``holotable prepare`` and ``migrate``: prepare a server, and migrate its schema."""

from pathlib import Path

import rich_click as click

from service.base import migrations
from service.base.sources import SystemEntropy
from service.cli.common import settings
from service.process import preparing


@click.command()
@click.argument("url")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the addresses and a new secret key into this folder, and print no password.",
)
def prepare(url: str, into: Path | None) -> None:
    """
    Create roles, databases, schema and queue on the server at URL.

    URL has the login of a superuser, or of a role with CREATEROLE and CREATEDB, as managed
    PostgreSQL gives to its users.  Prints, once, the address of each login that gets a password,
    or writes it to a file of the login's name, for HOLOTABLE_DATABASE_URL_FILE and
    HOLOTABLE_BROKER_URL_FILE.  A second run changes nothing.
    """
    if into is not None:
        into.mkdir(mode=0o700, parents=True, exist_ok=True)
    for login, address in preparing.make_logins(url).items():
        if into is None:
            click.echo(f"{login:<18} {address}")
        else:
            preparing.write_secret(into / login, address)
    if into is not None and not (into / "secret_key").exists():
        preparing.write_secret(into / "secret_key", SystemEntropy().bytes(32).hex())
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
