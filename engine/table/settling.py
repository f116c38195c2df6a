"""How a hand ends: the reveal, what nobody matched, the pots, ties, busts."""

from datetime import datetime
from typing import Literal

from engine.cards import VALUES, total
from engine.errors import InvariantViolated
from engine.pots import build_pots, split, unmatched
from engine.rng import Stream
from engine.rulesets import ChanceCube, DrawOff, Split
from engine.showdown import best_seats, key, suit_count
from engine.table import events
from engine.table.course import Course
from engine.table.dealing import recycle
from engine.table.events import Bust, FormedPot, OpenCard, Revealed, SeatedCard, SeatStack, Share
from engine.table.state import Place


def reveal(course: Course) -> None:
    """Turn over every live selection; nobody may hide (rulebook ``showdown.reveal``)."""
    hands = tuple(_revealed(course, place) for place in course.table.live())
    course.emit(events.HandsRevealed(hands=hands, rule="showdown.reveal"))


def _revealed(course: Course, place: Place) -> Revealed:
    hand, held = course.hand, place.hand
    if held is None or hand.target is None or hand.suit is None:
        raise InvariantViolated(f"seat {place.seat} has nothing to reveal")
    cards = [card.card for card in held.selection]
    return Revealed(
        seat=place.seat,
        entrant=place.entrant,
        cards=tuple(
            OpenCard(card=card.card, pile=card.pile, position=card.position, salt=card.salt.hex())
            for card in held.selection
        ),
        total=total(cards),
        distance=key(cards, hand.target, hand.suit)[0],
        suit_count=suit_count(cards, hand.suit),
    )


def settle(course: Course, ending: Literal["showdown", "folds"], now: datetime) -> None:
    """Return what nobody matched, award every pot, and close the hand."""
    table = course.table
    wagers = {place.seat: place.hand.wager for place in table.dealt() if place.hand is not None}
    live = [place.seat for place in table.live()]
    if (returned := unmatched(wagers, live=live)) is not None:
        seat, chips = returned
        course.emit(events.UnmatchedReturned(seat=seat, chips=chips, rule="pots.unmatched"))
        wagers[seat] -= chips
    pots = tuple(
        FormedPot(chips=pot.chips, eligible=pot.eligible)
        for pot in build_pots(wagers, live=live, carry=table.carry)
    )
    course.emit(events.PotsFormed(pots=pots, carry=table.carry, rule="pots.layers"))
    keys = {hand.seat: (hand.distance, -hand.suit_count) for hand in course.hand.revealed}
    broken: dict[tuple[int, ...], int] = {}
    for number, pot in enumerate(pots, start=1):
        contenders = [seat for seat in course.hand.order if seat in pot.eligible]
        best = (
            tuple(contenders)
            if len(contenders) == 1
            else best_seats([(seat, keys[seat]) for seat in contenders])
        )
        _award(course, number, pot.chips, best, broken)
    _close(course, ending, sum(pot.chips for pot in pots), now)


def _award(
    course: Course,
    number: int,
    chips: int,
    best: tuple[int, ...],
    broken: dict[tuple[int, ...], int],
) -> None:
    """Pay pot *number*; a tie broken once is broken alike for later pots of the same seats."""
    ruleset = course.table.ruleset
    rule = "showdown.best"
    if len(best) > 1:
        if not isinstance(ruleset.tie, Split):
            if best not in broken:
                broken[best] = _break_tie(course, number, best)
            best = (broken[best],)
            rule = f"ties.{'draw_off' if isinstance(ruleset.tie, DrawOff) else 'cube'}"
        else:
            rule = "ties.split"
    carry = ruleset.odd_chip == "carry" and not course.hand.last
    shares, remainder = split(chips, best, unit=ruleset.chip_unit, carry=carry)
    course.emit(
        events.PotAwarded(
            pot=number,
            chips=chips,
            shares=tuple(Share(seat=seat, chips=share) for seat, share in shares),
            remainder=remainder,
            rule=rule,
        )
    )


def _break_tie(course: Course, number: int, tied: tuple[int, ...]) -> int:
    tie = course.table.ruleset.tie
    limit = 0 if isinstance(tie, ChanceCube) or not isinstance(tie, DrawOff) else tie.limit
    for _ in range(limit):
        drawn = _draw_off(course, number, tied)
        if drawn is None:
            break
        highest = max(VALUES[card] for card in drawn.values())
        tied = tuple(seat for seat in tied if VALUES[drawn[seat]] == highest)
        if len(tied) == 1:
            return tied[0]
    return _roll_cube(course, number, tied)


def _draw_off(course: Course, number: int, tied: tuple[int, ...]) -> dict[int, str] | None:
    """Deal each tied seat an open card; none if there are not enough cards left."""
    hand = course.hand
    if len(hand.pile_cards) - hand.pile_next + len(hand.discards) < len(tied):
        return None
    drawn: dict[int, str] = {}
    waiting = list(tied)
    while waiting:
        hand = course.hand
        room = len(hand.pile_cards) - hand.pile_next
        if room == 0:
            recycle(course)
            continue
        served, waiting = waiting[:room], waiting[room:]
        pile = course.pile()
        cards = []
        for offset, seat in enumerate(served):
            position = hand.pile_next + offset
            card = pile.cards[position]
            drawn[seat] = card
            opened = OpenCard(
                card=card, pile=pile.number, position=position, salt=pile.salts[position].hex()
            )
            cards.append(SeatedCard(seat=seat, card=opened))
        course.emit(events.DrawOffDealt(pot=number, cards=tuple(cards), rule="ties.draw_off"))
    return drawn


def _roll_cube(course: Course, number: int, tied: tuple[int, ...]) -> int:
    hand = course.hand
    seed = bytes.fromhex(hand.seeds.value.draws)
    stream = Stream(seed, "cube", len(hand.cubes) + 1, hand.digest)
    winner = tied[stream.below(len(tied))]
    course.emit(events.CubeRolled(pot=number, seats=tied, winner=winner, rule="ties.cube"))
    return winner


def _close(
    course: Course, ending: Literal["showdown", "folds"], chips_moved: int, now: datetime
) -> None:
    table, hand = course.table, course.hand
    busts = tuple(
        Bust(
            seat=place.seat,
            entrant=place.entrant,
            stack_at_start=place.hand.stack_at_start,
            hand_number=hand.number,
        )
        for place in table.places
        if place.hand is not None and not table.in_game(place)
    )
    course.emit(
        events.HandSettled(
            hand=hand.hand,
            number=hand.number,
            ending=ending,
            stacks=tuple(
                SeatStack(seat=place.seat, entrant=place.entrant, stack=place.stack)
                for place in table.places
            ),
            winners=tuple(share.seat for share in hand.awards[0].shares),
            busts=busts,
            carry=table.carry,
            sabacc_pot=table.sabacc_pot,
            chips_moved=chips_moved,
            hands=hand.number,
            at=now,
        )
    )
