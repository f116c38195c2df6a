"""
Moves that balance tables of too different sizes.

The mover and the seat are chosen together, so that the move costs as few positions as possible. If
it can, the big blind comes to the mover no sooner than before. Nothing here is random.

Source: TDA rule 11, rulebook ``seating.balance_next_big_blind`` and ``seating.balance_button``.
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
    uneven,
)
from engine.values import TableId

Tables = Mapping[TableId, TableSummary]

_FIRST = {"dealt_in": 0, "waits": 1, "small_blind": 2}
_FAR = 1_000
"""More hands than any seat waits for its turn."""


class _Free(NamedTuple):
    """A free seat of a table that takes an entrant. ``place`` 0 is the worst legal seat."""

    table: TableId
    number: int
    place: int
    at: FreeSeat


def balanced(
    state: Running, tables: Tables, live: tuple[Seating, ...], here: Seating
) -> Directive | None:
    """
    Return the next move between tables, if sizes differ too much and *here* gives or takes.

    One player moves at a time. The next move is asked for after this one.
    """
    entrants, all_live = sum(len(each.seats) for each in live), len(live) == len(state.tables)
    if tables_due(state.terms, entrants, all_live=all_live) < len(live):
        return None
    if not uneven([len(each.seats) for each in live], state.terms.floor.size_tolerance):
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
    """Return the rule that balances tables: by the big blind, or by the deal without blinds."""
    blinds = isinstance(state.terms.ruleset.forced, Blinds)
    return "seating.balance_next_big_blind" if blinds else "seating.balance_button"


def preferred(
    state: Running, tables: Tables, giver: Seating, takers: list[Seating]
) -> tuple[Candidate, ...]:
    """
    Return the candidates to leave *giver*, each with their best seat, in the order of choice.

    These criteria decide, one after the other. Newcomers who were not dealt in yet go last. The
    fewest positions lost go first, then the next big blind, or the last dealer in a game without
    blinds. Then the fewest earlier moves count, and last the seat.

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
    """Return the cost of *seat* for a player with *hands* hands until the turn. Less is better."""
    lost = positions_lost(hands, seat.at.hands, blinds=blinds)
    return _FIRST[seat.at.first], lost, seat.number, seat.place


def _free_seats(state: Running, tables: Tables, takers: list[Seating]) -> list[_Free]:
    """Return the free seats of the emptiest of *takers*. Each table's worst legal seat is first."""
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
    Return the difference of each table's size from its target, negative if it is too small.

    Of equally full tables, an idle one gives before one with a hand in play. Of equally empty
    tables, an idle one takes first.
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
