"""The options that ``holotable backup`` and ``restore`` share."""

from pathlib import Path

import rich_click as click

from service.cli.common import FILE

FOLDER = click.Path(file_okay=False, path_type=Path)
DATA = click.option(
    "--data",
    type=FOLDER,
    default=None,
    help="Folder of `holotable up`. Without it, the settings name the database and the key.",
)
PASSPHRASE = click.option(
    "--passphrase-file", type=FILE, default=None, help="File with a passphrase for the keys."
)


def passphrase_in(file: Path | None) -> str | None:
    """Return the first line of *file*."""
    if file is None:
        return None
    passphrase = file.read_text(encoding="utf-8").partition("\n")[0].strip()
    if not passphrase:
        raise click.UsageError(f"{file} is empty")
    return passphrase


def sealing_passphrase_in(file: Path) -> str:
    """Return the first line of *file*, for a file that is always sealed."""
    return passphrase_in(file) or ""
