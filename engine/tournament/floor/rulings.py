"""The orders of directors about entrants and tables."""

from engine.rulesets import OpenEnd
from engine.tournament.model.commands.floor import (
    ChangeBreakingOrder,
    Disqualify,
    HoldOneTable,
    OrderMove,
    Penalise,
    RecordRemoval,
    ReleaseTable,
    Warn,
)
from engine.tournament.model.errors import EntrantUnknown
from engine.tournament.model.errors.floor import OwnSeat, RulingNotPossible, TableNotInPlay
from engine.tournament.model.events import Event
from engine.tournament.model.events.floor import (
    BreakingOrderChanged,
    EntrantDisqualified,
    EntrantWarned,
    MoveOrdered,
    PenaltyGiven,
    StackRemoved,
    TableHoldOrdered,
    TableReleased,
)
from engine.tournament.model.state import Running, Seating, entry_of
from engine.tournament.model.values import Busted
from engine.tournament.money.dealing import voided
from engine.tournament.results import ranking
from engine.tournament.seating.draw import free_seats
from engine.values import EntrantId, PlayerId, Seat, TableId

HANDS_MAX = 1_000


def order_move(state: Running, command: OrderMove) -> tuple[Event, ...]:
    """
    Return the order to move an entrant as soon as both tables are between hands.

    Raises:
        EntrantUnknown: If the entrant has no seat.
        TableNotInPlay: If the table is unknown or closed.
        OwnSeat: If the author orders their own move.
        RulingNotPossible: If it is the same table, the seat is not free, or a table would be
            emptied, which only breaking it may do. Nobody moves in a scheduled round, or after last
            hands have been called.
    """
    _demand_not_own(state, command.by, {command.entrant})
    if state.in_round:
        raise RulingNotPossible(reason="scheduled_round")
    source, seat = seat_of(state, command.entrant)
    target = _open(state, command.to_table)
    free = free_seats(state.terms, [each.seat for each in target.seats], tables=len(state.tables))
    if source == target:
        raise RulingNotPossible(reason="same_table")
    if state.floor.last_hands is not None:
        raise RulingNotPossible(reason="last_hands")
    if not free or (command.to_seat is not None and command.to_seat not in free):
        raise RulingNotPossible(reason="seat_not_free")
    if len(source.seats) == 1:
        raise RulingNotPossible(reason="table_would_be_empty")
    known = state.floor.ordered_for(command.entrant)
    if known is not None and (known.to_table, known.to_seat) == (target.table, command.to_seat):
        return ()
    return (
        MoveOrdered(
            by=command.by,
            reason=command.reason,
            rule="directing.move",
            entrant=command.entrant,
            from_table=source.table,
            from_seat=seat,
            to_table=target.table,
            to_seat=command.to_seat,
            candidates=free,
        ),
    )


def change_breaking_order(state: Running, command: ChangeBreakingOrder) -> tuple[Event, ...]:
    """
    Return the new order in which the open tables break.

    Raises:
        RulingNotPossible: If the order does not name every open table once.
    """
    open_tables = sorted(each.number for each in state.tables)
    if sorted(command.order) != open_tables:
        raise RulingNotPossible(reason="not_every_table_once")
    before = tuple(each for each in state.breaking_order if each in open_tables)
    if command.order == before:
        return ()
    return (
        BreakingOrderChanged(
            by=command.by,
            reason=command.reason,
            rule="directing.breaking_order",
            before=before,
            order=command.order,
        ),
    )


def hold_table(state: Running, command: HoldOneTable) -> tuple[Event, ...]:
    """
    Return the event that holds a table. Nothing is settled with the table until its release.

    Raises:
        TableNotInPlay: If the table is unknown or closed.
        OwnSeat: If the author sits at it.
    """
    table = _others_table(state, command)
    if table in state.floor.held:
        return ()
    return (
        TableHoldOrdered(by=command.by, reason=command.reason, rule="directing.hold", table=table),
    )


def release_table(state: Running, command: ReleaseTable) -> tuple[Event, ...]:
    """
    Return the event that releases a held table.

    Raises:
        TableNotInPlay: If the table is unknown or closed.
        OwnSeat: If the author sits at it.
    """
    table = _others_table(state, command)
    if table not in state.floor.held:
        return ()
    return (
        TableReleased(by=command.by, reason=command.reason, rule="directing.hold", table=table),
    )


