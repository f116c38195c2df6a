"""Every game ends, and gives every entrant a place."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.rulesets import PRESETS, OpenEnd, Ruleset, preset
from tests.properties.chooser import Choices, Chooser
from tests.properties.croupier import small_stack
from tests.properties.game import Game

HANDS_MAX = 12
"""The largest number of hands at one table, for games that could go on without it."""

played = settings(
    derandomize=True,
    max_examples=12,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
choices = st.builds(Choices, st.lists(st.integers(0, 2**12), max_size=60), st.integers(0, 2**16))


def is_casino(ruleset: Ruleset) -> bool:
    """Return True if the game has one table that is open until the house closes it."""
    return isinstance(ruleset.end, OpenEnd)


def stack_of(ruleset: Ruleset) -> int:
    return small_stack(ruleset, 1)


@pytest.mark.parametrize("name", sorted(PRESETS))
@played
@given(st.integers(2, 9), st.integers(2, 5), choices, st.none() | st.integers(0, 200))
def test_standings_are_a_total_order_with_stated_ties(
    name: str, entrants: int, table_seats: int, dice: Random, close_after: int | None
) -> None:
    """
    Every entrant has one place. A shared place says how many share it, and the next is left out.

    This also holds if the director ends the game early.
    """
    ruleset = preset(name)

    game = Game(
        ruleset,
        entrants,
        Chooser(dice),
        ruleset_name=name,
        table_seats=ruleset.max_players if is_casino(ruleset) else table_seats,
        starting_stack=stack_of(ruleset),
        hands_max=HANDS_MAX,
    )
    placings = game.play(close_after=close_after).placings

    assert sorted(each.entrant for each in placings) == sorted(
        entry.entrant for entry in game.tournament.entrants
    )
    places = [each.place for each in placings]
    assert places == sorted(places)
    for each in placings:
        assert each.shared == places.count(each.place)
        assert each.place == 1 + sum(place < each.place for place in places)


@pytest.mark.parametrize("name", sorted(PRESETS))
@played
@given(st.integers(2, 9), choices)
def test_no_chip_of_a_tournament_is_lost_or_made(name: str, entrants: int, dice: Random) -> None:
    """
    The winners hold every chip at the end, whichever tables were broken.

    A closed table keeps chips only if its last players all busted in one hand.
    """
    ruleset = preset(name)

    game = Game(
        ruleset,
        entrants,
        Chooser(dice),
        ruleset_name=name,
        table_seats=ruleset.max_players if is_casino(ruleset) else 4,
        starting_stack=stack_of(ruleset),
        hands_max=HANDS_MAX,
    )
    chips = sum(table.chips() for table in game.tables.values())
    game.play()

    assert sum(table.chips() for table in game.tables.values()) == chips
    assert chips == entrants * stack_of(ruleset)
    left = [table for table in game.tables.values() if table.carry or table.sabacc_pot]
    assert not any(table.places for table in left)
