"""
Comparing the read models with the log: they are built again and compared row by row.

The copy is built in temporary relations of one connection. Anyone who may read
can therefore compare, and nothing is left behind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.database import async_engine
from service.base.settings import Settings
from service.log.catalogue import event_types
from service.projections.applying.advancing import advance, applied
from service.projections.applying.checkpoints import standing
from service.projections.applying.events import leagues
from service.projections.applying.projection import NOTHING, Projection
from service.projections.models.all import ALL, chosen
from service.projections.schema import LIVE, checkpoint

TEMPORARY = "pg_temp"

CHUNK = 20_000
"""Positions applied to the copy in one transaction."""


class Stand(NamedTuple):
    """The version of live rows, and the last position that they say they follow."""

    version: int
    position: int
    misplaced: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """A relation with rows that differ from those that the log gives."""

    league: str
    name: str
    relation: str
    only_live: int
    only_rebuilt: int
    example: str


async def compare(settings: Settings, name: str = "all") -> list[Difference]:
    """Return the differences between read model *name* (or ``all``) and each league's log."""
    models = chosen(name)
    database = async_engine(settings.database_url, connections=1)
    try:
        found: list[Difference] = []
        async with database.connect() as connection:
            for league in await leagues(connection):
                found += await compare_league(connection, league, models)
        return found
    finally:
        await database.dispose()


async def compare_league(
    connection: AsyncConnection, league: str, projections: Sequence[Projection] = ALL
) -> list[Difference]:
    """
    Return the differences between one league's read models and its log.

    The copy is built in chunks up to the live checkpoint. The last steps and the comparison
    use one snapshot, so a runner that is at work causes no difference.

    Args:
        connection: A connection without a transaction. This function begins and ends its own.
    """
    await connection.rollback()
    found: list[Difference] = []
    try:
        await _make(connection, projections)
        for projection in projections:
            stands = await stand(connection, league, projection)
            await connection.commit()
            if not stands.misplaced:
                await _follow(connection, projection, league, stands.position, commit=True)
                await connection.commit()
            await connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            found += await _compared(connection, projection, league)
            await connection.rollback()
    finally:
        await connection.rollback()
        await _drop(connection, projections)
    return found


async def stand(connection: AsyncConnection, league: str, projection: Projection) -> Stand:
    """Return where the live rows stand."""
    for row in await standing(connection, [projection.name], [league]):
        return Stand(row.version, row.position, row.misplaced)
    return Stand(projection.version, NOTHING, misplaced=False)


async def _make(connection: AsyncConnection, projections: Sequence[Projection]) -> None:
    await _drop(connection, projections)
    for relation in _relations(projections):
        await connection.execute(
            sa.text(f"CREATE TEMP TABLE {relation} (LIKE {LIVE}.{relation} INCLUDING INDEXES)")
        )
    await connection.commit()


async def _drop(connection: AsyncConnection, projections: Sequence[Projection]) -> None:
    for relation in _relations(projections):
        await connection.execute(sa.text(f"DROP TABLE IF EXISTS {TEMPORARY}.{relation}"))
    await connection.commit()


def _relations(projections: Sequence[Projection]) -> list[str]:
    names = [relation.name for projection in projections for relation in projection.relations]
    return [checkpoint.name, *names]


async def _compared(
    connection: AsyncConnection, projection: Projection, league: str
) -> list[Difference]:
    """Bring the copy to the live checkpoint in this snapshot, and return the differences."""
    stands = await stand(connection, league, projection)
    if stands.misplaced:  # its rows could be compared with those of no position
        example = f"position {stands.position}"
        return [Difference(league, projection.name, checkpoint.name, 1, 0, example)]
    await _follow(connection, projection, league, stands.position, commit=False)
    return await _differences(connection, projection, league)


async def _follow(
    connection: AsyncConnection, projection: Projection, league: str, until: int, *, commit: bool
) -> None:
    """Apply events up to position *until*, which the log has."""
    while await _advance(connection, projection, league, until) < until:
        if commit:
            await connection.commit()


async def _advance(
    connection: AsyncConnection, projection: Projection, league: str, until: int
) -> int:
    beside = await connection.execution_options(schema_translate_map={LIVE: TEMPORARY})
    try:
        if await applied(beside, projection, league) >= until:
            return until
        return await advance(beside, projection, league, event_types(), until, CHUNK)
    finally:
        await connection.execution_options(schema_translate_map={})


async def _differences(
    connection: AsyncConnection, projection: Projection, league: str
) -> list[Difference]:
    found: list[Difference] = []
    for relation in projection.relations:
        columns = ", ".join(map(_column, relation.columns))
        select = (  # every name in it is from this program
            f"SELECT ROW({columns})::text AS row FROM {{}}.{relation.name} t "  # noqa: S608
            "WHERE t.league = :league"
        )
        live, rebuilt = select.format(LIVE), select.format(TEMPORARY)
        only_live = await _only(connection, live, rebuilt, league)
        only_rebuilt = await _only(connection, rebuilt, live, league)
        if only_live or only_rebuilt:
            found.append(
                Difference(
                    league,
                    projection.name,
                    relation.name,
                    len(only_live),
                    len(only_rebuilt),
                    (only_live or only_rebuilt)[0],
                )
            )
    return found


def _column(column: sa.Column[object]) -> str:
    """Return a column of ``t``. Equal JSON may be spelt in two ways, by two versions."""
    name = f't."{column.name}"'
    return f"{name}::jsonb" if isinstance(column.type, sa.JSON) else name


async def _only(connection: AsyncConnection, left: str, right: str, league: str) -> list[str]:
    statement = sa.text(f"({left}) EXCEPT ALL ({right}) ORDER BY 1")
    return list((await connection.execute(statement, {"league": league})).scalars())
