"""The seats of the next hand: button, starter, blinds and the seats dealt in."""

from typing import NamedTuple

from msgspec.structs import replace

from engine.hand.positions import Marks, button_of, clockwise, first_positions, next_positions
from engine.kit.cards import VALUES, deck
from engine.kit.rng import RandomWords
from engine.rulesets import Blinds, EachDealtOnce
from engine.table.model.events import DrawnCard
from engine.table.model.state import Table


class Positions(NamedTuple):
    """The special seats of a hand. The blinds and a dead button may be empty seats."""

    button: int
    starter: int
    small_blind: int | None
    big_blind: int | None
    first_dealer: int
    orbits: int
    dealt: tuple[int, ...]
    draws: tuple[DrawnCard, ...]


def positions(
    table: Table, eligible: tuple[int, ...], draws_seed: bytes, digest: bytes
) -> Positions:
    """
    Return the positions of the next hand.

    Args:
        eligible: Two or more seats that can be dealt in, ascending.
        draws_seed: The deal's ``draws`` seed.
        digest: The digest of the openings.

    Source: rulebook ``button``.
    """
    marks = marks_of(table)
    draws: tuple[DrawnCard, ...] = ()
    if table.first_dealer == 0:
        marker, draws = _first_marker(table, eligible, draws_seed, digest)
        positions = first_positions(replace(marks, marker=marker), eligible)
        first_dealer, orbits = marker, 0
    else:
        arrived = [place.seat for place in table.places if place.arrived]
        positions = next_positions(marks, eligible, arrived)
        first_dealer = table.first_dealer
        orbits = table.orbits + _passed(
            marks.marker, positions.marker, first_dealer, table.seat_count
        )
    starts = table.ruleset.button == "starter"
    return Positions(
        button=button_of(positions, marks),
        starter=positions.marker if starts else clockwise(positions.dealt, positions.marker)[0],
        small_blind=positions.small_blind,
        big_blind=positions.big_blind,
        first_dealer=first_dealer,
        orbits=orbits,
        dealt=positions.dealt,
        draws=draws,
    )


def marks_of(table: Table) -> Marks:
    """Return the positions of the last hand. ``marker`` is 0 before the first hand."""
    rules = table.ruleset
    dealers = table.dealers_left if isinstance(rules.end, EachDealtOnce) else ()
    if dealers:
        # A seat loses its deal when its player leaves, even if somebody else sits down there.
        occupied = {place.seat for place in table.places}
        dealers = tuple([seat for seat in dealers if seat in occupied])
    return Marks(
        button=rules.button,
        headsup=rules.headsup,
        blinds=isinstance(rules.forced, Blinds),
        marker=table.starter if rules.button == "starter" else table.button,
        small_blind=table.small_blind,
        big_blind=table.big_blind,
        dealers=dealers,
    )


def dealers_left(table: Table, eligible: tuple[int, ...], button: int) -> tuple[int, ...]:
    """Return the seats of the first hand that have not dealt yet and still have a player."""
    left = eligible if table.hand_number == 0 else table.dealers_left
    seated = {place.seat for place in table.places}
    return tuple([seat for seat in left if seat != button and seat in seated])


def _passed(before: int, after: int, first_dealer: int, seat_count: int) -> bool:
    """Return whether the moving button reached or passed the first dealer's seat."""
    if before == after:
        return False

    def steps(seat: int) -> int:
        return (seat - before) % seat_count or seat_count

    return steps(first_dealer) <= steps(after)


def _first_marker(
    table: Table, eligible: tuple[int, ...], draws_seed: bytes, digest: bytes
) -> tuple[int, tuple[DrawnCard, ...]]:
    """
    Return the first dealer, or the first starter (rulebook ``button.first``, ``words.button``).
    """
    match table.ruleset.first_dealer:
        case "host_choice":
            return eligible[0], ()
        case "random":
            return eligible[RandomWords(draws_seed, "starter", 1, digest).below(len(eligible))], ()
        case "high_card":
            return _high_card(table, eligible, draws_seed, digest)


def _high_card(
    table: Table, seats: tuple[int, ...], draws_seed: bytes, digest: bytes
) -> tuple[int, tuple[DrawnCard, ...]]:
    """Give each seat an open card. The highest value deals, and tied seats draw again."""
    cards = iter(
        RandomWords(draws_seed, "first_dealer", 1, digest).shuffled(deck(table.ruleset.deck))
    )
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
