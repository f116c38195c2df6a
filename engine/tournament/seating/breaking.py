"""
Moves when tables have to break.

Tables break before they are balanced. Only the tournament's own draws are random here.

Source: TDA rules 10 and 11, rulebook ``seating``.
"""

from collections.abc import Mapping
from typing import Literal

from engine.errors import InvariantViolated
from engine.tournament.fairness.digests import of_draws
from engine.tournament.model.directives import Break, Directive, Hold, MoveOut
from engine.tournament.model.state import Running, Seated, Seating
from engine.tournament.model.table_summary import TableSummary
from engine.tournament.model.values import Candidate, Draw, Move
from engine.tournament.seating.draw import draw_order, free_worst_first, seats_at, tables_due
from engine.values import EntrantId, TableId


def consolidated(
    state: Running, tables: Mapping[TableId, TableSummary], live: tuple[Seating, ...], here: Seating
) -> Directive | None:
    """Return the directive of *here* for the table that has to break next, if there is one."""
    breaking = _breaking(state, tables, live)
    if breaking is None:
        return None
    staying = _staying(state, live, breaking)
    heir = min(staying, key=lambda each: each.number).table
    room = _room(tables, staying, entrants=sum(len(each.seats) for each in live))
    leaving = len(breaking.seats)
    settled = tables[heir].idle or not tables[breaking.table].carried
    if leaving <= sum(room.values()) and settled:
        return _break(state, tables, breaking, heir=heir, room=room)
    # Only some of them go now. The last one stays, because only breaking a table empties it.
    going = min(leaving - 1, sum(room.values()))
    if going > 0:
        return _move_some(state, tables, breaking, count=going, room=room)
    awaited = here.table == heir and tables[breaking.table].carried > 0
    return Hold(reason="breaking") if here == breaking or awaited else None


def _breaking(
    state: Running, tables: Mapping[TableId, TableSummary], live: tuple[Seating, ...]
) -> Seating | None:
    """Return the idle table that breaks next: an empty one, or the first in the breaking order."""
    if len(live) < 2:
        return None
    entrants = sum(len(each.seats) for each in live)
    for each in live:
        if not each.seats and tables[each.table].idle:
            return each
    if tables_due(state.terms, entrants, all_live=len(live) == len(state.tables)) >= len(live):
        return None
    by_number = {each.number: each for each in live}
    first = next(by_number[number] for number in state.breaking_order if number in by_number)
    return first if tables[first.table].idle else None


def _staying(state: Running, live: tuple[Seating, ...], breaking: Seating) -> tuple[Seating, ...]:
    """Return the tables that nobody has to leave, so that no mover has to move again."""
    entrants = sum(len(each.seats) for each in live)
    place = {number: index for index, number in enumerate(state.breaking_order)}
    others = [each for each in live if each != breaking]
    others.sort(key=lambda each: (len(each.seats) > 0, place.get(each.number, -1)))
    due = tables_due(state.terms, entrants, all_live=len(live) == len(state.tables))
    count = min(due, len(others))
    return tuple(others[len(others) - count :])


def _room(
    tables: Mapping[TableId, TableSummary], receivers: tuple[Seating, ...], *, entrants: int
) -> dict[TableId, int]:
    """Return the number of entrants that each idle table takes, so that table sizes stay even."""
    even = -(-entrants // len(receivers))
    return {
        each.table: even - len(each.seats)
        for each in receivers
        if even > len(each.seats) and tables[each.table].idle
    }


def _drawn(
    state: Running, source: Seating, *, final: bool
) -> tuple[tuple[EntrantId, ...], Draw | None]:
    """Return the entrants of a breaking table in random order. A single one needs no draw."""
    entrants = tuple(each.entrant for each in source.seats)
    if len(entrants) < 2:
        return entrants, None
    number = state.draws + 1
    label: Literal["move", "final"] = "final" if final else "move"
    order = draw_order(
        entrants, masters=state.masters, number=number, label=label, digest=of_draws(state)
    )
    return order, Draw(number=number, label=label, order=order)


def _break(
    state: Running,
    tables: Mapping[TableId, TableSummary],
    source: Seating,
    *,
    heir: TableId,
    room: dict[TableId, int],
) -> Break:
    final = len(state.tables) == 2
    movers, draw = _drawn(state, source, final=final)
    return Break(
        table=source.table,
        moves=_moves(state, tables, source, movers, room=room, final=final),
        carry_to=heir,
        rule="seating.final_table" if final else "seating.break_table",
        candidates=_in_seat_order(source),
        draw=draw,
        final=final,
    )


def _move_some(
    state: Running,
    tables: Mapping[TableId, TableSummary],
    source: Seating,
    *,
    count: int,
    room: dict[TableId, int],
) -> MoveOut:
    movers, draw = _drawn(state, source, final=False)
    return MoveOut(
        table=source.table,
        moves=_moves(state, tables, source, movers[:count], room=room),
        rule="seating.break_table",
        candidates=_in_seat_order(source),
        draw=draw,
    )


def _in_seat_order(source: Seating) -> tuple[Candidate, ...]:
    return tuple(Candidate(entrant=each.entrant, seat=each.seat) for each in source.seats)


def _moves(
    state: Running,
    tables: Mapping[TableId, TableSummary],
    source: Seating,
    movers: tuple[EntrantId, ...],
    *,
    room: dict[TableId, int],
    final: bool = False,
) -> tuple[Move, ...]:
    """
    Return the move of each of *movers* in turn, to the emptiest table's worst legal seat.

    Args:
        room: The number of entrants that each table may take. No other table receives any.
        final: True if one table is left afterwards.
    """
    seats = {each.table: list(each.seats) for each in state.tables if each.table in room}
    numbers = {each.table: each.number for each in state.tables}
    left = dict(room)
    moves: list[Move] = []
    for mover in movers:
        table = min(
            (each for each in left if left[each] > 0),
            key=lambda each: (len(seats[each]), numbers[each]),
        )
        came = [each.seat for each in seats[table] if each.entrant in movers]
        free = free_worst_first(
            tables[table].marks,
            (*tables[table].dealable, *came),
            newcomers=(*tables[table].newcomers, *came),
            occupied=[each.seat for each in seats[table]],
            seat_count=seats_at(state.terms, tables=1 if final else len(state.tables)),
        )
        from_seat = source.seat_of(mover)
        if not free or from_seat is None:
            raise InvariantViolated(f"{mover} cannot move from {source.table} to {table}")
        moves.append(
            Move(
                entrant=mover,
                stack=tables[source.table].stack_of(mover),
                from_table=source.table,
                from_seat=from_seat,
                to_table=table,
                to_seat=free[0].seat,
            )
        )
        seats[table].append(Seated(entrant=mover, seat=free[0].seat))
        left[table] -= 1
    return tuple(moves)
