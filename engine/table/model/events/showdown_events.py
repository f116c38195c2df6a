"""How a hand can have ended: the reveal, the pots, ties, penalties, the books after it."""

from datetime import datetime
from typing import Literal

from engine.table.model.events.event_parts import OpenCard, Part, SeatedCard
from engine.values import Chips, EntrantId, HandId


class Revealed(Part, frozen=True, kw_only=True):
    """A final selection and what it counts for."""

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
    """A sum of chips and the seats that may win it; the first is the main pot."""

    chips: Chips
    eligible: tuple[int, ...]


class PotsFormed(Part, frozen=True, kw_only=True, tag="pots_formed"):
    pots: tuple[FormedPot, ...]
    carry: Chips
    """What the main pot holds from earlier hands."""

    dead: Chips
    """What the main pot holds from fees for card actions."""

    rule: str


class DrawOffDealt(Part, frozen=True, kw_only=True, tag="draw_off_dealt"):
    pot: int
    cards: tuple[SeatedCard, ...]
    """
    One for each tied seat, as far as the pile goes.

    What it could not give follows in another of these events, behind ``pile_committed``.
    """

    rule: str


class CubeRolled(Part, frozen=True, kw_only=True, tag="cube_rolled"):
    pot: int
    seats: tuple[int, ...]
    winner: int
    rule: str


class Share(Part, frozen=True, kw_only=True):
    """What one winner gets of one pot."""

    seat: int
    chips: Chips


class PotAwarded(Part, frozen=True, kw_only=True, tag="pot_awarded"):
    pot: int
    """Numbered from 1, the main pot."""

    chips: Chips
    shares: tuple[Share, ...]
    remainder: Chips
    """What stays on the table for the next main pot."""

    rule: str


class SeatStack(Part, frozen=True, kw_only=True):
    """A seat's chips when the hand is over."""

    seat: int
    entrant: EntrantId
    stack: Chips


class Bust(Part, frozen=True, kw_only=True):
    """A seat that has lost its last chip; its entrant leaves the table."""

    seat: int
    entrant: EntrantId
    stack_at_start: Chips
    hand_number: int


class HandSettled(Part, frozen=True, kw_only=True, tag="hand_settled"):
    hand: HandId
    number: int
    ending: Literal["showdown", "folds"]
    stacks: tuple[SeatStack, ...]
    """Of every seat at the table, busts included."""

    winners: tuple[int, ...]
    """Who got a share of the main pot, clockwise from the left of the button; maybe nobody."""

    busts: tuple[Bust, ...]
    carry: Chips
    sabacc_pot: Chips = 0
    chips_moved: Chips
    """Paid out in pots, what was returned unmatched not included."""

    hands: int
    """Hands settled at this table."""

    at: datetime


class Ranked(Part, frozen=True, kw_only=True):
    """A hand turned over in a game without a target, and what it counts for."""

    seat: int
    entrant: EntrantId
    cards: tuple[OpenCard, ...]
    """Those of the static field first."""

    total: int
    name: str
    """What the game calls such a hand, as ``idiots_array`` or ``bombed_out``."""

    key: tuple[int, ...]
    """What hands are compared by, number by number; smaller is better."""

    bombed: bool
    """Whether the hand can win nothing."""


class HandsRanked(Part, frozen=True, kw_only=True, tag="hands_ranked"):
    hands: tuple[Ranked, ...]
    rule: str


class PenaltyPaid(Part, frozen=True, kw_only=True, tag="penalty_paid"):
    """A seat pays into the Sabacc pot what the rules fine it, or all it has."""

    seat: int
    entrant: EntrantId
    cause: Literal["bombed_out", "short_of_antes"]
    owed: Chips
    paid: Chips
    stack: Chips
    rule: str


class DealtDemise(Part, frozen=True, kw_only=True):
    """One more card of a tied seat, and what its hand counts for with it."""

    seat: int
    card: OpenCard
    total: int
    key: tuple[int, ...]
    bombed: bool


class DemiseDealt(Part, frozen=True, kw_only=True, tag="demise_dealt"):
    """Sudden Demise: every tied seat gets one more card, face up."""

    pot: int
    dealt: tuple[DealtDemise, ...]
    rule: str


class SabaccPotAwarded(Part, frozen=True, kw_only=True, tag="sabacc_pot_awarded"):
    """What one seat took of the Sabacc pot; tied seats may share it."""

    seat: int
    entrant: EntrantId
    chips: Chips
    rule: str
