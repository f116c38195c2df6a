"""Open the tables of a scheduled round, and close all of them together."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from engine.coordination import policies, purchases
from engine.errors import InvariantViolated
from engine.table.model.commands import (
    AwardCarry,
    CloseTable,
    ImposePenalty,
    OpenTable,
    StepAway,
    VacateSeats,
)
from engine.table.model.state import Table
from engine.tournament.model.commands.rounds import EndRound
from engine.tournament.model.directives import RoundOver
from engine.tournament.model.events import Event as TournamentEvent
from engine.tournament.model.events.rounds import FinalSeated, RoundEnded, RoundSeated
from engine.tournament.model.state import Running, Seating
from engine.tournament.model.state import State as TournamentState
from engine.tournament.model.values.rounds import RoundPenalty, TableEnd
from engine.tournament.seating.draw import seats_at
from engine.values import Chips, EntrantId, TableId

Opening = tuple[OpenTable, tuple[StepAway | ImposePenalty, ...]]
"""The command that opens a table, and commands for its absent or penalised entrants."""

Closing = tuple[AwardCarry | VacateSeats | CloseTable, ...]


def opened(
    tournament: TournamentState, events: Iterable[TournamentEvent], *, now: datetime
) -> tuple[Opening, ...]:
    """
    Return the commands that open the tables of a round seated by *events*, in their append.

    Args:
        tournament: The state after *events*.

    Raises:
        InvariantViolated: If the tournament is not running, or has no rounds.
    """
    stacks: dict[EntrantId, Chips] = {}
    for event in events:
        if isinstance(event, RoundSeated):
            stacks |= {each.entrant: each.stack for table in event.tables for each in table.seats}
        elif isinstance(event, FinalSeated):
            stacks |= {each.entrant: each.stack for each in event.assignments}
    if not stacks:
        return ()
    if not isinstance(tournament, Running) or tournament.rounds is None:
        raise InvariantViolated("a round was seated where there are none")
    before, terms = tournament.rounds.ended[-1], tournament.terms
    final = tournament.rounds.stage == "final"
    seats = seats_at(terms, tables=1) if final else terms.table_seats
    return tuple(
        (
            policies.opening(tournament, seating, stacks, seats=seats, now=now),
            _along(before, seating, now),
        )
        for seating in tournament.tables
    )


def _along(
    before: RoundEnded, here: Seating, now: datetime
) -> tuple[StepAway | ImposePenalty, ...]:
    """Return the absences and penalties that entrants *here* bring from the round before."""
    return (
        *(StepAway(entrant=each) for each in before.away if here.seat_of(each) is not None),
        *(
            ImposePenalty(entrant=each.entrant, hands=each.hands, rule="penalty.moved", now=now)
            for each in before.penalties
            if here.seat_of(each.entrant) is not None
        ),
    )


def ending(
    tables: Mapping[TableId, Table], order: RoundOver, *, now: datetime
) -> tuple[Mapping[TableId, Closing], EndRound]:
    """
    Return the commands that empty and close each table of a round, and the one that ends it.

    The carry of a table goes first to the entrants who sit there, and counts in their stacks.
    """
    here = {each.table: tables[each.table] for each in order.tables}
    closing: dict[TableId, Closing] = {}
    ends: list[TableEnd] = []
    for end in order.tables:
        table = here[end.table]
        awards, stacks = purchases.carry_at_closing((table,), end.stacks, now=now)
        ends.append(TableEnd(table=end.table, stacks=stacks))
        closing[end.table] = (
            *awards.values(),
            VacateSeats(departures=tuple(each.entrant for each in table.places), now=now),
            CloseTable(reason="round_over", now=now),
        )
    away = tuple(place.entrant for table in here.values() for place in table.places if place.away)
    penalties = tuple(
        RoundPenalty(entrant=place.entrant, hands=place.penalty)
        for table in here.values()
        for place in table.places
        if place.penalty
    )
    return closing, EndRound(
        round=order.round, tables=tuple(ends), away=away, penalties=penalties, now=now
    )
