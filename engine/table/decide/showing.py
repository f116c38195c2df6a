"""The choice of a winner to show a hand after everybody folded (rulebook ``showdown.show``)."""

from engine.table.model import errors
from engine.table.model.commands import ShowHand
from engine.table.model.events.between_hands_events import HandShown
from engine.table.model.events.event_parts import opened
from engine.table.model.state import Place, Table


def can_show(table: Table, place: Place) -> bool:
    """Return whether *place* won the last hand by folds and has not shown it."""
    last = table.last_hand
    return last is not None and bool(last.unshown) and last.unshown_by == place.entrant


def show(table: Table, command: ShowHand) -> tuple[HandShown, ...]:
    """
    Show the hand that won because everybody else folded. The next hand ends this choice.

    Raises:
        EntrantNotSeated: If the entrant has left.
        NothingToShow: If another seat won, or another hand has begun.
    """
    place, last = table.place_of(command.entrant), table.last_hand
    if place is None:
        raise errors.EntrantNotSeated
    if last is not None and last.hand == command.hand and last.shown:
        return ()
    if last is None or last.hand != command.hand or not can_show(table, place):
        raise errors.NothingToShow
    return (
        HandShown(
            hand=last.hand,
            seat=place.seat,
            entrant=place.entrant,
            cards=tuple(map(opened, last.unshown)),
            at=command.now,
            rule="showdown.show",
        ),
    )
