"""What can have happened between two hands besides who sits where."""

from datetime import datetime

from engine.table.model.commands import BuyCause, VoidCause
from engine.table.model.events.event_parts import OpenCard, Part
from engine.table.model.events.showdown_events import SeatStack, Share
from engine.values import Chips, EntrantId, HandId


class HandShown(Part, frozen=True, kw_only=True, tag="hand_shown"):
    """Who won because everybody else folded has turned over the hand."""

    hand: HandId
    seat: int
    entrant: EntrantId
    cards: tuple[OpenCard, ...]
    at: datetime
    rule: str


class ChipsBought(Part, frozen=True, kw_only=True, tag="chips_bought"):
    """Chips came to the table from outside: to a seat, or to one that is taken again by it."""

    seat: int
    entrant: EntrantId
    chips: Chips
    stack: Chips
    """What the seat has then."""

    cause: BuyCause
    at: datetime
    rule: str


class ChipsReturned(Part, frozen=True, kw_only=True, tag="chips_returned"):
    """A seat gave chips back for what it had staked."""

    seat: int
    entrant: EntrantId
    chips: Chips
    stack: Chips
    """What is left to the seat."""

    at: datetime
    rule: str


class HandQuit(Part, frozen=True, kw_only=True, tag="hand_quit"):
    """Somebody leaves during a hand: a fold, whosever turn it is."""

    seat: int
    entrant: EntrantId
    at: datetime
    rule: str


class PenaltyImposed(Part, frozen=True, kw_only=True, tag="penalty_imposed"):
    """A seat misses hands from the next deal on: newly given, or brought from another table."""

    seat: int
    entrant: EntrantId
    hands: int
    left: int
    """In all, with what was still to be served."""

    at: datetime
    rule: str


class CarryAwarded(Part, frozen=True, kw_only=True, tag="carry_awarded"):
    """What a closing table carries goes to those who won the last main pot."""

    shares: tuple[Share, ...]
    stacks: tuple[SeatStack, ...]
    """Of every seat at the table, after it."""

    at: datetime
    rule: str


class DealVoided(Part, frozen=True, kw_only=True, tag="deal_voided"):
    """A deal does not count: its chips went back, and all its cards are open."""

    hand: HandId
    number: int
    deal: int
    cause: VoidCause
    reason: str
    cards: tuple[OpenCard, ...]
    """Every card of every pile, the deck first, each pile from its top."""

    returned: tuple[Share, ...]
    """What each seat had put in, of bets, antes and fees."""

    carry: Chips
    """As it was before the hand, like the Sabacc pot."""

    sabacc_pot: Chips
    at: datetime
    rule: str
