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
    total: int
    distance: int | None = None
    """The distance from the target. Like the suit count, it is null in games without a target."""

    suit_count: int | None = None
    name: str | None = None
    """The name of the hand, in a game without a target."""


class SeatView(_Part, frozen=True, kw_only=True):
    """An occupied seat, as everybody sees it."""

    seat: int
    entrant: EntrantId
    stack: Chips
    wager: Chips = 0
    """Chips put into the hand."""

    put_in: Chips = 0
    """Chips put into the street."""

    dealt: bool = False
    live: bool = False
    all_in: bool = False
    away: bool = False
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


class RoundView(_Part, frozen=True, kw_only=True):
    """The progress of a hand in a game of card turns."""

    round: int
    taken: tuple[int, ...]
    """Seats that have had their card turn in this card round."""

    called: bool
    caller: int | None
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
    eligible: tuple[int, ...]


class OwnView(_Part, frozen=True, kw_only=True):
    """The viewer's own cards."""

    seat: int
    cards: tuple[str, ...]
    """Cards that were dealt and are not selected."""

    selection: tuple[str, ...]
    new_cards: tuple[str, ...]
    """New cards that may be added to the selection."""


class DecisionView(_Part, frozen=True, kw_only=True):
    """The decision that the table waits for."""

    token: str
    phase: str
    street: int
    turn: int
    seats: tuple[int, ...]
    deadline: datetime


class AwardView(_Part, frozen=True, kw_only=True):
    """The payment of one pot."""

    pot: int
    chips: Chips
    winners: tuple[tuple[int, Chips], ...]
    remainder: Chips
    rule: str
    """The rulebook's name of the deciding rule."""


class LastHandView(_Part, frozen=True, kw_only=True):
    """The end of the previous hand."""

    hand: HandId
    number: int
    target: int | None
    suit: str | None
    revealed: tuple[RevealedView, ...]
    awards: tuple[AwardView, ...]
    winners: tuple[int, ...]
    sabacc_awards: tuple[tuple[int, Chips], ...] = ()
    """The winners of the Sabacc pot, with the chips of each."""

    shown: tuple[str, ...] = ()
    """The cards that the winner has shown after everybody else folded."""


class NextLevelView(_Part, frozen=True, kw_only=True):
    """The next forced bets, and when they apply. Exactly one of the last three fields is set."""

    number: int
    amounts: Amounts
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
    seat_count: int
    hand: HandId | None = None
    hand_number: int = 0
    deal: int | None = None
    last: bool = False
    phase: str | None = None
    """``select``, ``improve``, ``card`` or ``bet`` while a decision is open."""

    target: int | None = None
    suit: str | None = None
    deck_root: str | None = None
    pile: int | None = None
    seats: tuple[SeatView, ...] = ()
    pots: tuple[PotView, ...] = ()
    current_bet: Chips = 0
    carry: Chips = 0
    sabacc_pot: Chips = 0
    rounds: RoundView | None = None
    """The card rounds of the hand in play, in a game of card turns."""

    button: int = 0
    small_blind: int | None = None
    big_blind: int | None = None
    level: int = 1
    amounts: Amounts = Amounts()
    next_level: NextLevelView | None = None
    """The next level. Null if the forced bets stay, or depend on orbits or players."""
    experimental: bool = False
    """True if the ruleset uses rules known from a single public program only."""

    held: str | None = None
    closed: bool = False
    decision: DecisionView | None = None
    me: OwnView | None = None
    my_turn: bool = False
    legal: tuple[LegalAction, ...] = ()
    """The viewer's legal actions now."""

    last_hand: LastHandView | None = None
