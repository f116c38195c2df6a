"""``holotable account reset``: a code that lets a person set a new password."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.settings import Settings
from service.base.sources import SystemEntropy, service_now
from service.cli.common import DRY_RUN, awaited, err, settings
from service.cli.deeds import account_of, carried_out
from service.people import operator_log, resetting


@click.command("reset")
@click.argument("login")
@DRY_RUN
def account_reset(login: str, dry_run: bool) -> None:
    """
    Print a code, once, that lets LOGIN set a new password.

    The code works once, within 24 hours. The new password revokes every token of LOGIN.
    Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    awaited(offer_reset(settings(), login, dry_run=dry_run))


async def offer_reset(settings: Settings, login: str, *, dry_run: bool = False) -> int:
    """Print a reset code for a login. Return 1 if the login is unknown."""
    code = resetting.code_text(SystemEntropy().bytes(resetting.SECRET_BYTES))

    async def work(connection: AsyncConnection) -> str:
        owner = await account_of(connection, login)
        replaced = await resetting.offer(connection, owner, code, await service_now(connection))
        player, by = f"plr_{owner.hex}", operator_log.operator()
        await operator_log.add_on(connection, player, by, "password_reset_offered")
        held = "; the code that was given out before ends" if replaced else ""
        return f"{player} would get a code{held}" if dry_run else code

    done = await carried_out(settings, work, dry_run=dry_run)
    if done == 0 and not dry_run:
        err.print("  next: hand it over. For 24 hours it sets a new password, in a browser at")
        err.print("  /forgotten/code, or by POST /v1/password-resets")
    return done
