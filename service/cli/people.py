"""``holotable account``, ``token`` and ``player``: an operator's tools for people."""

import sys
from uuid import UUID

import msgspec
import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.errors import LastOwner
from engine.values import number_of
from service.api.me.accounts import SignUp
from service.base.database import async_engine
from service.base.errors import NotCaughtUp, StreamNotFound
from service.base.settings import Settings
from service.base.sources import SystemEntropy, service_now
from service.cli.common import DRY_RUN, awaited, err, out, settings
from service.cli.deeds import NotDone, carried_out
from service.cli.moderation import (
    founder,
    invite,
    restore_account,
    suspend_account,
    uninvite,
)
from service.people import accounts, operator_log, resetting, tokens
from service.people.erasure import StillEntered, erase
from service.people.names import named
from service.people.sealed_rows import keys_over
from service.process.people import issue_token


@click.group()
def account() -> None:
    """Create accounts and reset passwords, as an operator."""


account.add_command(suspend_account)
account.add_command(restore_account)
account.add_command(invite)
account.add_command(uninvite)
account.add_command(founder)


@account.command("create")
@click.argument("login")
@click.option("--name", default=None, help="Name shown to others.  [dim]default: the login[/]")
@click.option(
    "--password",
    envvar="HOLOTABLE_ACCOUNT_PASSWORD",
    help="Password.  [dim]default: you are asked, or it is the first line of standard input[/]",
)
def account_create(login: str, name: str | None, password: str | None) -> None:
    """
    Create the account LOGIN and print its player id.

    Without a terminal, the password is the first line of standard input, so that a script can pipe
    it.  Other users of the machine see the options of a command: prefer the other ways.
    """
    told = password if password is not None else _password_for(login)
    awaited(create_account(settings(), login, name or login, told))


def _password_for(login: str) -> str:
    """Ask for a password twice at a terminal, and once elsewhere."""
    if sys.stdin.isatty():
        asked: str = click.prompt(
            f"Password of {login}", hide_input=True, confirmation_prompt="Again"
        )
        return asked
    given = sys.stdin.readline().rstrip("\r\n")
    if not given:
        raise click.UsageError(
            "there is no terminal to ask for the password, and standard input is empty: write the "
            "password to it, or set HOLOTABLE_ACCOUNT_PASSWORD"
        )
    return given


async def create_account(settings: Settings, login: str, name: str, password: str) -> int:
    """Create an account. Return 1 if the login is taken, 2 if the API would refuse it."""
    try:
        name = named(name)
        msgspec.convert({"login": login, "name": name, "password": password}, SignUp)
    except (msgspec.ValidationError, ValueError) as error:
        err.print(f"{error}\n  next: see SignUp in api-spec/openapi.yaml", markup=False)
        return 2
    number = SystemEntropy().uuid()
    kept = await accounts.hashed(password, settings.password_memory_kib)
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as connection:
            now = await service_now(connection)
            made = await accounts.create(connection, number, login, name, kept, now)
            if made:
                by = operator_log.operator()
                about = f"plr_{number.hex}"
                await operator_log.add(connection, [None], by, "account_created", about)
    finally:
        await engine.dispose()
    if not made:
        err.print(f"the login {login} is taken\n  next: choose another")
        return 1
    out.print(f"plr_{number.hex}")
    return 0


@account.command("reset")
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
        owner = await _account(connection, login)
        replaced = await resetting.offer(connection, owner, code, await service_now(connection))
        player, by = f"plr_{owner.hex}", operator_log.operator()
        await operator_log.add_on(connection, player, by, "password_reset_offered")
        held = "; the code that was given out before ends" if replaced else ""
        return f"{player} would get a code{held}" if dry_run else code

    done = await carried_out(settings, work, dry_run=dry_run)
    if done == 0 and not dry_run:
        err.print("  next: POST it with a new password to /v1/password-resets within 24 hours")
    return done


async def _account(connection: AsyncConnection, login: str) -> UUID:
    """Return the account of *login*, or end the command."""
    owner = await accounts.number_of_login(connection, login)
    if owner is None:
        raise NotDone(f"there is no account {login}", f"run `holotable account create {login}`")
    return owner


@click.group()
def token() -> None:
    """Create and revoke bearer tokens, as an operator."""


@token.command("create")
@click.argument("login")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    help="Scope such as leagues:read; may be repeated.  [dim]default: all scopes of people[/]",
)
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    default=90,
    show_default=True,
    help="Days until it expires.",
)
def token_create(login: str, scopes: tuple[str, ...], days: int) -> None:
    """Create a token for LOGIN and print it, once."""
    awaited(create_token(settings(), login, scopes, days))


async def create_token(settings: Settings, login: str, scopes: tuple[str, ...], days: int) -> int:
    """Create a token and print its secret. Return 1 if the login is unknown."""
    unknown = set(scopes) - set(tokens.SCOPES)
    if unknown:
        err.print(
            f"there is no scope {', '.join(sorted(unknown))}; choose {', '.join(tokens.SCOPES)}"
        )
        return 2

    async def work(connection: AsyncConnection) -> str:
        owner = await _account(connection, login)
        return await issue_token(connection, owner, scopes or tokens.SCOPES_DEFAULT, days)

    return await carried_out(settings, work, dry_run=False)


@token.command("revoke")
@click.argument("named", metavar="TOKEN")
@DRY_RUN
def token_revoke(named: str, dry_run: bool) -> None:
    """
    Revoke TOKEN, named by its id or its secret, and the tokens made with it.

    "-" reads the name from standard input, so that no shell keeps the secret in its history.
    """
    if named == "-":
        named = sys.stdin.readline().strip()
    awaited(revoke_token(settings(), named, dry_run=dry_run))


async def revoke_token(settings: Settings, named: str, *, dry_run: bool = False) -> int:
    """Revoke a token, named by its secret or its id. Return 1 if the token is unknown."""

    async def work(connection: AsyncConnection) -> str:
        ended = await tokens.revoke_named(connection, named, await service_now(connection))
        if ended is None:
            raise NotDone("there is no such token", "give its secret or its id, tok_...")
        name, player = f"tok_{ended.number.hex}", f"plr_{ended.owner.hex}"
        by = operator_log.operator()
        await operator_log.add_on(connection, player, by, "token_revoked", name)
        return f"revoked {name}: {ended.tokens} tokens of {player} ended"

    return await carried_out(settings, work, dry_run=dry_run)


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
    except LastOwner as error:
        err.print(f"{error}\n  next: give the league another owner first", markup=False)
        return 1
    finally:
        await engine.dispose()
    out.print(
        f"{'dry run, nothing was done: ' if dry_run else ''}erased {erased.player}: "
        f"{erased.tokens} tokens, {erased.calendars} calendars, {erased.texts} texts"
    )
    return 0
