"""Writing a bundle: events, openings, and the hashes that lead to a signed head."""

from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterator, Sequence

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
from service.eventstore.read import read_stream
from service.eventstore.record import Recorded
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

        async def read(stream: str, after: int, limit: int) -> list[Recorded]:
            return await read_stream(reading, league, stream, after, limit)

        async def hash_of(first: int, end: int) -> bytes:
            return await ledger.range_hash(reading, league, first, end)

        gathered = await Gatherer(read, league, codec).gather(kind, subject, table)
        head = await reading.fetchrow(_NEWEST, league, max(gathered.events))
        if head is None:
            raise NotSignedYet("no head signed so far covers all of this")
        return await lines_of(
            gathered, of_league, head["note"], hash_of, kind=kind, subject=subject, viewer=viewer
        )


async def lines_of(
    gathered: Gathered,
    keys: LeagueKeys,
    note: str,
    hash_of: Callable[[int, int], Awaitable[bytes]],
    *,
    kind: Kind,
    subject: str,
    viewer: str,
) -> list[bytes]:
    """
    Return the lines of a bundle of what was *gathered*.

    Args:
        note: The signed head of the league's log, which covers all of it.
        hash_of: Returns the hash over the leaves from the first to below the second.
    """
    size = int(note.split("\n")[1])
    nodes = [
        Node(first=first, end=end, hash=(await hash_of(first, end)).hex())
        for first, end in uncovered(sorted(gathered.events), size)
    ]
    lines: list[Line] = [
        Head(kind=kind, subject=subject, league=identifier("lge", gathered.league), viewer=viewer),
        SignedHead(note=tuple(note.split("\n"))),
        *nodes,
        *(event_line(each, gathered.before.get(each.position)) for each in gathered.ordered()),
        *_openings(gathered, keys, viewer, masters=kind != "hand"),
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
