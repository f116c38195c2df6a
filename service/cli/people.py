"""``holotable account``, ``token`` and ``player``: an operator's tools for people."""

import sys

import msgspec
import rich_click as click

from engine.league.errors import LastOwner
from engine.values import number_of
from service.api.me.accounts import SignUp
from service.base.database import async_engine
from service.base.errors import NotCaughtUp, StreamNotFound
from service.base.settings import Settings
from service.base.sources import SystemEntropy, service_now
from service.cli.common import awaited, err, out, settings
from service.cli.moderation import founder, invite, restore_account, suspend_account
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
account.add_command(founder)


@account.command("create")
@click.argument("login")
@click.option("--name", default=None, help="Name shown to others.  [dim]default: the login[/]")
@click.password_option(
    envvar="HOLOTABLE_ACCOUNT_PASSWORD", help="Password; you are asked for it if it is not given."
)
def account_create(login: str, name: str | None, password: str) -> None:
    """Create the account LOGIN and print its player id."""
    awaited(create_account(settings(), login, name or login, password))


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
    finally:
        await engine.dispose()
    if not made:
        err.print(f"the login {login} is taken\n  next: choose another")
        return 1
    out.print(f"plr_{number.hex}")
    return 0


@account.command("reset")
@click.argument("login")
def account_reset(login: str) -> None:
    """
    Print a code, once, that lets LOGIN set a new password.

    The code holds for 24 hours and one use. The new password revokes every token of LOGIN.
    Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    awaited(offer_reset(settings(), login))


async def offer_reset(settings: Settings, login: str) -> int:
    """Print a reset code for a login. Return 1 if the login is unknown."""
    engine = async_engine(settings.database_url, 1)
    code = resetting.code_text(SystemEntropy().bytes(resetting.SECRET_BYTES))
    try:
        async with engine.begin() as connection:
            owner = await accounts.number_of_login(connection, login)
            if owner is None:
                err.print(
                    f"there is no account {login}\n  next: run `holotable account create {login}`"
                )
                return 1
            await resetting.offer(connection, owner, code, await service_now(connection))
            player = f"plr_{owner.hex}"
            leagues = await operator_log.leagues_of(connection, player)
            by = operator_log.operator()
            await operator_log.add(connection, leagues, by, "password_reset_offered", player)
    finally:
        await engine.dispose()
    out.print(code, markup=False)
    err.print("  next: POST it with a new password to /v1/password-resets within 24 hours")
    return 0


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
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as connection:
            owner = await accounts.number_of_login(connection, login)
            if owner is None:
                err.print(
                    f"there is no account {login}\n  next: run `holotable account create {login}`"
                )
                return 1
            secret = await issue_token(connection, owner, scopes or tokens.SCOPES_DEFAULT, days)
    finally:
        await engine.dispose()
    out.print(secret, markup=False)
    return 0


@token.command("revoke")
@click.argument("named", metavar="TOKEN")
def token_revoke(named: str) -> None:
    """
    Revoke TOKEN, named by its id or its secret, and the tokens made with it.

    "-" reads the name from standard input, so that no shell keeps the secret in its history.
    """
    if named == "-":
        named = sys.stdin.readline().strip()
    awaited(revoke_token(settings(), named))


async def revoke_token(settings: Settings, named: str) -> int:
    """Revoke a token, named by its secret or its id. Return 1 if the token is unknown."""
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as transaction:
            ended = await tokens.revoke_named(transaction, named, await service_now(transaction))
    finally:
        await engine.dispose()
    if ended is None:
        err.print("there is no such token\n  next: give its secret or its id, tok_...")
        return 1
    out.print(f"revoked tok_{ended.hex}")
    return 0


@click.group()
def player() -> None:
    """Erase a player, as an operator."""


@player.command("erase")
@click.argument("named", metavar="PLAYER")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def player_erase(named: str, yes: bool) -> None:
    """
    Erase PLAYER (plr_...) for ever: the account, the tokens, and texts by and about them.

    The log and its proofs stay as they are.  Needs HOLOTABLE_DATABASE_URL with the
    login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    if not yes:
        click.confirm(f"erase {named} for ever?", abort=True)
    awaited(erase_player(settings(), named))


async def erase_player(settings: Settings, named: str) -> int:
    """Erase a player. Return 1 if the rules forbid it now, 2 if the player is unknown."""
    engine = async_engine(settings.database_url, 2)
    try:
        if not named.startswith("plr_"):
            raise ValueError(named)
        keys = keys_over(engine, *settings.secret_keys)
        async with engine.connect() as connection:
            now = await service_now(connection)
        erased = await erase(engine, keys, number_of(named), now, by=operator_log.operator())
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
        f"erased {erased.player}: {erased.tokens} tokens, {erased.calendars} calendars, "
        f"{erased.texts} texts"
    )
    return 0
