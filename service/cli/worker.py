"""``holotable worker``: the process that does the duties."""

import rich_click as click

from service.cli.process_settings import process_settings
from service.tasks.worker import run_worker


@click.command()
def worker() -> None:
    """
    Run a Celery worker: starts of tournaments, deadlines, awards, audits.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_worker, HOLOTABLE_SECRET_KEY
    and HOLOTABLE_BROKER_URL.
    """
    run_worker(process_settings())
