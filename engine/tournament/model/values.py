"""The small things that commands, events and states of a tournament are made of."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.rulesets import Amounts
from engine.values import Chips, EntrantId, HexDigest, PlayerId, Seat, TableId

BotRule = Literal["allowed", "forbidden", "only"]
Visibility = Literal["members", "link", "public"]
"""Who may read a tournament; leagues are for their members alone so far."""


class Masters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    What every seed of a tournament is derived from.

    ``cards`` makes decks and stays hidden; ``open`` makes dice and draws and is
    published when the tournament is finished.
    """

    cards: HexDigest
    open: HexDigest

    def __repr__(self) -> str:
        return "Masters(hidden)"


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One player's entry; ``number`` is the order of registration, from 1."""

    entrant: EntrantId
    player: PlayerId
    bot: bool
    number: int


class SeatAssignment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entrant's first place."""

    entrant: EntrantId
    table: TableId
    table_number: int
    seat: Seat
    stack: Chips


class Draw(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    Which random draw decided: the seed is use ``draws``, table 0, hand ``number``.

    ``order`` is the outcome: what was drawn from, as drawn.
    """

    number: int
    label: Literal["seats", "move", "final"]
    order: tuple[EntrantId, ...]


class Busted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entrant without chips, with the stack that the fatal hand started with."""

    entrant: EntrantId
    seat: Seat
    stack_at_start: Chips
    pot: int | None = None
    """Which pot held its last chips, the main pot being 1; none where that is not known."""

    won_by: tuple[EntrantId, ...] = ()
    """Who won that pot, in seat order."""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A bust that may still be bought back, until the table's next hand."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    stack_at_start: Chips
    buys: bool
    """Whether by a rebuy; else only by staking a thing."""


class Promised(msgspec.Struct, frozen=True, kw_only=True):
    """Chips that come to a seat before the next hand."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    chips: Chips
    newcomer: bool
    rule: str
    """Why they come."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A thing that was staked once: whose it is, and whether it lies in escrow."""

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
    Someone who might have been chosen, in the order the rule prefers.

    When tables are balanced the scores stand here, for the best free seat that this one
    could have gone to; everywhere else they are None.
    """

    entrant: EntrantId
    seat: Seat
    hands_to_big_blind: int | None = None
    """Hands until the big blind reaches the seat, 1 for the next; None without blinds or button."""

    hands_to_button: int | None = None
    """The same of the deal, in a game without blinds."""

    newcomer: bool | None = None
    """Whether this one has not been dealt in since it came to the table."""

    moved: int | None = None
    """How often this one was moved before."""

    to_table: TableId | None = None
    to_seat: Seat | None = None
    hands_there: int | None = None
    """Hands until the big blind, or the deal, there."""

    positions_lost: int | None = None
    """Hands by which the big blind would come sooner, or the deal later."""


class LevelClock(msgspec.Struct, frozen=True, kw_only=True):
    """
    The level in force in a tournament whose levels go by the clock.

    A clock that runs has ``due``, one that stands has ``left_microseconds``; at
    the last level there is nothing to wait for and both are none.
    """

    level: int
    amounts: Amounts
    set_by: int
    """Version, in the tournament's stream, of the event that put this level into force."""

    run_by: int
    """Version of the event since which the clock has run or stood as it does now."""

    since: datetime
    """From which instant on it counts as having run, or stood."""

    due: datetime | None = None
    left_microseconds: int | None = None

    @property
    def running(self) -> bool:
        """Whether time brings a next level nearer."""
        return self.due is not None


class Standing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ranks an entrant, in this order; what does not count is 0."""

    entrant: EntrantId
    stack: Chips
    hands_won: int = 0
    """Only where hands are counted instead of chips."""

    pots_won: int = 0

    @property
    def rank(self) -> tuple[int, int, int]:
        """Return what is compared; larger is better."""
        return self.stack, self.hands_won, self.pots_won


class Placing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    Where an entrant finished: ``shared`` entrants hold the places from ``place`` on together.

    1 is the winner; a place of one's own has ``shared`` 1.
    """

    entrant: EntrantId
    player: PlayerId
    place: int
    shared: int = 1


class Payout(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``amount`` is in minor units of the tournament's currency; never 0."""

    entrant: EntrantId
    player: PlayerId
    place: int
    amount: int


class Award(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an entrant is to get, in minor units of the tournament's currency."""

    entrant: EntrantId
    amount: int
