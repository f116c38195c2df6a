"""``holotable migrate``: bring the database's schema to this version."""

import asyncio

import asyncpg
import rich_click as click

from service.base import migrations
from service.base.addresses import asyncpg_dsn
from service.base.schema_range import SchemaRange, of_code
from service.cli.common import DRY_RUN, NO, settings, stop


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
