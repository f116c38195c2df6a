"""
An audit as a plan: its scope is fixed when it begins, and divided into units.

Any process may perform a unit, in any order and more than once. Together the units read
every event twice: once by position, and once by stream, for its bytes and its meaning.
"""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

import httpx
import msgspec

from engine.values import number_of, stream_of
from service.audit.bytes.tree import Vouched, grown, vouched
from service.audit.play.fresh import Night, last_night
from service.audit.run.overdue import Presence, presence
from service.base.drivers import Driver
from service.log.codec import category_of
from service.log.read import last_position, voided
from service.projections.models.all import ALL
from service.transparency.ledger import TILE

CHUNK = 32 * TILE
"""Events in a chunk of places. Chunks are whole tiles, so that their subtrees are the tree's."""

_END = """
    SELECT position FROM events WHERE league = $1 AND position > $2 AND position <= $3
     ORDER BY position OFFSET $4 LIMIT 1
"""
# One look-up for each stream, however long it is: its first row and its last version.
_STREAMS = """
    WITH RECURSIVE known AS (
        (SELECT stream FROM events WHERE league = $1 ORDER BY stream LIMIT 1)
        UNION ALL
        SELECT (SELECT e.stream FROM events e WHERE e.league = $1 AND e.stream > k.stream
                 ORDER BY e.stream LIMIT 1)
          FROM known k WHERE k.stream IS NOT NULL
    )
    SELECT known.stream, last.stream_version AS events,
           CASE WHEN first.type = 'table_opened' THEN first.data::text END AS opened,
           CASE WHEN known.stream LIKE 'tournament-%'
                THEN (SELECT (e.data -> 'season')::text FROM events e
                       WHERE e.league = $1 AND e.stream = known.stream AND e.position <= $2
                         AND e.type = 'tournament_announced'
                       ORDER BY e.stream_version LIMIT 1) END AS season
      FROM known
     CROSS JOIN LATERAL (
        SELECT position, type, data FROM events e WHERE e.league = $1 AND e.stream = known.stream
         ORDER BY stream_version LIMIT 1) first
     CROSS JOIN LATERAL (
        SELECT stream_version FROM events e WHERE e.league = $1 AND e.stream = known.stream
         ORDER BY stream_version DESC LIMIT 1) last
     WHERE first.position <= $2
     ORDER BY known.stream
"""


class _OfTable(msgspec.Struct):
    tournament: str = ""


class _Known(NamedTuple):
    """A stream as the plan finds it."""

    stream: str
    events: int
    opened: str | None
    """For a table, its first event."""

    season: str | None
    """For a tournament, the JSON of the season it was announced for."""


class Unit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of an audit that one process performs as a whole."""

    key: str
    """Unique within the audit."""

    kind: Literal["places", "tournament", "season", "league", "projection", "jobs"]
    weight: int
    """About the number of events that it reads, used only for progress."""

    after: int = -1
    """For places: the position before the first."""

    until: int = -1
    offset: int = 0
    """For places: the number of events in the log before the first, which is the first leaf."""

    streams: tuple[str, ...] = ()
    """For other kinds that read events: the streams that only this unit checks."""

    about: tuple[str, ...] = ()
    """For a season: the streams of the tournaments that were announced for it."""

    name: str = ""
    """For a projection: its name."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The scope of an audit."""

    league: str
    tournament: str | None
    """If given, only hands of this tournament are decided again."""

    now: datetime
    """
    The start of the audit, by the database's clock. In a league that takes no commands, the instant
    from which it takes none: nothing is overdue there.
    """

    until: int
    """The last position. Later events belong to the next audit."""

    vouched: tuple[Vouched, ...]
    """Roots vouched for before the end of the log was looked up."""

    grown: dict[int, int]
    """The highest index of each level of subtrees stored at that time."""

    generator: Night | None
    """The latest statistics of fresh seeds."""

    units: tuple[Unit, ...]
    voided: tuple[int, ...] = ()
    """Positions of voided events."""

    there: Presence = Presence()
    """When the service was there, so that no deal counts as left that nobody could play on."""

    @property
    def weight(self) -> int:
        """Return the total weight of all units."""
        return sum(unit.weight for unit in self.units)


