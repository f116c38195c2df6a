"""Directives for one table between two hands: holds, breaks, ordered moves, redraws, openings."""

from collections.abc import Mapping

from engine.hand.positions import DEALT_MIN, clockwise, next_positions
from engine.tournament.chips.rebuying import window_seconds
from engine.tournament.floor import redraws
from engine.tournament.model.directives import (
    CountHands,
    Directive,
    EndRound,
    Hold,
    MoveOut,
    Open,
    Redraw,
    Remove,
)
from engine.tournament.model.state import Running, Seating
from engine.tournament.model.table_summary import TableSummary, counted_in_play
from engine.tournament.model.values import Candidate, Move
from engine.tournament.results.endings import (
    hands_counted,
    hands_left,
    until_all_dealt,
)
from engine.tournament.seating.draw import free_seats, free_worst_first, seats_at
from engine.values import Seat, TableId

Tables = Mapping[TableId, TableSummary]

UNATTENDED_SECONDS = 1
"""The least pause between two hands of a table at which everybody is away."""


def first_of_all(state: Running, here: Seating) -> Directive | None:
    """Return the directive that goes before all others: chips that leave play, or a hold."""
    removing = tuple(each.entrant for each in state.floor.removing if each.table == here.table)
    if removing:
        return Remove(entrants=removing)
    if here.table in state.floor.held:
        return Hold(reason="held")
    return None


def in_break(state: Running, tables: Tables, here: Seating) -> Directive | None:
    """
    Return the directive of *here* during a break: a hold, or a move that a director ordered.

    Nothing else happens before the end of the break.

    Args:
        tables: The summaries. Tables that wait for somebody count as in play.

    Source: rulebook ``levels.break`` and ``directing.move``.
    """
    if state.floor.rest is None:
        return None
    others = state.closing or state.floor.last_hands or state.floor.hand_for_hand
    move = None if others else ordered(state, tables, here)
    return move if isinstance(move, MoveOut) else Hold(reason="break")


def with_standing(state: Running, tables: Tables) -> Tables:
    """Return *tables*. Tables that are held, or have chips to remove, count as in play."""
    standing = {*state.floor.held, *(each.table for each in state.floor.removing)}
    return counted_in_play(tables, standing)


def in_hand_for_hand(state: Running, tables: Tables, here: Seating) -> Directive | None:
    """
    Return the directive of *here* in hand-for-hand play.

    It is None without hand-for-hand play, and between two of its hands.

    Source: rulebook ``hand_for_hand``.
    """
    play = state.floor.hand_for_hand
    if play is None:
        return None
    number = state.floor.round
    yet = [
        each.table
        for each in state.tables
        if play.playing and tables[each.table].round < number and _able(state, tables, each)
    ]
    if here.table in yet:
        return opening(state, tables, here, number=number)
    if yet or not all(tables[each.table].idle for each in state.tables):
        return Hold(reason="hand_for_hand")
    if play.playing or play.out or state.windows or len(state.tables) == 1:
        seconds = window_seconds(state) if state.windows else 0
        return EndRound(
            wait_seconds=seconds, since=tuple({each.table: None for each in state.windows})
        )
    return None


def opening(state: Running, tables: Tables, here: Seating, *, number: int = 1) -> Open:
    """Return the directive to open the next hand of *here*."""
    summary = tables[here.table]
    between = state.terms.hands_between_seconds
    if not summary.attended:
        # Such hands are settled at the instant they are opened. Without a pause, a table would deal
        # thousands of them before the forced bets rise.
        between = max(between, UNATTENDED_SECONDS)
    return Open(
        last=hands_counted(state, summary) == 1,
        until_all_dealt=until_all_dealt(state),
        wait_seconds=between if summary.hand_number else 0,
        clock=state.clock,
        round=number,
    )


