"""What can have happened between two hands besides who sits where."""

from datetime import datetime

from engine.table.event_parts import OpenCard, Part
from engine.values import EntrantId, HandId


class HandShown(Part, frozen=True, kw_only=True, tag="hand_shown"):
    """Who won because everybody else folded has turned over the hand."""

    hand: HandId
    seat: int
    entrant: EntrantId
    cards: tuple[OpenCard, ...]
    at: datetime
    rule: str
