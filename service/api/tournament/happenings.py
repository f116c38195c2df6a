"""The latest events of a tournament, in members that a page can show at once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from litestar import Response

from engine.league.state import Created
from engine.table.model.events import DealVoided
from engine.table.model.state import Table
from engine.tournament.model import events as play
from engine.tournament.model.events import entering, floor, money
from engine.values import aggregate_of, number_of, stream_of
from service.api.http.access.rights import TournamentPlace
from service.api.http.operations import operation
from service.api.http.reading.called import names_at, names_of
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.log.catalogue import tag_of
from service.log.read import read_at, read_last_of_types
from service.log.record import Recorded
from service.log.streams import table_stream
from service.projections.reads import queries

HAPPENINGS_MAX = 40
VERSIONS_BACK = 2_000
"""The distance in versions that is searched, so that a long tournament costs no more."""

VOIDED_DEALS = """
    SELECT position FROM events dealt
     WHERE league = $1 AND type = 'deal_voided' AND position > $2
       AND EXISTS (SELECT FROM events opened
                    WHERE opened.league = $1 AND opened.stream = dealt.stream
                      AND opened.stream_version = 1 AND opened.data ->> 'tournament' = $3)
     ORDER BY position DESC LIMIT $4
"""
"""A partial index holds the voided deals. The event that opened a table names its tournament."""


class Happening(msgspec.Struct, kw_only=True):
    """An event for the floor. Members that its type does not have are null."""

    type: str
    """The type of the event, as in the feed of the tournament. Tables' feeds have `deal_voided`."""

    at: datetime
    """The instant at which it was stored."""

    by: str | None = None
    """The name of the member of staff who ordered it."""

    name: str | None = None
    """The name of the player whom it concerns, now."""

    table: int | None = None
    """The number of the table. A player who was moved comes from there."""

    to_table: int | None = None
    """The number of the table to which a player was moved, or will be."""

    seat: int | None = None
    """The player's new seat."""

    place: int | None = None
    """The place of a player who is out."""

    players: int | None = None
    """The number of players who were moved."""

    level: int | None = None
    """The level that began, or after which a break comes."""

    seconds: int | None = None
    """The length of a break, or the time that was added to a level. Negative if it was taken."""

    hand_number: int | None = None
    """The number of the hand whose deal was voided."""

    hands: int | None = None
    """The hands of a penalty, or the last hands that each table plays."""


class Happened(msgspec.Struct, kw_only=True):
    """The latest events of a tournament."""

    items: tuple[Happening, ...]
    """Newest first, at most 40."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A happening before names and numbers are looked up."""

    by: str | None = None
    entrant: str | None = None
    table: str | None = None
    to_table: str | None = None
    seat: int | None = None
    place: int | None = None
    players: int | None = None
    level: int | None = None
    seconds: int | None = None
    hand_number: int | None = None
    hands: int | None = None


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/happenings", "read_happenings",
    "List what happened in a tournament last: levels, breaks, moves, knock-outs and staff's acts.",
    needs="read_league", scope="leagues:read", answer=Happened,
    about="Every line is an event of the tournament's feed, or `deal_voided` of a table's feed. "
    "The feeds have all events, and more members of each.",
)  # fmt: skip
async def read_happenings(place: TournamentPlace, shell: Shell) -> Response[bytes]:
    """Read the last events of some types, newest first."""
    since = max(0, place.loaded.version - VERSIONS_BACK)
    rows = await read_last_of_types(
        shell.pool, place.league, place.stream, _KINDS, since, HAPPENINGS_MAX
    )
    writer = shell.runtime.writer
    house = (await writer.load(place.league, stream_of(place.league), fresh=False)).state
    away = house.voided if isinstance(house, Created) else ()
    found = [
        (row, told)
        for row in rows
        for told in _told(writer.codec.public(row.stream, row.type, row.schema_version, row.data))
    ]
    found += await _voided_deals(shell, place, rows)
    newest = sorted(found, key=lambda each: each[0].position, reverse=True)
    listed = [(row.type, row.at, told) for row, told in newest if row.position not in away]
    return encoded(Happened(items=await _shown(shell, place, listed[:HAPPENINGS_MAX])))


