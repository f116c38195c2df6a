"""``holotable restore``: bring a backup back into an empty database."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import asyncpg
import httpx
import rich_click as click

from service.backups import keys as key_rings
from service.backups import manifest as manifests
from service.backups.keys import KeyRing
from service.backups.losing import losses
from service.backups.manifest import BackupRefused, Manifest, said
from service.backups.restoring import Restored
from service.backups.restoring import restore as restore_database
from service.base.addresses import asyncpg_dsn
from service.base.secret_files import write_secret
from service.base.settings import Settings
from service.cli.backup_options import DATA, FOLDER, PASSPHRASE, passphrase_in
from service.cli.common import DRY_RUN, err, out, server, settings
from service.process import at_rest
from service.transparency.memory import forgotten, memory_faults
from service.transparency.signing import SignerAway, asking


@click.command()
@click.argument("source", metavar="BACKUP", type=click.Path(exists=True, path_type=Path))
@DATA
@PASSPHRASE
@click.option(
    "--keys",
    "keys_to",
    type=FOLDER,
    default=None,
    help="Folder to write the keys to, one file each.  With --data they go there.",
)
@click.option("--replace", is_flag=True, help="Remove the present contents of the target.")
@click.option(
    "--even-so", is_flag=True, help="Open the database though its log has faults not known before."
)
@DRY_RUN
def restore(
    source: Path,
    data: Path | None,
    passphrase_file: Path | None,
    keys_to: Path | None,
    replace: bool,
    even_so: bool,
    dry_run: bool,
) -> None:
    """
    Restore BACKUP into an empty database, and check every byte of its log.

    The database must be prepared (`holotable prepare`), and HOLOTABLE_DATABASE_URL must have the
    login of holotable_migrate; or --data, which needs nothing.  If a restore is killed, the
    database stays closed. Run the command again.  Leagues whose log has a fault are suspended.
    """
    with ExitStack() as held:
        manifest = manifests.read(source)
        _tell(manifest)
        if dry_run:
            _rehearse(manifest, data, held)
            return
        passphrase = passphrase_in(passphrase_file)
        ring = KeyRing(settings={}, files={})
        if data is not None or keys_to is not None:
            ring = key_rings.read(source, manifest, passphrase)
            ring = ring if data is None else ring.for_up()
        into: list[tuple[dict[str, str], Path]] = []
        if keys_to is not None:
            into.append((ring.settings | ring.files, keys_to))
        if data is not None:
            at_rest.refuse_running(data, server())
            at_rest.refuse_foreign(data, server(), ring.files)
            replace = replace or at_rest.unfinished(data)
            into.append((ring.files, data / at_rest.SECRETS))
        for contents, folder in into:
            _refuse_others(contents, folder, replace=replace)
        told = settings() if data is None else _begun(data, into, ring, held)

        def closed() -> None:
            for contents, folder in into:
                write_all(contents, folder)

        url = told.database_url
        restoring = restore_database(
            url, source, manifest, told.secret_keys, closed, replace=replace, even_so=even_so
        )
        asyncio.run(_restore(told, manifest, data, restoring))
        if data is not None:
            at_rest.end_restore(data)


def _begun(
    data: Path, into: list[tuple[dict[str, str], Path]], ring: KeyRing, held: ExitStack
) -> Settings:
    """Begin a restore into the folder of ``up``. The last of *into* is the folder's secrets."""
    if at_rest.begin_restore(data, server()):  # this needs no secret
        write_all(*into.pop())
    url = held.enter_context(at_rest.prepared(data, server()))
    return at_rest.settings(data, url, ring.files)


def _rehearse(manifest: Manifest, data: Path | None, held: ExitStack) -> None:
    """
    Print the loss of the target, if there is one. The parts are compared without a target too.
    """
    out.print("every part is as it was backed up; nothing was changed")
    url = server()
    if data is not None and not at_rest.has_database(data, url):
        out.print(f"{data} holds no database yet", markup=False)
        return
    if data is not None:
        url = held.enter_context(at_rest.existing(data, url))
    if url is None:
        out.print("to see what a target would lose, set HOLOTABLE_DATABASE_URL")
        return
    lost = asyncio.run(losses(url, manifest))
    for each in lost:
        kept = f"after its first {each.kept}" if each.kept else "all that it has"
        out.print(
            f"  {each.league} would lose {each.events} events, {kept}; the newest is of "
            f"{each.newest:%Y-%m-%dT%H:%M:%SZ}",
            markup=False,
        )
    events = sum(each.events for each in lost)
    out.print(f"the target would lose {events} events of {len(lost)} leagues", markup=False)


