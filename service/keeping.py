"""What an operator does from the command line: accounts, rebuilds, audits, checks."""

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final

import asyncpg
import msgspec
import psycopg
from alembic.config import Config
from alembic.script import ScriptDirectory
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from service import accounts
from service.audit import audit_league
from service.database import ROOT, async_engine, asyncpg_dsn, with_database
from service.keys import Keys
from service.projections.rebuild import compare as compare_models
from service.projections.rebuild import rebuild as rebuild_models
from service.settings import Settings, SettingsInvalid, read
from service.sources import DatabaseClock, SystemEntropy

SKEW_ALLOWED: Final = timedelta(seconds=1)

_out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)


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


async def audit(settings: Settings, league: str, tournament: str | None, as_json: bool) -> int:
    """Audit a league and print the report; 1 if it does not pass."""
    engine = async_engine(settings.database_url, 2)
    try:
        async with engine.connect() as connection:
            with _bar() as bar:
                task = bar.add_task("auditing", total=None)
                report = await audit_league(
                    connection,
                    Keys(settings.secret_key),
                    league,
                    tournament=tournament,
                    progress=lambda done, total: bar.update(task, completed=done, total=total),
                )
    finally:
        await engine.dispose()
    if as_json:
        _out.print_json(json.dumps(msgspec.to_builtins(report)))
    else:
        _out.print(report.text())
    return 0 if report.passed else 1


async def create_account(settings: Settings, login: str, name: str, password: str) -> int:
    """Make an account and print its player; 1 if the login is taken."""
    number = SystemEntropy().uuid()
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as connection:
            now = DatabaseClock().now()
            made = await accounts.create(connection, number, login, name, password, now)
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
    finally:
        await engine.dispose()
    _out.print(made.secret)
    return 0


Check = Callable[[asyncpg.Connection, Settings], Awaitable[str]]


async def doctor(environ: Mapping[str, str]) -> int:
    """Print what is well and what is not, each with a next step; 1 if anything is not."""
    try:
        settings = read(environ)
    except SettingsInvalid as error:
        _err.print(f"settings: {error}\n  next: see the table of settings in the README")
        return 2
    _out.print("[green]ok[/]    settings")
    try:
        connection = await asyncpg.connect(asyncpg_dsn(settings.database_url), timeout=5)
    except (OSError, asyncpg.PostgresError) as error:
        _out.print(f"[red]wrong[/] database: {error}\n  next: is it running, is the login right?")
        return 1
    failures = 0
    try:
        for name, check in CHECKS.items():
            try:
                _out.print(f"[green]ok[/]    {name}: {await check(connection, settings)}")
            except CheckFailed as failed:
                failures += 1
                _out.print(f"[red]wrong[/] {name}: {failed}\n  next: {failed.next_step}")
    finally:
        await connection.close()
    return 1 if failures else 0


class CheckFailed(Exception):
    """Something is not as it should be, and what to do about it."""

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message)
        self.next_step = next_step


async def _server(connection: asyncpg.Connection, _settings: Settings) -> str:
    version = connection.get_server_version()
    if version.major < 15:
        raise CheckFailed(f"PostgreSQL {version.major}", "use PostgreSQL 15 or newer")
    return f"PostgreSQL {version.major}.{version.minor}"


async def _schema(connection: asyncpg.Connection, _settings: Settings) -> str:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    newest = ScriptDirectory.from_config(config).get_current_head()
    relation = await connection.fetchval("SELECT to_regclass('alembic_version')")
    here = relation and await connection.fetchval("SELECT version_num FROM alembic_version")
    if here != newest:
        raise CheckFailed(f"at {here}, the code is at {newest}", "run `holotable migrate`")
    return str(here)


async def _clock(connection: asyncpg.Connection, _settings: Settings) -> str:
    skew = await DatabaseClock().measure(connection)
    if abs(skew) > SKEW_ALLOWED:
        raise CheckFailed(f"{skew.total_seconds():+.3f} s off", "keep the machines' clocks in step")
    return f"{skew.total_seconds():+.3f} s off the database's"


async def _broker(_connection: asyncpg.Connection, settings: Settings) -> str:
    if settings.broker_url is None:
        return "none set; only workers need one"
    url = settings.broker_url.removeprefix("pgmq+")
    if not url.startswith("postgres"):
        return "not PostgreSQL; not checked"
    try:
        async with await psycopg.AsyncConnection.connect(url, connect_timeout=5):
            return "answers"
    except psycopg.OperationalError as error:
        own = with_database(settings.database_url, "holotable_broker")
        hint = f"is {own.rpartition('/')[2]} there?"
        raise CheckFailed(str(error), hint) from error


CHECKS: Final[dict[str, Check]] = {
    "server": _server,
    "schema": _schema,
    "clock": _clock,
    "broker": _broker,
}
"""In this order; each returns what it found or raises :class:`CheckFailed`."""