def _others_table(state: Running, command: HoldOneTable | ReleaseTable) -> TableId:
    """
    Return the table that *command* names, if its author does not sit there.

    Each release gives the open decision its full time. Without this check, the player to act could
    hold and release their own table for ever.
    """
    seating = _open(state, command.table)
    _demand_not_own(state, command.by, {each.entrant for each in seating.seats})
    return seating.table


def _demand_not_own(state: Running, by: PlayerId, about: set[EntrantId]) -> None:
    """
    Check that *by* does not play as an entrant that an order is *about*.

    Source: rulebook ``directing.own_seat``.
    """
    if any(each.player == by and each.entrant in about for each in state.entrants):
        raise OwnSeat


def warn(state: Running, command: Warn) -> tuple[Event, ...]:
    """
    Return the warning of an entrant.

    Raises:
        EntrantUnknown: If the entrant has no seat.
    """
    table, _ = seat_of(state, command.entrant)
    return (
        EntrantWarned(
            by=command.by,
            reason=command.reason,
            rule="penalty.warning",
            entrant=command.entrant,
            table=table.table,
        ),
    )


def penalise(state: Running, command: Penalise) -> tuple[Event, ...]:
    """
    Return the penalty of an entrant. A penalty round is one hand for each player at the table.

    Raises:
        EntrantUnknown: If the entrant has no seat.
        RulingNotPossible: If not exactly one of hands and rounds is given, or the number is not
            allowed.
    """
    table, seat = seat_of(state, command.entrant)
    players = len(table.seats)
    if (command.hands is None) == (command.rounds is None):
        raise RulingNotPossible(reason="hands_or_rounds")
    given = (command.rounds or 0) * players if command.hands is None else command.hands
    if not 1 <= given <= HANDS_MAX:
        raise RulingNotPossible(reason="number_of_hands")
    return (
        PenaltyGiven(
            by=command.by,
            reason=command.reason,
            rule="penalty.hands" if command.rounds is None else "penalty.rounds",
            entrant=command.entrant,
            table=table.table,
            seat=seat,
            hands=given,
            rounds=command.rounds,
            players=players,
        ),
    )


def disqualify(state: Running, command: Disqualify) -> tuple[Event, ...]:
    """
    Return the immediate elimination of an entrant, and the end if one is left.

    Raises:
        EntrantUnknown: If there is no such entrant still in.
        RulingNotPossible: In a casino, where entrants leave only with their own chips.
    """
    if isinstance(state.terms.ruleset.end, OpenEnd):
        raise RulingNotPossible(reason="casino")
    if command.entrant in state.floor.disqualified:
        return ()
    entry, table = entry_of(state, command.entrant), None
    seat = _left(state, command.entrant)
    if seat is None:
        seating, seat = seat_of(state, command.entrant)
        table = seating.table
    if entry is None:
        raise EntrantUnknown
    bust = Busted(entrant=command.entrant, seat=seat, stack_at_start=0)
    return (
        EntrantDisqualified(
            by=command.by,
            reason=command.reason,
            rule="disqualification",
            entrant=command.entrant,
            player=entry.player,
            table=table,
            seat=None if table is None else seat,
        ),
        *voided(state, (command.entrant,), cause="disqualified"),
        *ranking.eliminations(state, (bust,), rule="placing.disqualified"),
    )


def _left(state: Running, entrant: EntrantId) -> Seat | None:
    """
    Return the last seat of an entrant who is still in without a seat, or None for everybody else.
    """
    window = state.window(entrant)
    if window is not None:
        return window.seat
    rounds = state.rounds
    if rounds is None or entrant not in state.remaining():
        return None
    if any(table.seat_of(entrant) is not None for table in state.tables):
        return None
    return rounds.seat_of(entrant)


def record_removal(state: Running, command: RecordRemoval) -> tuple[Event, ...]:
    """Return the events that take the chips of disqualified entrants out of play."""
    return tuple(
        StackRemoved(
            entrant=entrant, table=command.table, chips=chips, rule="disqualification.chips"
        )
        for entrant, chips in command.stacks
        if entrant in {each.entrant for each in state.floor.removing}
    )


def seat_of(state: Running, entrant: EntrantId) -> tuple[Seating, Seat]:
    """
    Return the table and the seat of *entrant*.

    Raises:
        EntrantUnknown: If the entrant has no seat.
    """
    for table in state.tables:
        seat = table.seat_of(entrant)
        if seat is not None:
            return table, seat
    raise EntrantUnknown


def _open(state: Running, table: TableId) -> Seating:
    seating = state.seating(table)
    if seating is None:
        raise TableNotInPlay
    return seating
