"""What a winner may show who did not have to (rulebook ``showdown.show``)."""

from engine.errors import InvariantViolated
from engine.table import errors
from engine.table.boundary_events import HandShown
from engine.table.commands import ShowHand
from engine.table.event_parts import opened
from engine.table.state import Place, Table


def can_show(table: Table, place: Place) -> bool:
    """Return whether *place* won the hand before by folds and has not shown it."""
    last = table.last_hand
    return last is not None and bool(last.unshown) and last.unshown_by == place.entrant


def show(table: Table, command: ShowHand) -> tuple[HandShown, ...]:
    """
    Turn over the hand that everybody else folded to; until the next one is opened.

    Raises:
        EntrantNotSeated: If the entrant has left.
        NothingToShow: If another won, or it was shown, or another hand has begun.
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


def shown(table: Table, event: HandShown) -> tuple[str, ...]:
    """
    Return the cards of *event*.

    Raises:
        InvariantViolated: If they are not those of the hand.
    """
    last = table.last_hand
    if last is None or tuple(map(opened, last.unshown)) != event.cards:
        raise InvariantViolated("other cards were shown than those of the winner")
    return tuple(card.card for card in event.cards)
