"""The parts of a table's view. They are safe to serialise."""

from datetime import datetime

import msgspec

from engine.hand.betting import LegalAction
from engine.rulesets import Amounts
from engine.values import Chips, EntrantId, HandId, TableId, TournamentId


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    pass


class RevealedView(_Part, frozen=True, kw_only=True):
    """A revealed hand."""

    seat: int
    cards: tuple[str, ...]
    """The cards that were turned over."""

    total: int
    """The sum of the cards."""

    distance: int | None = None
    """The distance from the target. Like the suit count, it is null in games without a target."""

    suit_count: int | None = None
    """The number of cards of the hand's suit."""

    name: str | None = None
    """The name of the hand, in a game without a target."""


class SeatView(_Part, frozen=True, kw_only=True):
    """An occupied seat, as everybody sees it."""

    seat: int
    entrant: EntrantId
    stack: Chips
    """The chips in front of the seat, without its wager."""

    wager: Chips = 0
    """Chips put into the hand."""

    put_in: Chips = 0
    """Chips put into the street."""

    dealt: bool = False
    """True if the seat was dealt into the hand."""

    live: bool = False
    """True if the seat can still win the hand."""

    all_in: bool = False
    """True if the seat is in the hand and has no chips left to bet."""

    away: bool = False
    """True if the player is away. The seat is dealt in, and its hand is killed."""

    answered: bool = False
    """True if the seat has committed its cards in the open select or improve phase."""

    kept: int | None = None
    """Number of cards in the selection. It is public once everybody has committed."""

    card_count: int | None = None
    """Number of cards in the hand, in a game of card turns."""

    field: tuple[str, ...] = ()
    """Cards in the static field."""

    announced: int | None = None
    """The total of the first cards, if the ruleset announces totals."""

    revealed: RevealedView | None = None
    """The hand that the seat has turned over, or null."""


class RoundView(_Part, frozen=True, kw_only=True):
    """The progress of a hand in a game of card turns."""

    round: int
    """The number of the card round, from 1."""

    taken: tuple[int, ...]
    """Seats that have had their card turn in this card round."""

    called: bool
    """True if the hand has been called, so that it ends after this card round."""

    caller: int | None
    """The seat that called the hand, or null if nobody did."""

    rolls: tuple[tuple[int, int], ...]
    """The pairs of dice rolled so far, one pair for each card round."""

    discard_top: str | None
    """The top card of an open discard pile."""

    discard_count: int
    """Number of cards in the open discard pile."""

    pile_count: int
    """Number of cards in the draw pile."""

    market: tuple[str, ...]
    """The open piles of the Galaxy Series: pilot, wing, gunner."""


class PotView(_Part, frozen=True, kw_only=True):
    """A pot as it would be if the hand ended now. It has 0 chips after it is paid."""

    chips: Chips
    """The chips in the pot."""

    eligible: tuple[int, ...]
    """The seats that can win the pot."""


class OwnView(_Part, frozen=True, kw_only=True):
    """The viewer's own cards."""

    seat: int
    cards: tuple[str, ...]
    """Cards that were dealt and are not selected."""

    selection: tuple[str, ...]
    """The selected cards."""

    new_cards: tuple[str, ...]
    """New cards that may be added to the selection."""


class DecisionView(_Part, frozen=True, kw_only=True):
    """The decision that the table waits for."""

    token: str
    """The token to send with the action. It is unique at this table."""

    phase: str
    """``select``, ``improve``, ``card`` or ``bet``."""

    street: int
    """The number of the street in the hand, from 1."""

    turn: int
    """The number of the decision in the deal, from 1."""

    seats: tuple[int, ...]
    """The seats that have not answered yet, in the order in which they act."""

    deadline: datetime
    """The instant until which the action must arrive."""


class AwardView(_Part, frozen=True, kw_only=True):
    """The payment of one pot."""

    pot: int
    """The number of the pot. 1 is the main pot."""

    chips: Chips
    """The chips in the pot."""

    winners: tuple[tuple[int, Chips], ...]
    """The seats that were paid, each with its chips."""

    remainder: Chips
    """The chips that stay on the table for the next main pot."""

    rule: str
    """The rulebook's name of the deciding rule."""


