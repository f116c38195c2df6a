"""``holotable player``: erase a player, as an operator."""

import sys

import rich_click as click

from engine.values import number_of
from service.base.database import async_engine
from service.base.errors import NotCaughtUp, StreamNotFound
from service.base.settings import Settings
from service.base.sources import service_now
from service.cli.common import DRY_RUN, awaited, err, out, settings
from service.people import operator_log
from service.people.erasure import StillEntered, StillOwner, erase
from service.people.sealed_rows import keys_over


@click.group()
def player() -> None:
    """Erase a player, as an operator."""


@player.command("erase")
@click.argument("named", metavar="PLAYER")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@DRY_RUN
def player_erase(named: str, yes: bool, dry_run: bool) -> None:
    """
    Erase PLAYER (plr_...) for ever: the account, the tokens, and texts by and about them.

    The log and its proofs stay as they are.  Needs HOLOTABLE_DATABASE_URL with the
    login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    if not yes and not dry_run:
        if not sys.stdin.isatty():
            raise click.UsageError("there is no terminal to ask whether you are sure: give --yes")
        click.confirm(f"erase {named} for ever?", abort=True)
    awaited(erase_player(settings(), named, dry_run=dry_run))


async def erase_player(settings: Settings, named: str, *, dry_run: bool = False) -> int:
    """Erase a player. Return 1 if the rules forbid it now, 2 if the player is unknown."""
    engine = async_engine(settings.database_url, 2)
    try:
        if not named.startswith("plr_"):
            raise ValueError(named)
        keys = keys_over(engine, *settings.secret_keys)
        async with engine.connect() as connection:
            now = await service_now(connection)
        by = operator_log.operator()
        erased = await erase(engine, keys, number_of(named), now, by=by, dry_run=dry_run)
    except (ValueError, StreamNotFound):
        err.print(f"there is no player {named}\n  next: give an id, plr_...", markup=False)
        return 2
    except (StillEntered, NotCaughtUp) as error:
        err.print(f"{error.detail} {error.facts or ''}\n  next: try again then", markup=False)
        return 1
    except StillOwner as error:
        next_step = "give the league another owner if it has none, and the player another role"
        err.print(f"{error.detail} {error.facts}\n  next: {next_step}", markup=False)
        return 1
    finally:
        await engine.dispose()
    out.print(
        f"{'dry run, nothing was done: ' if dry_run else ''}erased {erased.player}: "
        f"{erased.tokens} tokens, {erased.calendars} calendars, {erased.texts} texts"
    )
    if erased.unreadable:
        err.print(
            f"{erased.unreadable} confidential claims do not open, and may hold words of the player"
            "\n  next: see confidential_claim_unreadable in the log, and erase the player again "
            "once they open",
            markup=False,
        )
    return 0
