"""
The end of a hand.

Uncalled bets, pots, awards, the chance cube and busts serve every game. ``reveal``, ``settle`` and
the policies for ties serve Coruscant Shift only.
"""

from datetime import datetime
from typing import Literal

from engine.errors import InvariantViolated
from engine.hand.pots import build_pots, split, unmatched
from engine.hand.showdown import best_seats, key
from engine.kit.cards import VALUES, total
from engine.kit.rng import Stream
from engine.rulesets import ChanceCube, CoruscantShift, DrawOff, Split
from engine.table.games.course import Course
from engine.table.games.dealing import draw_open, enough_for
from engine.table.model import events
from engine.table.model.events import Bust, FormedPot, Revealed, SeatStack, Share
from engine.table.model.events.event_parts import opened
from engine.table.model.hand import Hand
from engine.table.model.state import Place


def reveal(course: Course) -> None:
    """Reveal every live selection. Nobody may hide (rulebook ``showdown.reveal``)."""
    hand = course.hand
    hands = [_revealed(hand, place) for place in course.table.live()]
    course.emit(events.HandsRevealed(hands=tuple(hands), rule="showdown.reveal"))


def _revealed(hand: Hand, place: Place) -> Revealed:
    held = place.hand
    if held is None or hand.target is None or hand.suit is None:
        raise InvariantViolated(f"seat {place.seat} has nothing to reveal")
    cards = [card.card for card in held.selection]
    distance, fewer = key(cards, hand.target, hand.suit)
    return Revealed(
        seat=place.seat,
        entrant=place.entrant,
        cards=tuple(map(opened, held.selection)),
        total=total(cards),
        distance=distance,
        suit_count=-fewer,
    )


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


def settle(course: Course, now: datetime) -> None:
    """
    Award every pot to its best eligible hand, and close the hand.

    Only Coruscant Shift settles here. Traditional settles in ``demise``, and Corellian Spike in
    ``spike_showdown``.
    """
    pots = form_pots(course)
    keys = {hand.seat: (hand.distance, -hand.suit_count) for hand in course.hand.revealed}
    broken: dict[tuple[int, ...], tuple[int, str]] = {}
    for number, pot in enumerate(pots, start=1):
        contenders = [seat for seat in course.hand.order if seat in pot.eligible]
        best = (
            tuple(contenders)
            if len(contenders) == 1
            else best_seats([(seat, keys[seat]) for seat in contenders])
        )
        best, rule = _one_of(course, number, best, broken)
        award(course, number, pot.chips, best, rule=rule)
    close(course, "showdown", pots, now)


def _one_of(
    course: Course,
    number: int,
    best: tuple[int, ...],
    broken: dict[tuple[int, ...], tuple[int, str]],
) -> tuple[tuple[int, ...], str]:
    """
    Return the winners of pot *number*, and the deciding rule.

    A broken tie has the same winner in later pots of the same seats.
    """
    tie = _tie_policy(course)
    if len(best) == 1:
        return best, "showdown.best"
    if isinstance(tie, Split):
        return best, "ties.split"
    if best not in broken:
        broken[best] = _break_tie(course, number, best)
    winner, rule = broken[best]
    return (winner,), rule


def _tie_policy(course: Course) -> Split | DrawOff | ChanceCube:
    ruleset = course.table.ruleset
    if not isinstance(ruleset, CoruscantShift):
        raise InvariantViolated("only Coruscant Shift has this policy for ties")
    return ruleset.tie


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


def _break_tie(course: Course, number: int, tied: tuple[int, ...]) -> tuple[int, str]:
    """Return the winner of a tie, and the rule of the draw-off or the chance cube."""
    tie = _tie_policy(course)
    limit = tie.limit if isinstance(tie, DrawOff) and not tie.prefer_cube else 0
    for _ in range(limit):
        drawn = _draw_off(course, number, tied)
        if drawn is None:
            break
        highest = max(VALUES[card] for card in drawn.values())
        tied = tuple(seat for seat in tied if VALUES[drawn[seat]] == highest)
        if len(tied) == 1:
            return tied[0], "ties.draw_off"
    return roll_cube(course, number, tied), "ties.cube"


def _draw_off(course: Course, number: int, tied: tuple[int, ...]) -> dict[int, str] | None:
    """Deal each tied seat an open card. Return None if too few cards are left."""
    if not enough_for(course, len(tied)):
        return None
    drawn: dict[int, str] = {}
    for cards in draw_open(course, tied):
        drawn |= {part.seat: part.card.card for part in cards}
        course.emit(events.DrawOffDealt(pot=number, cards=cards, rule="ties.draw_off"))
    return drawn


def roll_cube(course: Course, number: int, tied: tuple[int, ...]) -> int:
    """Let the chance cube pick one of *tied* (rulebook ``ties.cube``)."""
    hand = course.hand
    seed = bytes.fromhex(hand.seeds.value.draws)
    stream = Stream(seed, "cube", len(hand.cubes) + 1, hand.digest)
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
    course.end(
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