async def _voided_deals(
    shell: Shell, place: TournamentPlace, rows: Sequence[Recorded]
) -> list[tuple[Recorded, _Told]]:
    """Return the last voided deals after the first of *rows*. They are in the tables' streams."""
    after = rows[0].position if rows else -1
    asked = (number_of(place.league), after, place.id, HAPPENINGS_MAX)
    positions = [each["position"] for each in await shell.pool.fetch(VOIDED_DEALS, *asked)]
    codec, found = shell.runtime.writer.codec, []
    for row in await read_at(shell.pool, place.league, positions):
        event = codec.public(row.stream, row.type, row.schema_version, row.data)
        if isinstance(event, DealVoided):
            told = _Told(table=aggregate_of(row.stream), hand_number=event.number)
            found.append((row, told))
    return found


async def _shown(
    shell: Shell, place: TournamentPlace, found: list[tuple[str, datetime, _Told]]
) -> tuple[Happening, ...]:
    told = [each for _, _, each in found]
    staff = await names_of(shell, {each.by for each in told if each.by is not None})
    entrants = {each.entrant for each in told if each.entrant is not None}
    called = await names_at(shell, place.state, entrants)
    called |= await _left_behind(shell, place, entrants.difference(called))
    tables = {name for each in told for name in (each.table, each.to_table) if name is not None}
    numbers = await _numbers(shell, place.league, tables)
    return tuple(
        Happening(
            type=kind,
            at=at,
            by=staff.get(each.by or ""),
            name=called.get(each.entrant or ""),
            table=numbers.get(each.table or ""),
            to_table=numbers.get(each.to_table or ""),
            seat=each.seat,
            place=each.place,
            players=each.players,
            level=each.level,
            seconds=each.seconds,
            hand_number=each.hand_number,
            hands=each.hands,
        )
        for kind, at, each in found
    )


async def _left_behind(shell: Shell, place: TournamentPlace, entrants: set[str]) -> dict[str, str]:
    """Return the names of *entrants* whose entries ended before play. The state forgets them."""
    if not entrants:
        return {}
    async with shell.engine.connect() as connection:
        players = dict(await queries.players_of(connection, sorted(entrants)))
    new = entrants.difference(players)
    if new:  # the read model is behind, and nobody looks again once it is not
        players |= await _players_in_log(shell, place, new)
    names = await names_of(shell, players.values())
    return {each: names[player] for each, player in players.items() if player in names}


async def _players_in_log(
    shell: Shell, place: TournamentPlace, entrants: set[str]
) -> dict[str, str]:
    codec = shell.runtime.writer.codec
    rows = await read_last_of_types(
        shell.pool, place.league, place.stream, _ENTRIES, 0, VERSIONS_BACK
    )
    entered = (codec.public(row.stream, row.type, row.schema_version, row.data) for row in rows)
    return {
        str(each.entrant): str(each.player)
        for each in entered
        if isinstance(each, play.EntrantRegistered | entering.EntrantWaitlisted)
        and each.entrant in entrants
    }


async def _numbers(shell: Shell, league: str, tables: Iterable[str]) -> dict[str, int]:
    """Return the number of each table, open or closed. A table that never opened has none."""
    found = {}
    for each in sorted(tables):
        state = (await shell.runtime.writer.load(league, table_stream(each))).state
        if isinstance(state, Table):
            found[each] = state.number
    return found


