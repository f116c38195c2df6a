"""What can have happened in games of card turns: draws, trades, the field, calls, shifts."""

from datetime import datetime

from engine.hand.betting import CardSource
from engine.table.model.commands import CardVerb
from engine.table.model.events.event_parts import CardCount, DealtTo, OpenCard, Part
from engine.values import Chips, EntrantId, Sealed, SealedCard


class CardTurnTaken(Part, frozen=True, kw_only=True, tag="card_turn_taken"):
    """The card action of one seat; what does not apply is null."""

    decision: str
    seat: int
    entrant: EntrantId
    verb: CardVerb
    source: CardSource | None
    """Where the new card comes from."""

    given: Sealed[str] | None
    """The own card that went to the discards face down."""

    shown: OpenCard | None
    """The own card that was laid open."""

    drawn: SealedCard | None
    """The new card, face down."""

    taken: OpenCard | None
    """The new card, which everyone has seen."""

    fee: Chips
    """Paid into the main pot as dead money."""

    stack: Chips
    timed_out: bool
    at: datetime
    rule: str


class CardsFielded(Part, frozen=True, kw_only=True, tag="cards_fielded"):
    """Own cards were put face up into the static field, where they stay for the hand."""

    decision: str
    seat: int
    entrant: EntrantId
    cards: tuple[OpenCard, ...]
    at: datetime
    rule: str


class HandCalled(Part, frozen=True, kw_only=True, tag="hand_called"):
    """There are no more card turns; one last betting round follows."""

    round: int
    decision: str | None
    seat: int | None
    """Who called; null if the hand is called by itself."""

    entrant: EntrantId | None
    at: datetime
    rule: str


class DiscardFlipped(Part, frozen=True, kw_only=True, tag="discard_flipped"):
    """The top card of the pile begins an open discard pile."""

    card: OpenCard
    rule: str


class MarketCardLaid(Part, frozen=True, kw_only=True, tag="market_card_laid"):
    """A fresh card is the pilot of the Galaxy Series, and pushes the older ones on."""

    card: OpenCard
    rule: str


class ShiftRolled(Part, frozen=True, kw_only=True, tag="shift_rolled"):
    """Two dice that may throw the hands over."""

    round: int
    dice: tuple[int, int]
    """Their faces, from 1 to 6."""

    doubles: bool
    rule: str


class HandsTakenUp(Part, frozen=True, kw_only=True, tag="hands_taken_up"):
    """Live seats' cards outside the field went to the discards; new ones will follow."""

    counts: tuple[CardCount, ...]
    """How many each seat gave up, the first it was dealt before the later ones."""

    with_pile: bool
    """Whether the rest of the pile went to the discards too."""

    rule: str


class ShiftDealt(Part, frozen=True, kw_only=True, tag="shift_dealt"):
    dealt: tuple[DealtTo, ...]
    rule: str


class CardRoundClosed(Part, frozen=True, kw_only=True, tag="card_round_closed"):
    """Card turns, bets and shift of one round are over."""

    round: int


class SeatTotal(Part, frozen=True, kw_only=True):
    """What the cards of one seat add up to."""

    seat: int
    total: int


class TotalsAnnounced(Part, frozen=True, kw_only=True, tag="totals_announced"):
    """Everyone has said what the first cards add up to."""

    totals: tuple[SeatTotal, ...]
    rule: str
