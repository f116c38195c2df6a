"""Who deals, who posts, who starts and who waits: the seats of the next hand."""

from typing import NamedTuple

from engine.cards import VALUES, deck
from engine.rng import Stream
from engine.rulesets import Blinds, EachDealtOnce
from engine.table.events import DrawnCard
from engine.table.state import Table, clockwise

DEALT_MIN = 2


class Positions(NamedTuple):
    """The seats that matter in one hand; blinds and a dead button may be empty seats."""

    button: int
    starter: int
    small_blind: int | None
    big_blind: int | None
    first_dealer: int
    orbits: int
    dealt: tuple[int, ...]
    draws: tuple[DrawnCard, ...]


class _Posts(NamedTuple):
    button: int
    small_blind: int | None
    big_blind: int | None
    dealt: tuple[int, ...]


def positions(
    table: Table, eligible: tuple[int, ...], draws_seed: bytes, digest: bytes
) -> Positions:
    """
    Return the seats of the next hand.

    Args:
        eligible: Seats that can be dealt in, ascending; at least two.
        draws_seed: The deal's ``draws`` seed.
        digest: Of the openings.

    Source: rulebook ``button``.
    """
    if table.first_dealer == 0:
        marker, draws = _first_marker(table, eligible, draws_seed, digest)
        first_dealer, orbits = marker, 0
        posts = _posts(table, eligible, marker)
    else:
        draws = ()
        before = table.starter if table.ruleset.button == "starter" else table.button
        posts = _next_posts(table, eligible, before)
        marker, first_dealer = posts.button, table.first_dealer
        orbits = table.orbits + _passed(before, marker, first_dealer, table.seat_count)
    if table.ruleset.button == "starter":
        # Of the dealt seats clockwise from the starter's left, the starter comes last.
        button = clockwise(eligible, marker)[-2]
        return Positions(button, marker, None, None, first_dealer, orbits, eligible, draws)
    return Positions(
        button=marker,
        starter=clockwise(posts.dealt, marker)[0],
        small_blind=posts.small_blind,
        big_blind=posts.big_blind,
        first_dealer=first_dealer,
        orbits=orbits,
        dealt=posts.dealt,
        draws=draws,
    )


def dealers_left(table: Table, eligible: tuple[int, ...], button: int) -> tuple[int, ...]:
    """Return who has not dealt yet, of those that sat at the first hand."""
    left = eligible if table.hand_number == 0 else table.dealers_left
    seated = {place.seat for place in table.places}
    return tuple([seat for seat in left if seat != button and seat in seated])


def _regular(table: Table, eligible: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seats the button may go to: nobody's first hand, unless there is no choice."""
    arrived = {place.seat for place in table.places if place.arrived}
    if not arrived:
        return eligible
    regular = tuple(seat for seat in eligible if seat not in arrived)
    return regular if len(regular) >= DEALT_MIN else eligible


def _next_posts(table: Table, eligible: tuple[int, ...], before: int) -> _Posts:
    if table.ruleset.button == "dead" and table.small_blind and table.big_blind:
        return _dead_button(table, eligible, table.small_blind, table.big_blind)
    regular = _regular(table, eligible)
    if isinstance(table.ruleset.end, EachDealtOnce):
        # Late seats add no hands: they never deal.
        regular = tuple(seat for seat in table.dealers_left if seat in eligible) or regular
    button = clockwise(regular, before)[0]
    if not isinstance(table.ruleset.forced, Blinds):
        return _posts(table, eligible, button)
    # Newcomers between the button and the small blind wait (rulebook ``newcomers``).
    order = clockwise(eligible, button)
    dealt = order[order.index(clockwise(_regular(table, eligible), button)[0]) :]
    return _posts(table, tuple(sorted(dealt)), button)


def _posts(table: Table, dealt: tuple[int, ...], button: int) -> _Posts:
    if not isinstance(table.ruleset.forced, Blinds):
        return _Posts(button, None, None, dealt)
    order = clockwise(dealt, button)
    if len(dealt) == DEALT_MIN and table.ruleset.headsup == "dealer_small_blind":
        return _Posts(button, order[1], order[0], dealt)
    return _Posts(button, order[0], order[1], dealt)


def _dead_button(table: Table, eligible: tuple[int, ...], small: int, big: int) -> _Posts:
    """
    Return the seats of the next hand when the big blind always moves on.

    The small blind is the seat that had the big one and the button the seat that had
    the small one, whether somebody sits there or not.

    Source: rulebook ``button.dead``.
    """
    next_big = clockwise(eligible, big)[0]
    if len(eligible) == DEALT_MIN:
        other = clockwise(eligible, next_big)[0]
        dealer = other if table.ruleset.headsup == "dealer_small_blind" else next_big
        return _Posts(dealer, other, next_big, eligible)
    button = small
    if small == next_big or table.button == small:
        # Two have become more, and the dealer of two had a blind too: the seat before the blinds.
        button = clockwise(tuple(seat for seat in eligible if seat != big), big)[-1]
    arrived = {place.seat for place in table.places if place.arrived}
    between = clockwise(tuple({*eligible, big}), button)
    waiting = arrived.intersection(between[: between.index(big)])
    dealt = tuple(seat for seat in eligible if seat not in waiting)
    return _Posts(button, big, next_big, dealt if len(dealt) >= DEALT_MIN else eligible)


def _passed(before: int, after: int, first_dealer: int, seat_count: int) -> bool:
    """Return whether the button, moving on, reached or passed the first dealer's seat."""
    if before == after:
        return False

    def steps(seat: int) -> int:
        return (seat - before) % seat_count or seat_count

    return steps(first_dealer) <= steps(after)


def _first_marker(
    table: Table, eligible: tuple[int, ...], draws_seed: bytes, digest: bytes
) -> tuple[int, tuple[DrawnCard, ...]]:
    """Return who deals first, or starts (rulebook ``button.first``, ``words.button``)."""
    match table.ruleset.first_dealer:
        case "host_choice":
            return eligible[0], ()
        case "random":
            return eligible[Stream(draws_seed, "starter", 1, digest).below(len(eligible))], ()
        case "high_card":
            return _high_card(table, eligible, draws_seed, digest)


def _high_card(
    table: Table, seats: tuple[int, ...], draws_seed: bytes, digest: bytes
) -> tuple[int, tuple[DrawnCard, ...]]:
    """Give each seat an open card; the highest value deals, equal ones draw again."""
    cards = iter(Stream(draws_seed, "first_dealer", 1, digest).shuffled(deck(table.ruleset.deck)))
    draws: list[DrawnCard] = []
    tied = seats
    while len(tied) > 1:
        drawn = [DrawnCard(seat=seat, card=card) for seat, card in zip(tied, cards, strict=False)]
        if len(drawn) < len(tied):
            return tied[0], tuple(draws)
        draws += drawn
        highest = max(VALUES[draw.card] for draw in drawn)
        tied = tuple(draw.seat for draw in drawn if VALUES[draw.card] == highest)
    return tied[0], tuple(draws)
