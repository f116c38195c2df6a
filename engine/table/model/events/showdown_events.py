"""The events that end a hand: the reveal, the pots, ties, penalties and the books."""

from datetime import datetime
from typing import Literal

from engine.table.model.events.event_parts import OpenCard, Part, SeatedCard
from engine.values import Chips, EntrantId, HandId


class Revealed(Part, frozen=True, kw_only=True):
    """A revealed selection and its value."""

    seat: int
    entrant: EntrantId
    cards: tuple[OpenCard, ...]
    total: int
    distance: int
    suit_count: int


class HandsRevealed(Part, frozen=True, kw_only=True, tag="hands_revealed"):
    hands: tuple[Revealed, ...]
    rule: str


class UnmatchedReturned(Part, frozen=True, kw_only=True, tag="unmatched_returned"):
    seat: int
    chips: Chips
    rule: str


class FormedPot(Part, frozen=True, kw_only=True):
    """An amount of chips and the seats that may win it. The first pot is the main pot."""

    chips: Chips
    eligible: tuple[int, ...]


class PotsFormed(Part, frozen=True, kw_only=True, tag="pots_formed"):
    pots: tuple[FormedPot, ...]
    carry: Chips
    """The part of the main pot that comes from earlier hands."""

    dead: Chips
    """The part of the main pot that comes from fees for card actions."""

    rule: str


class DrawOffDealt(Part, frozen=True, kw_only=True, tag="draw_off_dealt"):
    pot: int
    cards: tuple[SeatedCard, ...]
    """
    A card for each tied seat, until the pile is empty.

    The missing cards follow in another event of this type, after ``pile_committed``.
    """

    rule: str


class CubeRolled(Part, frozen=True, kw_only=True, tag="cube_rolled"):
    pot: int
    seats: tuple[int, ...]
    winner: int
    rule: str


class Share(Part, frozen=True, kw_only=True):
    """One winner's share of one pot."""

    seat: int
    chips: Chips


class PotAwarded(Part, frozen=True, kw_only=True, tag="pot_awarded"):
    pot: int
    """The number of the pot. 1 is the main pot."""

    chips: Chips
    shares: tuple[Share, ...]
    remainder: Chips
    """The chips that stay on the table for the next main pot."""

    rule: str


class SeatStack(Part, frozen=True, kw_only=True):
    """A seat's chips after the hand."""

    seat: int
    entrant: EntrantId
    stack: Chips
    """The chips that the seat has after the hand."""


class Bust(Part, frozen=True, kw_only=True):
    """A seat that lost its last chip. Its entrant leaves the table."""

    seat: int
    entrant: EntrantId
    stack_at_start: Chips
    hand_number: int


class HandSettled(Part, frozen=True, kw_only=True, tag="hand_settled"):
    hand: HandId
    number: int
    ending: Literal["showdown", "folds"]
    stacks: tuple[SeatStack, ...]
    """The stacks of every seat at the table, busts included."""

    winners: tuple[int, ...]
    """
    The seats that got a share of the main pot, clockwise from the left of the button. May be
    empty.
    """

    busts: tuple[Bust, ...]
    carry: Chips
    sabacc_pot: Chips = 0
    chips_moved: Chips
    """The chips paid out in pots, without uncalled bets that went back."""

    hands: int
    """The hands settled at this table so far."""

    at: datetime


class Ranked(Part, frozen=True, kw_only=True):
    """A hand turned over in a game without a target, and its value."""

    seat: int
    entrant: EntrantId
    cards: tuple[OpenCard, ...]
    """The cards of the hand, those in the static field first."""

    total: int
    name: str
    """The game's name for the hand, such as ``idiots_array`` or ``bombed_out``."""

    key: tuple[int, ...]
    """The numbers by which hands are compared, one after the other. Smaller is better."""

    bombed: bool
    """True if the hand bombed out, so that it can win nothing."""


class HandsRanked(Part, frozen=True, kw_only=True, tag="hands_ranked"):
    hands: tuple[Ranked, ...]
    rule: str


class PenaltyPaid(Part, frozen=True, kw_only=True, tag="penalty_paid"):
    """A seat paid a fine into the Sabacc pot, or all it had."""

    seat: int
    entrant: EntrantId
    cause: Literal["bombed_out", "short_of_antes"]
    owed: Chips
    paid: Chips
    stack: Chips
    rule: str


class DealtDemise(Part, frozen=True, kw_only=True):
    """One more card of a tied seat, and the value of its hand with that card."""

    seat: int
    card: OpenCard
    total: int
    key: tuple[int, ...]
    bombed: bool


class DemiseDealt(Part, frozen=True, kw_only=True, tag="demise_dealt"):
    """Sudden Demise: every tied seat got one more card, face up."""

    pot: int
    dealt: tuple[DealtDemise, ...]
    rule: str


class SabaccPotAwarded(Part, frozen=True, kw_only=True, tag="sabacc_pot_awarded"):
    """A seat got the Sabacc pot, or its share if seats are tied."""

    seat: int
    entrant: EntrantId
    chips: Chips
    rule: str
