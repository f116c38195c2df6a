"""
The hand in play at a table: its seats' cards and chips, its piles, its decision, its end.

Every card that has been dealt stands here; nothing outside the engine may serialise it.
"""

from datetime import datetime

import msgspec

from engine.errors import InvariantViolated
from engine.kit.hidden import Withheld
from engine.table.model.commands import Seeds
from engine.table.model.events import (
    CardCount,
    FormedPot,
    HandOpened,
    OpenCard,
    Phase,
    PotAwarded,
    Ranked,
    Revealed,
    SabaccPotAwarded,
    SeatTotal,
)
from engine.values import Chips, EntrantId, HandId, Sealed, SealedCard


class InHand(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a seat that was dealt in has in the hand being played."""

    stack_at_start: Chips
    live: bool = True
    kill: str | None = None
    """Why the hand is killed after the deal: ``away`` or ``penalty``."""

    cards: tuple[SealedCard, ...] = ()
    """Dealt and not selected."""

    selection: tuple[SealedCard, ...] = ()
    fresh: tuple[SealedCard, ...] = ()
    """Replacements that are not part of the selection."""

    field: tuple[SealedCard, ...] = ()
    """Face up and there to stay; everyone sees them."""

    selected: bool = False
    improved: bool = False
    wager: Chips = 0
    """Chips put into the hand."""

    put_in: Chips = 0
    """Chips put into the street."""

    acted_at: Chips | None = None
    """The street's bet when the seat last acted."""


class Decision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the table waits for."""

    token: str
    phase: Phase
    street: int
    turn: int
    seats: tuple[int, ...]
    """Those still to answer, in the order they are processed."""

    deadline: datetime


class Roll(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Two dice after the betting round of a round."""

    round: int
    dice: tuple[int, int]
    doubles: bool


class CardRounds(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a hand has besides in a game that is played in rounds of card turns."""

    round: int = 1
    taken: tuple[int, ...] = ()
    """Seats that have had their card turn in this round."""

    called: bool = False
    caller: int | None = None
    """Who called the hand; none if it was called by itself."""

    rolls: tuple[Roll, ...] = ()
    shifted: bool = False
    """Whether the hands were taken up in this round."""

    taken_up: tuple[CardCount, ...] = ()
    """Cards that each seat gave up when the hands were taken up last."""

    due: tuple[CardCount, ...] = ()
    """Cards that seats get for what was taken up from them."""

    open_discards: tuple[OpenCard, ...] = ()
    """A face-up discard pile, the top card last."""

    market: tuple[OpenCard, ...] = ()
    """The open piles of the Galaxy Series: pilot, wing, gunner."""

    dead: Chips = 0
    """Fees for card actions, which will join the main pot."""

    announced: tuple[SeatTotal, ...] = ()
    ranked: tuple[Ranked, ...] = ()
    sabacc_awards: tuple[SabaccPotAwarded, ...] = ()
    """Who took the Sabacc pot; several if they share it."""


class Hand(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The hand being played."""

    hand: HandId
    number: int
    deal: int
    last: bool
    small_blind: int | None
    big_blind: int | None
    order: tuple[int, ...]
    """Seats dealt in, clockwise from the left of the button."""

    seeds: Sealed[Seeds]
    digest: bytes
    """Of the openings."""

    deck_root: str
    pile: int
    pile_cards: tuple[str, ...]
    """What the current pile was made of, in deck order; its own order comes from the seed."""

    pile_next: int = 0
    """Position of the next card to be dealt."""

    discards: tuple[str, ...] = ()
    drawn_off: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    """Phases that are over."""

    kept: tuple[CardCount, ...] = ()
    """Sizes of the selections, as last made public."""

    target: int | None = None
    suit: str | None = None
    street: int = 1
    table_ante: Chips = 0
    """What the big blind has paid for the table; dead money of the main pot."""

    current_bet: Chips = 0
    full_raise: Chips = 0
    last_actor: int | None = None
    turn: int = 0
    decision: Decision | None = None
    revealed: tuple[Revealed, ...] = ()
    pots: tuple[FormedPot, ...] = ()
    in_pots: Chips | None = None
    """Chips of the pots not yet awarded; none before they are formed."""

    draw_offs: tuple[tuple[int, tuple[tuple[int, str], ...]], ...] = ()
    """Open cards drawn for ties: pot and cards by seat, oldest first."""

    cubes: tuple[tuple[int, int], ...] = ()
    """Chance cubes rolled: pot and winner."""

    awards: tuple[PotAwarded, ...] = ()
    card_rounds: CardRounds | None = None
    """None in Coruscant Shift."""

    opened: HandOpened
    """What the deal would have to be opened by again."""

    earlier_piles: tuple[tuple[str, ...], ...] = ()
    """What the piles before the current one were made of."""

    actions: int = 0
    """Decisions on a turn since the deal; forced bets are none."""

    chips_in: bool = False
    """Whether any of them put chips in."""

    @property
    def withheld(self) -> bool:
        """Return whether the hidden values are withheld: then the hand cannot be played on."""
        return isinstance(self.seeds.value, Withheld)

    @property
    def dead(self) -> Chips:
        """Return the chips that are nobody's wager and will join the main pot."""
        return self.table_ante + (0 if self.card_rounds is None else self.card_rounds.dead)

    @property
    def in_card_rounds(self) -> CardRounds:
        """
        Return what a game of card turns keeps.

        Raises:
            InvariantViolated: If the hand is not of such a game.
        """
        if self.card_rounds is None:
            raise InvariantViolated("this game has no card turns")
        return self.card_rounds

    @property
    def pile_left(self) -> int:
        """Return how many cards the draw pile still holds."""
        return len(self.pile_cards) - self.pile_next

    @property
    def recyclable(self) -> tuple[str, ...]:
        """Return what a new pile would be made of: all discards but the top of an open pile."""
        if self.card_rounds is None:
            return self.discards
        return (*self.discards, *(card.card for card in self.card_rounds.open_discards[:-1]))


class LastHand(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How the hand before ended, to be looked at until the next is opened."""

    hand: HandId
    number: int
    target: int | None
    suit: str | None
    revealed: tuple[Revealed, ...]
    awards: tuple[PotAwarded, ...]
    winners: tuple[int, ...]
    ranked: tuple[Ranked, ...] = ()
    sabacc_awards: tuple[SabaccPotAwarded, ...] = ()
    unshown_by: EntrantId | None = None
    """Who won because everybody else folded."""

    unshown: tuple[SealedCard, ...] = ()
    """The cards of that winner, while they are not shown."""

    shown: tuple[str, ...] = ()
