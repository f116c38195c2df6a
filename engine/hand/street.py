"""The state of one street of betting, with its rules."""

from bisect import bisect
from operator import attrgetter
from typing import Protocol

import msgspec

from engine.errors import InvariantViolated
from engine.rulesets import FixedContinue, Ruleset
from engine.values import Chips

_CONTESTED_SINCE = 2
"""The first revision of the rules in which ``betting.contested`` holds."""

_SEAT = attrgetter("seat")


class BettingHand(Protocol):
    """The part of a seat's hand that matters for betting."""

    @property
    def live(self) -> bool:
        """Return whether the hand can still win."""

    @property
    def put_in(self) -> Chips:
        """Chips put into the street."""

    @property
    def acted_at(self) -> Chips | None:
        """The street's bet when the seat last acted."""


class Seated(Protocol):
    """A seat with its stack. ``hand`` is None if the seat was not dealt in."""

    @property
    def seat(self) -> int: ...
    @property
    def stack(self) -> Chips: ...
    @property
    def hand(self) -> BettingHand | None: ...


class Bettor(msgspec.Struct, frozen=True, gc=False):
    """A seat that was dealt in, with the values that matter for betting."""

    seat: int
    stack: Chips
    put_in: Chips
    acted_at: Chips | None
    live: bool

    @property
    def hand(self) -> "Bettor":
        """Return this object, which is also the seat's hand."""
        return self


class Street(msgspec.Struct, frozen=True, gc=False):
    """A street of betting at one moment."""

    seats: tuple[Seated, ...]
    """
    All seats dealt in, and perhaps others, in ascending order.

    These are the table's own places. Copying them for every bet took most of its time.
    """

    ruleset: Ruleset
    min_open: Chips
    current_bet: Chips
    full_raise: Chips
    after: int = 0
    """
    The seat after which the next seat acts: the last actor, or the seat before the first actor.
    """

    def clockwise(self) -> tuple[Seated, ...]:
        """Return the seats in the order in which they act."""
        seats, begun = self.seats, self.after
        # If no seat is empty, the n-th one is seat n.
        if not 0 < begun <= len(seats) or seats[begun - 1].seat != begun:
            begun = bisect(seats, begun, key=_SEAT)
        return seats[begun:] + seats[:begun]

    def bettor(self, seat: int) -> Bettor:
        """Return the bettor in *seat*."""
        seats = self.seats
        # If no seat is empty, the n-th one is seat n.
        found = seats[seat - 1] if seat <= len(seats) else None
        if found is None or found.seat != seat:
            found = next((each for each in seats if each.seat == seat), None)
        if found is None or (hand := found.hand) is None:
            raise InvariantViolated(f"seat {seat} is not in the street")
        return Bettor(seat, found.stack, hand.put_in, hand.acted_at, hand.live)

    def can_act(self, each: Seated) -> bool:
        """Return whether a seat can act. It must be live and have chips behind."""
        hand = each.hand
        return hand is not None and hand.live and (each.stack > 0 or self.ruleset.moneyless)

    def others_can_answer(self, seat: int) -> bool:
        """Return whether another seat could answer a raise (rulebook ``betting.lone_seat``)."""
        if self.contested_only:
            return self.contestable(seat, self.current_bet + 1) > self.current_bet
        return any(each.seat != seat and self.can_act(each) for each in self.seats)

    def due(self, seat: int, put_in: Chips) -> Chips:
        """
        Return the chips that *seat* owes, even if its stack is smaller.

        Source: rulebook ``betting.contested``.
        """
        rules = self.ruleset.betting
        asked = put_in + rules.cost if isinstance(rules, FixedContinue) else self.current_bet
        if asked <= put_in:
            return 0
        if self.ruleset.revision >= _CONTESTED_SINCE:
            most = self.contestable(seat, asked)
            if most < asked:
                return max(0, most - put_in)
        return asked - put_in

    @property
    def contested_only(self) -> bool:
        """Return whether a seat owes only chips that another seat can contest."""
        return self.ruleset.revision >= _CONTESTED_SINCE

    def contestable(self, seat: int, enough: Chips) -> Chips:
        """
        Return the largest total that another seat can reach in this street.

        The search stops at the first seat that reaches *enough*.
        """
        rules, most = self.ruleset.betting, 0
        cost = rules.cost if isinstance(rules, FixedContinue) else None
        for each in self.seats:
            hand = each.hand
            if hand is None or each.seat == seat:
                continue
            reach = hand.put_in
            if hand.live:
                if cost is None:
                    reach += each.stack
                elif hand.acted_at is None:
                    reach += min(each.stack, cost)
            if reach > most:  # called dozens of times in a hand: ``max`` takes as long as the rest
                if reach >= enough:
                    return reach
                most = reach
        return most

    @property
    def min_increment(self) -> Chips:
        """Return the smallest amount by which a raise must exceed the current bet."""
        rules = self.ruleset.betting
        if isinstance(rules, FixedContinue):
            return 0
        match rules.min_raise:
            case "chip_unit":
                return self.ruleset.chip_unit
            case "min_bet":
                return self.min_open
            case "last_raise":
                return max(self.full_raise, self.min_open)
