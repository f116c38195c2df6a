"""``holotable prepare`` and ``migrate``: prepare a server, and migrate its schema."""

import asyncio
import sys
from pathlib import Path

import asyncpg
import rich_click as click

from service.base import migrations
from service.base.addresses import asyncpg_dsn
from service.base.schema_range import SchemaRange, of_code
from service.base.secret_files import write_secret
from service.base.sources import SystemEntropy
from service.cli.common import DRY_RUN, NO, settings, stop
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
    PostgreSQL gives to its users.  "-" reads it from standard input, because other users of the
    machine see arguments.  Prints, once, the address of each login that gets a password, or writes
    it to a file of the login's name, for HOLOTABLE_DATABASE_URL_FILE and
    HOLOTABLE_BROKER_URL_FILE.  A second run changes nothing.
    """
    if url == "-":
        url = sys.stdin.readline().strip()
    if into is not None:
        into.mkdir(mode=0o700, parents=True, exist_ok=True)

    def keep(login: str, address: str) -> None:
        if into is None:
            click.echo(f"{login:<18} {address}")
        else:
            write_secret(into / login, f"{address}\n")

    made = preparing.make_logins(url, keep)
    if into is not None and not (into / "secret_key").exists():
        write_secret(into / "secret_key", f"{SystemEntropy().bytes(32).hex()}\n")
    preparing.prepare(url, made)
    click.echo("the server is ready")


@click.command()
@DRY_RUN
def migrate(dry_run: bool) -> None:
    """
    Migrate the database's schema to this version. A second run changes nothing.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate, and
    HOLOTABLE_SECRET_KEY.
    """
    url = settings().database_url
    known = of_code()
    here = asyncio.run(_here(url, known))
    if here is not None and here not in known.known:
        stop(
            NO,
            f"the schema is at {here}, which this version of {known.head} does not know; "
            "nothing was changed",
            "use the newer version, or restore a backup of this one; there is no downgrade",
        )
    missing = known.known[0 if here is None else known.known.index(here) + 1 :]
    if dry_run:
        click.echo(f"dry run, nothing was done: {len(missing)} to run {' '.join(missing)}".rstrip())
        return
    migrations.migrate(url)
    click.echo("the schema is up to date")


async def _here(url: str, known: SchemaRange) -> str | None:
    connection = await asyncpg.connect(asyncpg_dsn(url))
    try:
        return (await known.look(connection)).here
    finally:
        await connection.close()
