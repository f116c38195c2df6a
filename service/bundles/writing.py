"""Writing a bundle: events, openings, and the hashes that lead to a signed head."""

from bisect import bisect_left
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import asyncpg
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.aggregates import DECIDERS
from engine.values import HOUSE, audience_of, identifier
from service.bundles.gathering import Gathered, Gatherer, located
from service.bundles.lines import (
    Head,
    Kind,
    Line,
    Node,
    Opening,
    SignedHead,
    event_line,
    written,
)
from service.errors import NotSignedYet
from service.eventstore.codec import Codec, openings_for
from service.keys import Keys, LeagueKeys
from service.transparency import ledger
from service.transparency.tree import split_at

PUBLIC = "public"
AUDITOR = "auditor"

_NEWEST = """
    SELECT size, note FROM checkpoint
     WHERE league = $1 AND size > $2
       AND epoch = coalesce((SELECT epoch FROM league_epoch WHERE league = $1), 0)
     ORDER BY size DESC LIMIT 1
"""


async def bundle(
    connection: AsyncConnection,
    pool: asyncpg.Pool,
    keys: Keys,
    kind: Kind,
    subject: str,
    viewer: str = PUBLIC,
) -> list[bytes]:
    """
    Return a bundle's lines.

    Args:
        subject: ``hnd_…``, ``trn_…`` or ``ssn_…``.
        viewer: ``public``, ``auditor`` or an ``ent_…``: who may open what it opens.

    Raises:
        StreamNotFound: If there is no such thing.
        NotOver: While it is still being played.
        NotSignedYet: If no signed head of this epoch covers all of it.
    """
    league, table = await located(connection, pool, kind, subject)
    of_league = await keys.of(connection, league)
    codec = Codec(DECIDERS)
    async with pool.acquire() as reading:
        gathered = await Gatherer(reading, league, codec, of_league).gather(kind, subject, table)
        head = await reading.fetchrow(_NEWEST, league, max(gathered.events))
        if head is None:
            raise NotSignedYet("no head signed so far covers all of this")
        nodes = [node async for node in _nodes(reading, gathered, head["size"])]
    lines: list[Line] = [
        Head(kind=kind, subject=subject, league=identifier("lge", league), viewer=viewer),
        SignedHead(note=tuple(head["note"].split("\n"))),
        *nodes,
        *(event_line(each, gathered.before.get(each.position)) for each in gathered.ordered()),
        *_openings(gathered, of_league, viewer, masters=kind != "hand"),
    ]
    return list(written(lines))


def uncovered(positions: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """
    Yield the largest subtrees of a tree of *size* leaves that hold none of *positions*.

    >>> list(uncovered([2], 7))
    [(0, 2), (3, 4), (4, 7)]
    """
    waiting = [(0, size)]
    while waiting:
        first, end = waiting.pop()
        index = bisect_left(positions, first)
        if index == len(positions) or positions[index] >= end:
            yield first, end
        elif end - first > 1:
            middle = first + split_at(end - first)
            waiting += [(middle, end), (first, middle)]


async def _nodes(connection: Any, gathered: Gathered, size: int) -> AsyncIterator[Node]:
    for first, end in uncovered(sorted(gathered.events), size):
        root = await ledger.range_hash(connection, gathered.league, first, end)
        yield Node(first=first, end=end, hash=root.hex())


def _openings(
    gathered: Gathered, keys: LeagueKeys, viewer: str, *, masters: bool
) -> Iterator[Opening]:
    """Yield what *viewer* may open; *masters* only once nothing is dealt from them any more."""
    if viewer == PUBLIC:
        return
    audience = HOUSE if viewer == AUDITOR else audience_of(viewer)  # type: ignore[arg-type]
    for recorded in gathered.ordered():
        if recorded.stream.startswith("league-"):
            continue
        if recorded.type == "registration_opened" and not masters:
            continue
        found = openings_for(recorded, audience, keys)
        for pointer in sorted(found, key=str.encode):
            salt, value = found[pointer]
            yield Opening(position=recorded.position, pointer=pointer, salt=salt, value=value)
