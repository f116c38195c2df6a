"""What an operator does from the command line: accounts, rebuilds, audits, checks."""

import json

import asyncpg
import msgspec
import psycopg
import sqlalchemy as sa
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.errors import LastOwner
from engine.rulesets.errors import RulesetUnknown
from engine.values import number_of
from service import accounts, deeds
from service.api.accounts import SignUp
from service.audit import audit_league
from service.audit.plan import Plan
from service.audit.processes import UnitStopped, in_processes
from service.audit.units import Part, Told
from service.database import ServerRefused, async_engine, asyncpg_dsn
from service.desk import settle
from service.erasing import StillEntered, erase
from service.errors import EventUnreadable, NotCaughtUp, StreamNotFound
from service.keys import Keys
from service.projections.models import ProjectionUnknown
from service.projections.rebuild import RebuildRefused
from service.projections.rebuild import compare as compare_models
from service.projections.rebuild import rebuild as rebuild_models
from service.sealed_rows import keys_over
from service.settings import Settings, SettingsInvalid
from service.sources import DatabaseClock, SystemEntropy
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
    if state.startswith("28") or state == "3D000":
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
    """Build a read model anew; the exit code."""
    settle()
    with _bar() as bar:
        task = bar.add_task(f"rebuilding {name}", total=None)
        await rebuild_models(
            settings, name, lambda done, total: bar.update(task, completed=done, total=total)
        )
    _out.print(f"rebuilt {name}")
    return 0


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
                    Keys(settings.secret_key),
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


async def create_account(settings: Settings, login: str, name: str, password: str) -> int:
    """Make an account and print its player; 1 if the login is taken, 2 if the API refused it."""
    try:
        msgspec.convert({"login": login, "name": name, "password": password}, SignUp)
    except msgspec.ValidationError as error:
        _err.print(f"{error}\n  next: see SignUp in api-spec/openapi.yaml", markup=False)
        return 2
    number = SystemEntropy().uuid()
    kept = await accounts.hashed(password)
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as connection:
            now = DatabaseClock().now()
            made = await accounts.create(connection, number, login, name, kept, now)
    finally:
        await engine.dispose()
    if not made:
        _err.print(f"the login {login} is taken\n  next: choose another")
        return 1
    _out.print(f"plr_{number.hex}")
    return 0


async def create_token(settings: Settings, login: str, scopes: tuple[str, ...], days: int) -> int:
    """Make a token for a login and print its secret, this once; 1 if there is no such login."""
    unknown = set(scopes) - set(accounts.SCOPES)
    if unknown:
        _err.print(f"no scope {', '.join(sorted(unknown))}; there are {', '.join(accounts.SCOPES)}")
        return 2
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        owner = await connection.fetchval("SELECT id FROM account WHERE login = $1", login.lower())
    finally:
        await connection.close()
    if owner is None:
        _err.print(f"no account {login}\n  next: run `holotable account create {login}`")
        return 1
    made = accounts.token_of(
        settings.secret_key,
        SystemEntropy().uuid(),
        "command line",
        scopes or accounts.SCOPES_DEFAULT,
        days,
        DatabaseClock().now(),
    )
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as transaction:
            await accounts.mint(transaction, owner, made)
            player = f"plr_{owner.hex}"
            leagues = await deeds.leagues_of(transaction, player)
            await deeds.add(transaction, leagues, deeds.operator(), "token_made", player)
    finally:
        await engine.dispose()
    _out.print(made.secret)
    return 0


async def revoke_token(settings: Settings, named: str) -> int:
    """End a token, named by its secret or its id; 1 if there is none such."""
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as transaction:
            ended = await accounts.revoke_named(transaction, named, DatabaseClock().now())
    finally:
        await engine.dispose()
    if ended is None:
        _err.print("no such token\n  next: give its secret or its id, tok_...")
        return 1
    _out.print(f"revoked tok_{ended.hex}")
    return 0


async def erase_player(settings: Settings, named: str) -> int:
    """Erase a player for ever; 1 if the rules forbid it now, 2 if there is none such."""
    engine = async_engine(settings.database_url, 2)
    try:
        if not named.startswith("plr_"):
            raise ValueError(named)
        keys = keys_over(engine, settings.secret_key)
        now, by = DatabaseClock().now(), deeds.operator()
        erased = await erase(engine, keys, number_of(named), now, by=by)
    except (ValueError, StreamNotFound):
        _err.print(f"no player {named}\n  next: name an id, plr_...", markup=False)
        return 2
    except (StillEntered, NotCaughtUp) as error:
        _err.print(f"{error.detail} {error.facts or ''}\n  next: try again then", markup=False)
        return 1
    except LastOwner as error:
        _err.print(f"{error}\n  next: make somebody else an owner first", markup=False)
        return 1
    finally:
        await engine.dispose()
    _out.print(
        f"erased {erased.player}: {erased.tokens} tokens, {erased.calendars} calendars, "
        f"{erased.texts} texts"
    )
    return 0
