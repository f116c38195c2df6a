"""``holotable signer revoke``: refuse the heads that a key signs later."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.settings import Settings
from service.cli.common import DRY_RUN, awaited, settings
from service.cli.deeds import NotDone, carried_out
from service.log.keys import driver_of
from service.people import operator_log

_REVOKE = """
    INSERT INTO signer_key (verifier_key, event, reason)
    SELECT verifier_key, 'revoked', $2 FROM signer_key
     WHERE verifier_key = $1 AND event = 'published'
    ON CONFLICT DO NOTHING RETURNING at
"""


@click.command("revoke")
@click.argument("key")
@click.option("--reason", required=True, help="Reason, shown with the public keys.")
@DRY_RUN
def revoke_key(key: str, reason: str, dry_run: bool) -> None:
    """Revoke the public KEY. Heads that it signs later are refused."""
    awaited(revoke(settings(), key, reason, dry_run=dry_run))


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
