"""People, and what their clients need."""

import sys
from pathlib import Path

import rich_click as click

from service.cli.exits import NO, awaited, stop
from service.cli.loading import FILE, owner, settings


@click.command()
@click.option("--check", type=FILE, default=None, help="Compare instead of printing.")
def openapi(check: Path | None) -> None:
    """Print the API's OpenAPI document; with --check FILE, 1 if FILE is another."""
    text: str = owner("service.process.app:openapi_document")()
    if check is None:
        click.echo(text, nl=False)
    elif check.read_text(encoding="utf-8") != text:
        stop(NO, f"{check} is not what the code says", f"run `holotable openapi > {check}`")


@click.group()
def account() -> None:
    """Make accounts, as an operator would."""


@account.command("create")
@click.argument("login")
@click.option("--name", default=None, help="Shown to others.  [dim]default: the login[/]")
@click.password_option(envvar="HOLOTABLE_ACCOUNT_PASSWORD", help="Asked for if not given.")
def create_account(login: str, name: str | None, password: str) -> None:
    """Make an account LOGIN and print its player id."""
    awaited(
        owner("service.process.people:create_account")(settings(), login, name or login, password)
    )


@account.command("reset")
@click.argument("login")
def reset_password(login: str) -> None:
    """
    Print a code by which LOGIN gets a new password, this once.

    The code is good for 24 hours and one password; setting it ends every token of LOGIN.
    Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    awaited(owner("service.process.people:offer_reset")(settings(), login))


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
def create_token(login: str, scopes: tuple[str, ...], days: int) -> None:
    """Make a token for LOGIN and print it, this once."""
    awaited(owner("service.process.people:create_token")(settings(), login, scopes, days))


@token.command("revoke")
@click.argument("named", metavar="TOKEN")
def revoke_token(named: str) -> None:
    """
    End TOKEN and the tokens it made, named by its id or its secret.

    - reads the name from standard input, so that no shell keeps a secret in its history.
    """
    if named == "-":
        named = sys.stdin.readline().strip()
    awaited(owner("service.process.people:revoke_token")(settings(), named))


@click.group()
def player() -> None:
    """What an operator does to a player."""


@player.command("erase")
@click.argument("named", metavar="PLAYER")
@click.option("--yes", is_flag=True, help="Do not ask whether it is meant.")
def erase_player(named: str, yes: bool) -> None:
    """
    Erase PLAYER (plr_...): account, tokens, and texts by and about them; for ever.

    The log stays as it is, and every proof with it.  Needs HOLOTABLE_DATABASE_URL with the
    login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    if not yes:
        click.confirm(f"erase {named} for ever?", abort=True)
    awaited(owner("service.process.people:erase_player")(settings(), named))
