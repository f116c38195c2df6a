"""Writing a bundle: events, leaves, openings, and the hashes that lead to a signed head."""

from bisect import bisect_left
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.kit.audiences import AUDITOR, Reader, reader_of
from engine.values import identifier
from service.base.errors import NotSignedYet
from service.bundles.gathering import Gathered, Gatherer, located
from service.bundles.lines import (
    BundleHead,
    Kind,
    Line,
    Node,
    Opening,
    SignedHead,
    Voided,
    Withheld,
    line_of,
    voided_line,
    written,
)
from service.bundles.log import Log, StoredLog
from service.bundles.piles import Piles
from service.log.codec import openings_for
from service.log.keys import Keys, LeagueKeys
from service.log.record import Recorded
from service.transparency.tree import split_at

_CHUNK: Final = 200

_NEWEST = """
    SELECT size, note FROM checkpoint
     WHERE league = $1 AND size > $2
       AND epoch = coalesce((SELECT epoch FROM league_epoch WHERE league = $1), 0)
     ORDER BY size DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The subject of a bundle, and its viewer."""

    kind: Kind
    subject: str
    """``hnd_…``, ``trn_…`` or ``ssn_…``."""

    viewer: str
    """``public``, ``auditor`` or an ``ent_…``. The bundle opens what this viewer may open."""


async def bundle(
    engine: AsyncEngine, pool: asyncpg.Pool, keys: Keys, wanted: Wanted
) -> AsyncIterator[bytes]:
    """
    Return a bundle's lines as they are read. All refusals are raised before the first line.

    Args:
        engine: Gives a connection to look up the subject, and takes it back before events are read.
        pool: Gives one connection at a time, and none while a line waits to be taken.

    Raises:
        StreamNotFound: If the subject does not exist.
        NotOver: If the subject is still being played.
        NotSignedYet: If no signed head of this epoch covers the whole bundle.
        LogIncomplete: If events are missing from the log.
    """
    async with engine.connect() as connection:
        league, table = await located(connection, pool, wanted.kind, wanted.subject)
        of_league = await keys.of(connection, league)
    log = StoredLog(pool, league)
    gathered = await Gatherer(log).gather(wanted.kind, wanted.subject, table)
    head = await pool.fetchrow(_NEWEST, league, gathered.positions[-1])
    if head is None:
        raise NotSignedYet("no signed head covers all of this yet; try again later")
    nodes = [node async for node in _nodes(log, gathered, head["size"])]
    return lines(log, of_league, gathered, wanted, (head["note"], nodes))


async def bundle_of(
    log: Log, keys: LeagueKeys, wanted: Wanted, signed: tuple[str, int], table: str | None = None
) -> AsyncIterator[bytes]:
    """
    Return the lines of a bundle from any log, even one that is in no database.

    Args:
        signed: A signed note over the log, and the size of its tree.
        table: The table of the hand, if the subject is a hand.

    Raises:
        StreamNotFound: If the subject does not exist.
        NotOver: If the subject is still being played.
    """
    note, size = signed
    gathered = await Gatherer(log).gather(wanted.kind, wanted.subject, table)
    nodes = [node async for node in _nodes(log, gathered, size)]
    return lines(log, keys, gathered, wanted, (note, nodes))


def lines(
    log: Log,
    keys: LeagueKeys,
    gathered: Gathered,
    wanted: Wanted,
    signed: tuple[str, Sequence[Node]],
) -> AsyncIterator[bytes]:
    """Yield the bytes of each line of a gathered bundle. *signed* is the note and its nodes."""
    return written(_lines(log, keys, gathered, wanted, signed))


async def _lines(
    log: Log,
    keys: LeagueKeys,
    gathered: Gathered,
    wanted: Wanted,
    signed: tuple[str, Sequence[Node]],
) -> AsyncIterator[Line]:
    note, nodes = signed
    yield BundleHead(
        kind=wanted.kind,
        subject=wanted.subject,
        league=identifier("lge", log.league),
        viewer=wanted.viewer,
    )
    yield SignedHead(note=tuple(note.split("\n")))
    for node in nodes:
        yield node
    reader = reader_of(wanted.viewer)
    # They come after the events. They are few, because a viewer may read nearly every event.
    withheld: list[Withheld] = []
    voided: list[Voided] = []
    async for recorded in _at(log, gathered.positions):
        if recorded.position in gathered.voided:
            voided.append(voided_line(recorded, auditor=wanted.viewer == AUDITOR))
            continue
        line = line_of(recorded, gathered.before.get(recorded.position), reader)
        if isinstance(line, Withheld):
            withheld.append(line)
        else:
            yield line
    for line in withheld:
        yield line
    for place in voided:
        yield place
    if wanted.viewer != AUDITOR:
        piles = Piles(log, keys, gathered.voided)
        async for recorded in _at(log, gathered.piles):
            yield await piles.leaves(recorded)
    if reader.audiences:
        async for recorded in _at(log, gathered.hidden):
            for opening in openings(recorded, keys, wanted.kind, reader):
                yield opening


async def _at(log: Log, positions: Sequence[int]) -> AsyncIterator[Recorded]:
    for start in range(0, len(positions), _CHUNK):
        for recorded in await log.at(positions[start : start + _CHUNK]):
            yield recorded


def uncovered(positions: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """
    Yield the largest subtrees of a tree of *size* leaves that do not hold *positions*.

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


async def _nodes(log: Log, gathered: Gathered, size: int) -> AsyncIterator[Node]:
    for first, end in uncovered(gathered.positions, size):
        root = await log.subtree(first, end)
        yield Node(first=first, end=end, hash=root.hex())


def openings(recorded: Recorded, keys: LeagueKeys, kind: Kind, reader: Reader) -> Iterator[Opening]:
    """Yield the openings for *reader*. A hand's bundle never opens the tournament's masters."""
    if recorded.type == "registration_opened" and kind == "hand":
        return
    if not reader.reads(recorded.type):
        return
    found = openings_for(recorded, reader.audiences, keys)
    for pointer in sorted(found, key=str.encode):
        salt, value = found[pointer]
        yield Opening(position=recorded.position, pointer=pointer, salt=salt, value=value)
