"""
What can have happened at a table.

A card or a seed is hidden inside ``Sealed`` and ``SealedCard`` and stands open
only where the rules show it: draws, draw-offs, the reveal.  The tag of an event
is its name in storage and never changes.
"""

from datetime import datetime
from typing import Literal

import msgspec

from engine.rulesets import Amounts, Ruleset
from engine.table.commands import LevelFloor, Omission, Opening, Penalty, Placed, Seeds, Verb
from engine.values import (
    Chips,
    EntrantId,
    HandId,
    HexDigest,
    Sealed,
    SealedCard,
    TableId,
    TournamentId,
)

Street = Literal[1, 2]
Phase = Literal["select", "bet", "improve"]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class TableOpened(_Part, frozen=True, kw_only=True, tag="table_opened"):
    table: TableId
    tournament: TournamentId
    number: int
    ruleset: Ruleset
    ruleset_hash: HexDigest
    decision_seconds: int
    grace_seconds: int
    seats: tuple[Placed, ...]
    seat_count: int
    at: datetime


class SeatBooks(_Part, frozen=True, kw_only=True):
    """All that a hand and its successors need to know of one seat, before the forced bets."""

    seat: int
    entrant: EntrantId
    stack: Chips
    dealt: bool
    away: bool = False
    timeouts: int = 0
    waiting: bool = False
    """A newcomer between the button and the small blind, who waits until the button has passed."""

    penalty: int = 0
    """Hands still to miss, this one included."""

    time_bank: int = 0
    """Seconds left; no ruleset grants any yet."""

    rebuy_declared: bool = False
    hands_won: int = 0
    pots_won: int = 0


class DrawnCard(_Part, frozen=True, kw_only=True):
    """An open card drawn for a seat."""

    seat: int
    card: str


class Level(_Part, frozen=True, kw_only=True):
    """A step of the escalation, the amounts in force, and the hand that raised them."""

    number: int
    amounts: Amounts
    since_hand: int


class Commitments(_Part, frozen=True, kw_only=True):
    """Hashes of the three seeds of the deal."""

    cards: HexDigest
    dice: HexDigest
    draws: HexDigest


class HandOpened(_Part, frozen=True, kw_only=True, tag="hand_opened"):
    """The books of the table are closed here: nothing before is needed but ``table_opened``."""

    hand: HandId
    number: int
    deal: int
    stage: int
    round: int
    seats: tuple[SeatBooks, ...]
    dealers_left: tuple[int, ...]
    """Seats that have not dealt yet, of those that sat at the first hand."""

    button: int
    starter: int
    """The first seat left of the button."""

    small_blind: int | None
    big_blind: int | None
    first_dealer: int
    first_dealer_draws: tuple[DrawnCard, ...] = ()
    """The draw for the first dealer, if this hand made one."""

    orbits: int
    """How often the button has come back to the first dealer's seat."""

    level: Level
    base: Amounts
    """What the level is computed from."""

    carry: Chips
    sabacc_pot: Chips = 0
    escrow: Chips = 0
    seeds: Sealed[Seeds]
    commitments: Commitments
    deck_root: HexDigest
    openings: tuple[Opening, ...]
    omissions: tuple[Omission, ...]
    penalties: tuple[Penalty, ...]
    tournament_version: int
    tournament_head: str
    ruleset_hash: HexDigest
    decision_seconds: int
    grace_seconds: int
    last: bool
    at: datetime


class Post(_Part, frozen=True, kw_only=True):
    """A forced bet of one seat; *chips* below *owed* is all-in."""

    seat: int
    kind: Literal["ante", "small_blind", "big_blind"]
    owed: Chips
    chips: Chips


class ForcedBetsPosted(_Part, frozen=True, kw_only=True, tag="forced_bets_posted"):
    posts: tuple[Post, ...]
    rule: str


class DiceRolled(_Part, frozen=True, kw_only=True, tag="dice_rolled"):
    target: int
    suit: Literal["circle", "triangle", "square"]
    roller: int | None
    """The seat in whose name the house rolled."""

    rule: str


