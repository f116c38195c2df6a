"""What an operator does to people from the command line: accounts, tokens, erasing."""

from uuid import UUID

import msgspec
from rich.console import Console
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.errors import LastOwner
from engine.values import number_of
from service.api.me.accounts import SignUp
from service.base.database import async_engine
from service.base.errors import NotCaughtUp, StreamNotFound
from service.base.settings import Settings
from service.base.sources import SystemEntropy, service_now
from service.people import accounts, operator_log, resetting, sign_ins, tokens
from service.people.erasure import StillEntered, erase
from service.people.names import named
from service.people.sealed_rows import keys_over

_out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)


async def create_account(settings: Settings, login: str, name: str, password: str) -> int:
    """Make an account and print its player; 1 if the login is taken, 2 if the API refused it."""
    try:
        name = named(name)
        msgspec.convert({"login": login, "name": name, "password": password}, SignUp)
    except (msgspec.ValidationError, ValueError) as error:
        _err.print(f"{error}\n  next: see SignUp in api-spec/openapi.yaml", markup=False)
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
        _err.print(f"the login {login} is taken\n  next: choose another")
        return 1
    _out.print(f"plr_{number.hex}")
    return 0


async def create_token(settings: Settings, login: str, scopes: tuple[str, ...], days: int) -> int:
    """Make a token for a login and print its secret, this once; 1 if there is no such login."""
    unknown = set(scopes) - set(tokens.SCOPES)
    if unknown:
        _err.print(f"no scope {', '.join(sorted(unknown))}; there are {', '.join(tokens.SCOPES)}")
        return 2
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as connection:
            owner = await accounts.number_of_login(connection, login)
            if owner is None:
                _err.print(f"no account {login}\n  next: run `holotable account create {login}`")
                return 1
            secret = await _token(connection, owner, scopes or tokens.SCOPES_DEFAULT, days)
    finally:
        await engine.dispose()
    _out.print(secret, markup=False)
    return 0


async def offer_reset(settings: Settings, login: str) -> int:
    """Print a reset code for a login, this once; 1 if there is no such login."""
    engine = async_engine(settings.database_url, 1)
    code = resetting.code_text(SystemEntropy().bytes(resetting.SECRET_BYTES))
    try:
        async with engine.begin() as connection:
            owner = await accounts.number_of_login(connection, login)
            if owner is None:
                _err.print(f"no account {login}\n  next: run `holotable account create {login}`")
                return 1
            await resetting.offer(connection, owner, code, await service_now(connection))
            player = f"plr_{owner.hex}"
            leagues = await operator_log.leagues_of(connection, player)
            by = operator_log.operator()
            await operator_log.add(connection, leagues, by, "password_reset_offered", player)
    finally:
        await engine.dispose()
    _out.print(code, markup=False)
    _err.print("  next: POST it with a new password to /v1/password-resets within 24 hours")
    return 0


async def organiser(settings: Settings, login: str, name: str) -> str:
    """
    Return a new token of the organiser of a stack on one machine.

    The account has no password: whoever may read the stack's secrets may make tokens, and
    nobody else can guess one.
    """
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as connection:
            owner = await accounts.number_of_login(connection, login)
            if owner is None:
                owner, now = SystemEntropy().uuid(), await service_now(connection)
                await accounts.create(connection, owner, login, name, None, now)
            return await _token(connection, owner, tokens.SCOPES_DEFAULT, tokens.DAYS_DEFAULT)
    finally:
        await engine.dispose()


async def take_key_from_password(settings: Settings, login: str) -> bool:
    """Remove the password of *login* if it is the settings' key, as versions before 0025 set it."""
    engine = async_engine(settings.database_url, 1)
    try:
        person = await accounts.by_password(engine, login, settings.secret_key)
        if person is not None:
            async with engine.begin() as connection:
                now = await service_now(connection)
                await accounts.change_password(connection, person.number, None, now)
    finally:
        await engine.dispose()
    return person is not None


async def _token(
    connection: AsyncConnection, owner: UUID, scopes: tuple[str, ...], days: int
) -> str:
    """Make a root token by leave of the operator, and write it down; return its secret."""
    now, entropy = await service_now(connection), SystemEntropy()
    made, secret = tokens.new(entropy.bytes(32), entropy.uuid(), "command line", scopes, days, now)
    await tokens.keep(connection, owner, made, secret)
    await sign_ins.add(connection, owner, "operator", now, token=made.number)
    player = f"plr_{owner.hex}"
    leagues = await operator_log.leagues_of(connection, player)
    await operator_log.add(connection, leagues, operator_log.operator(), "token_made", player)
    return secret


async def revoke_token(settings: Settings, named: str) -> int:
    """End a token, named by its secret or its id; 1 if there is none such."""
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as transaction:
            ended = await tokens.revoke_named(transaction, named, await service_now(transaction))
    finally:
        await engine.dispose()
    if ended is None:
        _err.print("no such token\n  next: give its secret or its id, tok_...")
        return 1
    _out.print(f"revoked tok_{ended.hex}")
    return 0


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
        _err.print(f"no player {named}\n  next: name an id, plr_...", markup=False)
        return 2
    except (StillEntered, NotCaughtUp) as error:
        _err.print(f"{error.detail} {error.facts or ''}\n  next: try again then", markup=False)
        return 1
    except LastOwner as error:
        _err.print(f"{error}\n  next: make somebody else an owner first", markup=False)
        return 1
    finally:
        await engine.dispose()
    _out.print(
        f"erased {erased.player}: {erased.tokens} tokens, {erased.calendars} calendars, "
        f"{erased.texts} texts"
    )
    return 0
