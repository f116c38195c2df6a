"""Redraws of all seats at given numbers of tables. Source: WSOP rule 67-c."""

from typing import Literal

from engine.errors import Wording
from engine.tournament.fairness.digests import of_draws
from engine.tournament.model.commands.floor import RecordRedraw
from engine.tournament.model.errors import DirectiveStale
from engine.tournament.model.events import Event
from engine.tournament.model.events.floor import SeatsRedrawn
from engine.tournament.model.state import Running
from engine.tournament.model.values import Candidate, Draw, Move
from engine.tournament.seating.draw import draw_order
from engine.values import Chips, EntrantId, Seat


def due(state: Running) -> bool:
    """Return whether all seats have to be redrawn, once for each number of tables."""
    count = len(state.tables)
    return count in state.terms.floor.redraw_at and count not in state.floor.redrawn


def drawn(state: Running, stacks: dict[EntrantId, Chips]) -> tuple[tuple[Move, ...], Draw]:
    """Return the moves of a redraw. Seats are dealt round the tables like the first seats."""
    sitting = {
        each.entrant: (table.table, each.seat) for table in state.tables for each in table.seats
    }
    number = state.draws + 1
    tables = [each.table for each in state.tables]
    label: Literal["final", "seats"] = "final" if len(tables) == 1 else "seats"
    order = draw_order(
        tuple(sitting), masters=state.masters, number=number, label=label, digest=of_draws(state)
    )
    moves = []
    for index, entrant in enumerate(order):
        (table, seat), to = sitting[entrant], tables[index % len(tables)]
        to_seat = Seat(index // len(tables) + 1)
        if (table, seat) != (to, to_seat):
            moves.append(
                Move(
                    entrant=entrant,
                    stack=stacks[entrant],
                    from_table=table,
                    from_seat=seat,
                    to_table=to,
                    to_seat=to_seat,
                )
            )
    return tuple(moves), Draw(number=number, label=label, order=order)


def candidates(state: Running) -> tuple[Candidate, ...]:
    """Return everybody who takes part in a redraw, by table and seat."""
    return tuple(
        Candidate(entrant=each.entrant, seat=each.seat)
        for table in state.tables
        for each in table.seats
    )


def record(state: Running, command: RecordRedraw) -> tuple[Event, ...]:
    """
    Return the redrawn seats.

    Raises:
        DirectiveStale: If an entrant sits elsewhere, or another draw has been made.
    """
    if not due(state):
        return ()
    if command.draw.number != state.draws + 1:
        raise DirectiveStale(problem=Wording("another draw has been made"))
    if sorted(command.draw.order) != sorted(state.remaining()):
        raise DirectiveStale(problem=Wording("the draw leaves out an entrant who is still in"))
    for move in command.moves:
        table = state.seating(move.from_table)
        if table is None or table.seat_of(move.entrant) != move.from_seat:
            raise DirectiveStale(
                problem=Wording("an entrant who should move is no longer seated there")
            )
    return (
        SeatsRedrawn(
            tables=len(state.tables),
            moves=command.moves,
            rule=command.rule,
            candidates=command.candidates,
            draw=command.draw,
        ),
    )
