"""How a hand is opened: who deals, who posts, who is dealt in, at which level."""

from typing import NamedTuple

from engine.cards import VALUES, deck
from engine.errors import InvariantViolated
from engine.rng import Stream, openings_digest, seed_commitment, shuffled_pile
from engine.rulesets import Amounts, AnteByPlayers, Blinds, DoublePerOrbit, NoEscalation
from engine.table.commands import OpenHand
from engine.table.errors import TooFewStacks
from engine.table.events import Commitments, DrawnCard, HandOpened, Level, SeatBooks
from engine.table.state import Place, Table, clockwise
from engine.values import HOUSE, Sealed

DEALT_MIN = 2
_DOUBLINGS_MAX = 40


class _Positions(NamedTuple):
    button: int
    starter: int
    small_blind: int | None
    big_blind: int | None
    first_dealer: int
    orbits: int
    dealt: tuple[int, ...]
    draws: tuple[DrawnCard, ...]


def open_hand(table: Table, command: OpenHand) -> HandOpened:
    """
    Return the event that opens the next hand.

    Raises:
        TooFewStacks: If fewer than two seats can be dealt in.

    Source: rulebook ``button`` and ``escalation``.
    """
    eligible = _eligible(table)
    if len(eligible) < DEALT_MIN:
        raise TooFewStacks(seats=len(eligible))
    seeds = command.seeds
    cards_seed, dice_seed, draws_seed = (
        bytes.fromhex(seed) for seed in (seeds.cards, seeds.dice, seeds.draws)
    )
    digest = openings_digest([(o.seat, bytes.fromhex(o.value)) for o in command.openings])
    positions = _positions(table, eligible, draws_seed, digest)
    penalties = {penalty.seat: penalty.hands for penalty in command.penalties}
    return HandOpened(
        hand=command.hand,
        number=table.next_hand_number,
        deal=command.deal,
        stage=command.stage,
        round=command.round,
        seats=tuple(
            _books(place, positions, eligible, penalties.get(place.seat, place.penalty))
            for place in table.places
        ),
        dealers_left=_dealers_left(table, eligible, positions.button),
        button=positions.button,
        starter=positions.starter,
        small_blind=positions.small_blind,
        big_blind=positions.big_blind,
        first_dealer=positions.first_dealer,
        first_dealer_draws=positions.draws,
        orbits=positions.orbits,
        level=_level(table, positions.orbits),
        base=table.base,
        carry=table.carry,
        sabacc_pot=table.sabacc_pot,
        seeds=Sealed(seeds, Stream(cards_seed, "seeds").block(0), (HOUSE,)),
        commitments=Commitments(
            cards=seed_commitment(cards_seed),
            dice=seed_commitment(dice_seed),
            draws=seed_commitment(draws_seed),
        ),
        deck_root=shuffled_pile(cards_seed, digest, 1, deck(table.ruleset.deck)).root(),
        openings=command.openings,
        omissions=command.omissions,
        penalties=command.penalties,
        tournament_version=command.tournament_version,
        tournament_head=command.tournament_head,
        ruleset_hash=table.ruleset_hash,
        decision_seconds=table.decision_seconds,
        grace_seconds=table.grace_seconds,
        last=command.last,
        at=command.now,
    )


def _eligible(table: Table) -> tuple[int, ...]:
    least = table.ruleset.least_stack(table.floor())
    return tuple(
        place.seat for place in table.places if table.in_game(place) and place.stack >= least
    )


def _books(
    place: Place, positions: _Positions, eligible: tuple[int, ...], penalty: int
) -> SeatBooks:
    dealt = place.seat in positions.dealt
    return SeatBooks(
        seat=place.seat,
        entrant=place.entrant,
        stack=place.stack,
        dealt=dealt,
        away=place.away,
        timeouts=place.timeouts,
        waiting=place.arrived and place.seat in eligible and not dealt,
        penalty=penalty,
        hands_won=place.hands_won,
        pots_won=place.pots_won,
    )


