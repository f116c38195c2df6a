"""``holotable operators-log``: the commands that operators gave, newest first."""

import rich_click as click

from service.base.database import async_engine
from service.base.settings import Settings
from service.cli.common import awaited, out, plain, settings
from service.people.operator_log import entries


@click.command("operators-log")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
def operators_log(limit: int) -> None:
    """Show the newest entries of the operators' log, newest first, of every league."""
    awaited(_show(settings(), limit))


async def _show(settings: Settings, limit: int) -> int:
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.connect() as connection:
            for each in await entries(connection, limit):
                where = "" if each.league is None else f" in lge_{each.league.hex}"
                why = "" if each.reason is None else f": {each.reason}"
                line = f"{each.at:%Y-%m-%d %H:%M:%S}Z  {each.actor}  {each.kind} {each.about}"
                out.print(plain(f"{line}{where}{why}"), markup=False)
    finally:
        await engine.dispose()
    return 0
