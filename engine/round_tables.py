"""How the tables of a scheduled round are opened, and how all of them are closed together."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from engine import purchases
from engine.errors import InvariantViolated
from engine.table.commands import AwardCarry, CloseTable, OpenTable, Placed, StepAway, VacateSeats
from engine.table.state import Table
from engine.tournament.directives import RoundOver
from engine.tournament.events import Event as TournamentEvent
from engine.tournament.rounds.commands import EndRound
from engine.tournament.rounds.events import FinalSeated, RoundSeated
from engine.tournament.rounds.values import TableEnd
from engine.tournament.seating import seats_at
from engine.tournament.state import Running
from engine.tournament.state import State as TournamentState
from engine.values import Chips, EntrantId, TableId

Opening = tuple[OpenTable, tuple[StepAway, ...]]
"""A table, and who is not there when it opens."""

Closing = tuple[AwardCarry | VacateSeats | CloseTable, ...]


def opened(
    tournament: TournamentState, events: Iterable[TournamentEvent], *, now: datetime
) -> tuple[Opening, ...]:
    """
    Return how the tables of a round that was seated by *events* are opened, in their append.

    Args:
        tournament: As *events* have left it.

    Raises:
        InvariantViolated: If it is not running.
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
    ended = tournament.rounds.ended
    away = ended[-1].away if ended else ()
    terms = tournament.terms
    final = tournament.rounds.stage == "final"
    seats = seats_at(terms, tables=1) if final else terms.table_seats
    return tuple(
        (
            OpenTable(
                table=seating.table,
                tournament=terms.tournament,
                number=seating.number,
                ruleset=terms.ruleset,
                ruleset_hash=terms.ruleset_hash,
                decision_seconds=terms.decision_seconds,
                grace_seconds=terms.grace_seconds,
                seats=tuple(
                    Placed(seat=each.seat, entrant=each.entrant, stack=stacks[each.entrant])
                    for each in seating.seats
                ),
                seat_count=seats,
                now=now,
            ),
            tuple(StepAway(entrant=e.entrant) for e in seating.seats if e.entrant in away),
        )
        for seating in tournament.tables
    )


def ending(
    tables: Mapping[TableId, Table], order: RoundOver, *, now: datetime
) -> tuple[Mapping[TableId, Closing], EndRound]:
    """
    Return how each table of a round is emptied and closed, and what the tournament is told.

    What a table carries is given to those who sit there first, and counts for them.
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
    return closing, EndRound(round=order.round, tables=tuple(ends), away=away, now=now)
