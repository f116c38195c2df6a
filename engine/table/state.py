"""
What a table has become.

A state of a table in play holds every card that has been dealt.  Nothing outside
the engine may serialise it; clients get ``engine.table.view.seen_by``.

Here, and in the events and commands, structs are not tracked by the garbage collector
(``gc=False``): a frozen value refers only to older ones, so none is part of a cycle.
"""

from bisect import bisect
from datetime import datetime

import msgspec

from engine.errors import InvariantViolated
from engine.rulesets import Amounts, Ruleset
from engine.table.commands import LevelFloor, Placed, Seeds
from engine.table.events import (
    CardCount,
    FormedPot,
    HandOpened,
    Level,
    OpenCard,
    Phase,
    PotAwarded,
    Ranked,
    Revealed,
    SabaccPotAwarded,
    SeatTotal,
)
from engine.values import Chips, EntrantId, HandId, Sealed, SealedCard, TableId, TournamentId

SUDDEN_DEATH = 2
"""Stage of a hand among those who are tied when the scheduled hands are over."""


class Unopened(msgspec.Struct, frozen=True, gc=False):
    """The state of an empty stream."""


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


class Place(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An occupied seat."""

    seat: int
    entrant: EntrantId
    stack: Chips
    away: bool = False
    timeouts: int = 0
    """Decisions in a row that the clock took."""

    arrived: bool = False
    """Not dealt in yet since it came to this table."""

    penalty: int = 0
    hands_won: int = 0
    pots_won: int = 0
    hand: InHand | None = None


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


class Rounds(msgspec.Struct, frozen=True, kw_only=True, gc=False):
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
    rounds: Rounds | None = None
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
    def dead(self) -> Chips:
        """Return the chips that are nobody's wager and will join the main pot."""
        return self.table_ante + (0 if self.rounds is None else self.rounds.dead)

    @property
    def in_rounds(self) -> Rounds:
        """
        Return what a game of card turns keeps.

        Raises:
            InvariantViolated: If the hand is not of such a game.
        """
        if self.rounds is None:
            raise InvariantViolated("this game has no card turns")
        return self.rounds

    @property
    def pile_left(self) -> int:
        """Return how many cards the draw pile still holds."""
        return len(self.pile_cards) - self.pile_next

    @property
    def recyclable(self) -> tuple[str, ...]:
        """Return what a new pile would be made of: all discards but the top of an open pile."""
        if self.rounds is None:
            return self.discards
        return (*self.discards, *(card.card for card in self.rounds.open_discards[:-1]))


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


class Wait(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Why the next hand is not opened; recorded once."""

    hand_number: int
    reason: str
    tournament_version: int


class Table(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An open table, or one that has been closed."""

    table: TableId
    tournament: TournamentId
    number: int
    ruleset: Ruleset
    ruleset_hash: str
    seat_count: int
    decision_seconds: int
    grace_seconds: int
    places: tuple[Place, ...]
    """Occupied seats, ascending."""

    hand_number: int = 0
    """Of the hand opened last; 0 before the first."""

    stage: int = 0
    """Of the hand opened last: 1, or 2 for a sudden-death hand."""

    button: int = 0
    starter: int = 0
    small_blind: int | None = None
    """The seat that had the small blind in the hand opened last; it may be empty."""

    big_blind: int | None = None
    first_dealer: int = 0
    """0 before the first dealer is drawn, and after a restart."""

    orbits: int = 0
    level: Level | None = None
    base: Amounts
    carry: Chips = 0
    sabacc_pot: Chips = 0
    dealers_left: tuple[int, ...] = ()
    hand: Hand | None = None
    last_hand: LastHand | None = None
    held: str | None = None
    wait: Wait | None = None
    voided: HandOpened | None = None
    """What opened the deal that was voided last, until the hand is dealt anew."""

    closed: bool = False

    @property
    def idle(self) -> bool:
        """Whether no hand is in play."""
        return self.hand is None

    @property
    def settled(self) -> bool:
        """Whether no hand is in play or waits to be dealt anew."""
        return self.hand is None and self.voided is None

    @property
    def next_hand_number(self) -> int:
        """Number that the next hand will have: the same again after a voided deal."""
        return self.hand_number + (self.voided is None)

    @property
    def next_deal(self) -> int:
        """Number that the next deal will have within its hand, from 1."""
        return 1 if self.voided is None else self.voided.deal + 1

    @property
    def decision(self) -> Decision | None:
        """What the table waits for, if a hand is in play."""
        return None if self.hand is None else self.hand.decision

    @property
    def level_number(self) -> int:
        """Number of the level in force, from 1."""
        return 1 if self.level is None else self.level.number

    def floor(self) -> LevelFloor:
        """Return the forced bets in force: those of the hand opened last, else the first ones."""
        amounts = self.base if self.level is None else self.level.amounts
        return LevelFloor(small=amounts.small, big=amounts.big, ante=amounts.ante)

    def entrants(self) -> tuple[Placed, ...]:
        """Return everyone with a seat and the chips behind it, in seat order."""
        return tuple(
            Placed(seat=place.seat, entrant=place.entrant, stack=place.stack)
            for place in self.places
        )

    def place_of(self, entrant: EntrantId) -> Place | None:
        """Return the place of *entrant*, or none."""
        for place in self.places:
            if place.entrant == entrant:
                return place
        return None

    def at(self, seat: int) -> Place:
        """
        Return the place in *seat*.

        Raises:
            InvariantViolated: If nobody sits there.
        """
        for place in self.places:
            if place.seat == seat:
                return place
        raise InvariantViolated(f"nobody sits in seat {seat}")

    def in_game(self, place: Place) -> bool:
        """Return whether *place* can be dealt in: it has chips, or none are played for."""
        return place.stack > 0 or self.ruleset.moneyless

    def dealt(self) -> tuple[Place, ...]:
        """Return the places dealt into the hand, clockwise from the left of the button."""
        return self._clockwise([place for place in self.places if place.hand is not None])

    def live(self) -> tuple[Place, ...]:
        """
        Return the places that can still win the hand, clockwise from the left of the button.

        Source: rulebook ``words.live``.
        """
        return self._clockwise(
            [place for place in self.places if (held := place.hand) is not None and held.live]
        )

    def _clockwise(self, places: list[Place]) -> tuple[Place, ...]:
        for index, place in enumerate(places):
            if place.seat > self.button:
                return (*places[index:], *places[:index])
        return tuple(places)

    def contenders(self) -> int:
        """Return how many can still win the hand."""
        live = 0
        for place in self.places:
            held = place.hand
            if held is not None and held.live:
                live += 1
        return live

    def chips(self) -> Chips:
        """Return every chip at the table: stacks, wagers, pots and what is carried."""
        stacks = sum(place.stack for place in self.places)
        return stacks + self.carry + self.sabacc_pot + self._in_play()

    def _in_play(self) -> Chips:
        if self.hand is None:
            return 0
        if self.hand.in_pots is not None:
            return self.hand.in_pots
        return self.hand.dead + sum(
            place.hand.wager for place in self.places if place.hand is not None
        )


State = Unopened | Table
TableState = Table

INITIAL: State = Unopened()


def clockwise(seats: tuple[int, ...], after: int) -> tuple[int, ...]:
    """
    Return *seats* in clockwise order, starting with the first one left of *after*.

    Args:
        seats: In any order.
        after: A seat, occupied or not.

    Source: rulebook ``words.seat``.

    >>> clockwise((1, 3, 4), 3)
    (4, 1, 3)
    """
    ordered = sorted(seats)
    left = bisect(ordered, after)
    return (*ordered[left:], *ordered[:left])