def to_count(state: Running, tables: Tables, here: Seating) -> CountHands | None:
    """Return the directive to count the last hands of *here*, if they are not counted yet."""
    if state.floor.last_hands is None or state.floor.last_hand_of(here.table) is not None:
        return None
    return CountHands(hand_number=tables[here.table].hand_number)


def ordered(state: Running, tables: Tables, here: Seating) -> Directive | None:
    """Return the move that a director ordered, or a hold until both tables are between hands."""
    for order in state.floor.ordered:
        source = next((e for e in state.tables if e.seat_of(order.entrant) is not None), None)
        target = state.seating(order.to_table)
        if source is None or target is None or here not in (source, target):
            continue
        seat = _seat_for(state, tables, target, wanted=order.to_seat)
        from_seat = source.seat_of(order.entrant)
        if seat is None or from_seat is None or len(source.seats) == 1 or source == target:
            # The target is full, or the entrant has no seat or is the last at a table. The order
            # stays and is tried again at every hand, because waiting here would not make it
            # possible.
            continue
        if not (tables[source.table].idle and tables[target.table].idle):
            return Hold(reason="ordered_move")
        move = Move(
            entrant=order.entrant,
            stack=tables[source.table].stack_of(order.entrant),
            from_table=source.table,
            from_seat=from_seat,
            to_table=target.table,
            to_seat=seat,
        )
        candidates = (Candidate(entrant=order.entrant, seat=from_seat),)
        return MoveOut(
            table=source.table,
            moves=(move,),
            rule="directing.move",
            candidates=candidates,
            draw=None,
        )
    return None


def redrawn(state: Running, tables: Tables) -> Directive | None:
    """Return the redraw of all seats, once every table is between hands."""
    if not redraws.due(state):
        return None
    if not all(tables[each.table].idle for each in state.tables):
        return Hold(reason="redraw")
    stacks = {
        each.entrant: tables[table.table].stack_of(each.entrant)
        for table in state.tables
        for each in table.seats
    }
    moves, draw = redraws.drawn(state, stacks)
    return Redraw(
        moves=moves, rule="seating.redraw", candidates=redraws.candidates(state), draw=draw
    )


def short(state: Running, tables: Tables, here: Seating) -> Hold | None:
    """
    Return a hold if *here* has too few players and a blind would be missed.

    Source: rulebook ``seating.halt``.
    """
    limit = state.terms.floor.halt_when_short
    fullest = max(len(each.seats) for each in state.tables)
    if limit is None or state.floor.last_hands is not None or fullest - len(here.seats) < limit:
        return None
    # New players can come only from a table with a hand in play. Nothing else is waited for.
    if all(tables[each.table].idle for each in state.tables):
        return None
    marks, seats = tables[here.table].marks, tables[here.table].dealable
    if marks is None or marks.big_blind is None or len(seats) < DEALT_MIN:
        return Hold(reason="short")
    following = next_positions(marks, seats, tables[here.table].newcomers).big_blind
    free = free_seats(state.terms, [each.seat for each in here.seats], tables=len(state.tables))
    missed = following is not None and clockwise([*free, following], marks.big_blind)[0] in free
    return Hold(reason="short") if missed else None


def _able(state: Running, tables: Tables, table: Seating) -> bool:
    summary = tables[table.table]
    in_play = not summary.idle
    return in_play or (
        summary.playable and len(table.seats) > 1 and hands_left(state, summary) != 0
    )


def _seat_for(
    state: Running, tables: Tables, target: Seating, *, wanted: Seat | None
) -> Seat | None:
    taken = [each.seat for each in target.seats]
    count = len(state.tables)
    if wanted is not None and wanted in free_seats(state.terms, taken, tables=count):
        return wanted
    table = tables[target.table]
    worst = free_worst_first(
        table.marks,
        table.dealable,
        newcomers=table.newcomers,
        occupied=taken,
        seat_count=seats_at(state.terms, tables=count),
    )
    return worst[0].seat if worst else None
