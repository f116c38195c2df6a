"""The stored subtrees of a league's tree."""

import pytest

from engine.values import number_of
from service.transparency import ledger
from service.transparency.ledger import TILE
from tests.support.databases import TestDatabase
from tests.support.poison import bare_league, owning

pytestmark = pytest.mark.anyio

EVENTS = """
    INSERT INTO events (league, position, stream, stream_version, event_id, type, schema_version,
                        at, data, metadata, hash)
    SELECT $1::uuid, n, 'league-' || repeat('0', 32), n + 1, gen_random_uuid(),
           'member_added', 1, clock_timestamp(), '{}', '{}', sha256(n::text::bytea)
      FROM generate_series(0, $2 - 1) AS n
"""


async def test_a_gap_among_stored_subtrees_is_filled(database: TestDatabase) -> None:
    """A new epoch empties the tree. A process that was growing it may then store the rest of it."""
    async with owning(database) as owner:
        league = number_of(await bare_league(owner))
        await owner.execute(EVENTS, league, 3 * TILE)
        await ledger.grow(owner, league, 3 * TILE)
        root = await ledger.root_at(owner, league, 3 * TILE)
        await owner.execute("DELETE FROM tree_node WHERE index = 0")
        await ledger.grow(owner, league, 3 * TILE)
        assert await ledger.root_at(owner, league, 3 * TILE) == root


async def test_a_root_needs_no_stored_subtree(database: TestDatabase) -> None:
    """A backup may come before the first head is signed, or long after the last one."""
    async with owning(database) as owner:
        league, size = number_of(await bare_league(owner)), 3 * TILE + 5
        await owner.execute(EVENTS, league, size)
        bare = await ledger.root_at(owner, league, size)
        await ledger.grow(owner, league, size)
        assert await ledger.root_at(owner, league, size) == bare
        await owner.execute("DELETE FROM tree_node WHERE index = 1")
        assert await ledger.root_at(owner, league, size) == bare
