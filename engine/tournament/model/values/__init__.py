"""The parts of a tournament's commands, events and states."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.rulesets import Amounts
from engine.values import Chips, EntrantId, HexDigest, PlayerId, Seat, TableId

BotRule = Literal["allowed", "forbidden", "only"]

FinishRule = Literal[
    "finish.hands_max",
    "finish.each_dealt_once",
    "finish.too_few_stacks",
    "finish.closed",
    "finish.deal",
    "finish.last_hands",
]
"""The rule by which a tournament ends with several entrants left."""


class Masters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    The two values from which every seed of a tournament is derived.

    ``cards`` makes decks and stays hidden. ``open`` makes dice and draws and is published when
    the tournament finishes.
    """

    cards: HexDigest
    """The master of all decks, 32 bytes."""

    open: HexDigest
    """The master of dice and draws, 32 bytes."""

    def __repr__(self) -> str:
        return "Masters(hidden)"


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One player's entry. ``number`` is the order of registration, from 1."""

    entrant: EntrantId
    player: PlayerId
    bot: bool
    number: int


class SeatAssignment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first seat of one entrant."""

    entrant: EntrantId
    table: TableId
    table_number: int
    seat: Seat
    stack: Chips


class Draw(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    The random draw that decided. Its seed has the use ``draws``, table 0, hand ``number``.

    ``order`` is the outcome: the candidates in the order drawn.
    """

    number: int
    label: Literal["seats", "move", "final"]
    order: tuple[EntrantId, ...]


class Busted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entrant without chips, and its stack at the start of the fatal hand."""

    entrant: EntrantId
    seat: Seat
    stack_at_start: Chips
    pot: int | None = None
    """The pot that held its last chips. 1 is the main pot, null if it is not known."""

    won_by: tuple[EntrantId, ...] = ()
    """The winners of that pot, in seat order."""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A bust that may still be undone by a rebuy, until the table's next hand."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    stack_at_start: Chips
    buys: bool
    """True if a rebuy is allowed. Otherwise only a staked item brings the entrant back."""


class Promised(msgspec.Struct, frozen=True, kw_only=True):
    """Chips that come to a seat before the next hand."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    chips: Chips
    newcomer: bool
    rule: str
    """The rule by which they come."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """An item that was once staked, its owner, and whether it lies in escrow."""

    name: str
    value: Chips
    owner: EntrantId
    brought_by: EntrantId
    staked: bool


class Move(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    entrant: EntrantId
    stack: Chips
    from_table: TableId
    from_seat: Seat
    to_table: TableId
    to_seat: Seat


class Candidate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    An entrant who could have been chosen, in the order that the rule prefers.

    When tables are balanced, the scores are those of the best free seat for this entrant.
    Otherwise they are null.
    """

    entrant: EntrantId
    seat: Seat
    hands_to_big_blind: int | None = None
    """Hands until the seat posts the big blind, 1 for the next. Null without blinds or button."""

    hands_to_button: int | None = None
    """Hands until the deal reaches the seat, in a game without blinds."""

    newcomer: bool | None = None
    """True if the entrant has not been dealt in since it came to the table."""

    moved: int | None = None
    """The number of earlier moves of the entrant."""

    to_table: TableId | None = None
    to_seat: Seat | None = None
    hands_there: int | None = None
    """Hands until the big blind, or the deal, at the new seat."""

    positions_lost: int | None = None
    """The number of hands by which the big blind would come sooner, or the deal later."""


class LevelClock(msgspec.Struct, frozen=True, kw_only=True):
    """
    The level in force in a tournament with a level clock.

    A running clock has ``due``, a stopped one has ``left_microseconds``. At the last level both
    are null.
    """

    level: int
    amounts: Amounts
    set_by: int
    """Version, in the tournament's stream, of the event that put this level into force."""

    run_by: int
    """Version of the event that last started or stopped the clock."""

    since: datetime
    """The instant from which the clock has run or stood."""

    due: datetime | None = None
    left_microseconds: int | None = None

    @property
    def running(self) -> bool:
        """True if a next level comes with time."""
        return self.due is not None


class Outage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    A time in which nobody could act: from the service's last sign of life to the next, or while an
    operator had closed the league.
    """

    since: datetime
    until: datetime


class Standing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values that rank an entrant, in this order. A value that does not count is 0."""

    entrant: EntrantId
    stack: Chips
    hands_won: int = 0
    """The hands won, if the ruleset counts hands instead of chips."""

    pots_won: int = 0

    @property
    def rank(self) -> tuple[int, int, int]:
        """Return the key to compare. The larger one ranks better."""
        return self.stack, self.hands_won, self.pots_won


class Placing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    An entrant's place: ``shared`` entrants hold the places from ``place`` on together.

    The winner has place 1. An entrant alone at a place has ``shared`` 1.
    """

    entrant: EntrantId
    """The entrant who has the place."""

    player: PlayerId
    """The player of that entrant."""

    place: int
    """The place, from 1."""

    shared: int = 1
    """The number of entrants who hold the places from `place` on together."""


class Payout(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``amount`` is in minor units of the tournament's currency and never 0."""

    entrant: EntrantId
    """The entrant who gets the money."""

    player: PlayerId
    """The player of that entrant."""

    place: int
    """The place for which the money is paid."""

    amount: int
    """In minor units of the tournament's currency, never 0."""


class Award(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The payout that an entrant should get, in minor units of the tournament's currency."""

    entrant: EntrantId
    """The entrant who should get the money."""

    amount: int
    """In minor units of the tournament's currency."""
