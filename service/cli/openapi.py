"""``holotable openapi``: print the API's document, or compare a file with it."""

from pathlib import Path

import rich_click as click

from service.cli.common import FILE, NO, stop
from service.process.app import openapi_document


@click.command()
@click.option("--check", type=FILE, default=None, help="Compare FILE instead of printing.")
def openapi(check: Path | None) -> None:
    """Print the API's OpenAPI document. With --check FILE, exit with 1 if FILE differs."""
    text = openapi_document()
    if check is None:
        click.echo(text, nl=False)
    elif check.read_text(encoding="utf-8") != text:
        stop(
            NO,
            f"{check} differs from the document of the code",
            f"run `holotable openapi > {check}`",
        )