# A league that takes no commands has later events only of audits and repairs, so an instant before
# any other event is forged.
_NOW = """
    SELECT least(service_time(), greatest(
        coalesce(least((SELECT suspended_at FROM append_turn WHERE league = $1),
                       (SELECT since_at FROM maintenance)), 'infinity'),
        (SELECT at FROM events WHERE league = $1 AND position IS NOT NULL
            AND type NOT IN ('audit_reported', 'positions_voided')
          ORDER BY position DESC LIMIT 1),
        '2000-01-01 00:00+00'))
"""


async def make_plan(
    driver: Driver,
    league: str,
    tournament: str | None,
    signer: httpx.AsyncClient | None,
    chunk: int = CHUNK,
) -> Plan:
    """
    Return the plan for auditing a league's log as it is now.

    Args:
        driver: An asyncpg connection.
        signer: A client for the signer. Without it, only the stored heads are compared.
        chunk: Events in a chunk of places, a multiple of the tile size.
    """
    number = number_of(league)
    heads = await vouched(driver, number, signer)
    subtrees = await grown(driver, number)
    now = await driver.fetchval(_NOW, number)
    there = await presence(driver, number, now)
    # After all reads of anything that vouches for the log or could be ahead of it.
    until = await last_position(driver, number)
    rows = await driver.fetch(_STREAMS, number, until)
    units = [unit async for unit in _places(driver, number, until, chunk)]
    units += _of_streams([_Known(*row) for row in rows])
    units.append(Unit(key="jobs", kind="jobs", weight=1))
    if tournament is None:
        compared = (until + 1) // len(ALL) + 1
        units += (
            Unit(key=f"projection/{each.name}", kind="projection", weight=compared, name=each.name)
            for each in ALL
        )
    return Plan(
        league=league,
        tournament=tournament,
        now=now,
        until=until,
        vouched=tuple(heads),
        grown=subtrees,
        generator=await last_night(driver),
        voided=tuple(sorted(await voided(driver, number))),
        there=there,
        # The longest first, so that no long unit begins last.
        units=tuple(sorted(units, key=lambda unit: -unit.weight)),
    )


async def _places(driver: Driver, league: UUID, until: int, chunk: int) -> AsyncIterator[Unit]:
    after, offset = -1, 0
    while after < until:
        # By rows, not by positions: one forged position must not make a million units.
        end = await driver.fetchval(_END, league, after, until, chunk - 1)
        last = until if end is None else end
        yield Unit(
            key=f"places/{offset}",
            kind="places",
            weight=min(chunk, last - after),
            after=after,
            until=last,
            offset=offset,
        )
        after, offset = last, offset + chunk


def _of_streams(found: list[_Known]) -> Iterator[Unit]:
    """Yield a unit for each tournament with its tables, for each season, and for the rest."""
    tournaments: dict[str, list[tuple[str, int]]] = {}
    rest: list[tuple[str, int]] = []
    announced: dict[str, list[str]] = {}
    for stream, _, _, season in found:
        if season is not None:
            announced.setdefault(season, []).append(stream)
    for stream, events, opened, _ in found:
        category = category_of(stream)
        if category == "season":
            about = tuple(announced.get(f'"ssn_{stream.partition("-")[2]}"', ()))
            yield Unit(key=stream, kind="season", weight=events, streams=(stream,), about=about)
        elif category == "tournament":
            tournaments.setdefault(stream, []).append((stream, events))
        elif category == "table":
            tournaments.setdefault(_tournament_of(opened), []).append((stream, events))
        else:
            rest.append((stream, events))
    for tournament, streams in tournaments.items():
        yield _unit_of(tournament, "tournament", streams)
    if rest:
        yield _unit_of("league", "league", rest)


def _unit_of(
    key: str, kind: Literal["tournament", "league"], streams: list[tuple[str, int]]
) -> Unit:
    return Unit(
        key=key,
        kind=kind,
        weight=sum(events for _, events in streams),
        streams=tuple(stream for stream, _ in streams),
    )


def _tournament_of(opened: str | None) -> str:
    """Return the stream of the tournament that a table names, even if the name is forged."""
    try:
        return stream_of(msgspec.json.decode(opened or "{}", type=_OfTable).tournament)
    except (msgspec.MsgspecError, LookupError, ValueError, RecursionError):
        return "tables of no tournament"
