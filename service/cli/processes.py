"""
``holotable api``, ``worker``, ``project``, ``bots`` and ``openapi``: the processes of the service.

Each command imports its process when it runs, so no process keeps the modules of another in
memory.
"""

from pathlib import Path

import rich_click as click

from service.base.settings import Settings
from service.cli.common import FILE, NO, importing, settings, stop


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


@click.command()
@click.option("--check", type=FILE, default=None, help="Compare FILE instead of printing.")
def openapi(check: Path | None) -> None:
    """Print the API's OpenAPI document. With --check FILE, exit with 1 if FILE differs."""
    with importing():
        from service.process.app import openapi_document

    text = openapi_document()
    if check is None:
        click.echo(text, nl=False)
    elif check.read_text(encoding="utf-8") != text:
        stop(
            NO,
            f"{check} differs from the document of the code",
            f"run `holotable openapi > {check}`",
        )
