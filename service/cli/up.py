"""``holotable up``: the whole stack, until somebody stops it."""

import sys
from pathlib import Path

import rich_click as click

from service.cli.common import server
from service.sandbox.demo.standing import stay


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of the API.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port of the API; 0 takes a free one.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".holotable"),
    show_default=True,
    help="Directory of the log. A restart with the same directory continues it.",
)
def up(host: str, port: int, data: Path) -> None:
    """
    Run the whole stack until you stop it (Ctrl-C).

    Set HOLOTABLE_DATABASE_URL to use your own PostgreSQL, with a login that may make roles and
    databases.
    """
    sys.exit(stay(data.resolve(), host, port, server()))
