"""Tokens that an operator makes, for people and for the organiser of a stack."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.database import async_engine
from service.base.settings import Settings
from service.base.sources import SystemEntropy, service_now
from service.people import accounts, operator_log, sign_ins, tokens


async def organiser(settings: Settings, login: str, name: str) -> str:
    """
    Return a new token for the organiser of a stack on one machine.

    The account has no password. Anybody who can read the stack's secrets can make tokens, and
    nobody else can guess one.
    """
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as connection:
            owner = await accounts.number_of_login(connection, login)
            if owner is None:
                owner, now = SystemEntropy().uuid(), await service_now(connection)
                await accounts.create(connection, owner, login, name, None, now)
            return await issue_token(connection, owner, tokens.SCOPES_DEFAULT, tokens.DAYS_DEFAULT)
    finally:
        await engine.dispose()


async def take_key_from_password(settings: Settings, login: str) -> bool:
    """Remove the password of *login* if it is the settings' key, as versions before 0025 set it."""
    engine = async_engine(settings.database_url, 1)
    try:
        person = await accounts.by_password(
            engine, login, settings.secret_key, settings.password_memory_kib
        )
        if person is not None:
            async with engine.begin() as connection:
                now = await service_now(connection)
                await accounts.change_password(connection, person.number, None, now)
    finally:
        await engine.dispose()
    return person is not None


async def issue_token(
    connection: AsyncConnection, owner: UUID, scopes: tuple[str, ...], days: int
) -> str:
    """Make a root token for the operator, record it, and return its secret."""
    now, entropy = await service_now(connection), SystemEntropy()
    made, secret = tokens.new(entropy.bytes(32), entropy.uuid(), "command line", scopes, days, now)
    await tokens.keep(connection, owner, made, secret)
    await sign_ins.add(connection, owner, "operator", now, token=made.number)
    player = f"plr_{owner.hex}"
    leagues = await operator_log.leagues_of(connection, player)
    await operator_log.add(connection, leagues, operator_log.operator(), "token_made", player)
    return secret
