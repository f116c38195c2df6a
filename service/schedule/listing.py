"""
Schedules: announced tournaments from the read models, and occurrences still in the plans.

An occurrence keeps its identifier when it becomes a tournament, and when an edit withdraws that
tournament. A calendar therefore sees one event that changes, not several.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from engine.league.errors import TemplateUnknown
from engine.league.state import Created, created_of
from engine.season.schedule.errors import RecurrenceInvalid
from engine.season.schedule.state import Fixture, Recurrence
from engine.season.schedule.values import Local
from engine.season.state import Opened
from service.announcing.defaults import completed
from service.base.errors import EventUnreadable
from service.base.pools import EXPANSION
from service.director.runtime import Runtime
from service.log.streams import league_stream, season_stream
from service.projections import schema
from service.projections.reads import queries, rows
from service.schedule.expansion import Budget
from service.schedule.items import ItemState, ScheduledItem
from service.schedule.materialising import tournament_of
from service.schedule.occurrences import Occurrence, between

ITEMS_MAX = 1000

SEASON_STEPS = 250_000
LEAGUE_STEPS = 4 * SEASON_STEPS
"""The most steps for expanding a season's plans for one answer, and a league's in total."""

UNNAMED = "Tournament"
"""The name of a planned tournament if the template that had its name is gone."""

_A_DAY = timedelta(days=1)

_AN_EDIT = 1000
"""The growth of a sequence number with an edit. An edit may begin a new count of changes."""

_STANDINGS: dict[str, ItemState] = {"finished": "over", "cancelled": "cancelled"}


@dataclass(frozen=True, slots=True)
class Listed:
    """The tournaments that begin in a span."""

    items: list[ScheduledItem]
    """The items, earliest first."""

    unexpanded: list[str]
    """Seasons with plans that take too many steps. Only their announced tournaments are listed."""

    unreadable: list[str]
    """Seasons with an event that cannot be read. Only their announced tournaments are listed."""


async def schedule_of(
    runtime: Runtime,
    engine: AsyncEngine,
    league: str,
    since: datetime,
    until: datetime,
    within: Budget | None = None,
) -> Listed:
    """
    Return the items of a league that begin from *since* to before *until*.

    An expansion may wait for the ones of others, so no connection is held meanwhile.

    Args:
      within: The steps for the plans of several leagues in one answer. Without it, the league has
        all of them.

    Raises:
      Overloaded: If too much is waiting to be expanded.
    """
    async with engine.connect() as connection:
        found = await _announced_in(connection, league, since, until)
        seasons = await queries.seasons(connection, league)
    house = created_of((await runtime.writer.load(league, league_stream(league))).state)
    items: list[ScheduledItem] = []
    unexpanded = []
    unreadable = []
    in_all = within or Budget(LEAGUE_STEPS)
    for season in seasons:
        try:
            state = (await runtime.writer.load(league, season_stream(season.season))).state
        except EventUnreadable:
            unreadable.append(season.season)
            continue
        if not isinstance(state, Opened):
            continue
        known = state.schedule.recurrences
        try:
            expanded = await EXPANSION.run(league, _expanded, known, since, until, in_all)
        except RecurrenceInvalid:
            unexpanded.append(season.season)
            continue
        for recurrence, occurrences in zip(known, expanded, strict=True):
            items += _items_of(recurrence, occurrences, season.season, state.closed, found, house)
    items += [_announced(row) for row in found.values() if row.starts_at is not None]
    usual = house.face.length_seconds
    items = [_ending(each, usual) for each in items if since <= each.starts_at < until]
    items.sort(key=lambda each: (each.starts_at, each.uid))
    return Listed(items[:ITEMS_MAX], unexpanded, unreadable)


async def _announced_in(
    connection: AsyncConnection, league: str, since: datetime, until: datetime
) -> dict[str, rows.TournamentRow]:
    """Return a league's announced tournaments, from a day before *since*."""
    tournament = schema.tournament
    found = await _tournaments(
        connection,
        tournament.c.league == league,
        tournament.c.starts_at >= since - _A_DAY,
        tournament.c.starts_at < until,
    )
    return {row.tournament: row for row in found}


async def schedule_of_player(
    connection: AsyncConnection, player: str, since: datetime, until: datetime
) -> list[ScheduledItem]:
    """Return a player's entered tournaments that begin from *since* to before *until*."""
    entrant, tournament = schema.entrant, schema.tournament
    entered = sa.select(entrant.c.tournament).where(
        entrant.c.player == player, entrant.c.state != "withdrawn"
    )
    found = await _tournaments(
        connection,
        tournament.c.tournament.in_(entered),
        tournament.c.starts_at >= since,
        tournament.c.starts_at < until,
    )
    return [_ending(_announced(row)) for row in found]


async def _tournaments(
    connection: AsyncConnection, *where: sa.ColumnElement[bool]
) -> list[rows.TournamentRow]:
    tournament = schema.tournament
    statement = (
        sa.select(tournament)
        .where(tournament.c.state.not_in(rows.UNANNOUNCED), *where)
        .order_by(tournament.c.starts_at, tournament.c.tournament)
        .limit(ITEMS_MAX)
    )
    found = await connection.execute(statement)
    return [rows.TournamentRow(**row) for row in found.mappings()]


def _expanded(
    recurrences: tuple[Recurrence, ...], since: datetime, until: datetime, in_all: Budget
) -> list[list[Occurrence]]:
    """Return the occurrences of each of a season's recurrences."""
    budget = Budget(SEASON_STEPS, within=in_all)
    return [between(each, since, until, budget) for each in recurrences]


