"""One street of betting at one moment: who is in it, and by which rules."""

from typing import Protocol

import msgspec

from engine.errors import InvariantViolated
from engine.rulesets import FixedContinue, PokerNoLimit
from engine.values import Chips


class Stake(Protocol):
    """What a seat has in the hand being played, as far as betting is concerned."""

    @property
    def live(self) -> bool:
        """Whether it can still win."""

    @property
    def put_in(self) -> Chips:
        """Chips put into the street."""

    @property
    def acted_at(self) -> Chips | None:
        """The street's bet when the seat last acted."""


class Seated(Protocol):
    """A seat and the chips behind it; no hand if it was not dealt in."""

    @property
    def seat(self) -> int: ...
    @property
    def stack(self) -> Chips: ...
    @property
    def hand(self) -> Stake | None: ...


class Bettor(msgspec.Struct, frozen=True, gc=False):
    """A seat dealt in, as far as betting is concerned."""

    seat: int
    stack: Chips
    put_in: Chips
    acted_at: Chips | None
    live: bool

    @property
    def hand(self) -> "Bettor":
        """Return what it has in the hand: itself, for it is nothing besides."""
        return self


class Street(msgspec.Struct, frozen=True, gc=False):
    """A betting round at one moment."""

    seats: tuple[Seated, ...]
    """
    Everyone dealt in, and perhaps others, ascending.

    The places of a table themselves: a copy of each for every bet was what a bet cost most.
    """

    rules: PokerNoLimit | FixedContinue
    unit: Chips
    min_open: Chips
    current_bet: Chips
    full_raise: Chips
    after: int = 0
    """The turn goes on to its left: who acted last, or the seat before the first actor's."""

    moneyless: bool = False

    def bettor(self, seat: int) -> Bettor:
        """Return the bettor in *seat*."""
        for each in self.seats:
            if each.seat == seat and (stake := each.hand) is not None:
                return Bettor(seat, each.stack, stake.put_in, stake.acted_at, stake.live)
        raise InvariantViolated(f"seat {seat} is not in the street")

    def can_act(self, each: Seated) -> bool:
        """Return whether a seat can act: live, with chips behind."""
        stake = each.hand
        return stake is not None and stake.live and (each.stack > 0 or self.moneyless)

    def others_can_act(self, seat: int) -> bool:
        """Return whether somebody can act besides *seat*."""
        return any(each.seat != seat and self.can_act(each) for each in self.seats)

    @property
    def min_increment(self) -> Chips:
        """Return by how much a raise must exceed the current bet."""
        if isinstance(self.rules, FixedContinue):
            return 0
        match self.rules.min_raise:
            case "chip_unit":
                return self.unit
            case "min_bet":
                return self.min_open
            case "last_raise":
                return max(self.full_raise, self.min_open)
