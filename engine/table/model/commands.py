"""The commands of a table."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.hand.betting import CardSource
from engine.kit.beacon import Chain, Pulse
from engine.rulesets import Amounts, Ruleset
from engine.values import Chips, EntrantId, HandId, HexDigest, TableId, TournamentId

BuyCause = Literal["rebuy", "item", "add_on"]
"""The source of the new chips: a declared rebuy, a staked item, or an add-on."""

VoidCause = Literal["mis_deal", "fouled_deck"]
"""The fault of a deal: an error in dealing, or a deck that is not the committed one."""

Verb = Literal["fold", "check", "call", "raise_to", "stay"]
CardVerb = Literal["draw", "trade", "stand", "gain", "swap", "junk", "buy"]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    pass


class Placed(_Part, frozen=True, kw_only=True):
    """An entrant in a seat with a stack."""

    seat: int
    entrant: EntrantId
    stack: Chips


class Arrival(Placed, frozen=True, kw_only=True):
    """An entrant who comes from another table. Someone who was away there is away here."""

    away: bool = False
    timeouts: int = 0
    """Consecutive decisions that timed out."""

    hands_won: int = 0
    """The hands won at earlier tables. Like the pots won, they break ties at the end."""

    pots_won: int = 0


class Seeds(_Part, frozen=True, kw_only=True):
    """The three seeds of one deal, 32 bytes each in hexadecimal."""

    cards: HexDigest
    dice: HexDigest
    draws: HexDigest

    def __repr__(self) -> str:
        return "Seeds()"


class Opening(_Part, frozen=True, kw_only=True):
    """The entropy that the entrant in *seat* has added, 32 bytes in hexadecimal."""

    seat: int
    value: HexDigest


class Omission(_Part, frozen=True, kw_only=True):
    """A committed opening that does not count, with the reason."""

    entrant: EntrantId
    reason: str


class Penalty(_Part, frozen=True, kw_only=True):
    """The penalty hands that a seat still has to sit out, this hand included."""

    seat: int
    hands: int


class LevelFloor(Amounts, frozen=True, kw_only=True):
    """The highest forced bets in force at the tables that were merged."""


class LevelInForce(_Part, frozen=True, kw_only=True):
    """The level that the tournament's clock has reached."""

    number: int
    amounts: Amounts
    set_by: int
    """Version, in the tournament's stream, of the event that put the level into force."""


class OpenTable(_Part, frozen=True, kw_only=True, tag="open_table"):
    table: TableId
    tournament: TournamentId
    number: int
    ruleset: Ruleset
    ruleset_hash: HexDigest
    decision_seconds: int
    grace_seconds: int
    seats: tuple[Placed, ...]
    seat_count: int
    now: datetime


class AwaitBeacon(_Part, frozen=True, kw_only=True, tag="await_beacon"):
    """Settle the players' entropy for the next deal, and name the pulse that it waits for."""

    chain: Chain
    openings: tuple[Opening, ...] = ()
    omissions: tuple[Omission, ...] = ()
    now: datetime


class OpenHand(_Part, frozen=True, kw_only=True, tag="open_hand"):
    hand: HandId
    seeds: Seeds
    deal: int = 1
    stage: int = 1
    round: int = 1
    tournament_version: int
    tournament_head: str
    level: LevelInForce | None = None
    """Null if levels depend on the table's own play."""

    openings: tuple[Opening, ...] = ()
    omissions: tuple[Omission, ...] = ()
    pulse: Pulse | None = None
    """The pulse that the table waits for, if a beacon is mixed in."""

    last: bool = False
    only: tuple[int, ...] = ()
    """The tied seats of a sudden-death hand (stage 2). Nobody else is dealt in."""

    penalties: tuple[Penalty, ...] = ()
    declared: tuple[int, ...] = ()
    """Seats that rebuy automatically when they lose the last chip."""

    escrow: Chips = 0
    """The value of the items that players of this table have staked."""

    now: datetime


class Select(_Part, frozen=True, kw_only=True, tag="select"):
    """Keep *cards* of the own hand, face down and for good."""

    entrant: EntrantId
    decision: str
    cards: tuple[str, ...]
    salt: HexDigest
    now: datetime

    def __repr__(self) -> str:
        return f"Select(entrant={self.entrant!r}, decision={self.decision!r})"


class Improve(_Part, frozen=True, kw_only=True, tag="improve"):
    """Add *cards* of the own new cards to the selection."""

    entrant: EntrantId
    decision: str
    cards: tuple[str, ...]
    salt: HexDigest
    now: datetime

    def __repr__(self) -> str:
        return f"Improve(entrant={self.entrant!r}, decision={self.decision!r})"


class Act(_Part, frozen=True, kw_only=True, tag="act"):
    entrant: EntrantId
    decision: str
    verb: Verb
    amount: Chips | None = None
    """For ``raise_to``: the new total of this street."""

    expected: Chips | None = None
    """For ``call``: the price that the caller expects. Another price is refused."""

    now: datetime


