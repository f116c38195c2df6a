"""The floor of a tournament: all its open tables, for directors and spectators."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

import msgspec
from litestar import Response

from engine.coordination.views import FloorTable, FloorView, floor_of
from engine.table.model.state import Table
from engine.tournament.model import state as tournament
from engine.tournament.model.state import Running
from engine.values import Stream, TableId, stream_of
from service.api.http.access.phases import tables_of
from service.api.http.access.rights import AS_KNOWN, TournamentPlace
from service.api.http.operations import operation
from service.api.http.reading.listing import Listing, Pages
from service.api.http.reading.moments import AS_OF_PROBLEMS, Then
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.api.tournament.changes import KnockedOut, Load, SeatChanged, knocked_out, seat_changes
from service.base import heartbeats
from service.base.errors import StreamNotFound
from service.log.record import league_number
from service.log.writer import Loaded
from service.people.accounts import names

LOOKS_MAX = 5
"""Attempts to read a consistent floor while players move between tables."""

State = TypeVar("State", bound=msgspec.Struct)


class Floor(msgspec.Struct, kw_only=True):
    """The floor with one page of its tables. Totals include all tables."""

    floor: FloorView
    """The whole floor, except that `tables` holds only this page."""

    names: dict[str, str]
    """Names of the players at this page's tables, by player."""

    seat_changes: tuple[SeatChanged, ...]
    """The changes of seats in the last ten minutes, newest first, at most 50."""

    knocked_out: tuple[KnockedOut, ...]
    """The entrants who were eliminated last, newest first, at most 5."""

    now: datetime
    """
    The server's time, by which levels and breaks are counted. As of an earlier moment, it is the
    time of the tournament's last event until then.
    """

    closed_since: datetime | None
    """
    The instant since which an operator lets nobody change anything, or null. The clocks stand from
    then on.
    """

    version: int
    """The version of the tournament."""

    next_cursor: str | None


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/floor", "read_floor",
    "Read the floor: tables, seats, stacks, levels and remaining entrants.",
    needs="read_league", scope="leagues:read", answer=Floor,
    problems=AS_OF_PROBLEMS,
)  # fmt: skip
async def read_floor(
    place: Annotated[TournamentPlace, AS_KNOWN],
    shell: Shell,
    pages: Pages,
    then: Then,
) -> Response[bytes]:
    """Read the floor from the aggregates, as of one moment."""
    moment = await then.moment(place.league)
    name = f"floor {place.id}"
    if moment is None:
        epoch = await shell.runtime.writer.epoch(place.league)
        paged = pages.listing(name, int, league=place.league, epoch=epoch)

        async def load(stream: Stream[State]) -> Loaded[State]:
            return await shell.runtime.writer.load(place.league, stream)

        return await _answer(shell, paged, load, place, {})
    paged = moment.listing(pages, name, int)
    return await _answer(shell, paged, moment.state, place, moment.headers)


async def _answer(
    shell: Shell,
    paged: Listing,
    load: Load,
    place: TournamentPlace,
    headers: dict[str, str],
) -> Response[bytes]:
    loaded, tables = await read_tables(load, place.stream)
    seen = floor_of(loaded.state, tables)
    if seen is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    page = paged.cut(seen.tables, lambda each: (each.number,))
    # As of an earlier moment, recent is what was recent then.
    moment = loaded.at if headers else shell.now()
    closed_since = None if headers else shell.doors.closed_since(place.league)
    seen = await with_break(shell, place.league, loaded.state, seen, closed_since or moment)
    found = Floor(
        floor=msgspec.structs.replace(seen, tables=tuple(page.items)),
        names=await _called(shell, page.items),
        seat_changes=await seat_changes(shell, place.league, load, loaded, moment),
        knocked_out=await knocked_out(shell, loaded.state),
        now=moment,
        closed_since=closed_since,
        version=loaded.version,
        next_cursor=page.next_cursor,
    )
    return encoded(found, headers=headers)


async def with_break(
    shell: Shell, league: str, state: tournament.State, seen: FloorView, until: datetime
) -> FloorView:
    """Return a floor whose break ends later by the outages that began before *until*."""
    rest = state.floor.rest if isinstance(state, Running) else None
    if rest is None:
        return seen
    ends = await heartbeats.lengthened(
        shell.pool, league_number(league), rest.since, rest.due, until=until
    )
    return msgspec.structs.replace(seen, break_ends=ends)


async def read_tables(
    load: Load, stream: Stream[tournament.State]
) -> tuple[Loaded[tournament.State], dict[TableId, Table]]:
    """
    Return a tournament and its open tables as of one moment.

    An append that moves, adds or removes a player always adds an event to the tournament.
    If the tournament's version stayed the same during the reads, nobody is at two tables.
    After ``LOOKS_MAX`` attempts the last one is returned.
    """
    tournament = await load(stream)
    for _ in range(LOOKS_MAX):
        before, tables = tournament, tables_of(tournament.state)
        if not isinstance(tournament.state, Running):
            return tournament, {}
        states = await asyncio.gather(*(load(stream_of(each.table)) for each in tables))
        tournament = await load(stream)
        if tournament.version == before.version:
            break
    return before, {each.table: loaded.state for each, loaded in zip(tables, states, strict=True)}


async def _called(shell: Shell, shown: Sequence[FloorTable]) -> dict[str, str]:
    players = {seat.player for table in shown for seat in table.seats if seat.player is not None}
    return await names(shell.engine, [UUID(hex=each[4:]) for each in players])
