"""``holotable text``: take down words that people wrote."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, REASON, awaited, settings
from service.cli.deeds import carried_out
from service.log.keys import Keys
from service.people import taking_down
from service.people.operator_log import operator
from service.people.sealed_rows import KeysOf


@click.group()
def text() -> None:
    """Take down words that people wrote, as an operator."""


@text.command("take-down")
@click.argument("named", metavar="TEXT|CLAIM|PLAYER")
@REASON
@DRY_RUN
def take_down(named: str, reason: str, dry_run: bool) -> None:
    """
    Empty the text txt_... or the claim cnf_..., or replace the name of plr_... by a marker.

    The log keeps its digests, so audits and bundles verify as before.  Needs
    HOLOTABLE_DATABASE_URL with the login of holotable_migrate.
    """
    told = settings()

    async def work(connection: AsyncConnection) -> str | None:
        if named.startswith("cnf_"):
            ring = Keys(*told.secret_keys)
            keys: KeysOf = lambda league: ring.of(connection, league)  # noqa: E731
            done = await taking_down.take_down_claim(
                connection, named, operator(), reason, keys=keys
            )
        elif named.startswith("plr_"):
            done = await taking_down.take_down_name(connection, named, operator(), reason)
        else:
            done = await taking_down.take_down_text(connection, named, operator(), reason)
        return f"took down {named}" if done else None

    awaited(carried_out(told, work, dry_run=dry_run))
