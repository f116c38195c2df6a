"""The events between two hands, except seating."""

from datetime import datetime

from engine.table.model.commands import BuyCause, VoidCause
from engine.table.model.events.event_parts import OpenCard, Part
from engine.table.model.events.showdown_events import SeatStack, Share
from engine.values import Chips, EntrantId, HandId


class HandShown(Part, frozen=True, kw_only=True, tag="hand_shown"):
    """A player who won because everybody else folded showed the hand."""

    hand: HandId
    seat: int
    entrant: EntrantId
    cards: tuple[OpenCard, ...]
    at: datetime
    rule: str


class ChipsBought(Part, frozen=True, kw_only=True, tag="chips_bought"):
    """Chips came to the table from outside, for a seat or for a player who gets the seat back."""

    seat: int
    entrant: EntrantId
    chips: Chips
    stack: Chips
    """The seat's stack after the purchase."""

    cause: BuyCause
    at: datetime
    rule: str


class ChipsReturned(Part, frozen=True, kw_only=True, tag="chips_returned"):
    """A seat gave chips back for an item that it had staked."""

    seat: int
    entrant: EntrantId
    chips: Chips
    stack: Chips
    """The seat's stack after that."""

    at: datetime
    rule: str


class HandQuit(Part, frozen=True, kw_only=True, tag="hand_quit"):
    """A player left during a hand. The hand is folded at once, out of turn too."""

    seat: int
    entrant: EntrantId
    at: datetime
    rule: str


class PenaltyImposed(Part, frozen=True, kw_only=True, tag="penalty_imposed"):
    """A seat has penalty hands from the next deal on. They are new, or came from another table."""

    seat: int
    entrant: EntrantId
    hands: int
    left: int
    """The total, with penalty hands still to be served."""

    at: datetime
    rule: str


class CarryAwarded(Part, frozen=True, kw_only=True, tag="carry_awarded"):
    """A closing table awarded what it carries to the winners of the last main pot."""

    shares: tuple[Share, ...]
    stacks: tuple[SeatStack, ...]
    """The stacks of every seat at the table, after the award."""

    at: datetime
    rule: str


class DealVoided(Part, frozen=True, kw_only=True, tag="deal_voided"):
    """A deal was voided. Its chips went back, and all its cards are open."""

    hand: HandId
    number: int
    deal: int
    cause: VoidCause
    reason: str
    cards: tuple[OpenCard, ...]
    """Every card of every pile, the deck first, each pile from its top."""

    returned: tuple[Share, ...]
    """All chips that each seat had put in: bets, antes and fees."""

    carry: Chips
    """The carry before the hand. The Sabacc pot is set back too."""

    sabacc_pot: Chips
    at: datetime
    rule: str
