"""What the view of a table is made of; safe to serialise."""

from datetime import datetime

import msgspec

from engine.hand.betting import LegalAction
from engine.rulesets import Amounts
from engine.values import Chips, EntrantId, HandId, TableId, TournamentId


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    pass


class RevealedView(_Part, frozen=True, kw_only=True):
    """A hand that was turned over."""

    seat: int
    cards: tuple[str, ...]
    total: int
    distance: int | None = None
    """From the target number, in a game that has one; like the suit count."""

    suit_count: int | None = None
    name: str | None = None
    """What the hand is called, in a game without target."""


class SeatView(_Part, frozen=True, kw_only=True):
    """An occupied seat, as everyone sees it."""

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
    """Has committed its cards in the select or improve phase that is open."""

    kept: int | None = None
    """Cards in the selection; known once everybody has committed."""

    card_count: int | None = None
    """All cards of the hand, in a game of card turns."""

    field: tuple[str, ...] = ()
    """Cards of the static field."""

    announced: int | None = None
    """What the first cards add up to, where totals are announced."""

    revealed: RevealedView | None = None


class RoundView(_Part, frozen=True, kw_only=True):
    """Where a game of card turns stands."""

    round: int
    taken: tuple[int, ...]
    """Seats that have had their card turn in this round."""

    called: bool
    caller: int | None
    rolls: tuple[tuple[int, int], ...]
    """The pairs of dice so far, one a round."""

    discard_top: str | None
    """The card that lies on an open discard pile."""

    discard_count: int
    """Cards of an open discard pile."""

    pile_count: int
    """Cards of the draw pile."""

    market: tuple[str, ...]
    """The open piles of the Galaxy Series: pilot, wing, gunner."""


class PotView(_Part, frozen=True, kw_only=True):
    """What a pot would be if the hand ended now; without chips once it is paid out."""

    chips: Chips
    eligible: tuple[int, ...]


class OwnView(_Part, frozen=True, kw_only=True):
    """What only the viewer sees: the own cards."""

    seat: int
    cards: tuple[str, ...]
    """Dealt and not selected."""

    selection: tuple[str, ...]
    new_cards: tuple[str, ...]
    """Replacements that may be added to the selection."""


class DecisionView(_Part, frozen=True, kw_only=True):
    """What the table waits for."""

    token: str
    phase: str
    street: int
    turn: int
    seats: tuple[int, ...]
    deadline: datetime


class AwardView(_Part, frozen=True, kw_only=True):
    """How one pot was paid."""

    pot: int
    chips: Chips
    winners: tuple[tuple[int, Chips], ...]
    remainder: Chips
    rule: str
    """The rulebook's name of what decided it."""


class LastHandView(_Part, frozen=True, kw_only=True):
    """How the hand before ended."""

    hand: HandId
    number: int
    target: int | None
    suit: str | None
    revealed: tuple[RevealedView, ...]
    awards: tuple[AwardView, ...]
    winners: tuple[int, ...]
    sabacc_awards: tuple[tuple[int, Chips], ...] = ()
    """Who took how much of the Sabacc pot."""

    shown: tuple[str, ...] = ()
    """The hand of a winner by folds who has shown it."""


class NextLevelView(_Part, frozen=True, kw_only=True):
    """What the forced bets will be, and when; one of the last three says so."""

    number: int
    amounts: Amounts
    hands_left: int | None = None
    """Hands still to be opened before it, where the table counts them."""

    due: datetime | None = None
    """The instant, while the tournament's clock runs."""

    left_seconds: int | None = None
    """Whole seconds of the level that are left, while the clock stands."""


class TableView(_Part, frozen=True, kw_only=True):
    """A table as one viewer sees it; safe to serialise."""

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
    """In a game of card turns, while a hand is in play."""

    button: int = 0
    small_blind: int | None = None
    big_blind: int | None = None
    level: int = 1
    amounts: Amounts = Amounts()
    next_level: NextLevelView | None = None
    """None if the forced bets stay, or go by orbits or players."""
    experimental: bool = False
    """Whether the ruleset plays what rests on one public program alone."""

    held: str | None = None
    closed: bool = False
    decision: DecisionView | None = None
    me: OwnView | None = None
    my_turn: bool = False
    legal: tuple[LegalAction, ...] = ()
    """What the viewer may do now."""

    last_hand: LastHandView | None = None
