"""The commands to tables that follow from moves, broken tables and their carry."""

from collections.abc import Mapping
from datetime import datetime

from engine.table.model.commands import (
    Arrival,
    ImposePenalty,
    LevelFloor,
    SeatArrivals,
    VacateSeats,
)
from engine.table.model.commands import Command as TableCommand
from engine.table.model.state import Table
from engine.tournament.model.commands.floor import RecordRemoval
from engine.tournament.model.directives import Break, Remove
from engine.tournament.model.values import Move
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
    """Return the command by which an empty table passes on its carry."""
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
    """Return the command that brings entrants and carry from a broken table, or None."""
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
        least_amounts=_highest(here.least_amounts(), target.least_amounts()) if merged else None,
        restart=merged,
        now=now,
    )


def penalties_along(
    here: Table, moves: tuple[Move, ...], table: TableId, *, now: datetime
) -> tuple[ImposePenalty, ...]:
    """
    Return the penalty hands that players moving to *table* still have to sit out.

    A penalty follows its player.
    """
    places = {place.entrant: place for place in here.places}
    return tuple(
        ImposePenalty(
            entrant=move.entrant,
            hands=places[move.entrant].penalty,
            rule="penalty.moved",
            now=now,
        )
        for move in moves
        if move.to_table == table and places[move.entrant].penalty
    )


def redrawn(
    tables: Mapping[TableId, Table], moves: tuple[Move, ...], *, now: datetime
) -> dict[TableId, tuple[TableCommand, ...]]:
    """
    Return each table's commands after all seats have been drawn again.

    A table keeps its carry and its level. Its first dealer is drawn again.
    """
    asked: dict[TableId, tuple[TableCommand, ...]] = {}
    touched = dict.fromkeys(key for move in moves for key in (move.from_table, move.to_table))
    for key in touched:
        table = tables[key]
        going = tuple(move.entrant for move in moves if move.from_table == key)
        sources = [tables[each] for each in touched]
        arrivals = tuple(each for source in sources for each in _from(source, moves, key))
        emptied = len(going) == len(table.places)
        penalties = (
            each
            for source in sources
            for each in penalties_along(source, _leaving(source, moves), key, now=now)
        )
        asked[key] = (
            VacateSeats(departures=going, now=now),
            SeatArrivals(
                arrivals=arrivals,
                carry=table.carry if emptied else 0,
                sabacc_pot=table.sabacc_pot if emptied else 0,
                least_amounts=table.least_amounts(),
                restart=True,
                now=now,
            ),
            *penalties,
        )
    return asked


def _leaving(source: Table, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    return tuple(move for move in moves if move.from_table == source.table)


def _from(source: Table, moves: tuple[Move, ...], table: TableId) -> tuple[Arrival, ...]:
    return arriving(source, _leaving(source, moves), table)


def removing(
    here: Table, order: Remove, *, now: datetime
) -> tuple[tuple[TableCommand, ...], tuple[RecordRemoval, ...]]:
    """
    Return the commands that take the chips of disqualified entrants out of play.

    The carry stays at the table.
    """
    stacks = {place.entrant: place.stack for place in here.places}
    going = tuple(entrant for entrant in order.entrants if entrant in stacks)
    commands: list[TableCommand] = [VacateSeats(departures=going, now=now)] if going else []
    carried = here.carry + here.sabacc_pot
    if carried and len(going) == len(here.places):
        commands.append(
            SeatArrivals(arrivals=(), carry=here.carry, sabacc_pot=here.sabacc_pot, now=now)
        )
    removed = tuple((entrant, stacks.get(entrant, 0)) for entrant in order.entrants)
    return tuple(commands), (RecordRemoval(table=here.table, stacks=removed, now=now),)


def _highest(one: LevelFloor, other: LevelFloor) -> LevelFloor:
    return LevelFloor(
        small=max(one.small, other.small),
        big=max(one.big, other.big),
        ante=max(one.ante, other.ante),
    )
