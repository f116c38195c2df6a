"""
A tournament's floor for anyone in the league: every table, every stack, the next level.

The view combines a spectator's view of each table with the tournament's public facts. It shows
nothing that a table hides.

Source: rulebook ``visibility``.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from engine.coordination.clocks import with_clock
from engine.kit.denominations import Denomination
from engine.rulesets import Amounts
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.table.read.view_parts import NextLevelView, SeatView, TableView
from engine.tournament.levels import coming_break
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
from engine.tournament.model.state.floor import FloorState
from engine.tournament.model.values import Entry
from engine.values import Chips, EntrantId, HandId, PlayerId, TableId, TournamentId

Doing = Literal["in_hand", "held", "waiting", "between_hands", "closed"]


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    pass


class FloorSeat(_Part, frozen=True, kw_only=True):
    """An occupied seat with its entrant and stack."""

    seat: int
    """The number of the seat, from 1."""

    entrant: EntrantId
    player: PlayerId | None
    """The player of the entrant, or null if the entry is no longer known."""

    bot: bool
    """True if the entrant is a program."""

    stack: Chips
    """Chips behind the seat. Chips put into the hand are ``wager``."""

    wager: Chips
    """The chips that the seat has put into the hand in play."""

    dealt: bool
    """True if the seat was dealt into the hand in play."""

    away: bool
    """True if the player has stepped away. The seat posts, and its hands are killed."""

    penalty: int
    """Penalty hands still to sit out after the hand in play."""

    disqualified: bool
    """True if the entrant is disqualified. The seat is taken until the hand in play ends."""


class FloorTable(_Part, frozen=True, kw_only=True):
    """One open table."""

    table: TableId
    number: int
    """The table's number in the tournament."""

    doing: Doing
    """The state of play at this moment."""

    why: str | None
    """The reason why the table is held or waits, or null if it does neither."""

    seats: tuple[FloorSeat, ...]
    """The seats that are taken."""

    seat_count: int
    """The seats of the table, taken or free."""

    button: int
    """0 before the first hand."""

    hand: HandId | None
    """The hand in play, or null between hands."""

    hand_number: int
    """The number of the hand opened last, or 0 before the first."""

    deal: int | None
    """The number of the deal in play, from 1, or null between hands."""

    last: bool
    """True if the hand in play is this table's last."""

    phase: str | None
    """The phase of the open decision, or null if none is open."""

    level: int
    """The level of the hand in play or next, from 1."""

    amounts: Amounts
    """The forced bets of that level."""

    next_level: NextLevelView | None
    """The next level, or null if none follows."""

    carry: Chips
    """Odd chips and unwon pots that the table keeps for its next hand."""

    sabacc_pot: Chips
    """The chips in the Sabacc pot, or 0 in a game without one."""

    chips: Chips
    """All chips of the table: stacks, wagers, pots and the carry."""


class FloorLevel(_Part, frozen=True, kw_only=True):
    """A level of the tournament's clock."""

    number: int
    """The number of the level, from 1."""

    amounts: Amounts
    """The forced bets of the level."""


class BreakView(_Part, frozen=True, kw_only=True):
    """A planned break that has not begun."""

    after_level: int
    """The number of the level that the break follows."""

    seconds: int
    """The length of the break."""

    due: datetime | None
    """The instant at which it begins if the clock keeps running, or null while the clock stands."""

    left_seconds: int | None
    """The playing time until it begins, or null while the clock runs."""


class FloorView(_Part, frozen=True, kw_only=True):
    """The floor of a tournament. Everyone who may see the tournament may see all of it."""

    tournament: TournamentId
    name: str
    """The tournament's name."""

    state: Phase
    """The phase of the tournament."""

    entrants: int
    """The number of entries, with the eliminated ones."""

    entrants_left: int
    """
    The number of players who are still in. They are at a table, on their way to one, waiting for
    the next round, or have an open rebuy window. 0 once the tournament is over.
    """

    chips: Chips
    """Chips in play on all tables."""

    average_stack: Chips
    """Chips in play for each seated entrant, rounded down, or 0 if nobody sits."""

    level: FloorLevel | None
    """The level of the hands opened now, or null if each table counts its own levels."""

    next_level: NextLevelView | None
    """The next level of the clock, or null without a clock or at the last level."""

    breaking_order: tuple[int, ...]
    """Numbers of open tables, in the order in which they break."""

    closing: bool
    """True if no further hand will be opened."""

    break_ends: datetime | None
    """The end of the present break, or null without a break."""

    next_break: BreakView | None
    """The next break after a level, or null if none is planned."""

    denominations: tuple[Denomination, ...]
    """The chips of the game by name and value, or nothing if its rules name none."""

    hand_for_hand: int | None
    """The number of the present hand in hand-for-hand play, or null without hand-for-hand play."""

    last_hands: int | None
    """The number of hands that each table plays after last hands were called, or null before."""

    tables: tuple[FloorTable, ...]
    """The open tables, by number."""


def floor_of(state: State, tables: Mapping[TableId, Table]) -> FloorView | None:
    """
    Return the floor of a tournament, or None if it has no terms yet.

    Args:
        tables: Every open table of the tournament, as of the same moment. A table that is about to
            be opened may be missing.
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
            _seat(
                seat,
                entries.get(seat.entrant),
                table.at(seat.seat).penalty,
                disqualified=running is not None and seat.entrant in running.floor.disqualified,
            )
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
        next_break=_next_break(running),
        denominations=terms.ruleset.denominations,
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


def _next_break(running: Running | None) -> BreakView | None:
    found = None if running is None else coming_break(running)
    return None if found is None else BreakView(**found._asdict())


def _breaking_order(running: Running | None) -> tuple[int, ...]:
    if running is None:
        return ()
    still_open = {each.number for each in running.tables}
    return tuple(number for number in running.breaking_order if number in still_open)


def _course(running: Running | None) -> dict[str, Any]:
    """Return the fields about a break, hand-for-hand play and last hands."""
    floor = FloorState() if running is None else running.floor
    return {
        "break_ends": None if floor.rest is None else floor.rest.due,
        "hand_for_hand": None if floor.hand_for_hand is None else floor.round,
        "last_hands": None if floor.last_hands is None else floor.last_hands.hands,
    }


def _seat(seat: SeatView, entry: Entry | None, penalty: int, *, disqualified: bool) -> FloorSeat:
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
        disqualified=disqualified,
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
        deal=view.deal,
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
