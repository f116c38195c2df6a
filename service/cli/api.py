"""``holotable api``: the process that serves the public API."""

import rich_click as click

from service.cli.process_settings import process_settings
from service.process.app import run


@click.command()
def api() -> None:
    """
    Serve the public API.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    run(process_settings())
