"""
The end of a hand of any game: uncalled bets, pots, awards, the chance cube and busts.

The showdown of each game finds the winners.
"""

from datetime import datetime
from typing import Literal

from engine.hand.pots import build_pots, split, unmatched
from engine.kit.rng import RandomWords
from engine.rulesets import CoruscantShift
from engine.table.games.course import Course
from engine.table.model import events
from engine.table.model.events import Bust, FormedPot, SeatStack, Share


def form_pots(course: Course) -> tuple[FormedPot, ...]:
    """Return the uncalled bet, then form the pots and return them, main pot first."""
    table = course.table
    dead = course.hand.dead
    wagers: dict[int, int] = {}
    live = []
    for place in table.places:
        if (held := place.hand) is not None:
            wagers[place.seat] = held.wager
            if held.live:
                live.append(place.seat)
    if (returned := unmatched(wagers, live=live)) is not None:
        seat, chips = returned
        course.emit(events.UnmatchedReturned(seat=seat, chips=chips, rule="pots.unmatched"))
        wagers[seat] -= chips
    layers = build_pots(wagers, live=live, carry=table.carry + dead)
    pots = tuple([FormedPot(chips=pot.chips, eligible=pot.eligible) for pot in layers])
    course.emit(events.PotsFormed(pots=pots, carry=table.carry, dead=dead, rule="pots.layers"))
    return pots


def settle_by_folds(course: Course, now: datetime) -> None:
    """
    Award every pot to the only live seat, which shows no cards (rulebook ``phases.one_live``).
    """
    pots = form_pots(course)
    winner = tuple(place.seat for place in course.table.live())
    for number, pot in enumerate(pots, start=1):
        award(course, number, pot.chips, winner, rule="showdown.best")
    close(course, "folds", pots, now)


def award(course: Course, number: int, chips: int, best: tuple[int, ...], *, rule: str) -> None:
    """
    Pay pot *number* to its winners.

    Args:
        best: The winners, clockwise from the left of the button. If empty, the whole pot is
            carried to the next hand.
    """
    ruleset = course.table.ruleset
    carry = ruleset.odd_chip == "carry" and not course.hand.last
    shares, remainder = (
        split(chips, best, unit=ruleset.chip_unit, carry=carry) if best else ((), chips)
    )
    course.emit(
        events.PotAwarded(
            pot=number,
            chips=chips,
            shares=tuple([Share(seat=seat, chips=share) for seat, share in shares]),
            remainder=remainder,
            rule=rule,
        )
    )


def roll_cube(course: Course, number: int, tied: tuple[int, ...]) -> int:
    """Let the chance cube pick one of *tied* (rulebook ``ties.cube``)."""
    hand = course.hand
    seed = bytes.fromhex(hand.seeds.value.draws)
    stream = RandomWords(seed, "cube", len(hand.cubes) + 1, hand.digest)
    winner = tied[stream.below(len(tied))]
    course.emit(events.CubeRolled(pot=number, seats=tied, winner=winner, rule="ties.cube"))
    return winner


def _put_out(course: Course) -> None:
    """
    Move the last chips of seats that cannot pay both antes to the Sabacc pot.

    This applies only if the ruleset eliminates these seats (rulebook ``forced.out``).
    """
    ruleset, level = course.table.ruleset, course.table.level
    if isinstance(ruleset, CoruscantShift) or ruleset.short_forced != "out" or level is None:
        return
    least = ruleset.least_stack(level.amounts)
    if all(place.stack < least for place in course.table.places):
        # Otherwise nobody would be left to win.
        return
    for place in course.table.places:
        if place.hand is not None and 0 < place.stack < least:
            course.emit(
                events.PenaltyPaid(
                    seat=place.seat,
                    entrant=place.entrant,
                    cause="short_of_antes",
                    owed=least,
                    paid=place.stack,
                    stack=0,
                    rule="forced.out",
                )
            )


def close(
    course: Course,
    ending: Literal["showdown", "folds"],
    pots: tuple[FormedPot, ...],
    now: datetime,
) -> None:
    """Append the event that settles the hand. Seats without chips bust."""
    if not course.hand.last:
        _put_out(course)
    table, hand = course.table, course.hand
    busts = [
        Bust(
            seat=place.seat,
            entrant=place.entrant,
            stack_at_start=place.hand.stack_at_start,
            hand_number=hand.number,
        )
        for place in table.places
        if place.hand is not None and not table.in_game(place)
    ]
    stacks = [
        SeatStack(seat=place.seat, entrant=place.entrant, stack=place.stack)
        for place in table.places
    ]
    course.emit(
        events.HandSettled(
            hand=hand.hand,
            number=hand.number,
            ending=ending,
            stacks=tuple(stacks),
            winners=tuple([share.seat for share in hand.awards[0].shares]),
            busts=tuple(busts),
            carry=table.carry,
            sabacc_pot=table.sabacc_pot,
            chips_moved=sum([pot.chips for pot in pots]),
            hands=hand.number,
            at=now,
        )
    )
