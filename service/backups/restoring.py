"""
Restoring a backup into an empty database, in steps that may be killed and repeated.

Before the first change, the database is closed to every process and marked. It opens again when
everything has been checked. A restore that was killed is therefore easy to see: no process can log
in, and the database's comment says why. The next restore begins from the start.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import asyncpg

from service.backups import programs
from service.backups.checking import faults, key_faults
from service.backups.manifest import DUMP, BackupRefused, LogFault, Manifest, said
from service.base import migrations
from service.base.addresses import asyncpg_dsn
from service.base.database import OWNER, UNFINISHED, async_engine, close_logins, open_logins
from service.base.errors import StreamNotFound
from service.log.keys import Keys
from service.people import operator_log
from service.people.suspending import suspend_league

_MARK = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = $1"
_OWNER = "SELECT pg_has_role(current_user, datdba, 'USAGE') FROM pg_database WHERE datname = $1"
_OTHERS = """
    SELECT DISTINCT usename FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL
"""
_SCHEMAS = r"""
    SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)' ORDER BY nspname
"""
_FILLED = "SELECT EXISTS (SELECT FROM events) OR EXISTS (SELECT FROM account)"
_SHOWN = 5
_OTHER_KEY = (
    "the database stays closed; run the command again with the HOLOTABLE_SECRET_KEY of that time"
)
_HOLD = "hash chains, trees and signed heads hold"
_HOLD_BUT = "hash chains, trees and signed heads of every other league hold"


class Restored(NamedTuple):
    """The deeds of a restore, and its findings."""

    steps: list[str]
    """One sentence each."""

    faults: dict[str, list[LogFault]]
    """By league that was suspended for them."""


async def restore(
    url: str,
    folder: Path,
    manifest: Manifest,
    secret_keys: tuple[str, ...],
    closed: Callable[[], None] = lambda: None,
    *,
    replace: bool,
    even_so: bool = False,
) -> Restored:
    """
    Restore the database of a backup. The manifest must have been read and compared.

    Args:
        url: A prepared database, with the login of ``holotable_migrate``.
        secret_keys: The settings' keys, the current one first. Empty to leave them unchecked.
        closed: Called before the database is emptied, when it is closed and no process is logged
          in.
        replace: True to remove the database's present contents.
        even_so: True to open the database with faults that the manifest does not name.

    Raises:
        BackupRefused: If a restore is not possible. After a fault that the manifest does not name
            the database stays closed.
    """
    _check_schema(manifest)
    connection = await asyncpg.connect(asyncpg_dsn(url))
    try:
        name = await connection.fetchval("SELECT current_database()")
        program = await _check_target(connection, manifest, name, replace=replace)
        await connection.execute(f"SET ROLE {OWNER}")
        await _close(connection, name)
        closed()
        await _empty(connection)
        # One transaction: either all relations exist with all their rows, or none do.
        arguments = ["--exit-on-error", "--single-transaction", "--no-owner", f"--role={OWNER}"]
        programs.run(program, [*arguments, str(folder / DUMP)], url)
        done = [f"{manifest.events} events of {len(manifest.leagues)} leagues"]
        found = await _check(connection, manifest, secret_keys, even_so=even_so)
        done.append(_HOLD_BUT if found else _HOLD)
        if manifest.schema != migrations.newest():
            migrations.migrate(url, restoring=True)
            done.append(f"the schema was migrated from {manifest.schema}")
        await _record(connection, f"{folder.name} of {manifest.taken_at:%Y-%m-%dT%H:%M:%SZ}")
        await _suspend(url, found)
        await connection.execute("ANALYZE")
        await open_logins(connection, name)
    finally:
        await connection.close()
    return Restored(done, found)


async def _suspend(url: str, found: Mapping[str, list[LogFault]]) -> None:
    """Let no damaged league take commands, until an operator has seen what is wrong with it."""
    engine = async_engine(url, 1)
    by = operator_log.operator()
    try:
        async with engine.begin() as connection:
            for league, faults_here in found.items():
                about = f"restored with faults: {'; '.join(each.said for each in faults_here)}"
                with suppress(StreamNotFound):  # the copy holds no event of it
                    await suspend_league(connection, league, by, about[: operator_log.REASON_MAX])
    finally:
        await engine.dispose()


def _check_schema(manifest: Manifest) -> None:
    if migrations.unknown(manifest.schema):
        raise BackupRefused(
            f"the backup's schema {manifest.schema} is newer than this program",
            f"install Holotable {manifest.holotable} or newer",
        )


async def _record(connection: asyncpg.Connection, about: str) -> None:
    by = operator_log.operator()
    await operator_log.add(connection, [None], by, "backup_restored", about)


async def _check_target(
    connection: asyncpg.Connection, manifest: Manifest, name: str, *, replace: bool
) -> Path:
    """Return the program that restores, after checking that the database may be filled."""
    if not await connection.fetchval(_OWNER, name):
        raise BackupRefused(
            f"this login may not fill {name}",
            "set HOLOTABLE_DATABASE_URL with the login of holotable_migrate",
        )
    server = connection.get_server_version().major
    if server < manifest.postgresql:
        raise BackupRefused(
            f"the backup is of PostgreSQL {manifest.postgresql}, this server is {server}",
            f"restore to PostgreSQL {manifest.postgresql} or newer",
        )
    begun = await connection.fetchval(_MARK, name)
    relations = await connection.fetchval("SELECT to_regclass('account')")
    if begun != UNFINISHED and not replace and relations and await connection.fetchval(_FILLED):
        raise BackupRefused(
            f"{name} is not empty",
            "restore to an empty database, or give --replace to remove what is there",
        )
    await _check_alone(connection, name)
    return programs.find("pg_restore", manifest.dumped_by, server, os.environ)[0]


async def _close(connection: asyncpg.Connection, name: str) -> None:
    """Close the database, or leave it open if a process has logged in meanwhile."""
    begun = await connection.fetchval(_MARK, name)
    await close_logins(connection, name)
    try:
        await _check_alone(connection, name)
    except BackupRefused:
        if begun != UNFINISHED:
            await open_logins(connection, name)
        raise


async def _check_alone(connection: asyncpg.Connection, name: str) -> None:
    """Refuse if a process is logged in. Closing the database ends no session."""
    if others := [row[0] for row in await connection.fetch(_OTHERS)]:
        raise BackupRefused(
            f"{name} is in use by {', '.join(sorted(others))}",
            "stop every process of Holotable, and run the command again",
        )


async def _empty(connection: asyncpg.Connection) -> None:
    """Remove everything from the database, and make ``public`` again as in a new one."""
    async with connection.transaction():
        for (schema,) in await connection.fetch(_SCHEMAS):
            await connection.execute(f'DROP SCHEMA "{schema}" CASCADE')
        await connection.execute("CREATE SCHEMA public AUTHORIZATION pg_database_owner")
        await connection.execute("GRANT USAGE ON SCHEMA public TO PUBLIC")
        await connection.execute("COMMENT ON SCHEMA public IS 'standard public schema'")


async def _check(
    connection: asyncpg.Connection,
    manifest: Manifest,
    secret_keys: tuple[str, ...],
    *,
    even_so: bool,
) -> dict[str, list[LogFault]]:
    """Compare the log with the manifest, open every league's key, and return the faults."""
    found = await faults(connection, manifest.leagues)
    for league, fault in (await _closed(connection, secret_keys)).items():
        found.setdefault(league, []).append(fault)
    unnamed = {
        league: [each for each in faults_here if not manifest.names(league, each)]
        for league, faults_here in found.items()
    }
    if (told := said(unnamed)) and not even_so:
        more = len(told) - _SHOWN
        rest = f", and {more} more faults" if more > 0 else ""
        step = (
            "the database stays closed; restore another backup, or this one with --even-so, which "
            "suspends the leagues with a fault and opens the others"
        )
        if all(each.check == "key" for faults_here in unnamed.values() for each in faults_here):
            step = f"{_OTHER_KEY}, or with --even-so, which suspends these leagues"
        raise BackupRefused(
            f"what was restored does not hold: {'; '.join(told[:_SHOWN])}{rest}", step
        )
    return found


async def _closed(
    connection: asyncpg.Connection, secret_keys: tuple[str, ...]
) -> dict[str, LogFault]:
    """Return the leagues that no key opens. Refuse if none is opened."""
    found = await key_faults(connection, Keys(*secret_keys)) if secret_keys else {}
    if found is None:
        raise BackupRefused(
            "the settings' key does not open the leagues of this backup", _OTHER_KEY
        )
    return found
