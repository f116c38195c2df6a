"""
The events of a table.

A card or a seed is hidden inside ``Sealed`` and ``SealedCard``. It stands open only when the
rules show it: in draws, draw-offs, the field and the reveal. The tag of an event is its name in
storage and never changes.
"""

from datetime import datetime
from typing import Literal

from engine.table.model.commands import Verb
from engine.table.model.events.between_hands_events import (
    CarryAwarded,
    ChipsBought,
    ChipsReturned,
    DealVoided,
    HandQuit,
    HandShown,
    PenaltyImposed,
)
from engine.table.model.events.event_parts import CardCount, DealtTo, OpenCard, Part, SeatedCard
from engine.table.model.events.showdown_events import (
    Bust,
    CubeRolled,
    DealtDemise,
    DemiseDealt,
    DrawOffDealt,
    FormedPot,
    HandSettled,
    HandsRanked,
    HandsRevealed,
    PenaltyPaid,
    PotAwarded,
    PotsFormed,
    Ranked,
    Revealed,
    SabaccPotAwarded,
    SeatStack,
    Share,
    UnmatchedReturned,
)
from engine.table.model.events.table_events import (
    ArrivalsSeated,
    Commitments,
    DrawnCard,
    HandOpened,
    Level,
    SeatBooks,
    SeatCameBack,
    SeatsVacated,
    SeatWentAway,
    TableBeaconAwaited,
    TableBeaconMixed,
    TableClosed,
    TableHeld,
    TableOpened,
    TableResumed,
    TableWaiting,
)
from engine.table.model.events.turn_events import (
    CardRoundClosed,
    CardsFielded,
    CardTurnTaken,
    DiscardFlipped,
    HandCalled,
    HandsTakenUp,
    MarketCardLaid,
    SeatTotal,
    ShiftDealt,
    ShiftRolled,
    TotalsAnnounced,
)
from engine.values import Chips, EntrantId, HexDigest, Sealed

__all__ = [
    "ArrivalsSeated",
    "Bust",
    "CardCount",
    "CardRoundClosed",
    "CardTurnTaken",
    "CardsDealt",
    "CardsDiscarded",
    "CardsFielded",
    "CarryAwarded",
    "ChipsBought",
    "ChipsReturned",
    "Commitments",
    "CubeRolled",
    "DealVoided",
    "DealtDemise",
    "DealtTo",
    "DecisionExtended",
    "DecisionOpened",
    "DemiseDealt",
    "DiceRolled",
    "DiscardFlipped",
    "DrawOffDealt",
    "DrawnCard",
    "Event",
    "ForcedBetsPosted",
    "FormedPot",
    "HandCalled",
    "HandKilled",
    "HandOpened",
    "HandQuit",
    "HandSettled",
    "HandShown",
    "HandsRanked",
    "HandsRevealed",
    "HandsTakenUp",
    "ImprovementCommitted",
    "ImprovementsClosed",
    "Level",
    "MarketCardLaid",
    "OpenCard",
    "PenaltyImposed",
    "PenaltyPaid",
    "Phase",
    "PileCommitted",
    "Post",
    "PostKind",
    "PotAwarded",
    "PotsFormed",
    "Ranked",
    "ReplacementsDealt",
    "Revealed",
    "SabaccPotAwarded",
    "SeatActed",
    "SeatBooks",
    "SeatCameBack",
    "SeatStack",
    "SeatTotal",
    "SeatWentAway",
    "SeatedCard",
    "SeatsVacated",
    "SelectionCommitted",
    "SelectionsClosed",
    "Share",
    "ShiftDealt",
    "ShiftRolled",
    "StreetClosed",
    "TableBeaconAwaited",
    "TableBeaconMixed",
    "TableClosed",
    "TableHeld",
    "TableOpened",
    "TableResumed",
    "TableWaiting",
    "TotalsAnnounced",
    "UnmatchedReturned",
]

Phase = Literal["select", "bet", "improve", "card"]
PostKind = Literal["ante", "small_blind", "big_blind", "table_ante", "sabacc_ante"]


class Post(Part, frozen=True, kw_only=True):
    """A forced bet of one seat. If *chips* is below *owed*, the seat is all-in."""

    seat: int
    kind: PostKind
    """
    ``sabacc_ante`` goes into the Sabacc pot, ``table_ante`` is dead money of the main pot. The
    other kinds count as wagers.
    """

    owed: Chips
    chips: Chips


class ForcedBetsPosted(Part, frozen=True, kw_only=True, tag="forced_bets_posted"):
    posts: tuple[Post, ...]
    price: Chips
    """The price of the first street."""

    rule: str


