"""Checking a chunk of a league's log by position, without reading the part before it."""

from collections.abc import AsyncIterator, Container
from typing import Annotated
from uuid import UUID

import msgspec

from service.audit.bytes.chain import Placed, Places, parsed
from service.audit.bytes.texts import TextsAudit
from service.audit.bytes.tree import Leaves, leaves_of
from service.audit.event.acts import TELLING, ActsAudit
from service.audit.report import Findings
from service.audit.run.plan import Plan, Unit
from service.base.drivers import Driver
from service.people.text_refs import types_with_texts

READ = 500
"""
Positions read at once, as a range (ADR 0059). More would be faster to read but slower to free.
"""

_LOOKED_BACK = 8

_PLACED = """
    SELECT position, stream, stream_version, event_id, type,
           CASE WHEN type = ANY ($4) THEN convert_to(data::text, 'UTF8') END,
           convert_to(metadata::text, 'UTF8'), hash
      FROM events WHERE league = $1 AND position > $2 AND position <= $3 ORDER BY position
"""
_NEXT = "SELECT min(position) FROM events WHERE league = $1 AND position > $2 AND position <= $3"
_ENDS = """
    SELECT e.stream, e.stream_version, e.hash
      FROM unnest($2::text[], $3::bigint[]) AS asked (stream, version)
     CROSS JOIN LATERAL (
        SELECT stream, stream_version, hash FROM events e
         WHERE e.league = $1 AND e.stream = asked.stream AND e.stream_version = asked.version
           AND e.position <= $4 LIMIT 1) e
     ORDER BY e.stream_version
"""


class _Guard(msgspec.Struct):
    stream: Annotated[str, msgspec.Meta(pattern="^[a-z]+-[0-9a-f]{32}$")]
    version: Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]


class _Guards(msgspec.Struct):
    guards: tuple[_Guard, ...] = ()


async def read_places(
    driver: Driver, league: UUID, plan: Plan, unit: Unit, found: Findings
) -> Leaves:
    """Check the positions, appends and texts of *unit*'s events. Return the leaves of the chunk."""
    places, acts, texts = Places(found), ActsAudit(found), TextsAudit(found)
    hashes, voided = [], frozenset(plan.voided)
    before = await _append_before(driver, league, unit.after, voided)
    places.resume(before, voided)
    for row in before:
        if row.position in voided:
            acts.pass_over(row)
        else:
            acts.follow(row, begins=False)
    async for rows in _read(driver, league, unit):
        places.heads |= await _heads(driver, league, rows, places, voided)
        for row in rows:
            hashes.append(row.hash)
            if row.position in voided:
                places.pass_over(row)
                acts.pass_over(row)
            else:
                acts.follow(row, places.follow(row))
                texts.follow(row)
        await texts.compare(driver, league)
    if unit.until == plan.until:  # otherwise the next chunk has the whole last append
        acts.end()
    found.held(("positions", "event_ids"), len(hashes))
    sizes = (each.size for each in plan.vouched if each.compared)
    return leaves_of(hashes, unit.offset, sizes)


async def _read(driver: Driver, league: UUID, unit: Unit) -> AsyncIterator[list[Placed]]:
    """
    Yield the events of *unit*, in fetches small enough to be freed quickly.

    A range without events is a gap. One forged position can make it of any length, so it is not
    walked through.
    """
    after = unit.after
    while after < unit.until:
        until = min(after + READ, unit.until)
        rows = await driver.fetch(_PLACED, league, after, until, _told())
        after = until
        if rows:
            yield [Placed._make(row) for row in rows]
        else:
            found = await driver.fetchval(_NEXT, league, until, unit.until)
            after = unit.until if found is None else found - 1


def _told() -> list[str]:
    """Return the types of events with data that this module reads."""
    return sorted({*TELLING, *types_with_texts()})


async def _append_before(
    driver: Driver, league: UUID, until: int, voided: Container[int]
) -> list[Placed]:
    """
    Return the last append up to position *until*, from its first event.

    Voided events in it, before it and after it count as its own.
    """
    looked = _LOOKED_BACK
    while True:
        # What stands before the first position is no event of the log.
        found = await driver.fetch(_PLACED, league, max(until - looked, -1), until, _told())
        rows = [Placed(*row) for row in found]
        sound = [row.metadata for row in rows if row.position not in voided]
        first = len(rows)
        while first and (
            rows[first - 1].position in voided or rows[first - 1].metadata == sound[-1]
        ):
            first -= 1
        own = rows[first:]
        if len(own) < len(rows) or looked > until:
            return own
        looked *= _LOOKED_BACK


async def _heads(
    driver: Driver,
    league: UUID,
    rows: list[Placed],
    places: Places,
    voided: Container[int],
) -> dict[str, tuple[int, bytes]]:
    """
    Return the heads before *rows* of the streams that their guards name, except for known ones.

    Only the named heads and the event after each are looked up. If a stream's head was
    different, a fault follows in any case.
    """
    asked: set[tuple[str, int]] = set()
    known: set[str] = set()
    metadata = b""
    for row in rows:
        if row.metadata != metadata:
            metadata = row.metadata
            for stream, version in _guarded(metadata) if b'"guards"' in metadata else ():
                if stream not in known and stream not in places.heads:
                    asked |= {(stream, version), (stream, version + 1)}
        if row.position not in voided:  # its append may have begun before it
            known.add(row.stream)
    if not asked:
        return {}
    streams, versions = zip(*sorted(asked), strict=True)
    found = await driver.fetch(_ENDS, league, streams, versions, places.settled)
    return {row["stream"]: (row["stream_version"], row["hash"]) for row in found}


def _guarded(metadata: bytes) -> list[tuple[str, int]]:
    try:
        guards = msgspec.convert(parsed(metadata), _Guards).guards
    except msgspec.MsgspecError:
        return []  # forged: the check of the guards reports it
    return [(each.stream, each.version) for each in guards]
