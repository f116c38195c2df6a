"""
The state of a table.

The state of a table in play holds every card that has been dealt. Nothing outside
the engine may serialise it. Clients get ``engine.table.read.view.seen_by``.

The garbage collector does not track the structs of state, events and commands (``gc=False``).
A frozen value refers only to older values, so it is never part of a cycle.
"""

from datetime import datetime, timedelta

import msgspec

from engine.errors import InvariantViolated
from engine.rulesets import Amounts, Ruleset
from engine.table.model.commands import LevelFloor, Placed
from engine.table.model.errors import TableNotOpened
from engine.table.model.events import (
    HandOpened,
    Level,
    TableBeaconAwaited,
)
from engine.table.model.hand import Decision, Hand, InHand, LastHand
from engine.values import Chips, EntrantId, TableId, TournamentId

SUDDEN_DEATH = 2
"""The stage of a hand that only tied seats play after the scheduled hands."""


class Unopened(msgspec.Struct, frozen=True, gc=False):
    """The state of an empty stream."""


class Place(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An occupied seat with its chips, counters and hand."""

    seat: int
    entrant: EntrantId
    stack: Chips
    away: bool = False
    timeouts: int = 0
    """Consecutive decisions that timed out."""

    arrived: bool = False
    """True if the seat has not been dealt in at this table yet."""

    penalty: int = 0
    hands_won: int = 0
    pots_won: int = 0
    hand: InHand | None = None


class Wait(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The reason why the next hand is not opened. It is recorded once."""

    hand_number: int
    reason: str
    tournament_version: int


class Table(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A table that is open or closed."""

    table: TableId
    tournament: TournamentId
    number: int
    ruleset: Ruleset
    ruleset_hash: str
    seat_count: int
    decision_seconds: int
    grace_seconds: int
    places: tuple[Place, ...]
    """Occupied seats in ascending order."""

    hand_number: int = 0
    """Number of the hand opened last. 0 before the first hand."""

    stage: int = 0
    """Stage of the hand opened last: 1, or 2 for a sudden-death hand."""

    round: int = 0
    """The number in hand-for-hand play of the hand opened last, or 1 outside it."""

    button: int = 0
    starter: int = 0
    small_blind: int | None = None
    """The seat of the small blind in the hand opened last. It may be empty."""

    big_blind: int | None = None
    first_dealer: int = 0
    """The seat of the first dealer. 0 before the draw, and after a restart."""

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
    awaited: TableBeaconAwaited | None = None
    """The event that names the pulse which the next deal waits for."""

    voided: HandOpened | None = None
    """The opening event of the voided deal, until the hand is dealt again."""

    closed: bool = False
    pause_since: datetime
    """The instant from which the pause before the next hand counts.

    It is that of the last settled hand, or of the table's opening. During a hand it is that of the
    hand's opening.
    """

    @property
    def idle(self) -> bool:
        """Return whether no hand is in play."""
        return self.hand is None

    @property
    def played_last(self) -> bool:
        """Return whether the hand settled before was opened as the table's last."""
        return self.last_hand is not None and self.last_hand.last

    @property
    def settled(self) -> bool:
        """Return whether no hand is in play and no voided hand waits to be dealt again."""
        return self.hand is None and self.voided is None

    @property
    def next_hand_number(self) -> int:
        """Return the number of the next hand. It stays the same after a voided deal."""
        return self.hand_number + (self.voided is None)

    @property
    def waits(self) -> bool:
        """Return whether it is recorded that the next hand waits."""
        return self.wait is not None and self.wait.hand_number == self.next_hand_number

    @property
    def next_deal(self) -> int:
        """Return the number of the next deal within its hand, from 1."""
        return 1 if self.voided is None else self.voided.deal + 1

    @property
    def decision(self) -> Decision | None:
        """Return the open decision, if a hand is in play."""
        return None if self.hand is None else self.hand.decision

    def answered_by_clock_at(self, decision: Decision) -> datetime:
        """Return the instant from which the clock may answer *decision*: its deadline and grace."""
        return decision.deadline + timedelta(seconds=self.grace_seconds)

    @property
    def level_number(self) -> int:
        """Return the number of the level in force, from 1."""
        return 1 if self.level is None else self.level.number

    def least_amounts(self) -> LevelFloor:
        """Return the forced bets in force. Before the first hand, these are the first amounts."""
        amounts = self.base if self.level is None else self.level.amounts
        return LevelFloor(small=amounts.small, big=amounts.big, ante=amounts.ante)

    def entrants(self) -> tuple[Placed, ...]:
        """Return all entrants with their seats and stacks, in seat order."""
        return tuple(
            Placed(seat=place.seat, entrant=place.entrant, stack=place.stack)
            for place in self.places
        )

    def place_of(self, entrant: EntrantId) -> Place | None:
        """Return the place of *entrant*, or None."""
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
        places = self.places
        # If no seat is empty, the n-th place is that of seat n.
        if seat <= len(places) and (place := places[seat - 1]).seat == seat:
            return place
        for place in places:
            if place.seat == seat:
                return place
        raise InvariantViolated(f"nobody sits in seat {seat}")

    def in_game(self, place: Place) -> bool:
        """Return whether *place* can be dealt in. Without chips it can only in a moneyless game."""
        return place.stack > 0 or self.ruleset.moneyless

    def dealt(self) -> tuple[Place, ...]:
        """Return the places dealt into the hand, clockwise from the left of the button."""
        dealt = [place for place in self.places if place.hand is not None]
        left = [place for place in dealt if place.seat > self.button]
        return (*left, *dealt[: len(dealt) - len(left)])

    def live(self) -> tuple[Place, ...]:
        """
        Return the places that can still win the hand, clockwise from the left of the button.

        Source: rulebook ``words.live``.
        """
        button = self.button
        left: list[Place] = []
        others: list[Place] = []
        for place in self.places:
            held = place.hand
            if held is not None and held.live:
                if place.seat > button:
                    left.append(place)
                else:
                    others.append(place)
        return (*left, *others)

    def contested(self) -> bool:
        """Return whether two or more seats can still win the hand."""
        one = False
        for place in self.places:
            held = place.hand
            if held is not None and held.live:
                if one:
                    return True
                one = True
        return False

    def chips(self) -> Chips:
        """Return the number of all chips at the table: stacks, wagers, pots and carry."""
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


def opened_of(state: State) -> Table:
    """
    Return *state* if the table has been opened. It may be closed by now.

    Raises:
        TableNotOpened: If its stream is empty.
    """
    if not isinstance(state, Table):
        raise TableNotOpened
    return state