def _told(event: msgspec.Struct) -> Iterator[_Told]:
    """Yield the happenings of an event: one, or one for each player who was moved."""
    match event:
        case play.TableBroken():
            yield _Told(table=event.table, players=len(event.moves))
        case floor.SeatsRedrawn():
            yield _Told(players=len(event.moves))
        case play.EntrantsMoved():
            for move in event.moves:
                yield _Told(
                    entrant=move.entrant,
                    table=move.from_table,
                    to_table=move.to_table,
                    seat=move.to_seat,
                )
        case floor.EntrantWarned() | floor.EntrantDisqualified():
            yield _Told(by=event.by, entrant=event.entrant, table=event.table)
        case floor.PenaltyGiven():
            yield _Told(by=event.by, entrant=event.entrant, table=event.table, hands=event.hands)
        case floor.MoveOrdered():
            yield _Told(
                by=event.by,
                entrant=event.entrant,
                table=event.from_table,
                to_table=event.to_table,
                seat=event.to_seat,
            )
        case floor.TableHoldOrdered() | floor.TableReleased():
            yield _Told(by=event.by, table=event.table)
        case _:
            yield _of_time(event) or _of_player(event)


def _of_time(event: msgspec.Struct) -> _Told | None:
    """Return the happening of an event about levels, breaks and the pace, or None for others."""
    match event:
        case play.LevelRaised():
            return _Told(level=event.level)
        case floor.ClockSet():
            return _Told(by=event.by, level=event.level, seconds=event.seconds)
        case floor.BreakAnnounced():
            return _Told(by=event.by, level=event.after_level, seconds=event.seconds)
        case floor.BreakStarted():
            return _Told(
                level=event.after_level, seconds=int((event.due - event.at).total_seconds())
            )
        case floor.LastHandsCalled():
            return _Told(by=event.by, hands=event.hands)
        case floor.BreakEnded() | floor.HandForHandStarted() | floor.HandForHandEnded():
            return _Told(by=event.by)
        case floor.BreakingOrderChanged():
            return _Told(by=event.by)
    return None


def _of_player(event: msgspec.Struct) -> _Told:
    """Return the happening of an event about one player, or about nobody."""
    match event:
        case play.EntrantEliminated():
            return _Told(entrant=event.entrant, place=event.place)
        case play.RebuyDeclared():
            return _Told(by=event.by, entrant=event.entrant)
        case entering.NoShowReleased() | entering.NoShowPurged():
            return _Told(entrant=event.entrant)
        case play.RebuyTaken() | money.AddOnTaken():
            return _Told(by=event.by, entrant=event.entrant, table=event.table)
        case entering.LateSeatDrawn():
            return _Told(entrant=event.entrant, to_table=event.table, seat=event.seat)
        case play.EntrantCashedOut():
            return _Told(entrant=event.entrant, table=event.table)
        case entering.TableAdded():
            return _Told(table=event.table)
    return _Told()


_ENTRIES = [tag_of(play.EntrantRegistered), tag_of(entering.EntrantWaitlisted)]
_KINDS = [
    tag_of(each)
    for each in (
        play.PlayStarted, play.TournamentPaused, play.TournamentResumed, play.LevelRaised,
        play.EntrantEliminated, play.RebuyDeclared, play.RebuyTaken, play.EntrantsMoved,
        play.TableBroken, play.EntrantCashedOut, play.PlayClosing, play.TournamentFinished,
        play.TournamentCancelled, money.AddOnTaken, entering.NoShowReleased, entering.NoShowPurged,
        entering.LateSeatDrawn, entering.TableAdded, entering.AnnouncementPosted,
        floor.MoveOrdered, floor.BreakingOrderChanged, floor.TableHoldOrdered, floor.TableReleased,
        floor.EntrantWarned, floor.PenaltyGiven, floor.EntrantDisqualified, floor.SeatsRedrawn,
        floor.ClockSet, floor.BreakAnnounced, floor.BreakStarted, floor.BreakEnded,
        floor.LastHandsCalled, floor.HandForHandStarted, floor.HandForHandEnded,
    )
]  # fmt: skip
"""The events that directors and players want to hear about. Hands are in the feeds of tables."""
