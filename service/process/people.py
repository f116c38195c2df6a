"""Tokens that an operator makes, for people and for the organiser of a stack."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.database import async_engine
from service.base.errors import StreamNotFound
from service.base.settings import Settings
from service.base.sources import SystemEntropy, service_now
from service.people import accounts, operator_log, sign_ins, tokens

LINK_DAYS = 7
"""Days for which an unused sign-in link works. A session from it lasts as long."""


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


async def sign_in_code(settings: Settings, login: str) -> str:
    """
    Return the code of a sign-in link for *login*, whose account exists.

    It is a token with its secret. The link's page gives the token another secret, so the link works
    once.
    """
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as connection:
            owner = await accounts.number_of_login(connection, login)
            if owner is None:
                raise StreamNotFound(f"there is no account {login}")
            number, secret = await _issued(
                connection, owner, tokens.SCOPES_OF_PEOPLE, LINK_DAYS, "console"
            )
            return f"tok_{number.hex}.{secret}"
    finally:
        await engine.dispose()


async def take_key_from_password(settings: Settings, login: str) -> bool:
    """Remove the password of *login* if it is the settings' key, as versions before 0025 set it."""
    engine = async_engine(settings.database_url, 1)
    try:
        found = await accounts.by_password(
            engine, login, settings.secret_key, settings.password_memory_kib
        )
        if found is not None:
            async with engine.begin() as connection:
                now = await service_now(connection)
                await accounts.change_password(connection, found.account.number, None, now)
    finally:
        await engine.dispose()
    return found is not None


async def issue_token(
    connection: AsyncConnection, owner: UUID, scopes: tuple[str, ...], days: int
) -> str:
    """Make a root token for the operator, record it, and return its secret."""
    _, secret = await _issued(connection, owner, scopes, days, "command line")
    return secret


async def _issued(
    connection: AsyncConnection, owner: UUID, scopes: tuple[str, ...], days: int, name: str
) -> tuple[UUID, str]:
    now, entropy = await service_now(connection), SystemEntropy()
    made, secret = tokens.new(entropy.bytes(32), entropy.uuid(), name, scopes, days, now)
    await tokens.keep(connection, owner, made, secret)
    await sign_ins.add(connection, owner, "operator", now, token=made.number)
    await operator_log.add_on(connection, f"plr_{owner.hex}", operator_log.operator(), "token_made")
    return made.number, secret
