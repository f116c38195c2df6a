"""
Who moves, and where to, when tables lie too far apart in size.

Mover and seat are chosen together, so that the move costs as few positions as it can: the
big blind comes no sooner to the mover than it would have come.  Nothing here is random.

Source: TDA rule 11; rulebook ``seating.balance_next_big_blind`` and ``seating.balance_button``.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from engine.hand.positions import turns
from engine.rulesets import Blinds
from engine.tournament.model.directives import Directive, Hold, MoveOut
from engine.tournament.model.state import Running, Seated, Seating
from engine.tournament.model.table_summary import TableSummary
from engine.tournament.model.values import Candidate, Move
from engine.tournament.seating.draw import (
    FreeSeat,
    free_worst_first,
    positions_lost,
    seats_at,
    tables_due,
    targets,
)
from engine.values import TableId

Tables = Mapping[TableId, TableSummary]

_FIRST = {"dealt_in": 0, "waits": 1, "small_blind": 2}
_FAR = 1_000
"""More hands than any seat waits for its turn."""


class _Free(NamedTuple):
    """A free seat of a table that takes somebody; ``place`` 0 is the worst legal one."""

    table: TableId
    number: int
    place: int
    at: FreeSeat


def balanced(
    state: Running, tables: Tables, live: tuple[Seating, ...], here: Seating
) -> Directive | None:
    """
    Return whom a table gives away, if sizes lie too far apart and *here* gives or takes.

    One player at a time: the next move is asked for once this one has been made.
    """
    entrants, all_live = sum(len(each.seats) for each in live), len(live) == len(state.tables)
    if tables_due(state.terms, entrants, all_live=all_live) < len(live):
        return None
    excess = _excess(state, tables, live)
    takers = [each for each in live if excess[each.table] < 0 and tables[each.table].idle]
    givers = [each for each in live if excess[each.table] > 0 and tables[each.table].idle]
    if not takers or not givers:
        return Hold(reason="balancing") if here in givers else None
    if here in givers:
        giver = here
    elif here in takers:
        giver, takers = max(givers, key=lambda each: len(each.seats)), [here]
    else:
        return None
    candidates = preferred(state, tables, giver, takers)
    first = candidates[0]
    if first.to_table is None or first.to_seat is None:
        return None
    move = Move(
        entrant=first.entrant,
        stack=tables[giver.table].stack_of(first.entrant),
        from_table=giver.table,
        from_seat=first.seat,
        to_table=first.to_table,
        to_seat=first.to_seat,
    )
    return MoveOut(
        table=giver.table, moves=(move,), rule=rule_of(state), candidates=candidates, draw=None
    )


def rule_of(state: Running) -> str:
    """Return the rule by which tables are balanced: by the blinds, or by the deal without any."""
    blinds = isinstance(state.terms.ruleset.forced, Blinds)
    return "seating.balance_next_big_blind" if blinds else "seating.balance_button"


def preferred(
    state: Running, tables: Tables, giver: Seating, takers: list[Seating]
) -> tuple[Candidate, ...]:
    """
    Return who might leave *giver*, with the best seat for each, the one who goes first.

    In this order decide: a newcomer who was not dealt in yet goes last; the fewest positions
    lost; the next big blind first, or the last dealer in a game without; who was moved less
    often; the seat.

    Source: rulebook ``seating.balance_next_big_blind`` and ``seating.balance_button``.
    """
    table, moved = tables[giver.table], Counter(state.floor.moved)
    free = _free_seats(state, tables, takers)
    blinds = isinstance(state.terms.ruleset.forced, Blinds)
    known = table.marks is not None
    due = turns(table.marks, table.dealable, table.newcomers) if table.marks is not None else {}

    def scored(each: Seated) -> tuple[tuple[int, ...], Candidate]:
        hands, new = due.get(each.seat), each.seat in table.newcomers
        best = min(free, key=lambda seat: _cost(hands, seat, blinds=blinds))
        lost = positions_lost(hands, best.at.hands, blinds=blinds)
        candidate = Candidate(
            entrant=each.entrant,
            seat=each.seat,
            hands_to_big_blind=hands if blinds else None,
            hands_to_button=None if blinds else hands,
            newcomer=new,
            moved=moved[each.entrant],
            to_table=best.table,
            to_seat=best.at.seat,
            hands_there=best.at.hands,
            positions_lost=lost,
        )
        far = _FAR if hands is None else hands
        turn = 0 if not known else far if blinds else -far
        return (new, *_cost(hands, best, blinds=blinds)[:2], turn, moved[each.entrant]), candidate

    ranked = sorted(map(scored, giver.seats), key=lambda pair: (pair[0], pair[1].seat))
    return tuple(candidate for _, candidate in ranked)


def _cost(hands: int | None, seat: _Free, *, blinds: bool) -> tuple[int, ...]:
    """Return how bad it is to go to *seat* for a player whose turn comes in so many *hands*."""
    lost = positions_lost(hands, seat.at.hands, blinds=blinds)
    return _FIRST[seat.at.first], lost, seat.number, seat.place


def _free_seats(state: Running, tables: Tables, takers: list[Seating]) -> list[_Free]:
    """Return the free seats of the emptiest of *takers*, each table's worst legal one first."""
    least = min(len(each.seats) for each in takers)
    found = []
    for taker in takers:
        if len(taker.seats) > least:
            continue
        table = tables[taker.table]
        seats = free_worst_first(
            table.marks,
            table.dealable,
            newcomers=table.newcomers,
            occupied=[each.seat for each in taker.seats],
            seat_count=seats_at(state.terms, tables=len(state.tables)),
        )
        found += [_Free(taker.table, taker.number, place, each) for place, each in enumerate(seats)]
    return found


def _excess(state: Running, tables: Tables, live: tuple[Seating, ...]) -> dict[TableId, int]:
    """
    Return how many each table has above (or, negative, below) what it should.

    Of equally full tables an idle one gives, and of equally empty ones an idle
    one takes, before those whose hand is still in play.
    """
    entrants = sum(len(each.seats) for each in live)

    def preference(each: Seating) -> tuple[int, bool, int]:
        size = len(each.seats)
        idle = tables[each.table].idle
        return (-size, idle if size * len(live) > entrants else not idle, each.number)

    order = sorted(live, key=preference)
    tolerance = state.terms.floor.size_tolerance
    wanted = targets([len(each.seats) for each in order], tolerance=tolerance)
    return {
        each.table: len(each.seats) - target for each, target in zip(order, wanted, strict=True)
    }
