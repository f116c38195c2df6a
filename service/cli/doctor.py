"""``holotable doctor``: the state of each part of the service, and the next step."""

import os
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final

import asyncpg
import psycopg
import rich_click as click
from alembic.script import ScriptDirectory
from rich.markup import escape

from service.base import migrations
from service.base.addresses import asyncpg_dsn, with_database
from service.base.errors import LeagueKeyUnknown
from service.base.heartbeats import SILENCE
from service.base.pools import MAILING
from service.base.settings import PASSWORD_MEMORY_KIB, Settings, SettingsInvalid, read
from service.base.sources import skew
from service.cli.common import awaited, err, out
from service.log.keys import Keys
from service.notices.smtp import Away, Post
from service.people import quarantine
from service.projections import troubles
from service.tasks.messages import unreadable
from service.transparency.memory import memory_faults
from service.transparency.signing import SignerAway, asking

SKEW_ALLOWED: Final = timedelta(seconds=1)
SHOWN: Final = 3
"""The number of leagues that one line names. The rest are counted."""

Check = Callable[[asyncpg.Connection, Settings], Awaitable[str]]


@click.command()
def doctor() -> None:
    """
    Check settings, database, schema, clock, broker, signer, mail, projections, quarantine, audits.

    Exit with 1 if a check fails, 3 if the database is not available. Weak hashing of passwords is
    only a warning.
    """
    awaited(examine(os.environ))


async def examine(environ: Mapping[str, str]) -> int:
    """Print every check, and its next step. Return 1 if one fails, 3 without a database."""
    try:
        settings = read(environ)
    except SettingsInvalid as error:
        err.print(f"settings: {error}\n  next: see the table of settings in the README")
        return 2
    out.print("[green]ok[/]    settings")
    if settings.password_memory_kib < PASSWORD_MEMORY_KIB:
        out.print(
            f"[yellow]weak[/]  passwords: hashing takes {settings.password_memory_kib} KiB, and "
            f"{PASSWORD_MEMORY_KIB} KiB by default\n"
            "  next: unset HOLOTABLE_PASSWORD_MEMORY_KIB; a password is hashed anew when it is "
            "changed"
        )
    try:
        connection = await asyncpg.connect(asyncpg_dsn(settings.database_url), timeout=5)
    except (OSError, asyncpg.PostgresError) as error:
        out.print(f"[red]wrong[/] database: {error}\n  next: check the server and the login")
        away = OSError | asyncpg.CannotConnectNowError | TimeoutError
        return 3 if isinstance(error, away) else 1
    failures = 0
    try:
        for name, check in CHECKS.items():
            try:
                out.print(f"[green]ok[/]    {name}: {await check(connection, settings)}")
            except CheckFailed as failed:
                failures += 1
                said = escape(f"{name}: {failed}\n  next: {failed.next_step}")
                out.print(f"[red]wrong[/] {said}")
            except asyncpg.InsufficientPrivilegeError:
                out.print(f"--    {name}: not checked, this login may not read it")
            except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError):
                failures += 1
                out.print(
                    f"[red]wrong[/] {name}: there are no relations\n  next: run `holotable migrate`"
                )
    finally:
        await connection.close()
    return 1 if failures else 0


class CheckFailed(Exception):
    """A failed check, with the next step."""

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message)
        self.next_step = next_step


async def _server(connection: asyncpg.Connection, _settings: Settings) -> str:
    version = connection.get_server_version()
    if version.major < 15:
        raise CheckFailed(f"PostgreSQL {version.major}", "use PostgreSQL 15 or newer")
    return f"PostgreSQL {version.major}.{version.minor}"


async def _schema(connection: asyncpg.Connection, _settings: Settings) -> str:
    newest = ScriptDirectory.from_config(migrations.config()).get_current_head()
    relation = await connection.fetchval("SELECT to_regclass('alembic_version')")
    here = relation and await connection.fetchval("SELECT version_num FROM alembic_version")
    if here != newest:
        raise CheckFailed(
            f"the schema is at {here}, the code needs {newest}", "run `holotable migrate`"
        )
    return str(here)


async def _clock(connection: asyncpg.Connection, _settings: Settings) -> str:
    behind = await skew(connection)
    if abs(behind) > SKEW_ALLOWED:
        raise CheckFailed(
            f"{behind.total_seconds():+.3f} s off", "keep the machines' clocks in step"
        )
    return f"{behind.total_seconds():+.3f} s off the database's"


