"""The cards that a winner has shown after everybody else folded."""

from engine.errors import InvariantViolated
from engine.table.model.events.between_hands_events import HandShown
from engine.table.model.events.event_parts import opened
from engine.table.model.state import Table


def shown(table: Table, event: HandShown) -> tuple[str, ...]:
    """
    Return the cards of *event*.

    Raises:
        InvariantViolated: If the winner did not hold these cards.
    """
    last = table.last_hand
    if last is None or tuple(map(opened, last.unshown)) != event.cards:
        raise InvariantViolated("other cards were shown than those of the winner")
    return tuple(card.card for card in event.cards)
