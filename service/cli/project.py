"""``holotable project``: the process that writes the read models."""

import rich_click as click

from service.cli.process_settings import process_settings
from service.projections.following.runner import run


@click.command()
def project() -> None:
    """
    Follow the log and update the read models.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_project, and
    HOLOTABLE_SECRET_KEY.
    """
    run(process_settings())
