"""Standings by a season's own formula are counted in a bounded pool, not on the event loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event
from typing import Any

import pytest

from engine.values import number_of
from service.base.pools import COUNTING
from tests.service.api.tournament.test_corrections import WHY, a_night, entrants
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

EACH = 8
"""The number of computations of one account that may wait."""


@asynccontextmanager
async def occupied(account: str) -> AsyncIterator[None]:
    """Fill the part of the pool that one account may have."""
    hold = Event()
    held = [asyncio.create_task(COUNTING.run(account, hold.wait)) for _ in range(EACH)]
    await asyncio.sleep(0)
    try:
        yield
    finally:
        hold.set()
        await asyncio.gather(*held)


async def asked(owner: Any, league: str, season: str, tournament: str) -> list[int]:
    """Call every route that computes standings of a season during the request."""
    winner = (await entrants(owner, tournament))[0]["id"]
    path = f"/v1/seasons/{season}"
    last = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()
    answers = [
        await owner.get(f"{path}/results"),
        await owner.get(f"{path}/standings/series"),
        await owner.get(f"{path}/standings", params={"as_of": last["position"]}),
        await owner.post(
            f"/v1/tournaments/{tournament}/forfeits?dry_run=true", {"entrant": winner, **WHY}
        ),
    ]
    return [each.status_code for each in answers]


async def test_a_formula_is_counted_in_a_pool_that_one_account_cannot_fill(
    serving: Any, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, season, tournament, _ = await a_night(
            api, database, overall="total / played"
        )
        assert await asked(owner, league, season, tournament) == [200] * 4
        account = str(number_of(owner.player))
        async with occupied(account):
            refused = await asked(owner, league, season, tournament)
        assert refused == [503] * 4
        assert await asked(owner, league, season, tournament) == [200] * 4


async def test_a_season_without_a_formula_of_its_own_waits_for_no_pool(
    serving: Any, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, season, tournament, _ = await a_night(api, database)
        async with occupied("other"):
            assert await asked(owner, league, season, tournament) == [200] * 4
