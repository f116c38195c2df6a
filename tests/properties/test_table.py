"""After any play at a table, nothing is lost, nothing leaks, and everything repeats and ends."""

from collections.abc import Iterator
from random import Random

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.kit.cards import deck
from engine.table.decider import decider
from engine.table.read.view import seen_by
from tests.properties import invariants
from tests.properties.chooser import VERBS, Choices, is_legal, wager
from tests.properties.croupier import Croupier, seats_max
from tests.properties.variants import VARIANTS

HANDS = 3

played = settings(
    derandomize=True,
    max_examples=6,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

every_variant = pytest.mark.parametrize("name", VARIANTS)
seats = st.integers(2, 12)
numbers = st.integers(0, 2**16)
choices = st.builds(Choices, st.lists(st.integers(0, 2**12), max_size=60), numbers)


def croupier_of(name: str, seats: int, seed: int, dice: Random) -> Croupier:
    """Return a croupier for at most *seats* seats. Some games have room for fewer."""
    return Croupier(name, min(seats, seats_max(name)), seed, dice)


@every_variant
@played
@given(seats, numbers, choices)
def test_no_chip_and_no_card_is_ever_lost_or_made(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, seats, seed, dice)

    def check(croupier: Croupier) -> None:
        if croupier.table.hand is not None:
            invariants.nothing_lost_between(croupier.floor.appends[-1], croupier.chips)
        invariants.nothing_lost(croupier)

    croupier.play(HANDS, after=check)


@every_variant
@played
@given(seats, numbers, choices)
def test_what_was_asked_can_be_recalled_and_is_decided_alike(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, seats, seed, dice)
    croupier.play(HANDS)
    for append in croupier.floor.appends:
        invariants.decided_alike(append)


@every_variant
@played
@given(seats, numbers, choices)
def test_the_state_that_comes_with_a_decision_is_the_fold_of_its_events(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, seats, seed, dice)
    croupier.play(HANDS)
    for append in croupier.floor.appends:
        invariants.told_where_it_leads(append)


@every_variant
@played
@given(seats, numbers, choices)
def test_chips_that_were_asked_for_come_back_only_if_somebody_folds(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, seats, seed, dice)
    croupier.play(HANDS)
    invariants.asked_only_what_is_contested(croupier.floor.events)


@every_variant
@played
@given(seats, numbers, choices)
def test_a_log_folds_alike_in_parts_and_from_its_last_hand_on(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, seats, seed, dice)
    croupier.play(HANDS)
    floor = croupier.floor
    invariants.folds_alike(floor)
    cut = dice.randrange(len(floor.events) + 1)
    state = decider.replay(floor.events[:cut])
    for event in floor.events[cut:]:
        state = decider.evolve(state, event)
    assert state == floor.state


@every_variant
@played
@given(seats, numbers, choices)
def test_everyone_who_is_waited_for_can_do_something_until_the_hand_ends(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, seats, seed, dice)
    croupier.play(HANDS, after=lambda croupier: invariants.waits_or_rests(croupier.table))
    assert croupier.table.idle


@every_variant
@played
@given(seats, numbers, choices)
def test_exactly_what_the_view_calls_legal_is_accepted(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    """Every verb is tried at every bet, with every amount around the bounds."""

    def check(croupier: Croupier) -> None:
        decision = croupier.table.decision
        if decision is None or decision.phase != "bet" or croupier.table.held is not None:
            return
        seat = decision.seats[0]
        for verb in VERBS:
            action = next((a for a in croupier.view(seat).legal if a.verb == verb), None)
            for amount in around(action) if verb == "raise_to" else (None,):
                command = wager(croupier.table, seat, verb, amount, croupier.floor.now)
                legal = is_legal(croupier.table, action, amount)
                croupier.accepted(command, legal=legal)

    croupier_of(name, seats, seed, dice).play(1, after=check)


def around(action: object) -> tuple[int | None, ...]:
    least, most = getattr(action, "min", None), getattr(action, "max", None)
    if least is None or most is None:
        return (None, 0, 1, 10, 1_000)
    inside = (least + most) // 2
    return (None, 0, least - 1, least, least + 1, inside, most - 1, most, most + 1)


@every_variant
@played
@given(seats, numbers, choices)
def test_a_view_shows_nothing_that_is_hidden_from_its_viewer(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, min(seats, 6), seed, dice)
    croupier.play(1)
    secrets = Random(seed)
    for table in invariants.moments(croupier.floor):
        invariants.hides_secrets(table, secrets)


@every_variant
@played
@given(seats, numbers, choices)
def test_a_view_names_no_card_but_the_own_and_those_turned_over(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, min(seats, 6), seed, dice)
    croupier.play(2)
    faces = set(deck(croupier.table.ruleset.deck))
    for table in invariants.moments(croupier.floor):
        for viewer in (None, *(place.entrant for place in table.places)):
            open_ = invariants.open_cards(table)
            place = None if viewer is None else table.place_of(viewer)
            if place is not None:
                open_ |= {card.card for card in invariants.held_by(place)}
            named = set(words(msgspec.to_builtins(seen_by(table, viewer)))) & faces
            assert named <= open_


def words(value: object) -> Iterator[str]:
    """Yield every text in *value*."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from words(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from words(each)


@every_variant
@played
@given(seats, numbers, choices)
def test_every_dealt_card_is_sealed_for_the_house_and_its_owner_only(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, seats, seed, dice)
    croupier.play(HANDS, after=lambda croupier: invariants.sealed_for_owners(croupier.table))