def _positions(
    table: Table, eligible: tuple[int, ...], draws_seed: bytes, digest: bytes
) -> _Positions:
    by_starter = table.ruleset.button == "starter"
    draws: tuple[DrawnCard, ...] = ()
    regular = eligible
    if table.first_dealer == 0:
        marker, draws = _first_marker(table, eligible, draws_seed, digest)
        first_dealer, orbits = marker, 0
    else:
        regular = _regular(table, eligible)
        before = table.starter if by_starter else table.button
        marker = clockwise(regular, before)[0]
        first_dealer = table.first_dealer
        orbits = table.orbits + _passed(before, marker, first_dealer, table.seat_count)
    if by_starter:
        # Of the dealt seats clockwise from the starter's left, the starter comes last.
        button = clockwise(eligible, marker)[-2]
        return _Positions(button, marker, None, None, first_dealer, orbits, eligible, draws)
    dealt = eligible
    if isinstance(table.ruleset.forced, Blinds):
        dealt = _without_waiting(eligible, regular, marker)
    small, big = _blind_seats(table, dealt, marker)
    starter = clockwise(dealt, marker)[0]
    return _Positions(marker, starter, small, big, first_dealer, orbits, dealt, draws)


def _regular(table: Table, eligible: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seats the button may go to: nobody's first hand, unless there is no choice."""
    arrived = {place.seat for place in table.places if place.arrived}
    regular = tuple(seat for seat in eligible if seat not in arrived)
    return regular if len(regular) >= DEALT_MIN else eligible


def _without_waiting(
    eligible: tuple[int, ...], regular: tuple[int, ...], button: int
) -> tuple[int, ...]:
    """Leave out newcomers between the button and the small blind (rulebook ``newcomers``)."""
    order = clockwise(eligible, button)
    small_blind = clockwise(regular, button)[0]
    return tuple(sorted(order[order.index(small_blind) :]))


def _blind_seats(
    table: Table, dealt: tuple[int, ...], button: int
) -> tuple[int | None, int | None]:
    if not isinstance(table.ruleset.forced, Blinds):
        return None, None
    order = clockwise(dealt, button)
    if len(dealt) == DEALT_MIN and table.ruleset.headsup == "dealer_small_blind":
        return order[1], order[0]
    return order[0], order[1]


def _passed(before: int, after: int, first_dealer: int, seat_count: int) -> bool:
    """Return whether the button, moving on, reached or passed the first dealer's seat."""

    def steps(seat: int) -> int:
        return (seat - before) % seat_count or seat_count

    return steps(first_dealer) <= steps(after)


def _first_marker(
    table: Table, eligible: tuple[int, ...], draws_seed: bytes, digest: bytes
) -> tuple[int, tuple[DrawnCard, ...]]:
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


def _dealers_left(table: Table, eligible: tuple[int, ...], button: int) -> tuple[int, ...]:
    left = eligible if table.hand_number == 0 else table.dealers_left
    seated = {place.seat for place in table.places}
    return tuple(seat for seat in left if seat != button and seat in seated)


def _level(table: Table, orbits: int) -> Level:
    number = table.next_hand_number
    before = table.level
    match table.ruleset.escalation:
        case NoEscalation():
            return before or Level(number=1, amounts=table.base, since_hand=number)
        case DoublePerOrbit():
            if before is not None and before.number == orbits + 1:
                return before
            factor = 2 ** min(orbits, _DOUBLINGS_MAX)
            base = table.base
            raised = Amounts(
                small=base.small * factor, big=base.big * factor, ante=base.ante * factor
            )
            return Level(number=orbits + 1, amounts=raised, since_hand=number)
        case AnteByPlayers(inc=inc):
            if before is None:
                return Level(number=1, amounts=table.base, since_hand=number)
            players = sum(table.in_game(place) for place in table.places)
            step = inc.get(str(players), inc["*"])
            ante = before.amounts.ante + step
            return Level(number=before.number + 1, amounts=Amounts(ante=ante), since_hand=number)
        case _:
            raise InvariantViolated("the ruleset has no such escalation")
