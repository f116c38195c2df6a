"""Leaving during a hand, and the award of the carry when a table closes."""

from engine.table.decide.seating import between_hands
from engine.table.games.course import Course
from engine.table.games.playing import advance
from engine.table.model import errors, events
from engine.table.model.commands import AwardCarry, QuitHand
from engine.table.model.events import SeatStack, Share
from engine.table.model.state import Table


def quit_hand(course: Course, command: QuitHand) -> None:
    """Fold the hand of a player who leaves. The wager stays in (rulebook ``casino.leave``)."""
    place = course.table.place_of(command.entrant)
    if place is None:
        raise errors.EntrantNotSeated
    if place.hand is None or not place.hand.live or not course.table.contested():
        return
    course.emit(
        events.HandQuit(seat=place.seat, entrant=place.entrant, at=command.now, rule=command.rule)
    )
    advance(course, command.now)


def award_carry(table: Table, command: AwardCarry) -> tuple[events.CarryAwarded, ...]:
    """Award the carry of a closing table."""
    between_hands(table)
    shares = carry_shares(table)
    if not shares:
        return ()
    given = dict(shares)
    return (
        events.CarryAwarded(
            shares=tuple(Share(seat=seat, chips=chips) for seat, chips in shares),
            stacks=tuple(
                SeatStack(
                    seat=place.seat,
                    entrant=place.entrant,
                    stack=place.stack + given.get(place.seat, 0),
                )
                for place in table.places
            ),
            at=command.now,
            rule="casino.carry",
        ),
    )


def carry_shares(table: Table) -> tuple[tuple[int, int], ...]:
    """
    Return the shares of the carry and the Sabacc pot at a closing table, in seat order.

    The winners of the last main pot share them, or everybody seated if those winners have left.
    Odd units go one each to the first seats.

    Source: rulebook ``casino.carry``.
    """
    carried = table.carry + table.sabacc_pot
    if not carried or not table.places:
        return ()
    seated = [place.seat for place in table.places]
    winners = () if table.last_hand is None else table.last_hand.winners
    heirs = [seat for seat in winners if seat in seated] or seated
    each, odd = divmod(carried // table.ruleset.chip_unit, len(heirs))
    unit = table.ruleset.chip_unit
    shares = [unit * (each + (index < odd)) for index in range(len(heirs))]
    shares[0] += carried % unit
    return tuple((seat, chips) for seat, chips in zip(heirs, shares, strict=True) if chips)