async def _keys(connection: asyncpg.Connection, settings: Settings) -> str:
    keys, foreign = Keys(*settings.secret_keys), 0
    rows = await connection.fetch("SELECT league, key_id, wrapped FROM key")
    for row in rows:
        try:
            keys.unwrap(row["league"], row["key_id"], row["wrapped"])
        except LeagueKeyUnknown:
            foreign += 1
    if foreign:
        raise CheckFailed(
            f"{foreign} of {len(rows)} leagues' keys were wrapped by another secret key",
            "start every process with that key, or name it in HOLOTABLE_SECOND_SECRET_KEY",
        )
    return f"open the keys of all {len(rows)} leagues"


async def _broker(_connection: asyncpg.Connection, settings: Settings) -> str:
    if settings.broker_url is None:
        return "none set; only workers need one"
    url = settings.broker_url.removeprefix("pgmq+")
    if not url.startswith("postgres"):
        return "not PostgreSQL; not checked"
    try:
        async with await psycopg.AsyncConnection.connect(url, connect_timeout=5) as broker:
            put_away = await unreadable(broker)
    except psycopg.OperationalError as error:
        own = with_database(settings.database_url, "holotable_broker")
        hint = f"check that the database {own.rpartition('/')[2]} exists"
        raise CheckFailed(str(error), hint) from error
    if sum(put_away.values()):
        said = ", ".join(f"{queue}: {number}" for queue, number in put_away.items())
        raise CheckFailed(
            f"unreadable messages were put away ({said})",
            "change the password of the broker's login, then empty pgmq.a_play and a_long",
        )
    return "answers"


async def _signer(connection: asyncpg.Connection, settings: Settings) -> str:
    async with asking(settings) as signer:
        if signer is None:
            return "none set; only workers and audits ask it"
        try:
            signed, faults = await memory_faults(connection, signer)
        except SignerAway as away:
            raise CheckFailed(
                str(away), "start `holotable signer`; unsigned heads wait, and nothing is lost"
            ) from away
    if faults:
        raise CheckFailed(
            "; ".join(faults),
            "look for the lost events before anything else; see docs/guides/signed-heads.md",
        )
    return f"remembers the heads of {signed} leagues; each is in its log"


async def _mail(_connection: asyncpg.Connection, settings: Settings) -> str:
    if settings.smtp_url is None or settings.mail_from is None:
        return "none set; nothing is mailed"
    try:
        await MAILING.run(None, Post(settings.smtp_url, settings.mail_from).greet)
    except Away as away:
        raise CheckFailed(
            str(away), "check HOLOTABLE_SMTP_URL; mail waits until the server takes it"
        ) from away
    return "the mail server answers"


async def _projections(connection: asyncpg.Connection, _settings: Settings) -> str:
    if names := await troubles.outdated(connection):
        raise CheckFailed(
            f"{', '.join(names)} stopped: the rows are of another version",
            f"run `holotable projections rebuild {names[0]}` as holotable_project",
        )
    return "made by this version"


async def _quarantine(connection: asyncpg.Connection, _settings: Settings) -> str:
    held = await quarantine.held(connection)
    if held:
        more = f" and {len(held) - SHOWN} more" if len(held) > SHOWN else ""
        raise CheckFailed(
            "; ".join(str(each) for each in held[:SHOWN]) + more,
            "see `holotable quarantine list`, and release what has been repaired",
        )
    return "no league is held"


async def _audits(connection: asyncpg.Connection, _settings: Settings) -> str:
    failed = await troubles.failed_audits(connection)
    if failed:
        more = f" and {len(failed) - SHOWN} more" if len(failed) > SHOWN else ""
        raise CheckFailed(
            "; ".join(str(each) for each in failed[:SHOWN]) + more,
            "run `holotable audit LEAGUE` for the reason; this stays red until an audit passes",
        )
    return "the last of every league passed"


async def _heartbeats(connection: asyncpg.Connection, settings: Settings) -> str:
    rows = await connection.fetch(
        "SELECT process, extract(epoch FROM service_time() - at)::float AS silent FROM heartbeat"
        " ORDER BY process"
    )
    limit = SILENCE * settings.heartbeat_seconds
    silent = [row for row in rows if row["silent"] > limit]
    if silent:
        raise CheckFailed(
            "; ".join(f"no {row['process']} for {row['silent']:.0f} s" for row in silent),
            "start the process again if it is down or stuck; open decisions get their time back",
        )
    return f"running: {', '.join(row['process'] for row in rows) or 'none started yet'}"


CHECKS: Final[dict[str, Check]] = {
    "server": _server,
    "schema": _schema,
    "clock": _clock,
    "keys": _keys,
    "broker": _broker,
    "signer": _signer,
    "mail": _mail,
    "projections": _projections,
    "quarantine": _quarantine,
    "audits": _audits,
    "heartbeats": _heartbeats,
}
"""The checks in order. Each returns its finding or raises :class:`CheckFailed`."""
