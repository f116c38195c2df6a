"""``holotable rotate-key``: wrap the leagues' keys with a new key, while the service runs."""

import asyncpg
import rich_click as click

from service.base.database import asyncpg_dsn
from service.base.errors import EventUnreadable
from service.base.settings import Settings
from service.cli.common import awaited, err, out, settings
from service.log.keys import Keys

_ROWS = "SELECT league, key_id, wrapped FROM key ORDER BY league"
_REWRAP = "UPDATE key SET wrapped = $3 WHERE league = $1 AND wrapped = $2"


@click.command("rotate-key")
def rotate_key() -> None:
    """
    Wrap the leagues' keys with a new HOLOTABLE_SECRET_KEY, while the service runs.

    HOLOTABLE_SECOND_SECRET_KEY is the old key.  Every process must already have both.  Needs
    HOLOTABLE_DATABASE_URL with the login of holotable_migrate.
    """
    awaited(rotate(settings()))


async def rotate(settings: Settings) -> int:
    """Wrap every league's key with the first key of the settings. Return 2 without a second one."""
    if settings.second_secret_key is None:
        err.print(
            "there is only one key\n  next: set HOLOTABLE_SECRET_KEY to the new key and "
            "HOLOTABLE_SECOND_SECRET_KEY to the old one",
            markup=False,
        )
        return 2
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        changed, leagues = await rewrap(connection, Keys(*settings.secret_keys))
    finally:
        await connection.close()
    out.print(f"wrapped with the new key: {changed} of {leagues} leagues' keys")
    if changed:
        out.print("  next: restart every process and run this again, until it says 0")
    else:
        out.print("  next: remove HOLOTABLE_SECOND_SECRET_KEY at the next restart")
    return 0


async def rewrap(connection: asyncpg.Connection, keys: Keys) -> tuple[int, int]:
    """
    Wrap every key with the first of *keys*. Return the number that changed, and the total.

    Each league has its own transaction, so every key stays valid if the command stops half-way.

    Raises:
        EventUnreadable: If no key opens that of a league. All other leagues are done.
    """
    rows = await connection.fetch(_ROWS)
    changed = foreign = 0
    for row in rows:
        try:
            anew = keys.rewrapped(row["league"], row["key_id"], row["wrapped"])
        except EventUnreadable:
            foreign += 1
            continue
        if anew is not None:
            await connection.execute(_REWRAP, row["league"], row["wrapped"], anew)
            changed += 1
    if foreign:
        raise EventUnreadable(f"the keys of {foreign} leagues were wrapped by another secret key")
    return changed, len(rows)
