"""The events of one command so far, and the table after them."""

import msgspec

from engine.errors import InvariantViolated
from engine.kit.rng import Draw, Pile, shuffled_pile
from engine.table.evolve.at_table import BETWEEN_HANDS, IN_PLAY
from engine.table.model.events import Event
from engine.table.model.hand import Hand
from engine.table.model.state import Table


class Course(msgspec.Struct, gc=False):
    """Collects the events of one command and applies each at once to the table."""

    table: Table
    draw: Draw = shuffled_pile
    """Draws the piles."""

    events: list[Event] = msgspec.field(default_factory=list)

    def emit(self, event: Event) -> None:
        """Append *event* and apply it."""
        table = self.table
        hand = table.hand
        if hand is None:
            self.table = BETWEEN_HANDS[type(event)](table, event)
        else:
            self.table = IN_PLAY[type(event)](table, hand, event)
        self.events.append(event)

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
