"""Levels at tables: the level of each hand, and the level that seats see."""

from typing import Any

import pytest

from engine.coordination.clocks import with_clock
from engine.coordination.policies import idle_tables
from engine.rulesets import Amounts
from engine.table.model.commands import LevelFloor, LevelInForce, OpenHand, SeatArrivals
from engine.table.model.events import HandOpened
from engine.table.read.recall import commands_of
from engine.table.read.view import seen_by
from engine.table.read.view_parts import NextLevelView
from engine.tournament.model.state import Running
from tests.engine.coordination import simulation
from tests.engine.table.tables import Floor, keep_all
from tests.engine.tournament.floor import table
from tests.engine.tournament.test_levels import STEPS, blinds, by_clock, structure, tend


def test_every_hand_opens_at_the_level_of_the_log() -> None:
    """The directive names the level, its amounts and its event. A hand in play keeps its level."""
    floor = simulation.Floor(4, seed=1, table_seats=4, **by_clock())

    def opened() -> OpenHand:
        plan = floor.plan(table(1))
        command = plan.entries[0].commands[0]
        assert isinstance(command, OpenHand)
        assert plan.guard is not None
        return command

    first = opened()
    floor.decide(tend(600))
    second = opened()

    clock = floor.tournament.clock
    assert first.level == LevelInForce(number=1, amounts=blinds(1), set_by=clock.set_by - 1)
    assert second.level == LevelInForce(number=2, amounts=blinds(2), set_by=clock.set_by)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_moves_and_breaks_every_table_opens_at_the_level_of_the_clock(seed: int) -> None:
    """Two tables are balanced and merged while levels rise between any two steps."""
    floor = simulation.Floor(11, seed=seed, table_seats=6, **by_clock())
    opened: list[int] = []
    for seconds in range(0, 600_000, 150):
        if not isinstance(floor.tournament, Running):
            break
        floor.decide(tend(seconds))
        for each in idle_tables(floor.tables):
            plan = floor.plan(each)
            for command in (asked for entry in plan.entries for asked in entry.commands):
                if isinstance(command, OpenHand):
                    clock = floor.tournament.clock
                    assert command.level == LevelInForce(
                        number=clock.level, amounts=clock.amounts, set_by=clock.set_by
                    )
                    opened.append(clock.level)
        floor.step()
    assert floor.over or not isinstance(floor.tournament, Running)
    assert len(opened) >= 5
    assert len(set(opened)) > 1
    assert opened == sorted(opened)


def test_a_hand_opened_a_moment_before_is_finished_at_its_own_level() -> None:
    """The hand opens one microsecond before the level ends. It keeps its blinds until the end."""
    floor = simulation.Floor(3, seed=1, table_seats=4, **by_clock())
    command = floor.plan(table(1)).entries[0].commands[0]
    assert isinstance(command, OpenHand)
    played = Floor(structure("clock", *STEPS), [1000] * 3)
    played.open_hand(level=command.level)

    floor.decide(tend(600))

    assert floor.tournament.clock.level == 2
    played.everyone_selects(keep_all)
    view = with_clock(seen_by(played.table, None), floor.tournament)
    assert (view.level, view.amounts) == (1, blinds(1))
    assert played.table.hand is not None
    assert played.table.hand.full_raise == blinds(1).big


def test_a_hand_says_which_event_set_its_level() -> None:
    """A later audit finds the level, its amounts and its event, and reaches the same decision."""
    floor = Floor(structure("clock", *STEPS), [1000] * 3)
    level = LevelInForce(number=3, amounts=blinds(3), set_by=17)
    before = floor.table

    happened = floor.open_hand(level=level)

    opened = happened[0]
    assert isinstance(opened, HandOpened)
    assert (opened.level.number, opened.level.amounts, opened.level.set_by) == (3, blinds(3), 17)
    [command] = commands_of(happened)
    assert isinstance(command, OpenHand)
    assert command.level == level
    assert floor.appends[-1][0] == before


def test_the_first_hand_of_a_level_is_remembered() -> None:
    """A later hand at the same level names the same first hand. A new level names its own."""
    floor = Floor(structure("clock", *STEPS), [1000] * 3)
    seen = []
    for number, set_by in ((1, 5), (1, 5), (2, 9)):
        level = LevelInForce(number=number, amounts=blinds(number), set_by=set_by)
        opened = play(floor, level=level)
        seen.append(opened.level.since_hand)

    assert seen == [1, 1, 3]


def play(floor: Floor, **options: Any) -> HandOpened:
    """Play a hand in which everybody folds to the last player."""
    opened = floor.open_hand(**options)[0]
    floor.everyone_selects(keep_all)
    while not floor.table.idle:
        assert floor.table.decision is not None
        floor.act(floor.table.decision.seats[0], "fold")
    assert isinstance(opened, HandOpened)
    return opened


def test_levels_by_hands_last_their_number_of_hands() -> None:
    """The last level stays. The table counts its own hands and uses no clock."""
    floor = Floor(structure("hands", (5, 10, 2), (10, 20, 3), (20, 40, None)), [5000] * 3)

    bigs = [play(floor).level.amounts.big for _ in range(8)]

    assert bigs == [10, 10, 20, 20, 20, 40, 40, 40]


def test_a_merged_table_plays_the_highest_level_of_its_sources() -> None:
    """Each table has its own level by hands. The merged table starts the higher one again."""
    floor = Floor(structure("hands", (5, 10, 1), (10, 20, 2), (20, 40, None)), [5000] * 3)
    play(floor)
    floor.do(
        SeatArrivals(
            arrivals=(),
            least_amounts=LevelFloor(small=10, big=20),
            restart=True,
            now=floor.now,
        )
    )

    between = seen_by(floor.table, None)
    assert (between.level, between.amounts.big) == (2, 20)
    levels = [play(floor).level for _ in range(3)]

    assert [(each.number, each.amounts.big) for each in levels] == [(2, 20), (2, 20), (3, 40)]


def test_the_view_counts_the_hands_to_the_next_level() -> None:
    """A player sees the number of hands left at this level, and the next blinds."""
    floor = Floor(structure("hands", (5, 10, 2), (10, 20, None)), [5000] * 3)
    following = NextLevelView(number=2, amounts=Amounts(small=10, big=20), hands_left=2)

    assert seen_by(floor.table, None).next_level == following
    play(floor)
    assert seen_by(floor.table, None).next_level.hands_left == 1  # type: ignore[union-attr]
    play(floor)
    play(floor)
    assert seen_by(floor.table, None).next_level is None
