"""The actions of players as clients send them: one shape for each verb."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from engine.hand.betting import CardSource
from engine.values import CHIPS_MAX
from service.base.documents import Document

Token = Annotated[str, Meta(min_length=1, max_length=200)]
Chips = Annotated[int, Meta(ge=0, le=CHIPS_MAX)]
Card = Annotated[str, Meta(max_length=8)]


class _Action(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    decision: Token
    """The token of the answered decision, from the view."""


class Fold(_Action, tag="fold"):
    """Give up the hand."""


class Check(_Action, tag="check"):
    """Pass the turn without a bet."""


class Call(_Action, tag="call"):
    """Pay the price of the bet."""

    expected: Chips | None = None
    """The price that the caller expects. If it has changed, the call is refused."""


class Stay(_Action, tag="stay"):
    """Pay the fixed price to stay in the hand."""

    expected: Chips | None = None
    """The price that the caller expects. If it has changed, the stay is refused."""


class RaiseTo(_Action, tag="raise_to"):
    """Raise."""

    amount: Chips | None = None
    """The seat's total chips in this street after the raise. A raise without it is refused."""


class SelectCards(_Action, tag="select"):
    """Choose the cards of the first selection."""

    cards: tuple[Card, ...] | None = None
    """The selected cards."""


class ImproveSelection(_Action, tag="improve"):
    """Add new cards to the selection, or none."""

    cards: tuple[Card, ...] | None = None
    """The added cards. Empty or null to add none."""


class Stand(_Action, tag="stand"):
    """Keep all cards."""


class Draw(_Action, tag="draw"):
    """Take a new card."""

    source: CardSource | None = None
    """The source of the new card. Null if the game has only one."""


class Trade(_Action, tag="trade"):
    """Give up one card for another."""

    card: Card | None = None
    """The own card that is given up. A trade without it is refused."""

    source: CardSource | None = None
    """The source of the new card. Null if the game has only one."""


class Gain(_Action, tag="gain"):
    """Take a new card in Corellian Spike."""

    source: CardSource | None = None
    """The source of the new card. A gain without it is refused."""


class Swap(_Action, tag="swap"):
    """Give up one card for the top card of a pile."""

    card: Card | None = None
    """The own card that is given up. A swap without it is refused."""

    source: CardSource | None = None
    """The source of the new card. A swap without it is refused."""


class Junk(_Action, tag="junk"):
    """Give up the hand in a card turn."""


class Buy(_Action, tag="buy"):
    """Buy a card from an open pile of the Galaxy Series."""

    source: CardSource | None = None
    """The open pile. A purchase without it is refused."""


class Field(_Action, tag="field"):
    """Put own cards face up into the static field. The decision stays open."""

    cards: tuple[Card, ...] | None = None
    """The cards to put there, at least one."""


class CallTheHand(_Action, tag="call_hand"):
    """Call the hand, so that it ends after this card round."""


class Show(_Action, tag="show"):
    """Show the own hand after it has ended."""

    decision: Token
    """The identifier of the hand, because no decision is open."""


Action: TypeAlias = (
    Fold | Check | Call | Stay | RaiseTo | SelectCards | ImproveSelection | Stand | Draw | Trade
    | Gain | Swap | Junk | Buy | Field | CallTheHand | Show
)  # fmt: skip
"""An action at a table, distinguished by its ``type``."""


class _Held(msgspec.Struct):
    """msgspec remembers what it knows of a struct, and would look at a bare union each time."""

    action: Action


def action_in(document: Document) -> Action:
    """
    Return the action in a document, read as strictly as the API reads it.

    Raises:
        msgspec.ValidationError: If it is none.
    """
    try:
        return msgspec.convert({"action": document}, _Held).action
    except msgspec.ValidationError:
        read: Action = msgspec.convert(document, Action)  # says the place in the document itself
        return read