class TakeCardTurn(_Part, frozen=True, kw_only=True, tag="take_card_turn"):
    """The one card action of a seat in a card round."""

    entrant: EntrantId
    decision: str
    verb: CardVerb
    card: str | None = None
    """The own card that the seat gives up."""

    source: CardSource | None = None
    salt: HexDigest
    now: datetime

    def __repr__(self) -> str:
        about = f"entrant={self.entrant!r}, decision={self.decision!r}, verb={self.verb!r}"
        return f"TakeCardTurn({about})"


class FieldCards(_Part, frozen=True, kw_only=True, tag="field_cards"):
    """Put *cards* of the own hand into the static field. The turn goes on."""

    entrant: EntrantId
    decision: str
    cards: tuple[str, ...]
    now: datetime


class CallHand(_Part, frozen=True, kw_only=True, tag="call_hand"):
    """Call the hand instead of taking a card turn. Card turns end."""

    entrant: EntrantId
    decision: str
    now: datetime


class TimeOut(_Part, frozen=True, kw_only=True, tag="time_out"):
    """Answer by the clock for every seat that *decision* still waits for."""

    decision: str
    salts: tuple[HexDigest, ...] = ()
    """One salt for each seat that the clock may have to select for."""

    now: datetime

    def __repr__(self) -> str:
        return f"TimeOut(decision={self.decision!r})"


class ShowHand(_Part, frozen=True, kw_only=True, tag="show_hand"):
    """Show the hand that won because everybody else folded."""

    entrant: EntrantId
    hand: HandId
    now: datetime


class BuyChips(_Part, frozen=True, kw_only=True, tag="buy_chips"):
    """Bring chips to a seat between hands. A player who has busted gets the seat back."""

    seat: int
    entrant: EntrantId
    chips: Chips
    cause: BuyCause
    now: datetime


class ReturnChips(_Part, frozen=True, kw_only=True, tag="return_chips"):
    """Take chips from a seat between hands, in exchange for an item that it had staked."""

    entrant: EntrantId
    chips: Chips
    now: datetime


class QuitHand(_Part, frozen=True, kw_only=True, tag="quit_hand"):
    """
    Leave during a hand. The hand is folded at once, out of turn too. Between hands nothing
    happens.
    """

    entrant: EntrantId
    rule: str = "casino.leave"
    now: datetime


class ImposePenalty(_Part, frozen=True, kw_only=True, tag="impose_penalty"):
    """Give a seat *hands* more penalty hands, from the next deal on."""

    entrant: EntrantId
    hands: int
    rule: str
    now: datetime


class AwardCarry(_Part, frozen=True, kw_only=True, tag="award_carry"):
    """Award the carry of a closing table."""

    now: datetime


class VoidDeal(_Part, frozen=True, kw_only=True, tag="void_deal"):
    """Void a deal that went wrong. The hand is dealt again."""

    hand: HandId | None = None
    """The hand whose deal is meant. None means the hand in play, whichever it is."""

    deal: int | None = None
    """The number of the deal that is meant. None means the deal in play."""

    cause: VoidCause
    reason: str
    """A word for the fault."""

    now: datetime


class StepAway(_Part, frozen=True, kw_only=True, tag="step_away"):
    entrant: EntrantId


class ComeBack(_Part, frozen=True, kw_only=True, tag="come_back"):
    entrant: EntrantId


class VacateSeats(_Part, frozen=True, kw_only=True, tag="vacate_seats"):
    departures: tuple[EntrantId, ...]
    to_table: TableId | None = None
    now: datetime


class SeatArrivals(_Part, frozen=True, kw_only=True, tag="seat_arrivals"):
    arrivals: tuple[Arrival, ...]
    carry: Chips = 0
    sabacc_pot: Chips = 0
    least_amounts: LevelFloor | None = None
    restart: bool = False
    now: datetime


class HoldTable(_Part, frozen=True, kw_only=True, tag="hold_table"):
    reason: str


class ResumeTable(_Part, frozen=True, kw_only=True, tag="resume_table"):
    now: datetime


class ExtendDecision(_Part, frozen=True, kw_only=True, tag="extend_decision"):
    """Restart the open decision's clock, as after an outage."""

    now: datetime


class RecordWait(_Part, frozen=True, kw_only=True, tag="record_wait"):
    reason: str
    tournament_version: int


class CloseTable(_Part, frozen=True, kw_only=True, tag="close_table"):
    reason: str
    now: datetime


Command = (
    OpenTable
    | OpenHand
    | AwaitBeacon
    | Select
    | Improve
    | Act
    | TakeCardTurn
    | FieldCards
    | CallHand
    | TimeOut
    | ShowHand
    | BuyChips
    | ReturnChips
    | QuitHand
    | ImposePenalty
    | AwardCarry
    | VoidDeal
    | StepAway
    | ComeBack
    | VacateSeats
    | SeatArrivals
    | HoldTable
    | ResumeTable
    | ExtendDecision
    | RecordWait
    | CloseTable
)
