"""
The legal actions as clients read them: one shape for each verb.

The engine has one struct for all verbs. On the wire a member that does not apply is null.
"""

from typing import TypeAlias

import msgspec

from engine.hand.betting import CardSource
from engine.values import Chips


class _Legal(msgspec.Struct, kw_only=True, tag_field="verb"):
    rule: str
    """The rulebook's name of the rule that allows the action."""


class LegalFold(_Legal, tag="fold"):
    """Give up the hand."""


class LegalCheck(_Legal, tag="check"):
    """Pass the turn without a bet."""


class LegalCall(_Legal, tag="call"):
    """Pay the price of the bet."""

    amount: Chips
    """The price in chips. Send it as ``expected`` to be refused if it has changed."""


class LegalStay(_Legal, tag="stay"):
    """Pay the fixed price to stay in the hand."""

    amount: Chips
    """The price in chips."""


class LegalRaise(_Legal, tag="raise_to"):
    """Raise. Amounts are the seat's total in this street, never an increment."""

    min: Chips
    """The smallest total."""

    max: Chips
    """The largest total."""


class LegalSelect(_Legal, tag="select"):
    """Choose the cards of the first selection."""

    cards_min: int
    """The smallest number of cards."""


class LegalImprove(_Legal, tag="improve"):
    """Add new cards to the selection."""

    cards_min: int
    """The smallest number of cards."""


class LegalStand(_Legal, tag="stand"):
    """Keep all cards."""


class LegalDraw(_Legal, tag="draw"):
    """Take a new card."""

    source: CardSource
    """The source of the new card."""


class LegalTrade(_Legal, tag="trade"):
    """Give up one card for another."""

    source: CardSource
    """The source of the new card."""

    cards: tuple[str, ...]
    """The own cards from which one is given up."""

    amount: Chips | None = None
    """The price in chips, or null if the trade is free."""


class LegalGain(_Legal, tag="gain"):
    """Take a new card in Corellian Spike."""

    source: CardSource
    """The source of the new card."""

    amount: Chips | None = None
    """The price in chips, or null if the card is free."""


class LegalSwap(_Legal, tag="swap"):
    """Give up one card for the top card of a pile."""

    source: CardSource
    """The source of the new card."""

    cards: tuple[str, ...]
    """The own cards from which one is given up."""

    amount: Chips | None = None
    """The price in chips, or null if the swap is free."""


class LegalJunk(_Legal, tag="junk"):
    """Give up the hand in a card turn."""

    amount: Chips | None = None
    """The price in chips, or null if it is free."""


class LegalBuy(_Legal, tag="buy"):
    """Buy a card from an open pile of the Galaxy Series."""

    source: CardSource
    """The open pile."""

    amount: Chips
    """The price in chips."""


class LegalField(_Legal, tag="field"):
    """Put own cards face up into the static field. The decision stays open."""

    cards: tuple[str, ...]
    """The own cards from which any number are fielded."""


class LegalCallHand(_Legal, tag="call_hand"):
    """Call the hand, so that it ends after this card round."""


class LegalShow(_Legal, tag="show"):
    """Show the own hand after it has ended. This answers no decision."""


Legal: TypeAlias = (
    LegalFold | LegalCheck | LegalCall | LegalStay | LegalRaise | LegalSelect | LegalImprove
    | LegalStand | LegalDraw | LegalTrade | LegalGain | LegalSwap | LegalJunk | LegalBuy
    | LegalField | LegalCallHand | LegalShow
)  # fmt: skip
"""A legal action of the viewer, distinguished by its ``verb``."""
