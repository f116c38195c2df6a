"""``holotable account``, ``token`` and ``player``: what an operator does to people."""

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
from service.people import accounts, operator_log, resetting, tokens
from service.people.erasure import StillEntered, erase
from service.people.names import named
from service.people.sealed_rows import keys_over
from service.process.people import issue_token


@click.group()
def account() -> None:
    """Make accounts, as an operator would."""


@account.command("create")
@click.argument("login")
@click.option("--name", default=None, help="Shown to others.  [dim]default: the login[/]")
@click.password_option(envvar="HOLOTABLE_ACCOUNT_PASSWORD", help="Asked for if not given.")
def account_create(login: str, name: str | None, password: str) -> None:
    """Make an account LOGIN and print its player id."""
    awaited(create_account(settings(), login, name or login, password))


async def create_account(settings: Settings, login: str, name: str, password: str) -> int:
    """Make an account and print its player; 1 if the login is taken, 2 if the API refused it."""
    try:
        name = named(name)
        msgspec.convert({"login": login, "name": name, "password": password}, SignUp)
    except (msgspec.ValidationError, ValueError) as error:
        err.print(f"{error}\n  next: see SignUp in api-spec/openapi.yaml", markup=False)
        return 2
    number = SystemEntropy().uuid()
    kept = await accounts.hashed(password)
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
    Print a code by which LOGIN gets a new password, this once.

    The code is good for 24 hours and one password; setting it ends every token of LOGIN.
    Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    awaited(offer_reset(settings(), login))


async def offer_reset(settings: Settings, login: str) -> int:
    """Print a reset code for a login, this once; 1 if there is no such login."""
    engine = async_engine(settings.database_url, 1)
    code = resetting.code_text(SystemEntropy().bytes(resetting.SECRET_BYTES))
    try:
        async with engine.begin() as connection:
            owner = await accounts.number_of_login(connection, login)
            if owner is None:
                err.print(f"no account {login}\n  next: run `holotable account create {login}`")
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
    """Make bearer tokens, as an operator would."""


@token.command("create")
@click.argument("login")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    help="As leagues:read or tables:play; may be repeated.  [dim]default: all that people have[/]",
)
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    default=90,
    show_default=True,
    help="Until it expires.",
)
def token_create(login: str, scopes: tuple[str, ...], days: int) -> None:
    """Make a token for LOGIN and print it, this once."""
    awaited(create_token(settings(), login, scopes, days))


async def create_token(settings: Settings, login: str, scopes: tuple[str, ...], days: int) -> int:
    """Make a token for a login and print its secret, this once; 1 if there is no such login."""
    unknown = set(scopes) - set(tokens.SCOPES)
    if unknown:
        err.print(f"no scope {', '.join(sorted(unknown))}; there are {', '.join(tokens.SCOPES)}")
        return 2
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as connection:
            owner = await accounts.number_of_login(connection, login)
            if owner is None:
                err.print(f"no account {login}\n  next: run `holotable account create {login}`")
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
    End TOKEN and the tokens it made, named by its id or its secret.

    - reads the name from standard input, so that no shell keeps a secret in its history.
    """
    if named == "-":
        named = sys.stdin.readline().strip()
    awaited(revoke_token(settings(), named))


async def revoke_token(settings: Settings, named: str) -> int:
    """End a token, named by its secret or its id; 1 if there is none such."""
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as transaction:
            ended = await tokens.revoke_named(transaction, named, await service_now(transaction))
    finally:
        await engine.dispose()
    if ended is None:
        err.print("no such token\n  next: give its secret or its id, tok_...")
        return 1
    out.print(f"revoked tok_{ended.hex}")
    return 0


@click.group()
def player() -> None:
    """What an operator does to a player."""


@player.command("erase")
@click.argument("named", metavar="PLAYER")
@click.option("--yes", is_flag=True, help="Do not ask whether it is meant.")
def player_erase(named: str, yes: bool) -> None:
    """
    Erase PLAYER (plr_...): account, tokens, and texts by and about them; for ever.

    The log stays as it is, and every proof with it.  Needs HOLOTABLE_DATABASE_URL with the
    login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    if not yes:
        click.confirm(f"erase {named} for ever?", abort=True)
    awaited(erase_player(settings(), named))


async def erase_player(settings: Settings, named: str) -> int:
    """Erase a player for ever; 1 if the rules forbid it now, 2 if there is none such."""
    engine = async_engine(settings.database_url, 2)
    try:
        if not named.startswith("plr_"):
            raise ValueError(named)
        keys = keys_over(engine, *settings.secret_keys)
        async with engine.connect() as connection:
            now = await service_now(connection)
        erased = await erase(engine, keys, number_of(named), now, by=operator_log.operator())
    except (ValueError, StreamNotFound):
        err.print(f"no player {named}\n  next: name an id, plr_...", markup=False)
        return 2
    except (StillEntered, NotCaughtUp) as error:
        err.print(f"{error.detail} {error.facts or ''}\n  next: try again then", markup=False)
        return 1
    except LastOwner as error:
        err.print(f"{error}\n  next: make somebody else an owner first", markup=False)
        return 1
    finally:
        await engine.dispose()
    out.print(
        f"erased {erased.player}: {erased.tokens} tokens, {erased.calendars} calendars, "
        f"{erased.texts} texts"
    )
    return 0