class DiceRolled(Part, frozen=True, kw_only=True, tag="dice_rolled"):
    target: int
    suit: Literal["circle", "triangle", "square"]
    roller: int | None
    """The seat that the house rolled for."""

    rule: str


class CardsDealt(Part, frozen=True, kw_only=True, tag="cards_dealt"):
    dealt: tuple[DealtTo, ...]
    rule: str


class HandKilled(Part, frozen=True, kw_only=True, tag="hand_killed"):
    """A seat that is away or serves a penalty lost its cards. Its chips stay in the pot."""

    seat: int
    entrant: EntrantId
    cause: Literal["away", "penalty"]
    rule: str


class DecisionOpened(Part, frozen=True, kw_only=True, tag="decision_opened"):
    decision: str
    phase: Phase
    street: int
    turn: int
    """A running number within the deal, from 1."""

    seats: tuple[int, ...]
    at: datetime
    deadline: datetime


class DecisionExtended(Part, frozen=True, kw_only=True, tag="decision_extended"):
    decision: str
    at: datetime
    deadline: datetime


class SelectionCommitted(Part, frozen=True, kw_only=True, tag="selection_committed"):
    decision: str
    seat: int
    entrant: EntrantId
    cards: Sealed[tuple[str, ...]]
    timed_out: bool
    at: datetime
    rule: str


class ImprovementCommitted(Part, frozen=True, kw_only=True, tag="improvement_committed"):
    decision: str
    seat: int
    entrant: EntrantId
    cards: Sealed[tuple[str, ...]]
    timed_out: bool
    at: datetime
    rule: str


class SelectionsClosed(Part, frozen=True, kw_only=True, tag="selections_closed"):
    counts: tuple[CardCount, ...]


class ImprovementsClosed(Part, frozen=True, kw_only=True, tag="improvements_closed"):
    counts: tuple[CardCount, ...]


class CardsDiscarded(Part, frozen=True, kw_only=True, tag="cards_discarded"):
    counts: tuple[CardCount, ...]
    stage: Literal["unselected", "unused"]
    rule: str


class ReplacementsDealt(Part, frozen=True, kw_only=True, tag="replacements_dealt"):
    dealt: tuple[DealtTo, ...]
    rule: str


class PileCommitted(Part, frozen=True, kw_only=True, tag="pile_committed"):
    """The discards were shuffled into a new pile. Later card places refer to its number."""

    pile: int
    size: int
    root: HexDigest
    rule: str


class SeatActed(Part, frozen=True, kw_only=True, tag="seat_acted"):
    decision: str
    seat: int
    entrant: EntrantId
    verb: Verb
    amount: Chips | None
    """The amount that the player named. For ``raise_to``, the new total of the street."""

    expected: Chips | None
    paid: Chips
    stack: Chips
    current_bet: Chips
    full_raise: Chips
    """
    The largest raise of the street so far.

    It begins with the smallest opening bet and never falls. See rulebook
    ``betting.last_raise``.
    """

    all_in: bool
    timed_out: bool
    at: datetime
    rule: str


class StreetClosed(Part, frozen=True, kw_only=True, tag="street_closed"):
    street: int
    chips: Chips
    """
    All chips wagered by the seats in the hand so far, antes and blinds included.

    The carry, the Sabacc pot and dead money (the table's ante, fees) are not wagers.
    """

    min_open: Chips
    """The smallest opening bet of the next street."""


Event = (
    TableOpened
    | HandOpened
    | TableBeaconAwaited
    | TableBeaconMixed
    | ForcedBetsPosted
    | DiceRolled
    | CardsDealt
    | HandKilled
    | DecisionOpened
    | DecisionExtended
    | SelectionCommitted
    | ImprovementCommitted
    | SelectionsClosed
    | ImprovementsClosed
    | CardsDiscarded
    | ReplacementsDealt
    | PileCommitted
    | SeatActed
    | StreetClosed
    | CardTurnTaken
    | CardsFielded
    | HandCalled
    | DiscardFlipped
    | MarketCardLaid
    | ShiftRolled
    | HandsTakenUp
    | ShiftDealt
    | CardRoundClosed
    | TotalsAnnounced
    | HandsRevealed
    | HandsRanked
    | PenaltyPaid
    | UnmatchedReturned
    | PotsFormed
    | DrawOffDealt
    | CubeRolled
    | DemiseDealt
    | PotAwarded
    | SabaccPotAwarded
    | HandSettled
    | HandShown
    | HandQuit
    | DealVoided
    | CarryAwarded
    | PenaltyImposed
    | ChipsBought
    | ChipsReturned
    | SeatWentAway
    | SeatCameBack
    | SeatsVacated
    | ArrivalsSeated
    | TableHeld
    | TableResumed
    | TableWaiting
    | TableClosed
)
