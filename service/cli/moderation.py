"""``holotable account|league suspend|restore``, ``text``, ``maintenance`` and ``operators-log``."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.database import async_engine
from service.base.settings import Settings
from service.base.sources import SystemEntropy
from service.cli.common import DRY_RUN, awaited, out, plain, settings
from service.cli.deeds import carried_out
from service.log.keys import Keys
from service.people import admission, suspending, taking_down
from service.people import maintenance as upkeep
from service.people.operator_log import entries, operator
from service.people.sealed_rows import KeysOf

REASON = click.option(
    "--reason",
    required=True,
    type=str,
    help="For the operators' log, 500 characters at most. No secrets.",
)


@click.command("suspend")
@click.argument("account", metavar="LOGIN")
@REASON
@DRY_RUN
def suspend_account(account: str, reason: str, dry_run: bool) -> None:
    """
    End every token, session and stream of LOGIN (or plr_...), and let nobody sign in to it.

    Its seats stay, and the clock answers for them.  Needs HOLOTABLE_DATABASE_URL with the login
    of holotable_migrate.
    """

    async def work(connection: AsyncConnection) -> str | None:
        number = await suspending.number_of_account(connection, account)
        ended = await suspending.suspend_account(connection, number, operator(), reason)
        return None if ended is None else f"suspended plr_{number.hex}; {ended} tokens ended"

    awaited(carried_out(settings(), work, dry_run=dry_run))


@click.command("restore")
@click.argument("account", metavar="LOGIN")
@REASON
@DRY_RUN
def restore_account(account: str, reason: str, dry_run: bool) -> None:
    """Let the owner of LOGIN (or plr_...) sign in again. Ended tokens stay ended."""

    async def work(connection: AsyncConnection) -> str | None:
        number = await suspending.number_of_account(connection, account)
        done = await suspending.restore_account(connection, number, operator(), reason)
        return f"restored plr_{number.hex}" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))


@click.command("invite")
@click.option("--uses", type=click.IntRange(1, 1000), default=1, show_default=True)
@click.option("--days", type=click.IntRange(1, 365), default=7, show_default=True)
@click.option("--founder", is_flag=True, help="The accounts may found leagues too.")
def invite(uses: int, days: int, founder: bool) -> None:
    """
    Print, once, a code with which people sign up where HOLOTABLE_SIGN_UP=invite.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate.
    """

    async def work(connection: AsyncConnection) -> str | None:
        return await admission.invite(
            connection, SystemEntropy(), operator(), uses=uses, days=days, founds=founder
        )

    awaited(carried_out(settings(), work, dry_run=False))


@click.command("uninvite")
@click.argument("invitation", metavar="INVITATION")
@DRY_RUN
def uninvite(invitation: str, dry_run: bool) -> None:
    """
    End an invitation, named by its code or as the operators' log names it (inv_...).

    Accounts that it has opened stay.
    """

    async def work(connection: AsyncConnection) -> str | None:
        done = await admission.uninvite(connection, invitation, operator())
        return "the invitation opens no more accounts" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))


@click.command("founder")
@click.argument("account", metavar="LOGIN")
@click.option("--end", is_flag=True, help="Take the permission back. Existing leagues stay.")
@DRY_RUN
def founder(account: str, end: bool, dry_run: bool) -> None:
    """Let LOGIN found leagues where HOLOTABLE_FOUND_LEAGUES=invite."""

    async def work(connection: AsyncConnection) -> str | None:
        number = await suspending.number_of_account(connection, account)
        done = await admission.let_found(connection, number, operator(), may=not end)
        return (
            f"plr_{number.hex} {'may no longer' if end else 'may'} found leagues" if done else None
        )

    awaited(carried_out(settings(), work, dry_run=dry_run))


@click.command("suspend")
@click.argument("league")
@REASON
@DRY_RUN
def suspend_league(league: str, reason: str, dry_run: bool) -> None:
    """
    Let LEAGUE (lge_...) take no commands. Reads and audits go on, and its clocks stand still.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate.
    """

    async def work(connection: AsyncConnection) -> str | None:
        done = await suspending.suspend_league(connection, league, operator(), reason)
        return f"suspended {league}" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))


@click.command("restore")
@click.argument("league")
@REASON
@DRY_RUN
def restore_league(league: str, reason: str, dry_run: bool) -> None:
    """Let LEAGUE take commands again. Open decisions get their full time again."""

    async def work(connection: AsyncConnection) -> str | None:
        done = await suspending.restore_league(connection, league, operator(), reason)
        return f"restored {league}" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))


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


@click.group()
def maintenance() -> None:
    """Let the installation take no commands for a while. Reads go on, and clocks stand still."""


@maintenance.command("on")
@click.option(
    "--retry-after",
    type=click.IntRange(1, 86_400),
    default=300,
    show_default=True,
    help="Seconds after which refused clients should ask again.",
)
@REASON
@DRY_RUN
def maintenance_on(retry_after: int, reason: str, dry_run: bool) -> None:
    """Refuse commands with 503 from now on, until `holotable maintenance off`."""

    async def work(connection: AsyncConnection) -> str | None:
        done = await upkeep.begin(connection, operator(), reason, retry_after)
        return "maintenance has begun" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))


@maintenance.command("off")
@REASON
@DRY_RUN
def maintenance_off(reason: str, dry_run: bool) -> None:
    """Take commands again. The maintenance counts as an outage."""

    async def work(connection: AsyncConnection) -> str | None:
        done = await upkeep.end(connection, operator(), reason)
        return "maintenance has ended" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))


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
