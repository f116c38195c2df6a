"""``holotable token``: bearer tokens, made and revoked by an operator."""

import sys

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.settings import Settings
from service.base.sources import service_now
from service.cli.common import DRY_RUN, awaited, err, settings
from service.cli.deeds import NotDone, account_of, carried_out
from service.people import operator_log, tokens
from service.process.people import issue_token


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
        owner = await account_of(connection, login)
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
