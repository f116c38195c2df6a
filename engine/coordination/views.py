"""
A tournament's floor as anyone in the league may see it: every table, every stack, what is next.

It is put together from what each table shows to a spectator and from the tournament's
own public facts, so that nothing stands here that no table shows.
Source: rulebook ``visibility``.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from engine.coordination.clocks import with_clock
from engine.rulesets import Amounts
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.table.read.view_parts import NextLevelView, SeatView, TableView
from engine.tournament.model.floor_state import FloorState
from engine.tournament.model.state import (
    Cancelled,
    Finished,
    Phase,
    Running,
    State,
    Unannounced,
    entries_of,
    phase_of,
)
from engine.tournament.model.values import Entry
from engine.values import Chips, EntrantId, HandId, PlayerId, TableId, TournamentId

Doing = Literal["in_hand", "held", "waiting", "between_hands", "closed"]


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    pass


class FloorSeat(_Part, frozen=True, kw_only=True):
    """Who sits where, and with how much."""

    seat: int
    entrant: EntrantId
    player: PlayerId | None
    bot: bool
    stack: Chips
    """What is behind; chips put into the hand are ``wager``."""

    wager: Chips
    dealt: bool
    away: bool
    penalty: int
    """Hands still to be missed, after the one in play."""


class FloorTable(_Part, frozen=True, kw_only=True):
    """One open table."""

    table: TableId
    number: int
    doing: Doing
    why: str | None
    """Why the table is held, or waits, where it does."""

    seats: tuple[FloorSeat, ...]
    seat_count: int
    button: int
    """0 before the first."""

    hand: HandId | None
    hand_number: int
    """Of the hand opened last; 0 before the first."""

    last: bool
    """Whether the hand in play is this table's last."""

    phase: str | None
    level: int
    amounts: Amounts
    next_level: NextLevelView | None
    carry: Chips
    sabacc_pot: Chips
    chips: Chips
    """All chips of the table: stacks, wagers, pots, and what is carried."""


class FloorLevel(_Part, frozen=True, kw_only=True):
    """A level of the tournament's clock."""

    number: int
    amounts: Amounts


class FloorView(_Part, frozen=True, kw_only=True):
    """A tournament's floor; safe to serialise."""

    tournament: TournamentId
    name: str
    state: Phase
    entrants: int
    """Entries, the eliminated too."""

    entrants_left: int
    """Players who are still in: at a table, on their way to one, waiting for the next round, or
    with a rebuy window open.  0 once nobody plays any more."""

    chips: Chips
    """In play on all tables."""

    average_stack: Chips
    """Chips in play by those who sit, without the remainder; 0 if nobody does."""

    level: FloorLevel | None
    """In force for the hands opened now; null where each table counts its own levels."""

    next_level: NextLevelView | None
    breaking_order: tuple[int, ...]
    """Numbers of open tables, the first to break first."""

    closing: bool
    """Whether no further hand is opened."""

    break_ends: datetime | None
    """When the break that is on is over; null without one."""

    hand_for_hand: int | None
    """The round in which all tables wait for each other; null where they do not."""

    last_hands: int | None
    """How many more hands each table plays since the last ones were called; null before."""

    tables: tuple[FloorTable, ...]
    """Open ones, by number."""


def floor_of(state: State, tables: Mapping[TableId, Table]) -> FloorView | None:
    """
    Return the floor of a tournament that was announced; None of one that was not.

    Args:
        tables: Every open table of it, as of the same moment; one that is only about
            to be opened may be missing.
    """
    if isinstance(state, Unannounced):
        return None
    terms = state.terms
    running = state if isinstance(state, Running) else None
    seatings = () if running is None else running.tables
    entries = {} if running is None else {each.entrant: each for each in running.entrants}
    shown = []
    for seating in seatings:
        table = tables.get(seating.table)
        if table is None:
            continue
        view = with_clock(seen_by(table, None), state)
        seats = tuple(
            _seat(seat, entries.get(seat.entrant), table.at(seat.seat).penalty)
            for seat in view.seats
        )
        shown.append(_table(table, view, seats))
    chips, seated = sum(each.chips for each in shown), sum(len(each.seats) for each in shown)
    return FloorView(
        tournament=terms.tournament,
        name=terms.name,
        state=phase_of(state),
        entrants=len(entries_of(state)),
        entrants_left=_left(state),
        chips=chips,
        average_stack=chips // seated if seated else 0,
        level=_level(running),
        next_level=shown[0].next_level if shown and running and running.clock else None,
        breaking_order=_breaking_order(running),
        closing=running is not None and running.closing,
        **_course(running),
        tables=tuple(shown),
    )


def _left(state: State) -> int:
    if isinstance(state, Running):
        buying = (each.entrant for each in state.windows)
        coming = (each.entrant for each in state.promised)
        return len({*state.remaining(), *buying, *coming})
    return 0 if isinstance(state, Finished | Cancelled) else len(entries_of(state))


def _level(running: Running | None) -> FloorLevel | None:
    if running is None or running.clock is None:
        return None
    return FloorLevel(number=running.clock.level, amounts=running.clock.amounts)


def _breaking_order(running: Running | None) -> tuple[int, ...]:
    if running is None:
        return ()
    still_open = {each.number for each in running.tables}
    return tuple(number for number in running.breaking_order if number in still_open)


def _course(running: Running | None) -> dict[str, Any]:
    """Return what a break, hand-for-hand play or the end does to the course of play."""
    floor = FloorState() if running is None else running.floor
    return {
        "break_ends": None if floor.rest is None else floor.rest.due,
        "hand_for_hand": None if floor.hand_for_hand is None else floor.round,
        "last_hands": None if floor.last_hands is None else floor.last_hands.hands,
    }


def _seat(seat: SeatView, entry: Entry | None, penalty: int) -> FloorSeat:
    return FloorSeat(
        seat=seat.seat,
        entrant=seat.entrant,
        player=None if entry is None else entry.player,
        bot=entry is not None and entry.bot,
        stack=seat.stack,
        wager=seat.wager,
        dealt=seat.dealt,
        away=seat.away,
        penalty=penalty,
    )


def _table(table: Table, view: TableView, seats: tuple[FloorSeat, ...]) -> FloorTable:
    doing, why = _doing(table, view)
    return FloorTable(
        table=view.table,
        number=view.number,
        doing=doing,
        why=why,
        seats=seats,
        seat_count=view.seat_count,
        button=view.button,
        hand=view.hand,
        hand_number=view.hand_number,
        last=view.last,
        phase=view.phase,
        level=view.level,
        amounts=view.amounts,
        next_level=view.next_level,
        carry=view.carry,
        sabacc_pot=view.sabacc_pot,
        chips=table.chips(),
    )


def _doing(table: Table, view: TableView) -> tuple[Doing, str | None]:
    if view.closed:
        return "closed", None
    if view.held is not None:
        return "held", view.held
    if view.hand is not None:
        return "in_hand", None
    if table.wait is not None:
        return "waiting", table.wait.reason
    return "between_hands", None
