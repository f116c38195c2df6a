"""Reading how far projections have come, and waiting until they have come far enough."""

import asyncio
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncEngine

from service.base.grouping import Grouped
from service.projections.applying.checkpoints import standing
from service.projections.applying.projection import NOTHING
from service.projections.reads.queries import NAMES

_POLL_SECONDS = 0.02

Positions = Grouped[tuple[str, str], int]
"""Looks up checkpoints by projection name and league, many at once."""


def positions(database: AsyncEngine) -> Positions:
    """
    Return an object that looks up many checkpoints in *database* at once.

    Each look-up is a transaction of its own, so no snapshot is held during a wait.
    """

    async def ask(keys: Sequence[tuple[str, str]]) -> list[int]:
        names, leagues = {name for name, _ in keys}, {league for _, league in keys}
        async with database.connect() as connection:
            rows_found = await standing(connection, names, leagues)
        found = {(row.name, row.league): row.position for row in rows_found if not row.misplaced}
        return [found.get(key, NOTHING) for key in keys]

    return Grouped(ask)


async def wait_for(
    reached: Positions, name: str, league: str, position: int, timeout: float
) -> bool:
    """
    Wait until projection *name* (or ``all`` of them) has applied *position*.

    Waits at the same time share their look-ups. Returns False after *timeout* seconds.
    """
    names = NAMES if name == "all" else (name,)
    loop = asyncio.get_running_loop()
    until = loop.time() + timeout
    while True:
        found = await asyncio.gather(*(reached.of((each, league)) for each in names))
        if min(found) >= position:
            return True
        if loop.time() >= until:
            return False
        await asyncio.sleep(_POLL_SECONDS)
