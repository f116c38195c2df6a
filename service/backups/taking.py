"""Taking a backup while the service runs."""

import asyncio
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from uuid import UUID

import asyncpg
import msgspec

from engine.values import identifier
from service.backups import keys as key_rings
from service.backups import manifest as manifests
from service.backups import programs
from service.backups.checking import faults_of, key_faults
from service.backups.manifest import DUMP, BackupRefused, League, LogFault, Manifest, part_of
from service.base import drafts
from service.base.addresses import asyncpg_dsn
from service.base.drivers import Driver
from service.base.secret_files import write_secret
from service.base.settings import Settings
from service.log.keys import Keys
from service.log.read import epoch_of, last_position, leagues
from service.people import operator_log
from service.transparency import ledger

_HEAD = """
    SELECT size, note FROM checkpoint WHERE league = $1 AND epoch = $2 ORDER BY size DESC LIMIT 1
"""
_OWNER = "SELECT pg_has_role(current_user, datdba, 'USAGE') FROM pg_database WHERE datname = $1"


def take(
    settings: Settings,
    target: Path,
    *,
    files: Mapping[str, Path],
    with_keys: bool = True,
    passphrase: str | None = None,
) -> Manifest:
    """
    Copy the database and the keys into the new folder *target*.

    The folder has its name only when it is complete. All parts describe one instant: ``pg_dump``
    reads the snapshot of the transaction that reads the ends of the leagues.

    Args:
        settings: The settings, with the login of ``holotable_migrate``.
        files: Further secret files by their names in the backup.
        with_keys: False to leave out every key.
        passphrase: Seals the keys.

    Raises:
        BackupRefused: If a backup is not possible. Nothing is left behind.

    A fault of the log is no reason to take no backup. The manifest names it.

    The operators' log records the beginning before a byte is copied, and the end once the folder
    has its name. A backup that was killed in between is complete if its folder has its name.
    """
    try:
        with drafts.new_folder(target) as draft:
            made = asyncio.run(_copy(settings, draft, target.name))
            if with_keys:
                ring = key_rings.collect(settings, files)
                name = key_rings.write(ring, draft, passphrase)
                made = msgspec.structs.replace(
                    made,
                    keys="plain" if passphrase is None else "sealed",
                    parts=made.parts | {name: part_of(draft / name)},
                )
            manifests.write(made, draft)
    except FileExistsError as error:
        raise BackupRefused(str(error), "give another folder") from None
    asyncio.run(_end(settings, target.name, made))
    return made


async def _copy(settings: Settings, folder: Path, name: str) -> Manifest:
    """Dump the database into *folder*, and describe it. *name* is the backup's."""
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        database = await connection.fetchval("SELECT current_database()")
        if not await connection.fetchval(_OWNER, database):
            raise BackupRefused(
                f"this login may not read all of {database}",
                "set HOLOTABLE_DATABASE_URL with the login of holotable_migrate",
            )
        server = connection.get_server_version().major
        program, dumper = programs.find("pg_dump", server, server, os.environ)
        await _record(connection, "backup_begun", name)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            snapshot = await connection.fetchval("SELECT pg_export_snapshot()")
            closed = await _closed(connection, settings)
            taken_at = await connection.fetchval("SELECT transaction_timestamp()")
            schema = await connection.fetchval("SELECT version_num FROM alembic_version")
            ends = {
                identifier("lge", league): await _checked(connection, league, closed)
                for league in await leagues(connection)
            }
            write_secret(folder / DUMP, b"")  # so that pg_dump fills a file of mode 0600
            arguments = ["--format=custom", f"--snapshot={snapshot}", f"--file={folder / DUMP}"]
            programs.run(program, arguments, settings.database_url)
    finally:
        await connection.close()
    return Manifest(
        holotable=version("holotable"),
        taken_at=taken_at,
        postgresql=server,
        dumped_by=dumper,
        schema=schema,
        keys="none",
        leagues=ends,
        parts={DUMP: part_of(folder / DUMP)},
    )


async def _end(settings: Settings, name: str, made: Manifest) -> None:
    """Record the end. The reason of the entry is what the doctor shows: the faults."""
    found = "; ".join(made.faults)[: operator_log.REASON_MAX] or None
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        await _record(connection, "backup_taken", name, found)
    finally:
        await connection.close()


async def _record(
    connection: Driver, kind: operator_log.Kind, name: str, reason: str | None = None
) -> None:
    """Record the backup in the operators' log, which shows the age of the newest one."""
    await operator_log.add(connection, [None], operator_log.operator(), kind, name, reason)


async def _closed(connection: Driver, settings: Settings) -> dict[str, LogFault]:
    """Return the leagues that no key of the settings opens. Refuse if none is opened."""
    found = await key_faults(connection, Keys(*settings.secret_keys))
    if found is None:
        raise BackupRefused(
            "HOLOTABLE_SECRET_KEY opens no league, so nobody could use this backup",
            "set the key of the running service, and HOLOTABLE_SECOND_SECRET_KEY while the key is "
            "being changed",
        )
    return found


async def _checked(connection: Driver, league: UUID, closed: Mapping[str, LogFault]) -> League:
    """Return the end of a league's log with the faults that a restore will find."""
    end, name = await end_of(connection, league), identifier("lge", league)
    found = await faults_of(connection, name, end)
    if name in closed:
        found.append(closed[name])
    return msgspec.structs.replace(end, faults=tuple(found))


async def end_of(connection: Driver, league: UUID) -> League:
    """Return the end of a league's log, and its newest signed head."""
    epoch, events = await epoch_of(connection, league), await last_position(connection, league) + 1
    head = await connection.fetchrow(_HEAD, league, epoch)
    return League(
        events=events,
        root=(await ledger.root_at(connection, league, events)).hex(),
        epoch=epoch,
        signed=0 if head is None else head["size"],
        head=None if head is None else head["note"],
    )