class DealtTo(_Part, frozen=True, kw_only=True):
    """The cards one seat gets in one pass of the deal."""

    seat: int
    cards: tuple[SealedCard, ...]


class CardsDealt(_Part, frozen=True, kw_only=True, tag="cards_dealt"):
    dealt: tuple[DealtTo, ...]
    rule: str


class HandKilled(_Part, frozen=True, kw_only=True, tag="hand_killed"):
    """A seat that is away or serves a penalty has lost its cards; its chips stay in the pot."""

    seat: int
    entrant: EntrantId
    cause: Literal["away", "penalty"]
    rule: str


class DecisionOpened(_Part, frozen=True, kw_only=True, tag="decision_opened"):
    decision: str
    phase: Phase
    street: Street
    turn: int
    """Running number within the deal, from 1."""

    seats: tuple[int, ...]
    at: datetime
    deadline: datetime


class DecisionExtended(_Part, frozen=True, kw_only=True, tag="decision_extended"):
    decision: str
    at: datetime
    deadline: datetime


class SelectionCommitted(_Part, frozen=True, kw_only=True, tag="selection_committed"):
    decision: str
    seat: int
    entrant: EntrantId
    cards: Sealed[tuple[str, ...]]
    timed_out: bool
    at: datetime
    rule: str


class ImprovementCommitted(_Part, frozen=True, kw_only=True, tag="improvement_committed"):
    decision: str
    seat: int
    entrant: EntrantId
    cards: Sealed[tuple[str, ...]]
    timed_out: bool
    at: datetime
    rule: str


class CardCount(_Part, frozen=True, kw_only=True):
    """How many cards one seat keeps, or throws away."""

    seat: int
    cards: int


class SelectionsClosed(_Part, frozen=True, kw_only=True, tag="selections_closed"):
    counts: tuple[CardCount, ...]


class ImprovementsClosed(_Part, frozen=True, kw_only=True, tag="improvements_closed"):
    counts: tuple[CardCount, ...]


class CardsDiscarded(_Part, frozen=True, kw_only=True, tag="cards_discarded"):
    counts: tuple[CardCount, ...]
    stage: Literal["unselected", "unused"]
    rule: str


class ReplacementsDealt(_Part, frozen=True, kw_only=True, tag="replacements_dealt"):
    dealt: tuple[DealtTo, ...]
    rule: str


class PileCommitted(_Part, frozen=True, kw_only=True, tag="pile_committed"):
    """The discards were shuffled into a new pile; later places refer to its number."""

    pile: int
    size: int
    root: HexDigest
    rule: str


class SeatActed(_Part, frozen=True, kw_only=True, tag="seat_acted"):
    decision: str
    seat: int
    entrant: EntrantId
    verb: Verb
    amount: Chips | None
    """As asked; for ``raise_to`` the street's chips in all."""

    expected: Chips | None
    paid: Chips
    stack: Chips
    current_bet: Chips
    full_raise: Chips
    """The last full increment of the street."""

    all_in: bool
    timed_out: bool
    at: datetime
    rule: str


class StreetClosed(_Part, frozen=True, kw_only=True, tag="street_closed"):
    street: Street
    chips: Chips
    """Wagered in the hand so far, the carry not included."""

    min_open: Chips
    """The smallest opening bet of the next street."""


class OpenCard(_Part, frozen=True, kw_only=True):
    """A card turned over, with all that proves its leaf in its pile's root."""

    card: str
    pile: int
    position: int
    salt: HexDigest


class Revealed(_Part, frozen=True, kw_only=True):
    """A final selection and what it counts for."""

    seat: int
    entrant: EntrantId
    cards: tuple[OpenCard, ...]
    total: int
    distance: int
    suit_count: int


class HandsRevealed(_Part, frozen=True, kw_only=True, tag="hands_revealed"):
    hands: tuple[Revealed, ...]
    rule: str


class UnmatchedReturned(_Part, frozen=True, kw_only=True, tag="unmatched_returned"):
    seat: int
    chips: Chips
    rule: str


