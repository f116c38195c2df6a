"""The latest changes of a tournament's field: changed seats, and eliminated entrants."""

from datetime import datetime, timedelta
from typing import Protocol, TypeVar

import msgspec

from engine.errors import InvariantViolated
from engine.league.state import Created
from engine.table.model.state import Table
from engine.tournament.model.events import EntrantsMoved, TableBroken
from engine.tournament.model.events.floor import SeatsRedrawn
from engine.tournament.model.state import Running, State
from engine.tournament.model.values import Move
from engine.values import Stream, TableId, stream_of
from service.api.http.access.phases import placings_of
from service.api.http.reading.called import names_at
from service.api.http.shell import Shell
from service.log.catalogue import tag_of
from service.log.read import read_last_of_types
from service.log.record import Recorded
from service.log.streams import table_stream
from service.log.writer import Loaded

RECENT = timedelta(minutes=10)
CHANGES_MAX = 50
EVENTS_MAX = 20
"""Events that are looked at. One breaks a whole table, or redraws all seats."""

VERSIONS_BACK = 500
"""The distance in versions that is searched, so that a long tournament costs no more."""

OUT_MAX = 5

StateT = TypeVar("StateT", bound=msgspec.Struct)
_Moving = EntrantsMoved | TableBroken | SeatsRedrawn
_KINDS = [tag_of(each) for each in (EntrantsMoved, TableBroken, SeatsRedrawn)]


class Load(Protocol):
    """Loads a stream, now or as of a requested moment."""

    async def __call__(self, stream: Stream[StateT]) -> Loaded[StateT]: ...


class SeatAtTable(msgspec.Struct, kw_only=True):
    """A seat at a table of the tournament."""

    table: str
    number: int
    """The table's number in the tournament."""

    seat: int
    """The number of the seat, from 1."""


class SeatChanged(msgspec.Struct, kw_only=True):
    """A change of one entrant's seat."""

    entrant: str
    name: str | None
    """The player's name now."""

    from_: SeatAtTable = msgspec.field(name="from")
    """The seat before."""

    to: SeatAtTable
    """The seat after it."""

    why: str
    """The type of the event: `entrants_moved`, `table_broken` or `seats_redrawn`."""

    at: datetime
    """The instant of the change."""


class KnockedOut(msgspec.Struct, kw_only=True):
    """An entrant who is out."""

    entrant: str
    name: str | None
    """The player's name now."""

    place: int
    """The place, from 1. Players who tie share the better place."""


async def knocked_out(shell: Shell, state: State) -> tuple[KnockedOut, ...]:
    """Return the entrants who were eliminated last, newest first."""
    last = placings_of(state)[-OUT_MAX:][::-1] if isinstance(state, Running) else ()
    called = await names_at(shell, state, (each.entrant for each in last))
    return tuple(
        KnockedOut(entrant=each.entrant, name=called.get(each.entrant), place=each.place)
        for each in last
    )


async def seat_changes(
    shell: Shell, league: str, load: Load, loaded: Loaded[State], now: datetime
) -> tuple[SeatChanged, ...]:
    """
    Return the changes of seats before *now* that are recent, newest first.

    Args:
        load: Loads the tables, as of the same moment as *loaded*.
        loaded: The tournament.
    """
    state = loaded.state
    if not isinstance(state, Running):
        return ()
    rows = await read_last_of_types(
        shell.pool,
        league,
        stream_of(state.terms.tournament),
        _KINDS,
        max(0, loaded.version - VERSIONS_BACK),
        EVENTS_MAX,
    )
    house = (await shell.runtime.writer.load(league, stream_of(league), fresh=False)).state
    away = house.voided if isinstance(house, Created) else ()
    told = [
        (row, move)
        for row in reversed(rows)
        if row.stream_version <= loaded.version
        and row.position not in away
        and now - row.at <= RECENT
        for move in _moves(shell, row)
    ][:CHANGES_MAX]
    tables = {each for _, move in told for each in (move.from_table, move.to_table)}
    numbers = {each: await _number(load, each) for each in tables}
    called = await names_at(shell, state, (move.entrant for _, move in told))
    return tuple(
        SeatChanged(
            entrant=move.entrant,
            name=called.get(move.entrant),
            from_=SeatAtTable(
                table=move.from_table, number=numbers[move.from_table], seat=move.from_seat
            ),
            to=SeatAtTable(table=move.to_table, number=numbers[move.to_table], seat=move.to_seat),
            why=row.type,
            at=row.at,
        )
        for row, move in told
    )


async def _number(load: Load, table: TableId) -> int:
    """Return the number of a table, which may be closed by now."""
    state = (await load(table_stream(table))).state
    if not isinstance(state, Table):
        raise InvariantViolated("somebody was moved from or to a table that was never opened")
    return state.number


def _moves(shell: Shell, row: Recorded) -> tuple[Move, ...]:
    codec = shell.runtime.writer.codec
    event = codec.public(row.stream, row.type, row.schema_version, row.data)
    return event.moves if isinstance(event, _Moving) else ()
