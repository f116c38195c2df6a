"""The cards that a winner by folds has shown."""

from engine.errors import InvariantViolated
from engine.table.model.events.between_hands_events import HandShown
from engine.table.model.events.event_parts import opened
from engine.table.model.state import Table


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
