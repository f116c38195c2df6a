"""
A league's tree in the database: complete subtrees of 256, 65 536 … leaves, and signed heads.

The leaves are the hashes in the log. The stored subtrees can be computed from them at any
time. They are kept so that a proof reads hundreds of rows instead of all.
"""

from collections.abc import Sequence
from uuid import UUID

from service.base.drivers import Driver
from service.base.errors import LogIncomplete
from service.transparency.tree import (
    Frontier,
    Range,
    complete_subtrees,
    consistency_ranges,
    inclusion_ranges,
    root_of,
)

TILE_BITS = 8
TILE = 1 << TILE_BITS
_CHUNK_TILES = 64

_LEAVES = """
    SELECT hash FROM events WHERE league = $1 AND position >= $2 AND position < $3
    ORDER BY position
"""
_NODES = """
    SELECT index, hash FROM tree_node
     WHERE league = $1 AND level = $2 AND index >= $3 AND index < $4
"""
# A process that grew the tree while a new epoch emptied it may have left a gap. Then begin again.
_GROWN = """
    SELECT CASE WHEN count(*) = coalesce(max(index) + 1, 0) THEN count(*) ELSE 0 END
      FROM tree_node WHERE league = $1 AND level = $2
"""
_KEEP_NODES = """
    INSERT INTO tree_node (league, level, index, hash)
    SELECT $1, $2, $3 + ordinality - 1, hash FROM unnest($4::bytea[]) WITH ORDINALITY AS t (hash)
    ON CONFLICT DO NOTHING
"""


async def grow(connection: Driver, league: UUID, size: int) -> None:
    """
    Store the complete subtrees of the tree of *size* that are not stored yet.

    Any number of processes may do this at once, because a subtree's root never changes.
    """
    level, width = TILE_BITS, TILE
    while width <= size:
        done, wanted = await connection.fetchval(_GROWN, league, level), size // width
        while done < wanted:
            upto = min(wanted, done + _CHUNK_TILES)
            below = await _below(connection, league, level, done * TILE, upto * TILE)
            roots = [root_of(below[at : at + TILE]) for at in range(0, len(below), TILE)]
            await connection.execute(_KEEP_NODES, league, level, done, roots)
            done = upto
        level, width = level + TILE_BITS, width << TILE_BITS


async def _below(connection: Driver, league: UUID, level: int, start: int, end: int) -> list[bytes]:
    """Return the nodes one tile below *level*. Below the first level, they are leaves."""
    if level == TILE_BITS:
        rows = await connection.fetch(_LEAVES, league, start, end)
        if len(rows) != end - start:
            raise LogIncomplete("signed events are missing from the log")
        return [row[0] for row in rows]
    stored = {
        row["index"]: row["hash"]
        for row in await connection.fetch(_NODES, league, level - TILE_BITS, start, end)
    }
    found: list[bytes] = []
    for index in range(start, end):
        # Subtrees are stored when a head is signed. A backup may come before that, or without one.
        root = stored.get(index) or root_of(
            await _below(connection, league, level - TILE_BITS, index * TILE, (index + 1) * TILE)
        )
        found.append(root)
    return found


async def range_hash(connection: Driver, league: UUID, start: int, end: int) -> bytes:
    """
    Return the root over a range of leaves, using stored subtrees that are complete.

    Raises:
        LogIncomplete: If the log does not reach that far.
    """
    frontier = Frontier()
    for first, last in complete_subtrees(start, end):
        frontier.append_subtree(last - first, await _subtree(connection, league, first, last))
    return frontier.root()


async def _subtree(connection: Driver, league: UUID, start: int, end: int) -> bytes:
    level = (end - start).bit_length() - 1
    stored = level - level % TILE_BITS
    above = stored + TILE_BITS
    return root_of(await _below(connection, league, above, start >> stored, end >> stored))


async def root_at(connection: Driver, league: UUID, size: int) -> bytes:
    """Return the root of the league's first *size* events."""
    return await range_hash(connection, league, 0, size)


async def inclusion(connection: Driver, league: UUID, position: int, size: int) -> list[bytes]:
    """Return the proof that the event at *position* is in the tree of *size*."""
    return await _hashes(connection, league, inclusion_ranges(position, size))


async def consistency(connection: Driver, league: UUID, old: int, new: int) -> list[bytes]:
    """Return the proof that the tree of *new* events continues that of *old*, which may be 0."""
    return await _hashes(connection, league, consistency_ranges(old, new) if old else [])


async def _hashes(connection: Driver, league: UUID, ranges: Sequence[Range]) -> list[bytes]:
    return [await range_hash(connection, league, start, end) for start, end in ranges]
