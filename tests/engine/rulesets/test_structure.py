"""Levels for a given time: their form, and tournaments that end near it."""

import statistics

import pytest
from msgspec.structs import replace

from bench.structure import Asked, ends, near, ruleset_of
from engine.rulesets import preset, resolve
from engine.rulesets.errors import RulesetInvalid
from engine.rulesets.parts import Levels
from engine.rulesets.structure import by_the_clock, suggest

NIGHTS = (Asked("better", 6, 1000, 60, 8), Asked("better", 12, 1500, 90, 6))


@pytest.fixture(scope="module")
def ended() -> list[float]:
    """Return the times at which fixed small tournaments end. 1 is the given time."""
    return sorted(each for asked in NIGHTS for each in ends(asked, asked.times))


def test_tournaments_end_near_the_time_asked_for(ended: list[float]) -> None:
    assert 0.85 <= statistics.median(ended) <= 1.15
    assert near(ended) >= 0.85


@pytest.mark.parametrize("off", [0.6, 1.6])
def test_with_levels_of_another_length_they_do_not(off: float) -> None:
    asked = NIGHTS[0]
    game = ruleset_of(asked)
    assert isinstance(game.escalation, Levels)
    levels = tuple(
        replace(step, length=None if step.length is None else round(step.length * off))
        for step in game.escalation.levels
    )
    wrong = replace(game, escalation=Levels(by="clock", levels=levels))
    assert near(ends(asked, asked.times, ruleset=wrong)) < 0.85


@pytest.mark.parametrize(
    ("ruleset", "first"), [("better", (5, 10)), ("better_simple", (1, 2)), ("cantina", (0, 0))]
)
@pytest.mark.parametrize("players", [6, 24, 100])
def test_a_game_with_its_own_stack_begins_with_its_own_bets(
    ruleset: str, first: tuple[int, int], players: int
) -> None:
    game = preset(ruleset)
    assert game.starting_stack is not None
    levels = suggest(game, players=players, stack=game.starting_stack, minutes=120)
    assert (levels[0].small, levels[0].big) == first
    assert levels[0].amounts == game.base_amounts()
    assert len(levels) > 3


def test_short_stacks_of_their_own_games_end_near_the_time_too() -> None:
    asked = [Asked("better", 6, 450, 60, 6), Asked("better_simple", 12, 100, 90, 4)]
    found = sorted(each for one in asked for each in ends(one, one.times))
    assert 0.8 <= statistics.median(found) <= 1.2


@pytest.mark.parametrize("ruleset", ["better", "cantina", "better_simple"])
@pytest.mark.parametrize(("players", "stack"), [(2, 500), (9, 1000), (300, 20_000)])
def test_each_level_raises_the_bets_and_all_are_in_units(
    ruleset: str, players: int, stack: int
) -> None:
    game = preset(ruleset)
    levels = suggest(game, players=players, stack=stack, minutes=120)
    bets = [level.big or level.ante for level in levels]
    assert bets == sorted(set(bets))
    assert all(bet % game.chip_unit == 0 for bet in bets)
    assert [level.length for level in levels].index(None) == len(levels) - 1
    assert sum(level.length or 0 for level in levels) > 120 * 60
    assert all(level.small <= level.big for level in levels)


def test_blinds_with_an_ante_of_the_table_keep_it() -> None:
    game = resolve(
        "better", {"forced": {"kind": "blinds", "small": 5, "big": 10, "table_ante": 10}}
    )
    assert all(
        level.ante == level.big for level in suggest(game, players=9, stack=1000, minutes=60)
    )


def test_antes_of_the_players_stay_as_large_beside_the_blinds_as_they_were() -> None:
    forced = {"kind": "blinds", "small": 25, "big": 50, "player_ante": 10}
    game = resolve("better", {"forced": forced, "starting_stack": 5_000})
    levels = suggest(game, players=9, stack=5_000, minutes=120)
    assert [levels[0].small, levels[0].big, levels[0].ante] == [25, 50, 10]
    assert all(level.ante % 5 == 0 and 0 <= level.big // 5 - level.ante < 5 for level in levels)
    assert by_the_clock(game, players=9, stack=5_000).base_amounts() == levels[0].amounts


@pytest.mark.parametrize(
    ("ruleset", "stack", "minutes"),
    [
        ("official", 1000, 60),
        ("spike", 1000, 60),
        ("halcyon_100", 6000, 60),
        ("better", 100, 60),
        ("better", 1001, 60),
        ("better", 1000, 10),
    ],
)
def test_what_cannot_be_suggested_is_refused_with_its_reason(
    ruleset: str, stack: int, minutes: int
) -> None:
    with pytest.raises(RulesetInvalid):
        suggest(preset(ruleset), players=6, stack=stack, minutes=minutes)
