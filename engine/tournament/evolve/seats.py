"""The seats of all tables after entrants came, left or moved."""

from collections.abc import Iterable

from msgspec.structs import replace

from engine.tournament.model.state import Seated, Seating
from engine.tournament.model.values import Move, SeatAssignment
from engine.values import EntrantId, TableId


def seatings_of(assignments: tuple[SeatAssignment, ...]) -> tuple[Seating, ...]:
    tables = sorted({(each.table_number, each.table) for each in assignments})
    return tuple(
        Seating(
            table=table,
            number=number,
            seats=by_seat(
                Seated(entrant=each.entrant, seat=each.seat)
                for each in assignments
                if each.table == table
            ),
        )
        for number, table in tables
    )


def without(tables: tuple[Seating, ...], gone: set[EntrantId]) -> tuple[Seating, ...]:
    return tuple(
        table
        if gone.isdisjoint([each.entrant for each in table.seats])
        else replace(table, seats=tuple(each for each in table.seats if each.entrant not in gone))
        for table in tables
    )


def moved(tables: tuple[Seating, ...], moves: tuple[Move, ...]) -> tuple[Seating, ...]:
    arriving: dict[TableId, list[Seated]] = {}
    for move in moves:
        seated = Seated(entrant=move.entrant, seat=move.to_seat)
        arriving.setdefault(move.to_table, []).append(seated)
    return tuple(
        replace(table, seats=by_seat([*table.seats, *arriving[table.table]]))
        if table.table in arriving
        else table
        for table in without(tables, {each.entrant for each in moves})
    )


def by_seat(seats: Iterable[Seated]) -> tuple[Seated, ...]:
    return tuple(sorted(seats, key=lambda each: each.seat))
