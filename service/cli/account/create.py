"""``holotable account create``: make an account, as an operator."""

import sys

import msgspec
import rich_click as click

from service.api.me.accounts import SignUp
from service.base.database import async_engine
from service.base.settings import Settings
from service.base.sources import SystemEntropy, service_now
from service.cli.common import awaited, err, out, settings
from service.people import accounts, operator_log
from service.people.names import named


@click.command("create")
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
