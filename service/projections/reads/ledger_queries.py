"""Queries of the read model ``standings`` for the entries of a season's ledger."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections import schema
from service.projections.reads.ledger_rows import LedgerRow


async def ledger(
    connection: AsyncConnection,
    season: str,
    *,
    player: str | None = None,
    limit: int = 100,
    after: tuple[int, int] | None = None,
) -> list[LedgerRow]:
    """
    Return a season's entries in log order, those of players merged into *player* included.

    Args:
        after: Position and part of the last entry already seen.
    """
    entry = schema.ledger
    columns = [
        sa.cast(each, sa.Text).label(each.name) if each.name == "points" else each
        for each in entry.columns
        if each.name not in ("season", "league")
    ]
    statement = sa.select(*columns).where(entry.c.season == season)
    if after is not None:
        place = sa.tuple_(entry.c.position, entry.c.part)
        statement = statement.where(place > sa.tuple_(*after))
    if player is not None:
        statement = statement.where(entry.c.player.in_(sa.select(_all_of(season, player))))
    statement = statement.order_by(entry.c.position, entry.c.part).limit(limit)
    found = await connection.execute(statement)
    return [LedgerRow(**row) for row in found.mappings()]


def _all_of(season: str, player: str) -> sa.CTE:
    """Return a relation of *player* and all players who were merged into *player* in a season."""
    merge = schema.ledger
    ones = sa.select(sa.literal(player).label("player")).cte(recursive=True)
    further = (
        sa.select(merge.c.player)
        .join(ones, merge.c.counts_for == ones.c.player)
        .where(merge.c.season == season)
    )
    return ones.union(further)
