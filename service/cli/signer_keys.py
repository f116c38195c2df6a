"""``holotable signer new-key``, ``keys`` and ``revoke``: the keys that sign tree heads."""

from pathlib import Path

import asyncpg
import rich_click as click

from service.base.database import asyncpg_dsn
from service.base.settings import Settings
from service.base.sources import SystemEntropy
from service.cli.common import NO, USAGE, awaited, err, out, settings, stop
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
@click.option("--name", required=True, help="Of the signer, as clients see it: league.example/1")
def new_key(file: Path, name: str) -> None:
    """Write a new private key to FILE (mode 0600) and FILE.pub; print the public key."""
    secret = SystemEntropy().bytes(32)
    try:
        click.echo(make_key(file, name, secret))
    except FileExistsError:
        stop(NO, f"{file} is there already", "a rotated key goes to a file of its own")
    except ValueError as error:
        stop(USAGE, str(error), "give another --name")


@click.command("keys")
def list_keys() -> None:
    """List every public key that heads were signed with, and its revocation."""
    awaited(print_keys(settings()))


@click.command("revoke")
@click.argument("key")
@click.option("--reason", required=True, help="Shown to everybody who asks for the keys.")
def revoke_key(key: str, reason: str) -> None:
    """Revoke the public KEY: no head that it signs is kept from then on."""
    awaited(revoke(settings(), key, reason))


async def print_keys(settings: Settings) -> int:
    """Print every public key with what became of it."""
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


async def revoke(settings: Settings, key: str, reason: str) -> int:
    """Revoke a public key; 1 if it was never published or is revoked already."""
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        at = await connection.fetchval(_REVOKE, key, reason)
    finally:
        await connection.close()
    if at is None:
        err.print("no such key, or revoked already\n  next: see `holotable signer keys`")
        return 1
    out.print(f"revoked {key}", markup=False)
    return 0