class LastHandView(_Part, frozen=True, kw_only=True):
    """The end of the previous hand."""

    hand: HandId
    number: int
    """The number of the hand at this table, from 1."""

    target: int | None
    """The target of the hand, or null in a game without a target."""

    suit: str | None
    """The suit that counted, or null in a game without a suit."""

    revealed: tuple[RevealedView, ...]
    """The hands that were turned over."""

    awards: tuple[AwardView, ...]
    """The payments, one for each pot."""

    winners: tuple[int, ...]
    """The seats that got a share of the main pot."""

    sabacc_awards: tuple[tuple[int, Chips], ...] = ()
    """The winners of the Sabacc pot, with the chips of each."""

    shown: tuple[str, ...] = ()
    """The cards that the winner has shown after everybody else folded."""


class NextLevelView(_Part, frozen=True, kw_only=True):
    """The next forced bets, and when they apply. Exactly one of the last three fields is set."""

    number: int
    """The number of the level."""

    amounts: Amounts
    """The forced bets of the level."""

    hands_left: int | None = None
    """Hands until the level, if each table counts its own hands."""

    due: datetime | None = None
    """The instant of the level, while the tournament's clock runs."""

    left_seconds: int | None = None
    """Whole seconds left of the current level, while the tournament's clock is stopped."""


class TableView(_Part, frozen=True, kw_only=True):
    """A table as one viewer sees it. It is safe to serialise."""

    table: TableId
    tournament: TournamentId
    number: int
    """The number of the table in its tournament, from 1."""

    seat_count: int
    """The number of seats, occupied or not."""

    hand: HandId | None = None
    hand_number: int = 0
    """The number of the hand opened last, or 0 before the first hand."""

    deal: int | None = None
    """The number of the deal of this hand, from 1. A voided hand is dealt again."""

    last: bool = False
    """True if the hand was opened as the last one of the game."""

    phase: str | None = None
    """``select``, ``improve``, ``card`` or ``bet`` while a decision is open."""

    target: int | None = None
    """The target of the hand, or null if it is not known or the game has none."""

    suit: str | None = None
    """The suit that counts, or null if it is not known or the game has none."""

    deck_root: str | None = None
    """The root of the commitments to the current pile, in hexadecimal, or null between hands."""

    pile: int | None = None
    """The number of the current draw pile, from 1, or null between hands."""

    seats: tuple[SeatView, ...] = ()
    """The occupied seats, in order."""

    pots: tuple[PotView, ...] = ()
    """The pots as they would be if the hand ended now."""

    current_bet: Chips = 0
    """The bet of the street that a seat has to match."""

    carry: Chips = 0
    """The chips that go on to the next hand's main pot."""

    sabacc_pot: Chips = 0
    """The chips in the Sabacc pot."""

    rounds: RoundView | None = None
    """The card rounds of the hand in play, in a game of card turns."""

    button: int = 0
    """The seat of the button, or 0 before the first hand."""

    small_blind: int | None = None
    """The seat of the small blind, or null without one."""

    big_blind: int | None = None
    """The seat of the big blind, or null without one."""

    level: int = 1
    """The number of the level in force, from 1."""

    amounts: Amounts = Amounts()
    """The forced bets in force."""

    next_level: NextLevelView | None = None
    """The next level. Null if the forced bets stay, or depend on orbits or players."""
    experimental: bool = False
    """True if the ruleset uses rules known from a single public program only."""

    held: str | None = None
    """The reason why a director has stopped the table, or null. A stopped table takes no action."""

    closed: bool = False
    """True if the table is closed. Nobody sits there any more."""

    decision: DecisionView | None = None
    """The decision that the table waits for, or null."""

    me: OwnView | None = None
    """The viewer's own cards, or null if the viewer is not in the hand."""

    my_turn: bool = False
    """True if the decision waits for the viewer."""

    legal: tuple[LegalAction, ...] = ()
    """The viewer's legal actions now."""

    last_hand: LastHandView | None = None
    """The end of the previous hand, until the next one opens."""
