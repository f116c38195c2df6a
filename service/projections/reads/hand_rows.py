"""The row of a hand in the read models, and its parts."""

from datetime import datetime
from typing import Literal, NotRequired, TypedDict

import msgspec


class HandSeat(TypedDict):
    """A seat of a hand. ``cards`` and ``total`` are null until the hand is shown."""

    seat: int
    """The number of the seat, from 1."""

    entrant: str
    """The entrant in the seat."""

    stack: int
    """The chips before the hand."""

    dealt: bool
    """True if the seat was dealt into the hand."""

    final_stack: int | None
    """The chips after the hand, or null until it is settled."""

    cards: list[str] | None
    """The cards, or null until they are shown."""

    total: int | None
    """The total of the cards, or null until they are shown."""


class HandShare(TypedDict):
    """The chips a seat won of a pot."""

    seat: int
    """The number of the seat, from 1."""

    chips: int
    """The chips that the seat got."""


class HandPot(TypedDict):
    """A pot of a hand. ``remainder`` and ``rule`` are added when the pot is awarded."""

    pot: int | Literal["sabacc"]
    """1 is the main pot. `sabacc` is the pot that waits for a special hand."""

    chips: int
    """The chips in the pot."""

    eligible: list[int]
    """The seats that may win the pot."""

    shares: list[HandShare]
    """The payments. Empty until the pot is awarded."""

    remainder: NotRequired[int]
    """Odd units that nobody got."""

    rule: NotRequired[str]
    """The rule of the rulebook that decided."""


class HandWinner(TypedDict):
    """A seat that won the main pot, with its chips from all pots."""

    seat: int
    """The number of the seat, from 1."""

    entrant: str
    """The entrant in the seat."""

    chips: int
    """The chips won from all pots."""


class HandRow(msgspec.Struct, frozen=True, kw_only=True):
    hand: str
    league: str
    tournament: str
    table: str
    number: int
    """The number of the hand at its table, from 1."""

    deal: int
    """The number of the latest deal, from 1. A voided deal is followed by another."""

    level: int | None
    """The level of the hand, from 1, or null for hands stored without one."""

    button: int | None
    """The seat of the button, or null for hands stored without one."""

    target: int | None
    """The target number, or null until the dice are rolled and in games without dice."""

    suit: str | None
    """The target suit, or null until the dice are rolled and in games without dice."""

    state: Literal["open", "settled", "voided"]
    """`open`, `settled`, or `voided` until the hand is dealt again."""

    seats: list[HandSeat]
    """The seats at the hand, with chips and the cards that were shown."""

    pots: list[HandPot]
    """The pots, in order. Empty until they are formed."""

    winners: list[HandWinner]
    """The seats that won the main pot. Empty until the hand is settled."""

    opened_at: datetime
    """The time of the first deal."""

    settled_at: datetime | None
    """The time at which the hand was settled, or null."""

    first_position: int
    """The position of the hand's first event in the league's log."""

    last_position: int
    """The position of the hand's latest event in the league's log."""
