"""``holotable signer new-key``: make a key that signs tree heads."""

from pathlib import Path

import rich_click as click

from service.base.sources import SystemEntropy
from service.cli.common import NO, USAGE, stop
from service.process.signer import make_key


@click.command("new-key")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--name", required=True, help="Name of the signer for clients, such as league.example/1."
)
def new_key(file: Path, name: str) -> None:
    """Write a new private key to FILE (mode 0600) and FILE.pub. Print the public key."""
    secret = SystemEntropy().bytes(32)
    try:
        click.echo(make_key(file, name, secret))
    except FileExistsError:
        stop(NO, f"{file} exists already", "give another file; each key has its own")
    except ValueError as error:
        stop(USAGE, str(error), "give another --name")
