"""
The hand in play at a table: the cards and chips of its seats, its piles and its decision.

The hand holds every card that has been dealt. Nothing outside the engine may serialise it.
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
    """The cards and chips of a seat that was dealt in."""

    stack_at_start: Chips
    live: bool = True
    kill: str | None = None
    """The reason for killing the hand after the deal: ``away`` or ``penalty``."""

    cards: tuple[SealedCard, ...] = ()
    """Cards that were dealt and are not selected."""

    selection: tuple[SealedCard, ...] = ()
    fresh: tuple[SealedCard, ...] = ()
    """New cards that are not part of the selection."""

    field: tuple[SealedCard, ...] = ()
    """Face-up cards that no shift touches. Everybody sees them."""

    selected: bool = False
    improved: bool = False
    wager: Chips = 0
    """Chips put into the hand."""

    put_in: Chips = 0
    """Chips put into the street."""

    acted_at: Chips | None = None
    """The street's bet when the seat last acted."""


class Decision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The answer that the table waits for."""

    token: str
    phase: Phase
    street: int
    turn: int
    seats: tuple[int, ...]
    """The seats that have not answered yet, in the order in which they act."""

    deadline: datetime


class Roll(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The two dice after the street of a card round."""

    round: int
    dice: tuple[int, int]
    doubles: bool


class CardRounds(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The additional state of a hand in a game of card turns."""

    round: int = 1
    taken: tuple[int, ...] = ()
    """Seats that have had their card turn in this card round."""

    called: bool = False
    caller: int | None = None
    """The seat that called the hand. None if the hand was called automatically."""

    rolls: tuple[Roll, ...] = ()
    shifted: bool = False
    """True if a shift took up the hands in this card round."""

    taken_up: tuple[CardCount, ...] = ()
    """The number of cards that each seat gave up in the latest shift."""

    due: tuple[CardCount, ...] = ()
    """The number of new cards that the shift still owes to each seat."""

    open_discards: tuple[OpenCard, ...] = ()
    """The face-up discard pile, with the top card last."""

    market: tuple[OpenCard, ...] = ()
    """The open piles of the Galaxy Series: pilot, wing, gunner."""

    dead: Chips = 0
    """Fees for card actions, which will join the main pot."""

    announced: tuple[SeatTotal, ...] = ()
    ranked: tuple[Ranked, ...] = ()
    sabacc_awards: tuple[SabaccPotAwarded, ...] = ()
    """The awards of the Sabacc pot. There are several if winners share it."""


class Hand(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The hand in play."""

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
    """The digest of the openings."""

    deck_root: str
    pile: int
    pile_cards: tuple[str, ...]
    """The cards of the current pile in deck order. The seed decides the order of dealing."""

    pile_next: int = 0
    """Index in the pile of the next card to be dealt, from 0."""

    discards: tuple[str, ...] = ()
    drawn_off: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    """Phases that are complete."""

    kept: tuple[CardCount, ...] = ()
    """The public sizes of the selections, as last announced."""

    target: int | None = None
    suit: str | None = None
    street: int = 1
    table_ante: Chips = 0
    """The ante that the big blind paid for the table. It is dead money of the main pot."""

    min_open: Chips = 0
    """The smallest opening bet of a street. The hand's level decides it."""

    current_bet: Chips = 0
    full_raise: Chips = 0
    last_actor: int | None = None
    turn: int = 0
    decision: Decision | None = None
    revealed: tuple[Revealed, ...] = ()
    pots: tuple[FormedPot, ...] = ()
    in_pots: Chips | None = None
    """Chips of the pots not yet awarded. None before the pots are formed."""

    draw_offs: tuple[tuple[int, tuple[tuple[int, str], ...]], ...] = ()
    """Open cards drawn for ties, oldest first. Each item holds a pot, and the cards by seat."""

    cubes: tuple[tuple[int, int], ...] = ()
    """Chance cubes rolled, each with the pot and the winning seat."""

    awards: tuple[PotAwarded, ...] = ()
    card_rounds: CardRounds | None = None
    """None in Coruscant Shift."""

    opened: HandOpened
    """The event that opened the hand. A voided deal restores the books in it."""

    earlier_piles: tuple[tuple[str, ...], ...] = ()
    """The cards of the piles before the current one."""

    actions: int = 0
    """Number of betting and card actions since the deal, without forced bets."""

    chips_in: bool = False
    """True if an action since the deal put chips into the hand."""

    @property
    def withheld(self) -> bool:
        """Return whether the hidden values are withheld. Such a hand cannot be continued."""
        return isinstance(self.seeds.value, Withheld)

    @property
    def dead(self) -> Chips:
        """Return the dead money, which will join the main pot."""
        return self.table_ante + (0 if self.card_rounds is None else self.card_rounds.dead)

    @property
    def in_card_rounds(self) -> CardRounds:
        """
        Return the additional state of a game of card turns.

        Raises:
            InvariantViolated: If the game has no card turns.
        """
        if self.card_rounds is None:
            raise InvariantViolated("this game has no card turns")
        return self.card_rounds

    @property
    def pile_left(self) -> int:
        """Return the number of cards left in the draw pile."""
        return len(self.pile_cards) - self.pile_next

    @property
    def recyclable(self) -> tuple[str, ...]:
        """Return the cards for a new pile: all discards except the top card of an open pile."""
        if self.card_rounds is None:
            return self.discards
        return (*self.discards, *(card.card for card in self.card_rounds.open_discards[:-1]))


class LastHand(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The end of the previous hand, for viewers until the next hand opens."""

    hand: HandId
    number: int
    last: bool = False
    """True if the hand was opened as the table's last."""

    target: int | None
    suit: str | None
    revealed: tuple[Revealed, ...]
    awards: tuple[PotAwarded, ...]
    winners: tuple[int, ...]
    ranked: tuple[Ranked, ...] = ()
    sabacc_awards: tuple[SabaccPotAwarded, ...] = ()
    unshown_by: EntrantId | None = None
    """The entrant who won because everybody else folded."""

    unshown: tuple[SealedCard, ...] = ()
    """The winner's cards until the winner shows them."""

    shown: tuple[str, ...] = ()
