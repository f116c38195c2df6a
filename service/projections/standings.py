"""Read model ``standings``: the seasons, and the points of each player in them."""

from collections.abc import Sequence
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections import schema
from service.projections.changes import Changes
from service.projections.projection import Happened, Projection


async def _load(connection: AsyncConnection, changes: Changes, batch: Sequence[Happened]) -> None:
    """Put the rows of each season of *batch* into the memory."""
    standing = schema.standing
    seasons = {happened.subject for happened in batch}
    found = await connection.execute(sa.select(standing).where(standing.c.season.in_(seasons)))
    for row in found.mappings():
        changes.memory[f"{row['season']} {row['player']}"] = dict(row)


def _season_opened(changes: Changes, happened: Happened) -> None:
    changes.put(
        schema.season,
        season=happened.subject,
        league=happened.league,
        name=happened.data["name"],
        state="open",
        opened_at=happened.at,
    )


def _points_awarded(changes: Changes, happened: Happened) -> None:
    for award in happened.data["awards"]:
        key = f"{happened.subject} {award['player']}"
        before = changes.memory.get(key)
        place, points = award["place"], Decimal(award["points"])
        won = int(place == 1 and award["shared"] == 1)
        row = {
            "season": happened.subject,
            "player": award["player"],
            "league": happened.league,
            "points": points if before is None else before["points"] + points,
            "played": 1 if before is None else before["played"] + 1,
            "wins": won if before is None else before["wins"] + won,
            "best": points if before is None else max(before["best"], points),
            "best_placing": place if before is None else min(before["best_placing"], place),
        }
        changes.memory[key] = row
        changes.put(schema.standing, **row)


def _season_closed(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.season, season=happened.subject, state="closed", closed_at=happened.at)


standings = Projection(
    name="standings",
    version=1,
    relations=(schema.season, schema.standing),
    load=_load,
    handlers={
        "season_opened": _season_opened,
        "points_awarded": _points_awarded,
        "season_closed": _season_closed,
    },
)
