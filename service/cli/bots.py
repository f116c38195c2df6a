"""``holotable bots``: the process that plays the house bots."""

import rich_click as click

from service.cli.process_settings import process_settings
from service.sandbox.house.driver import run


@click.command()
def bots() -> None:
    """
    Play the house bots of every league.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_worker, and HOLOTABLE_SECRET_KEY.
    """
    run(process_settings())