async def _restore(
    told: Settings, manifest: Manifest, data: Path | None, restoring: Awaitable[Restored]
) -> None:
    """Restore, and warn of faults, and if signed heads are newer than the copy."""
    done = await restoring
    for step in done.steps:
        out.print(f"  {step}", markup=False)
    for each in said(done.faults):
        err.print(each, markup=False)
    for league in done.faults:
        err.print(
            f"{league} is suspended\n  next: docs/guides/repairing-a-league.md, and then "
            f"`holotable league restore {league} --reason WHY` as holotable_migrate",
            markup=False,
        )
    signer = await _asked_signer(told, data)
    out.print(f"restored the state of {manifest.taken_at:%Y-%m-%dT%H:%M:%SZ}", markup=False)
    if signer.forgot:
        err.print(
            f"the signer does not remember the signed heads of {len(signer.forgot)} leagues: "
            f"{', '.join(signer.forgot)}",
            markup=False,
        )
    for each in signer.contradictions:
        err.print(each, markup=False)
    knows = signer.compared and not signer.forgot
    out.print(_MEANING[bool(signer.contradictions), knows], markup=False)


class _Signer(NamedTuple):
    """The answer of a signer's memory about the restored database."""

    compared: bool = False
    """False if there is no signer, or it does not answer."""

    contradictions: Sequence[str] = ()
    """A sentence for each league of which it has signed more, or something else."""

    forgot: Sequence[str] = ()
    """The leagues with a signed head that it does not remember. Of these it can prove nothing."""


_MEANING = {
    (
        False,
        False,
    ): "no signer could say what is missing. Events that were signed after the backup are lost, "
    "and players who hold newer signed heads can prove it\n  next: unless nothing happened since "
    "the backup, open an epoch of every league: docs/operating/backup-and-restore.md",
    (True, False): "the signer contradicts some leagues and has forgotten others. Events are lost, "
    "and players who hold newer signed heads can prove it. Nobody can say what the forgotten ones "
    "lost\n  next: tell the players, and open an epoch of every league named above, the forgotten "
    "ones too unless they had just come from another cell: docs/operating/backup-and-restore.md",
    (
        True,
        True,
    ): "the signer remembers more of these leagues. Events are lost, and players who hold "
    "newer signed heads can prove it\n  next: tell the players, and open an epoch of each: "
    "docs/operating/backup-and-restore.md",
    (
        False,
        True,
    ): "the signer knows no signed event that is missing here. It cannot know of unsigned "
    "events: up to a minute of play before the loss",
}


async def _asked_signer(told: Settings, data: Path | None) -> _Signer:
    """Compare the restored database with the signer's memory."""
    connection = await asyncpg.connect(asyncpg_dsn(told.database_url))
    try:
        async with asking(told) if data is None else at_rest.remembering(data) as signer:
            return _Signer() if signer is None else await _compared(connection, signer)
    finally:
        await connection.close()


async def _compared(connection: asyncpg.Connection, signer: httpx.AsyncClient) -> _Signer:
    try:
        _, found = await memory_faults(connection, signer)
        return _Signer(True, found, await forgotten(connection, signer))
    except SignerAway as away:
        err.print(f"{away}: its memory was not compared", markup=False)
        return _Signer()


def _tell(manifest: Manifest) -> None:
    out.print(
        f"a backup of {manifest.taken_at:%Y-%m-%dT%H:%M:%SZ}: {manifest.events} events of "
        f"{len(manifest.leagues)} leagues, schema {manifest.schema}, PostgreSQL "
        f"{manifest.postgresql}, keys: {manifest.keys}",
        markup=False,
    )
    for each in manifest.faults:
        err.print(f"the backup names a fault: {each}", markup=False)


def _refuse_others(contents: Mapping[str, str], folder: Path, *, replace: bool) -> None:
    """Refuse a folder that holds another secret under a name, unless it may be replaced."""
    for name, content in contents.items():
        file = folder / Path(name).name
        if file.exists() and file.read_text(encoding="utf-8") != content and not replace:
            raise BackupRefused(
                f"{file} exists and holds another secret",
                "give another folder, or --replace to replace it",
            )


def write_all(contents: Mapping[str, str], folder: Path) -> None:
    """
    Write secret files. If one exists with other content, write the new one beside it.

    The restore may still fail, and the old database needs its old key.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, content in contents.items():
        file = folder / Path(name).name
        if file.exists() and (before := file.read_text(encoding="utf-8")) != content:
            kept = file.with_name(f"{file.name}.before-restore")
            number = 1
            while kept.exists() and kept.read_text(encoding="utf-8") != before:
                number += 1
                kept = file.with_name(f"{file.name}.before-restore-{number}")
            write_secret(kept, before)
        write_secret(file, content)
