"""The events of games with card turns: draws, trades, the field, calls and shifts."""

from datetime import datetime

from engine.hand.betting import CardSource
from engine.table.model.commands import CardVerb
from engine.table.model.events.event_parts import CardCount, DealtTo, OpenCard, Part
from engine.values import Chips, EntrantId, Sealed, SealedCard


class CardTurnTaken(Part, frozen=True, kw_only=True, tag="card_turn_taken"):
    """The card action of one seat. Members that do not apply are null."""

    decision: str
    seat: int
    entrant: EntrantId
    verb: CardVerb
    source: CardSource | None
    """The pile that the new card comes from."""

    given: Sealed[str] | None
    """The own card that went to the discards face down."""

    shown: OpenCard | None
    """The own card that was laid open."""

    drawn: SealedCard | None
    """The new card, face down."""

    taken: OpenCard | None
    """The new card, if everyone has seen it."""

    fee: Chips
    """The fee, paid into the main pot as dead money."""

    stack: Chips
    timed_out: bool
    at: datetime
    rule: str


class CardsFielded(Part, frozen=True, kw_only=True, tag="cards_fielded"):
    """A seat put own cards face up into the static field, where they stay for the hand."""

    decision: str
    seat: int
    entrant: EntrantId
    cards: tuple[OpenCard, ...]
    at: datetime
    rule: str


class HandCalled(Part, frozen=True, kw_only=True, tag="hand_called"):
    """The hand was called. There are no more card turns, and one last street follows."""

    round: int
    decision: str | None
    seat: int | None
    """The seat that called, or null if the hand was called automatically."""

    entrant: EntrantId | None
    at: datetime
    rule: str


class DiscardFlipped(Part, frozen=True, kw_only=True, tag="discard_flipped"):
    """The top card of the pile began an open discard pile."""

    card: OpenCard
    rule: str


class MarketCardLaid(Part, frozen=True, kw_only=True, tag="market_card_laid"):
    """A new card became the pilot of the Galaxy Series and moved the older cards on."""

    card: OpenCard
    rule: str


class ShiftRolled(Part, frozen=True, kw_only=True, tag="shift_rolled"):
    """Two dice were rolled that may shift the hands."""

    round: int
    dice: tuple[int, int]
    """The faces of the dice, from 1 to 6."""

    doubles: bool
    rule: str


class HandsTakenUp(Part, frozen=True, kw_only=True, tag="hands_taken_up"):
    """The cards of live seats outside the field went to the discards. New cards follow."""

    counts: tuple[CardCount, ...]
    """The number of cards that each seat gave up, in the order of the deal."""

    with_pile: bool
    """True if the rest of the pile went to the discards too."""

    rule: str


class ShiftDealt(Part, frozen=True, kw_only=True, tag="shift_dealt"):
    dealt: tuple[DealtTo, ...]
    rule: str


class CardRoundClosed(Part, frozen=True, kw_only=True, tag="card_round_closed"):
    """A card round ended with its card turns, bets and shift."""

    round: int


class SeatTotal(Part, frozen=True, kw_only=True):
    """The total of one seat's cards."""

    seat: int
    total: int


class TotalsAnnounced(Part, frozen=True, kw_only=True, tag="totals_announced"):
    """Every seat announced the total of its first cards."""

    totals: tuple[SeatTotal, ...]
    rule: str
