"""Rows of ratings follow from the valid results, however these are divided into batches."""

from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any
from uuid import UUID

import msgspec
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.kit.house_bots import house_bot
from engine.league.merging import PlayersMerged
from engine.tournament.model.events import TournamentFinished
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.values import Placing
from engine.values import EntrantId, PlayerId, identifier, stream_of
from service.base.database import async_engine
from service.projections import schema
from service.projections.applying.projection import Happened
from service.projections.models.ratings import ratings
from tests.engine.season.seasons import DIRECTOR, REASON
from tests.engine.tournament.floor import LEAGUE, NOON
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

Result = Happened[msgspec.Struct]


@pytest.fixture
async def projecting(database: TestDatabase) -> AsyncIterator[AsyncEngine]:
    """An engine with the login of the projecting process."""
    engine = async_engine(database.url("holotable_project"), 2)
    yield engine
    await engine.dispose()


def result(position: int, tournament: int, *players: str, corrected: bool = False) -> Result:
    """Return an event with the placings of *players* in this order."""
    placings = tuple(
        Placing(entrant=EntrantId(f"{each}{place}"), player=PlayerId(each), place=place)
        for place, each in enumerate(players, 1)
    )
    event: TournamentFinished | ResultCorrected
    if corrected:
        event = ResultCorrected(
            number=1,
            kind="correction",
            placings=placings,
            payouts=(),
            forfeited=(),
            by=DIRECTOR,
            reason=REASON,
            rule="results.correction",
        )
    else:
        event = TournamentFinished(
            placings=placings, payouts=(), currency=None, rule="results", open_master="0" * 64
        )
    stream = f"tournament-{UUID(int=tournament).hex}"
    return Happened(LEAGUE, position, stream, position + 1, NOON, event)


FIRST = [result(1, 1, "a", "b", "c"), result(2, 2, "b", "d", "a"), result(3, 3, "c", "b")]
TURNED = result(4, 1, "c", "e", "b", corrected=True)
LATER = [result(5, 4, "d", "a"), result(6, 4, "a", "d", corrected=True)]
HAPPENED = [*FIRST, TURNED, *LATER]
STANDING = [result(1, 1, "c", "e", "b"), *FIRST[1:], result(5, 4, "a", "d")]
"""The same results in a log that needs no correction."""


async def rows_after(engine: AsyncEngine, *batches: list[Result]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    async with engine.connect() as connection:
        for batch in batches:
            await (await ratings.gather(connection, batch)).write(connection)
        for relation in ratings.relations:
            rows = (await connection.execute(sa.select(relation))).mappings()
            found[relation.name] = sorted(map(str, map(dict, rows)))
        await connection.rollback()
    return found


@pytest.mark.parametrize("cuts", [(), (3,), (1, 4), (4,), (5,), (1, 2, 3, 4, 5)], ids=str)
async def test_a_correction_is_counted_in_its_old_place_and_all_after_it_anew(
    projecting: AsyncEngine, cuts: tuple[int, ...]
) -> None:
    """Player d has two results that do not change. The correction adds e and removes a."""
    expected = await rows_after(projecting, STANDING)
    bounds = pairwise((0, *cuts, len(HAPPENED)))

    found = await rows_after(projecting, *(HAPPENED[start:end] for start, end in bounds))

    assert found == expected
    assert len(found["rating"]) == 5
    assert schema.rating_change.name in found


async def test_a_player_counts_once_by_the_best_entry(projecting: AsyncEngine) -> None:
    again = await rows_after(projecting, [result(1, 1, "a", "b", "a", "c")])

    assert len(again["rating"]) == 3
    assert identifier("trn", UUID(int=1)) in again["rated"][0]


def merge(position: int, player: str, into: str) -> Result:
    """Return an event of the league that merges two players."""
    event = PlayersMerged(player=PlayerId(player), into=PlayerId(into), by=DIRECTOR, reason=REASON)
    return Happened(LEAGUE, position, stream_of(LEAGUE), position, NOON, event)


MERGED = [
    result(1, 1, "a", "b"),
    merge(2, "a", "d"),
    result(3, 2, "c", "d"),
    merge(4, "d", "e"),
    result(5, 1, "b", "a", corrected=True),
    result(6, 3, "e", "b"),
]
AS_ONE = [result(1, 1, "b", "e"), result(3, 2, "c", "e"), result(6, 3, "e", "b")]
"""The same results, played by one person under one name."""


@pytest.mark.parametrize("cuts", [(), (1,), (3,), (2, 4), (4,), (1, 2, 3, 4, 5)], ids=str)
async def test_merged_players_are_rated_as_one_however_the_batches_fall(
    projecting: AsyncEngine, cuts: tuple[int, ...]
) -> None:
    """A chain of merges, and a correction that still names the first of them."""
    expected = await rows_after(projecting, AS_ONE)
    bounds = pairwise((0, *cuts, len(MERGED)))

    found = await rows_after(projecting, *(MERGED[start:end] for start, end in bounds))

    for name in ("rated", "rating", "rating_change"):
        assert found[name] == expected[name]
    assert len(found["rating_alias"]) == 2


async def test_house_bots_change_no_ratings(projecting: AsyncEngine) -> None:
    """They have none themselves, and the others are rated as if they had met nobody else."""
    bots = [house_bot(LEAGUE, "sharp", number) for number in (1, 2)]

    with_bots = await rows_after(projecting, [result(1, 1, bots[0], "a", bots[1], "b")])
    alone = await rows_after(projecting, [result(1, 1, "a", "b")])

    assert len(with_bots["rating"]) == 2
    assert with_bots["rating"] == alone["rating"]
