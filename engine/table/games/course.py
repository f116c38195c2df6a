"""The events of one command so far, and the table after them."""

from engine.errors import InvariantViolated
from engine.kit.rng import Draw, Pile, shuffled_pile
from engine.table.evolve.at_table import APPLIED
from engine.table.model.events import Event
from engine.table.model.hand import Hand
from engine.table.model.state import Table


class Course:
    """
    Collects the events of one command and applies each at once to the table.

    Args:
        draw: Draws the piles.
    """

    __slots__ = ("draw", "ended", "events", "table")

    def __init__(self, table: Table, draw: Draw = shuffled_pile) -> None:
        self.table = table
        self.draw = draw
        self.events: list[Event] = []
        self.ended = False

    def emit(self, event: Event) -> None:
        """Append *event* and apply it."""
        if self.ended:
            raise InvariantViolated(f"{type(event).__name__} after the end of a decision")
        self.table = APPLIED[type(event)](self.table, event)
        self.events.append(event)

    def end(self, event: Event) -> None:
        """
        Append the last *event*, after which a decision is open or the hand is over.

        It is applied only if a caller asks for the outcome.
        """
        if self.ended:
            raise InvariantViolated(f"{type(event).__name__} after the end of a decision")
        self.events.append(event)
        self.ended = True

    def outcome(self) -> Table:
        """Return the table after every event."""
        if not self.ended:
            return self.table
        last = self.events[-1]
        return APPLIED[type(last)](self.table, last)

    @property
    def hand(self) -> Hand:
        """Return the hand in play. Raise ``InvariantViolated`` between hands."""
        hand = self.table.hand
        if hand is None:
            raise InvariantViolated("no hand is in play")
        return hand

    def pile(self) -> Pile:
        """Return the current pile with all its cards and salts."""
        return pile_of(self.hand, self.draw)


def pile_of(hand: Hand, draw: Draw = shuffled_pile) -> Pile:
    """Return the current pile of *hand*, as its seed orders it."""
    seed = bytes.fromhex(hand.seeds.value.cards)
    return draw(seed, hand.digest, hand.pile, hand.pile_cards)
