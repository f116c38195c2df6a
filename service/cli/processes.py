"""The processes of the service."""

import rich_click as click

from service.cli.loading import owner, settings


@click.command()
def api() -> None:
    """
    Serve the public API.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    owner("service.process.app:run")(settings())


@click.command()
def worker() -> None:
    """
    Run a Celery worker: starts of tournaments, deadlines, awards, audits.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_worker, HOLOTABLE_SECRET_KEY
    and HOLOTABLE_BROKER_URL.
    """
    owner("service.tasks:run_worker")(settings())


@click.command()
def project() -> None:
    """
    Follow the log and keep the read models.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_project, and
    HOLOTABLE_SECRET_KEY.
    """
    owner("service.projections.runner:run")(settings())
