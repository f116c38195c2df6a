"""Directives to a table: seats, penalties, holds, waits and the closing."""

from datetime import timedelta

from engine.rulesets import Ruleset
from engine.table.model import commands, errors, events
from engine.table.model.events import Event
from engine.table.model.state import Table


def open_table(command: commands.OpenTable) -> events.TableOpened:
    """Open a table with its first entrants."""
    check_placed((), command.seats, command.seat_count, command.ruleset)
    return events.TableOpened(
        table=command.table,
        tournament=command.tournament,
        number=command.number,
        ruleset=command.ruleset,
        ruleset_hash=command.ruleset_hash,
        decision_seconds=command.decision_seconds,
        grace_seconds=command.grace_seconds,
        seats=command.seats,
        seat_count=command.seat_count,
        at=command.now,
    )


def check_placed(
    seated: tuple[commands.Placed, ...],
    arriving: tuple[commands.Placed, ...],
    seat_count: int,
    ruleset: Ruleset,
) -> None:
    """
    Check that the arriving entrants can be seated.

    Raises:
        CommandRejected: If a seat is unknown or taken, the table is too full, or a stack is not
            in units.
    """
    if len(seated) + len(arriving) > ruleset.max_players:
        raise errors.TableFull(seats=ruleset.max_players)
    seats = {placed.seat for placed in seated}
    entrants = {placed.entrant: placed.seat for placed in seated}
    for placed in arriving:
        if not 1 <= placed.seat <= seat_count:
            raise errors.SeatUnknown(seat=placed.seat, seats=seat_count)
        if placed.seat in seats:
            raise errors.SeatOccupied(seat=placed.seat)
        if placed.entrant in entrants:
            raise errors.EntrantAlreadySeated(seat=entrants[placed.entrant])
        if placed.stack % ruleset.chip_unit:
            raise errors.StackNotInUnits(stack=placed.stack, unit=ruleset.chip_unit)
        seats.add(placed.seat)
        entrants[placed.entrant] = placed.seat


def between_hands(table: Table) -> None:
    """
    Check that no hand is in play and no voided hand waits to be dealt again.

    Raises:
        HandInPlay: If a hand is in play or waits.
    """
    if not table.settled:
        raise errors.HandInPlay(hand=table.hand_number)


def vacate(table: Table, command: commands.VacateSeats) -> tuple[Event, ...]:
    """
    Remove entrants from their seats. The last ones to leave take the carry along.

    If nobody was seated, the carry leaves alone.
    """
    between_hands(table)
    leaving = set(command.departures)
    placed = tuple(p for p in table.entrants() if p.entrant in leaving)
    if len(placed) != len(leaving):
        raise errors.EntrantNotSeated
    emptied = len(placed) == len(table.places)
    if not placed and not (emptied and (table.carry or table.sabacc_pot)):
        return ()
    return (
        events.SeatsVacated(
            departures=placed,
            to_table=command.to_table,
            carry=table.carry if emptied else 0,
            sabacc_pot=table.sabacc_pot if emptied else 0,
            at=command.now,
        ),
    )


def seat_arrivals(table: Table, command: commands.SeatArrivals) -> tuple[Event, ...]:
    """Seat entrants who come from elsewhere. They can be dealt in from the next hand on."""
    between_hands(table)
    check_placed(table.entrants(), command.arrivals, table.seat_count, table.ruleset)
    return (
        events.ArrivalsSeated(
            arrivals=command.arrivals,
            carry=command.carry,
            sabacc_pot=command.sabacc_pot,
            floor=command.least_amounts,
            restart=command.restart,
            at=command.now,
        ),
    )


def impose_penalty(table: Table, command: commands.ImposePenalty) -> tuple[Event, ...]:
    """Add penalty hands to those that the seat still has to sit out."""
    place = table.place_of(command.entrant)
    if place is None:
        raise errors.EntrantNotSeated
    return (
        events.PenaltyImposed(
            seat=place.seat,
            entrant=place.entrant,
            hands=command.hands,
            left=place.penalty + command.hands,
            at=command.now,
            rule=command.rule,
        ),
    )


def step_away(table: Table, command: commands.StepAway) -> tuple[Event, ...]:
    """Mark a seat away, from the next hand on."""
    place = table.place_of(command.entrant)
    if place is None:
        raise errors.EntrantNotSeated
    if place.away:
        return ()
    return (
        events.SeatWentAway(
            seat=place.seat,
            entrant=place.entrant,
            cause="stepped_away",
            rule="absence.stepped_away",
        ),
    )


def come_back(table: Table, command: commands.ComeBack) -> tuple[Event, ...]:
    """Let a seat play again, from the next hand on."""
    place = table.place_of(command.entrant)
    if place is None:
        raise errors.EntrantNotSeated
    if not place.away:
        return ()
    return (events.SeatCameBack(seat=place.seat, entrant=place.entrant),)


def hold(table: Table, command: commands.HoldTable) -> tuple[Event, ...]:
    """Hold a table, even during a hand."""
    if table.held is not None:
        return ()
    return (events.TableHeld(reason=command.reason),)


def resume(table: Table, command: commands.ResumeTable) -> tuple[Event, ...]:
    """Resume a table. The open decision gets its full time again."""
    if table.held is None:
        return ()
    deadline = None
    if table.decision is not None:
        deadline = command.now + timedelta(seconds=table.decision_seconds)
    return (events.TableResumed(at=command.now, deadline=deadline),)


def extend(table: Table, command: commands.ExtendDecision) -> tuple[Event, ...]:
    """Give the open decision its full time again. Do nothing if no decision is open."""
    decision = table.decision
    if decision is None:
        return ()
    deadline = command.now + timedelta(seconds=table.decision_seconds)
    if deadline <= decision.deadline:
        return ()
    return (events.DecisionExtended(decision=decision.token, at=command.now, deadline=deadline),)


def record_wait(table: Table, command: commands.RecordWait) -> tuple[Event, ...]:
    """Record once why the next hand is not opened."""
    between_hands(table)
    if table.waits:
        return ()
    return (
        events.TableWaiting(
            hand_number=table.next_hand_number,
            reason=command.reason,
            tournament_version=command.tournament_version,
        ),
    )


def close(table: Table, command: commands.CloseTable) -> tuple[Event, ...]:
    """Close a table for good. A voided hand is not dealt again."""
    if table.hand is not None:
        raise errors.HandInPlay(hand=table.hand.number)
    return (events.TableClosed(reason=command.reason, at=command.now),)
