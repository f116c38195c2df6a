"""``holotable quarantine``: an operator lists quarantined leagues and releases them."""

import json

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.database import async_engine
from service.base.settings import Settings
from service.cli.common import DRY_RUN, USAGE, awaited, err, out, plain, settings
from service.cli.deeds import NotDone, carried_out
from service.log.keys import driver_of
from service.people import operator_log
from service.people.quarantine import (
    NO_LEAGUE,
    NotHeld,
    NotSkipped,
    StoppedConsumer,
    event_at,
    held,
)
from service.people.quarantine import release as release_held

_LIST = "see `holotable quarantine list`"


@click.group()
def quarantine() -> None:
    """Show the leagues that a consumer of the log has stopped following, and release them."""


@quarantine.command("list")
def quarantine_list() -> None:
    """List every league in quarantine, with its consumer and the reason."""
    awaited(show_all(settings()))


@quarantine.command("show")
@click.argument("league")
@click.argument("consumer")
def quarantine_show(league: str, consumer: str) -> None:
    """Show why CONSUMER stopped in LEAGUE, and the event before which it stopped."""
    awaited(show(settings(), league, consumer))


@quarantine.command("release")
@click.argument("league")
@click.argument("consumer")
@click.option(
    "--skip", is_flag=True, help="Skip the event; only for the consumers `arming` and `webhooks`."
)
@DRY_RUN
def quarantine_release(league: str, consumer: str, skip: bool, dry_run: bool) -> None:
    """
    Release LEAGUE, so that CONSUMER continues. If it fails again, it is held again.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate.  The staff log of the
    league records the operator.
    """
    awaited(release(settings(), league, consumer, skip, dry_run=dry_run))


async def show_all(settings: Settings) -> int:
    """Print every league in quarantine, one a line."""
    found = await _held(settings)
    for each in found:
        out.print(plain(str(each)), markup=False)
    out.print(f"{len(found)} held")
    return 0


async def show(settings: Settings, league: str, consumer: str) -> int:
    """Print the reason and the event of one consumer. Return 2 if nothing is held."""
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.connect() as connection:
            driver = await driver_of(connection)
            found = [
                each
                for each in await held(driver)
                if (each.league or NO_LEAGUE, each.consumer) == (league, consumer)
            ]
            for each in found:
                out.print(plain(f"{each} (since {each.since or 'unknown'})"), markup=False)
                if each.position is not None:
                    event = await event_at(driver, league, each.position)
                    out.print(json.dumps(event, indent=2), markup=False)
    finally:
        await engine.dispose()
    return 0 if found else _nothing(f"{consumer} of {league} is not in quarantine")


async def release(
    settings: Settings, league: str, consumer: str, skip: bool, *, dry_run: bool = False
) -> int:
    """Release a consumer. Return 2 if nothing is held, or if the event cannot be skipped."""

    async def work(connection: AsyncConnection) -> str:
        by = operator_log.operator()
        try:
            found = await release_held(connection, league, consumer, by, skip=skip)
        except (NotHeld, NotSkipped) as error:
            raise NotDone(str(error), _LIST, USAGE) from None
        return "\n".join(f"released {each}" for each in found)

    return await carried_out(settings, work, dry_run=dry_run)


async def _held(settings: Settings) -> list[StoppedConsumer]:
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.connect() as connection:
            return await held(await driver_of(connection))
    finally:
        await engine.dispose()


def _nothing(why: str) -> int:
    err.print(f"{why}\n  next: {_LIST}", markup=False)
    return USAGE
