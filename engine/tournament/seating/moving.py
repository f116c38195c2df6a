"""Moves of entrants to other seats. A planned move is checked again before it is recorded."""

from engine.errors import Wording
from engine.tournament.model.commands import RecordBreak, RecordMoves
from engine.tournament.model.errors import DirectiveStale
from engine.tournament.model.events import EntrantsMoved, Event, TableBroken
from engine.tournament.model.state import Running, Seating, State, running_of
from engine.tournament.model.values import Draw, Move
from engine.tournament.seating.draw import seats_at
from engine.values import Seat, TableId


def record_moves(state: State, command: RecordMoves) -> tuple[Event, ...]:
    running = running_of(state)
    if _made(running, command.moves):
        return ()
    source = _source(running, command.table)
    _check_moves(running, source, command.moves, command.draw)
    if len(command.moves) == len(source.seats):
        raise DirectiveStale(problem=Wording("only breaking a table may empty it"))
    return (
        EntrantsMoved(
            table=command.table,
            hand=command.hand_number,
            moves=command.moves,
            rule=command.rule,
            candidates=command.candidates,
            draw=command.draw,
        ),
    )


def record_break(state: State, command: RecordBreak) -> tuple[Event, ...]:
    running = running_of(state)
    if running.seating(command.table) is None and _made(running, command.moves):
        return ()
    source = _source(running, command.table)
    _check_moves(running, source, command.moves, command.draw, breaking=True)
    if len(command.moves) != len(source.seats):
        raise DirectiveStale(problem=Wording("an entrant would stay at the broken table"))
    if command.carry_to == command.table or running.seating(command.carry_to) is None:
        raise DirectiveStale(problem=Wording("the table's carry has nowhere to go"))
    return (
        TableBroken(
            table=command.table,
            hand=command.hand_number,
            moves=command.moves,
            carry_to=command.carry_to,
            rule=command.rule,
            candidates=command.candidates,
            draw=command.draw,
            final=command.final,
        ),
    )


def _made(state: Running, moves: tuple[Move, ...]) -> bool:
    """Return whether all *moves* have been made and the movers still sit there."""
    tables = (state.seating(move.to_table) for move in moves)
    return all(
        table is not None and table.seat_of(move.entrant) == move.to_seat
        for move, table in zip(moves, tables, strict=True)
    )


def _source(state: Running, table: TableId) -> Seating:
    source = state.seating(table)
    if source is None:
        raise DirectiveStale(problem=Wording("the table is not in play"))
    return source


def _check_moves(
    state: Running,
    source: Seating,
    moves: tuple[Move, ...],
    draw: Draw | None,
    *,
    breaking: bool = False,
) -> None:
    """Raise DirectiveStale unless each mover sits at *source* and goes to a free seat."""
    if draw is not None and draw.number != state.draws + 1:
        raise DirectiveStale(problem=Wording("another draw has been made"))
    taken: set[tuple[TableId, Seat]] = {
        (table.table, each.seat) for table in state.tables for each in table.seats
    }
    movers: set[str] = set()
    for move in moves:
        target = (move.to_table, move.to_seat)
        if move.from_table != source.table or source.seat_of(move.entrant) != move.from_seat:
            raise DirectiveStale(
                problem=Wording("an entrant who should move is no longer seated there")
            )
        if move.entrant in movers or move.to_table == source.table:
            raise DirectiveStale(problem=Wording("an entrant must move to one other table"))
        if state.seating(move.to_table) is None or target in taken:
            raise DirectiveStale(problem=Wording("a seat is no longer free"))
        if not 1 <= move.to_seat <= seats_at(state.terms, tables=len(state.tables) - breaking):
            raise DirectiveStale(problem=Wording("there is no such seat"))
        movers.add(move.entrant)
        taken.add(target)