class FormedPot(_Part, frozen=True, kw_only=True):
    """A sum of chips and the seats that may win it; the first is the main pot."""

    chips: Chips
    eligible: tuple[int, ...]


class PotsFormed(_Part, frozen=True, kw_only=True, tag="pots_formed"):
    pots: tuple[FormedPot, ...]
    carry: Chips
    """What the main pot holds from earlier hands."""

    rule: str


class SeatedCard(_Part, frozen=True, kw_only=True):
    """An open card dealt to a tied seat."""

    seat: int
    card: OpenCard


class DrawOffDealt(_Part, frozen=True, kw_only=True, tag="draw_off_dealt"):
    pot: int
    cards: tuple[SeatedCard, ...]
    rule: str


class CubeRolled(_Part, frozen=True, kw_only=True, tag="cube_rolled"):
    pot: int
    seats: tuple[int, ...]
    winner: int
    rule: str


class Share(_Part, frozen=True, kw_only=True):
    """What one winner gets of one pot."""

    seat: int
    chips: Chips


class PotAwarded(_Part, frozen=True, kw_only=True, tag="pot_awarded"):
    pot: int
    """Numbered from 1, the main pot."""

    chips: Chips
    shares: tuple[Share, ...]
    remainder: Chips
    """What stays on the table for the next main pot."""

    rule: str


class SeatStack(_Part, frozen=True, kw_only=True):
    """A seat's chips when the hand is over."""

    seat: int
    entrant: EntrantId
    stack: Chips


class Bust(_Part, frozen=True, kw_only=True):
    """A seat that has lost its last chip; its entrant leaves the table."""

    seat: int
    entrant: EntrantId
    stack_at_start: Chips
    hand_number: int


class HandSettled(_Part, frozen=True, kw_only=True, tag="hand_settled"):
    hand: HandId
    number: int
    ending: Literal["showdown", "folds"]
    stacks: tuple[SeatStack, ...]
    """Of every seat at the table, busts included."""

    winners: tuple[int, ...]
    busts: tuple[Bust, ...]
    carry: Chips
    sabacc_pot: Chips = 0
    chips_moved: Chips
    """Paid out in pots, what was returned unmatched not included."""

    hands: int
    """Hands settled at this table."""

    at: datetime


class SeatWentAway(_Part, frozen=True, kw_only=True, tag="seat_went_away"):
    seat: int
    entrant: EntrantId
    cause: Literal["timeouts", "stepped_away"]
    rule: str


class SeatCameBack(_Part, frozen=True, kw_only=True, tag="seat_came_back"):
    seat: int
    entrant: EntrantId


class SeatsVacated(_Part, frozen=True, kw_only=True, tag="seats_vacated"):
    departures: tuple[Placed, ...]
    to_table: TableId | None
    carry: Chips
    """Leaves with the last entrant, and only then."""

    sabacc_pot: Chips = 0
    at: datetime


class ArrivalsSeated(_Part, frozen=True, kw_only=True, tag="arrivals_seated"):
    arrivals: tuple[Placed, ...]
    carry: Chips
    sabacc_pot: Chips = 0
    floor: LevelFloor | None
    restart: bool
    at: datetime


class TableHeld(_Part, frozen=True, kw_only=True, tag="table_held"):
    reason: str


class TableResumed(_Part, frozen=True, kw_only=True, tag="table_resumed"):
    at: datetime
    deadline: datetime | None
    """Of the open decision, which gets its full time anew."""


class TableWaiting(_Part, frozen=True, kw_only=True, tag="table_waiting"):
    hand_number: int
    """Of the hand that is waited for."""

    reason: str
    tournament_version: int


class TableClosed(_Part, frozen=True, kw_only=True, tag="table_closed"):
    reason: str
    at: datetime


Event = (
    TableOpened
    | HandOpened
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
    | HandsRevealed
    | UnmatchedReturned
    | PotsFormed
    | DrawOffDealt
    | CubeRolled
    | PotAwarded
    | HandSettled
    | SeatWentAway
    | SeatCameBack
    | SeatsVacated
    | ArrivalsSeated
    | TableHeld
    | TableResumed
    | TableWaiting
    | TableClosed
)
