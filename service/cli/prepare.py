"""``holotable prepare``: make the roles, databases and schema on a server."""

import sys
from pathlib import Path

import rich_click as click

from service.base.database import LOGINS
from service.base.secret_files import write_secret
from service.base.sources import SystemEntropy
from service.process import preparing


@click.command()
@click.argument("url")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the addresses, a secret key and the signer's token here, and print no password.",
)
def prepare(url: str, into: Path | None) -> None:
    """
    Create roles, databases, schema and queue on the server at URL.

    URL has the login of a superuser, or of a role with CREATEROLE and CREATEDB, as managed
    PostgreSQL gives to its users.  "-" reads it from standard input, because other users of the
    machine see arguments.  Prints, once, the address of each login that gets a password, or writes
    it to a file of the login's name, for HOLOTABLE_DATABASE_URL_FILE and
    HOLOTABLE_BROKER_URL_FILE.  A second run changes nothing.
    """
    if url == "-":
        url = sys.stdin.readline().strip()
    if into is not None:
        into.mkdir(mode=0o700, parents=True, exist_ok=True)

    def keep(login: str, address: str) -> None:
        if into is None:
            click.echo(f"{login:<18} {address}")
        else:
            write_secret(into / login, f"{address}\n")

    made = preparing.make_logins(url, keep)
    if into is not None:
        _write_secrets(into)
    preparing.prepare(url, made)
    click.echo("the server is ready")


def _write_secrets(folder: Path) -> None:
    """Make the secrets that *folder* lacks, but no second key for logins of another folder."""
    owned = any((folder / login).exists() for login in LOGINS)
    if not owned:
        click.echo("the logins have their passwords from elsewhere: no secret_key is made here")
    for name in ("secret_key", "signer_token") if owned else ("signer_token",):
        if not (folder / name).exists():
            write_secret(folder / name, f"{SystemEntropy().bytes(32).hex()}\n")
