"""What a move, a break or an inheritance asks of the tables it touches."""

from datetime import datetime

from engine.table.commands import Arrival, LevelFloor, SeatArrivals, VacateSeats
from engine.table.state import Table
from engine.tournament.directives import Break
from engine.tournament.values import Move
from engine.values import TableId


def vacating(moves: tuple[Move, ...], *, now: datetime) -> tuple[VacateSeats, ...]:
    targets = dict.fromkeys(move.to_table for move in moves)
    return tuple(
        VacateSeats(
            departures=tuple(move.entrant for move in moves if move.to_table == target),
            to_table=target,
            now=now,
        )
        for target in targets
    )


def giving_up(order: Break, *, now: datetime) -> tuple[VacateSeats, ...]:
    """Return how a table where nobody sits any more lets go of what it carries."""
    return (VacateSeats(departures=(), to_table=order.carry_to, now=now),)


def arriving(here: Table, moves: tuple[Move, ...], table: TableId) -> tuple[Arrival, ...]:
    places = {place.entrant: place for place in here.places}
    return tuple(
        Arrival(
            seat=move.to_seat,
            entrant=move.entrant,
            stack=move.stack,
            away=places[move.entrant].away,
            timeouts=places[move.entrant].timeouts,
            hands_won=places[move.entrant].hands_won,
            pots_won=places[move.entrant].pots_won,
        )
        for move in moves
        if move.to_table == table
    )


def inheritance(here: Table, target: Table, order: Break, *, now: datetime) -> SeatArrivals | None:
    """Return who and what comes to *target* from the broken table; None if nothing does."""
    inherits = target.table == order.carry_to
    arrivals = arriving(here, order.moves, target.table)
    carry = here.carry if inherits else 0
    sabacc_pot = here.sabacc_pot if inherits else 0
    if not (arrivals or carry or sabacc_pot):
        return None
    merged = order.final and bool(arrivals)
    return SeatArrivals(
        arrivals=arrivals,
        carry=carry,
        sabacc_pot=sabacc_pot,
        floor=_highest(here.floor(), target.floor()) if merged else None,
        restart=merged,
        now=now,
    )


def _highest(one: LevelFloor, other: LevelFloor) -> LevelFloor:
    return LevelFloor(
        small=max(one.small, other.small),
        big=max(one.big, other.big),
        ante=max(one.ante, other.ante),
    )
