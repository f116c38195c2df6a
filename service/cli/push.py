"""``holotable push new-key``: the key that signs push messages to browsers."""

from pathlib import Path

import rich_click as click

from service.base import drafts
from service.cli.common import NO, err, stop
from service.notices.push import new_private_key, public_key


@click.group()
def push() -> None:
    """Set up push messages to browsers."""


@push.command("new-key")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def new_key(file: Path) -> None:
    """
    Write a new private key to FILE (mode 0600), for HOLOTABLE_PUSH_KEY_FILE. Print the public key.

    Browsers subscribe for one key. With another key, everybody has to subscribe again.
    """
    private = new_private_key()
    try:
        with drafts.new_file(file) as draft:
            draft.write_text(f"{private}\n", encoding="ascii")
    except FileExistsError:
        stop(NO, f"{file} exists already", "give another file")
    click.echo(public_key(private))
    err.print(
        "  next: set HOLOTABLE_PUSH_KEY_FILE and HOLOTABLE_PUSH_CONTACT for the API and the workers"
    )