def _items_of(
    recurrence: Recurrence,
    occurrences: list[Occurrence],
    season: str,
    closed: bool,
    found: dict[str, rows.TournamentRow],
    house: Created,
) -> Iterable[ScheduledItem]:
    """Yield the items of a recurrence, and remove their tournaments from *found*."""
    for fixture in recurrence.fixtures:
        for attempt in range(1, fixture.attempt):
            found.pop(tournament_of(recurrence.recurrence, fixture.occurrence, attempt), None)
    listed = set()
    for occurrence in occurrences:
        listed.add(occurrence.label)
        row = _taken(occurrence, found)
        if row is None and closed and occurrence.open:
            continue
        yield _item(recurrence, occurrence, season, row, _planned(house, occurrence.body))
    for fixture in recurrence.fixtures:
        # It was announced and is no longer in the plan. Its viewers see that it is cancelled.
        row = found.pop(fixture.tournament or "", None)
        if row is not None and fixture.occurrence not in listed:
            yield _called_off(recurrence, fixture, season, row)


def _taken(
    occurrence: Occurrence, found: dict[str, rows.TournamentRow]
) -> rows.TournamentRow | None:
    fixture = occurrence.fixture
    if fixture is None or fixture.tournament is None:
        return None
    row = found.pop(fixture.tournament, None)
    return row if fixture.became == "announced" else None


class _Planned(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about a tournament's evening, planned or announced."""

    name: str = UNNAMED
    place: str | None = None
    length_seconds: int | None = None
    entrants_max: int | None = None


def _planned(house: Created, body: str) -> _Planned:
    """Return what is known now about a tournament that will be announced."""
    content = msgspec.json.decode(body)
    # Without its template it will be refused when it is due. Until then it is planned.
    with suppress(TemplateUnknown):
        content = completed(house, content)
    return msgspec.convert(content, _Planned)


def _item(
    recurrence: Recurrence,
    occurrence: Occurrence,
    season: str,
    row: rows.TournamentRow | None,
    planned: _Planned,
) -> ScheduledItem:
    announced = occurrence.fixture is not None and occurrence.fixture.became == "announced"
    standing: ItemState = "planned"
    if occurrence.skipped:
        standing = "cancelled"
    elif occurrence.fixture is not None and occurrence.fixture.became == "missed":
        standing = "missed"
    elif row is not None:
        standing = _STANDINGS.get(row.state, "on")
    elif announced:
        standing = "on"
    off = standing in ("cancelled", "missed")
    moment = occurrence.moment
    shown = planned if row is None else row
    return ScheduledItem(
        uid=_uid(recurrence, occurrence.label),
        sequence=_sequence(row, off=off, edits=recurrence.edits),
        name=shown.name,
        place=shown.place,
        length_seconds=shown.length_seconds,
        entrants=None if row is None else row.entrants,
        entrants_max=shown.entrants_max,
        starts_at=moment.at if row is None or row.starts_at is None else row.starts_at,
        started_at=None if row is None else row.started_at,
        standing=standing,
        state=None if row is None else row.state,
        since=_since(row) if row is not None else occurrence.planned_at,
        season=season,
        tournament=occurrence.fixture.tournament if announced and occurrence.fixture else None,
        recurrence=recurrence.recurrence,
        occurrence=occurrence.label,
        local=moment.local,
        zone=moment.zone,
        tzdb=moment.tzdb,
    )


def _called_off(
    recurrence: Recurrence, fixture: Fixture, season: str, row: rows.TournamentRow
) -> ScheduledItem:
    return ScheduledItem(
        uid=_uid(recurrence, fixture.occurrence),
        sequence=_sequence(row, off=True, edits=recurrence.edits),
        name=row.name,
        place=row.place,
        length_seconds=row.length_seconds,
        entrants=row.entrants,
        entrants_max=row.entrants_max,
        starts_at=fixture.moment.at,
        started_at=row.started_at,
        standing="cancelled",
        state=row.state,
        since=_since(row),
        season=season,
        tournament=fixture.tournament,
        recurrence=recurrence.recurrence,
        occurrence=fixture.occurrence,
        local=fixture.moment.local,
        zone=fixture.moment.zone,
        tzdb=fixture.moment.tzdb,
    )


def _sequence(row: rows.TournamentRow | None, *, off: bool, edits: int = 0) -> int:
    """Return a number that grows when the tournament changes, is edited or does not take place."""
    changes = 0 if row is None else row.terms_changes or 0
    return _AN_EDIT * edits + 2 * changes + off


def _uid(recurrence: Recurrence, occurrence: Local) -> str:
    digits = "".join(each for each in occurrence if each.isdigit())
    return f"{recurrence.recurrence}-{digits}@holotable"


def _announced(row: rows.TournamentRow) -> ScheduledItem:
    standing = _STANDINGS.get(row.state, "on")
    return ScheduledItem(
        uid=f"{row.tournament}@holotable",
        sequence=_sequence(row, off=standing == "cancelled"),
        name=row.name,
        place=row.place,
        length_seconds=row.length_seconds,
        entrants=row.entrants,
        entrants_max=row.entrants_max,
        starts_at=row.starts_at or row.announced_at,
        started_at=row.started_at,
        standing=standing,
        state=row.state,
        since=_since(row),
        season=row.season,
        tournament=row.tournament,
    )


def expected_end(
    starts_at: datetime, length_seconds: int | None, usual: int | None = None
) -> datetime | None:
    """Return the expected end by the planned or the *usual* length, or None without either."""
    length = length_seconds or usual
    return None if length is None else starts_at + timedelta(seconds=length)


def _ending(item: ScheduledItem, usual: int | None = None) -> ScheduledItem:
    ends_at = expected_end(item.starts_at, item.length_seconds, usual)
    return msgspec.structs.replace(item, ends_at=ends_at)


def _since(row: rows.TournamentRow) -> datetime:
    return row.finished_at or row.announced_at
