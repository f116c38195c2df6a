"""``holotable audit``: decide every action in a league's log again."""

import json

import msgspec
import rich_click as click
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of
from service.audit.run.league import audit_league
from service.audit.run.plan import Plan
from service.audit.run.processes import in_processes
from service.audit.run.units import Part, Told
from service.base.database import async_engine
from service.base.settings import Settings
from service.cli.common import awaited, err, out, settings
from service.cli.progress import progress_bar
from service.director.runtime import settle
from service.log.keys import Keys
from service.transparency.signing import asking


@click.command()
@click.argument("league")
@click.option("--tournament", default=None, help="Audit only the streams of this tournament.")
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Number of processes."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def audit(league: str, tournament: str | None, jobs: int, as_json: bool) -> None:
    """
    Decide every action in the log of LEAGUE again. Exit with 1 if anything differs.

    LEAGUE is an id, lge_..., from GET /v1/leagues.  Needs HOLOTABLE_DATABASE_URL with
    the login of holotable_audit, and HOLOTABLE_SECRET_KEY.
    """
    awaited(print_audit(settings(), league, tournament, jobs, as_json))


async def print_audit(
    settings: Settings, league: str, tournament: str | None, jobs: int, as_json: bool
) -> int:
    """
    Audit a league and print the report. Return 1 if it fails, 2 if the league is unknown.

    Args:
        jobs: The number of processes. With 1, this process does the work.
    """
    settle()
    engine = async_engine(settings.database_url, 2)
    try:
        async with engine.connect() as connection, asking(settings) as signer:
            if (missing := await _missing(connection, league, tournament)) is not None:
                err.print(f"{missing}\n  next: look it up with GET /v1/leagues")
                return 2
            with progress_bar() as bar:
                task = bar.add_task("auditing", total=None)

                async def elsewhere(plan: Plan, told: Told) -> list[Part]:
                    return await in_processes(plan, jobs, told)

                async def progress(done: int, total: int) -> None:
                    bar.update(task, completed=done, total=total)

                report = await audit_league(
                    connection,
                    Keys(*settings.secret_keys),
                    league,
                    tournament=tournament,
                    progress=progress,
                    signer=signer,
                    elsewhere=elsewhere if jobs > 1 else None,
                )
    finally:
        await engine.dispose()
    if as_json:
        out.print_json(json.dumps(msgspec.to_builtins(report)))
    else:
        out.print(report.text())
    return 0 if report.passed else 1


async def _missing(connection: AsyncConnection, league: str, tournament: str | None) -> str | None:
    """Return a message about a league or tournament that the log does not hold, or None."""
    known = "SELECT EXISTS (SELECT FROM events WHERE league = :league AND stream = :stream)"
    for prefix, category, identifier in (
        ("lge_", "league", league),
        ("trn_", "tournament", tournament),
    ):
        if identifier is None:
            continue
        try:
            found = identifier.startswith(prefix) and await connection.scalar(
                sa.text(known),
                {
                    "league": number_of(league),
                    "stream": f"{category}-{number_of(identifier).hex}",
                },
            )
        except ValueError:
            found = False
        if not found:
            return f"there is no {category} {identifier}"
    return None
