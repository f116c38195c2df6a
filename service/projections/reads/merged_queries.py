"""Queries of the read model ``members`` for players who were merged."""

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections import schema


class AliasRow(msgspec.Struct, frozen=True, kw_only=True):
    """A player for whom another one stands in a league."""

    league: str
    player: str
    into: str


async def merged_in(connection: AsyncConnection, player: str) -> list[AliasRow]:
    """Return the players who stand for *player*, by league."""
    alias = schema.member_alias
    statement = (
        sa.select(alias.c.league, alias.c.player, alias.c.into)
        .where(alias.c.player == player)
        .order_by(alias.c.league)
    )
    found = await connection.execute(statement)
    return [AliasRow(**row) for row in found.mappings()]
