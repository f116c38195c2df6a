"""
``holotable api``, ``worker``, ``project`` and ``bots``: the processes of the service.

Each command imports its process when it runs, so no process keeps the modules of another in
memory.
"""

import rich_click as click

from service.base.settings import Settings
from service.cli.common import importing, settings


def checked() -> Settings:
    """Return the settings, or end the process if an address leads to a pooler of sessions."""
    found = settings()
    from service.base.pooling import refuse_shared_sessions

    refuse_shared_sessions(found.database_url)
    if found.broker_url is not None and found.broker_url.startswith("postgres"):
        refuse_shared_sessions(found.broker_url)
    return found


@click.command()
def api() -> None:
    """
    Serve the public API.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    with importing():
        from service.process.app import run

    run(checked())


@click.command()
def worker() -> None:
    """
    Run a Celery worker: starts of tournaments, deadlines, awards, audits.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_worker, HOLOTABLE_SECRET_KEY
    and HOLOTABLE_BROKER_URL.
    """
    with importing():
        from service.tasks import run_worker

    run_worker(checked())


@click.command()
def project() -> None:
    """
    Follow the log and update the read models.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_project, and
    HOLOTABLE_SECRET_KEY.
    """
    with importing():
        from service.projections.runner import run

    run(checked())


@click.command()
def bots() -> None:
    """
    Play the house bots of every league.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_worker, and HOLOTABLE_SECRET_KEY.
    """
    with importing():
        from service.sandbox.house.driver import run

    run(checked())
