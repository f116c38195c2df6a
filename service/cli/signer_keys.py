"""``holotable signer new-key``, ``keys`` and ``revoke``: the keys that sign tree heads."""

from pathlib import Path

import asyncpg
import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.addresses import asyncpg_dsn
from service.base.settings import Settings
from service.base.sources import SystemEntropy
from service.cli.common import DRY_RUN, NO, USAGE, awaited, out, settings, stop
from service.cli.deeds import NotDone, carried_out
from service.log.keys import driver_of
from service.people import operator_log
from service.process.signer import make_key

_KEYS = """
    SELECT verifier_key, event, at, reason FROM signer_key ORDER BY verifier_key, at
"""

_REVOKE = """
    INSERT INTO signer_key (verifier_key, event, reason)
    SELECT verifier_key, 'revoked', $2 FROM signer_key
     WHERE verifier_key = $1 AND event = 'published'
    ON CONFLICT DO NOTHING RETURNING at
"""


@click.command("new-key")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--name", required=True, help="Name of the signer for clients, such as league.example/1."
)
def new_key(file: Path, name: str) -> None:
    """Write a new private key to FILE (mode 0600) and FILE.pub. Print the public key."""
    secret = SystemEntropy().bytes(32)
    try:
        click.echo(make_key(file, name, secret))
    except FileExistsError:
        stop(NO, f"{file} exists already", "give another file; each key has its own")
    except ValueError as error:
        stop(USAGE, str(error), "give another --name")


@click.command("keys")
def list_keys() -> None:
    """List the public keys of all signed heads, and their revocations."""
    awaited(print_keys(settings()))


@click.command("revoke")
@click.argument("key")
@click.option("--reason", required=True, help="Reason, shown with the public keys.")
@DRY_RUN
def revoke_key(key: str, reason: str, dry_run: bool) -> None:
    """Revoke the public KEY. Heads that it signs later are refused."""
    awaited(revoke(settings(), key, reason, dry_run=dry_run))


async def print_keys(settings: Settings) -> int:
    """Print every public key with its history."""
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        rows = await connection.fetch(_KEYS)
    finally:
        await connection.close()
    for row in rows:
        reason = f": {row['reason']}" if row["reason"] else ""
        out.print(
            f"{row['verifier_key']}  {row['event']} {row['at']:%Y-%m-%d %H:%M:%S}{reason}",
            markup=False,
        )
    return 0


async def revoke(settings: Settings, key: str, reason: str, *, dry_run: bool = False) -> int:
    """Revoke a public key. Return 1 if it was never published or is already revoked."""

    async def work(connection: AsyncConnection) -> str:
        if await (await driver_of(connection)).fetchval(_REVOKE, key, reason) is None:
            raise NotDone(
                "there is no such key, or it is already revoked", "see `holotable signer keys`"
            )
        by = operator_log.operator()
        await operator_log.add(connection, [None], by, "signer_key_revoked", key, reason[:500])
        return f"revoked {key}"

    return await carried_out(settings, work, dry_run=dry_run)
