"""What an operator does from the command line: rebuilds and audits."""

import json

import asyncpg
import msgspec
import psycopg
import sqlalchemy as sa
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.rulesets.errors import RulesetUnknown
from engine.values import number_of
from service.audit import audit_league
from service.audit.run.plan import Plan
from service.audit.run.processes import UnitStopped, in_processes
from service.audit.run.units import Part, Told
from service.base.database import ServerRefused, async_engine
from service.base.errors import EventUnreadable, StoreUnavailable
from service.base.settings import Settings, SettingsInvalid
from service.director.desk import settle
from service.log.keys import Keys
from service.projections.models import ProjectionUnknown
from service.projections.rebuild import RebuildRefused
from service.projections.rebuild import compare as compare_models
from service.projections.rebuild import rebuild as rebuild_models
from service.transparency.signing import asking

_out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)


def explained(error: Exception) -> tuple[int, str, str] | None:
    """Return the exit code, what is wrong and the next step; None for what is a defect."""
    match error:
        case SettingsInvalid():
            return 2, str(error), "see the table of settings in the README"
        case RulesetUnknown():
            return 2, error.detail, "see `holotable rulesets list`"
        case ServerRefused():
            return (
                2,
                str(error),
                "see `Run` in the README for what HOLOTABLE_DATABASE_URL must name",
            )
        case ProjectionUnknown():
            return 2, str(error), "name one of these, or all"
        case RebuildRefused():
            return 1, str(error), "wait for its end"
        case UnitStopped():
            return error.stopped.code, error.stopped.why, error.stopped.step
        case EventUnreadable():
            return 2, str(error), "is HOLOTABLE_SECRET_KEY the one this database was begun with?"
        case StoreUnavailable():
            return 3, f"the database cannot be reached: {error}", "run `holotable doctor`"
        case sa.exc.DBAPIError() | psycopg.Error() | asyncpg.PostgresError():
            return _explained_by_database(error)
        case OSError() | asyncpg.InterfaceError():
            return 3, f"the database cannot be reached: {error}", "run `holotable doctor`"
    return None


def _explained_by_database(error: Exception) -> tuple[int, str, str] | None:
    cause = getattr(error, "orig", None) or error
    state = getattr(cause, "sqlstate", None) or ""
    message = str(cause).splitlines()[0].rpartition(">: ")[2]
    if state == "42501":
        return 2, message, "log in as the role that may: see deploy/postgres/roles.sql"
    if state.startswith("28") or state == "3D000" or "permission denied for database" in message:
        return 2, message, "correct HOLOTABLE_DATABASE_URL"
    if state in {"42P01", "3F000"}:
        return 1, message, "run `holotable migrate`"
    if state[:2] in {"08", "53", "57"} or (not state and "connect" in message):
        return 3, f"the database cannot be reached: {message}", "run `holotable doctor`"
    return None


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=_err,
        disable=not _err.is_terminal,
    )


async def rebuild(settings: Settings, name: str) -> int:
    """Build a read model anew; 1 if a league could not be built whole."""
    settle()
    with _bar() as bar:
        task = bar.add_task(f"rebuilding {name}", total=None)
        broken = await rebuild_models(
            settings, name, lambda done, total: bar.update(task, completed=done, total=total)
        )
    _out.print(f"rebuilt {name}")
    for each in broken:
        _err.print(
            f"{each.league}: {each.name} stands before position {each.position}: {each.reason}",
            markup=False,
        )
    if broken:
        _err.print("  next: repair these leagues; the projector goes on by itself then")
    return 1 if broken else 0


async def compare(settings: Settings, name: str) -> int:
    """Compare a read model with one built anew; 1 if they differ."""
    differences = await compare_models(settings, name)
    for difference in differences:
        _out.print(str(difference))
    _out.print(f"{name}: {len(differences)} differences")
    return 1 if differences else 0


async def audit(
    settings: Settings, league: str, tournament: str | None, jobs: int, as_json: bool
) -> int:
    """
    Audit a league and print the report; 1 if it does not pass, 2 if there is no such thing.

    Args:
        jobs: Processes that do the units; of one, this.
    """
    settle()
    engine = async_engine(settings.database_url, 2)
    try:
        async with engine.connect() as connection, asking(settings) as signer:
            if (missing := await _missing(connection, league, tournament)) is not None:
                _err.print(f"{missing}\n  next: look it up with GET /v1/leagues")
                return 2
            with _bar() as bar:
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
        _out.print_json(json.dumps(msgspec.to_builtins(report)))
    else:
        _out.print(report.text())
    return 0 if report.passed else 1


async def _missing(connection: AsyncConnection, league: str, tournament: str | None) -> str | None:
    """Return what is said of a league or tournament that the log does not know."""
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
            return f"no {category} {identifier}"
    return None
