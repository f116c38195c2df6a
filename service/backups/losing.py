"""The loss that a restore would cause: the events that a database has and the backup lacks."""

from datetime import UTC, datetime
from uuid import UUID

import asyncpg
import msgspec

from engine.values import identifier
from service.backups.manifest import Manifest
from service.base.addresses import asyncpg_dsn
from service.base.drivers import Driver
from service.log.read import last_position, leagues
from service.transparency import ledger

_NEWEST = "SELECT at FROM events WHERE league = $1 AND position = $2"


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """Events at the end of a league's log that the backup lacks."""

    league: str
    events: int
    kept: int
    """The league's first events that the backup has too. 0 if it has none of them."""

    newest: datetime
    """The instant of the league's last event."""


async def losses(url: str, manifest: Manifest) -> list[Loss]:
    """Return what the database at *url* would lose, by league. It may be empty, or unprepared."""
    connection = await asyncpg.connect(asyncpg_dsn(url))
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            if await connection.fetchval("SELECT to_regclass('events')") is None:
                return []
            here = {identifier("lge", league): league for league in await leagues(connection)}
            found = [
                await _loss(connection, manifest, name, league)
                for name, league in sorted(here.items())
            ]
    finally:
        await connection.close()
    return [each for each in found if each.events]


async def _loss(connection: Driver, manifest: Manifest, name: str, league: UUID) -> Loss:
    """
    Return what one league would lose.

    Two logs share their first events only if these have the same root. Otherwise the whole log
    counts as lost, because the backup does not show how much is shared. For the same reason, a log
    that is shorter than the copy counts as the copy's beginning.
    """
    last, copy = await last_position(connection, league), manifest.leagues.get(name)
    kept = 0 if copy is None else min(copy.events, last + 1)
    if copy is not None and kept == copy.events:
        root = (await ledger.root_at(connection, league, kept)).hex()
        kept = kept if root == copy.root else 0
    newest = await connection.fetchval(_NEWEST, league, last)
    return Loss(league=name, events=last + 1 - kept, kept=kept, newest=newest.astimezone(UTC))
