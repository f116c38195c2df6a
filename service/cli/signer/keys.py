"""``holotable signer keys``: the public keys of all signed heads."""

import asyncpg
import rich_click as click

from service.base.addresses import asyncpg_dsn
from service.base.settings import Settings
from service.cli.common import awaited, out, settings

_KEYS = """
    SELECT verifier_key, event, at, reason FROM signer_key ORDER BY verifier_key, at
"""


@click.command("keys")
def list_keys() -> None:
    """List the public keys of all signed heads, and their revocations."""
    awaited(print_keys(settings()))


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
