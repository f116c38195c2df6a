"""Standings: the total of results, and tie-breaks."""

from decimal import Decimal
from typing import Any

import pytest

from engine.season import decider
from engine.season.events import LotsDrawn, SeasonClosed
from engine.season.lots import drawn
from engine.season.standings import Standing, aggregated, counting
from engine.season.values import Aggregation, LotDraw, PointsTable
from engine.values import PlayerId
from service.audit.play import generator
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import MASTER, adjustment, award, closing, in_order, opening
from tests.engine.tournament.floor import player

TEN = PointsTable(points=("10", "6", "3", "1"))
LEVEL = PointsTable(points=("4", "4"))
"""First and second place get equal points."""


def standings(points: PointsTable, *asked: Any, **terms: Any) -> tuple[Standing, ...]:
    return tuple(Scenario(decider).asked(opening(points, **terms), *asked).state.standings())


def ranks(found: tuple[Standing, ...]) -> list[tuple[int, PlayerId, str | None]]:
    return [(each.rank, each.player, each.decided_by) for each in found]


POINTS = [Decimal(each) for each in (5, 9, 1, 7, 3)]


@pytest.mark.parametrize(
    ("mode", "results", "tournaments", "total", "counted"),
    [
        ("sum", None, 5, "25", 5),
        ("average", None, 5, "5", 5),
        ("average", None, 9, "5", 5),
        ("best", 2, 5, "16", 2),
        ("best", 9, 5, "25", 5),
        ("best_average", 2, 5, "8", 2),
        ("best_average", 10, 5, "5", 5),
        ("drop_worst", 2, 5, "21", 3),
        ("drop_worst", 2, 7, "25", 5),
        ("drop_worst", 3, 7, "24", 4),
        ("drop_worst", 9, 5, "9", 1),
        ("best_series", 2, 5, "14", 2),
        ("best_series", 3, 5, "17", 3),
        ("best_series", 9, 5, "25", 5),
    ],
)
def test_results_come_to_what_the_mode_says(
    mode: Any, results: int | None, tournaments: int, total: str, counted: int
) -> None:
    """The player has five results in a season of five or more tournaments."""
    aggregation = Aggregation(mode=mode, results=results)

    assert aggregated(aggregation, POINTS, tournaments) == (Decimal(total), counted)


@pytest.mark.parametrize(
    ("mode", "results", "tournaments", "counted"),
    [
        ("sum", None, 5, {0, 1, 2, 3, 4}),
        ("average", None, 9, {0, 1, 2, 3, 4}),
        ("best", 2, 5, {1, 3}),
        ("best_average", 9, 5, {0, 1, 2, 3, 4}),
        ("drop_worst", 2, 5, {0, 1, 3}),
        ("drop_worst", 3, 7, {0, 1, 3, 4}),
        ("best_series", 2, 5, {0, 1}),
        ("best_series", 3, 5, {1, 2, 3}),
    ],
)
def test_the_results_that_count_are_known_one_by_one(
    mode: Any, results: int | None, tournaments: int, counted: set[int]
) -> None:
    aggregation = Aggregation(mode=mode, results=results)

    assert counting(aggregation, POINTS, tournaments) == counted


def test_of_equal_results_the_earlier_counts() -> None:
    aggregation = Aggregation(mode="best", results=2)

    assert counting(aggregation, [Decimal(3), Decimal(5), Decimal(3)], 3) == {0, 1}


def test_a_missed_tournament_is_the_first_to_be_left_out() -> None:
    """One of three tournaments is dropped. A player drops a missed tournament first."""
    found = standings(
        TEN,
        in_order(1, 1, 2, 3),
        in_order(2, 2, 1, 3),
        in_order(3, 2, 3),
        aggregation=Aggregation(mode="drop_worst", results=1),
    )

    assert [(each.player, each.points, each.counted, each.played) for each in found] == [
        (player(2), "20.00", 2, 3),
        (player(1), "16.00", 2, 2),
        (player(3), "9.00", 2, 3),
    ]


def test_a_result_below_nothing_is_dropped_before_a_missed_one() -> None:
    """A result below 0 is worse than a missed tournament."""
    aggregation = Aggregation(mode="drop_worst", results=1)

    assert aggregated(aggregation, [Decimal(4), Decimal(-3)], 3) == (Decimal(4), 2)


def test_averages_are_rounded_half_to_even_before_they_are_compared() -> None:
    """Players who are level as shown are level: 19/3 and 6.333 are equal at two digits."""
    found = standings(
        TEN,
        in_order(1, 1, 2, 3),
        in_order(2, 2, 1, 3),
        in_order(3, 2, 3, 1),
        aggregation=Aggregation(mode="average"),
    )

    assert [(each.player, each.points) for each in found] == [
        (player(2), "8.67"),
        (player(1), "6.33"),
        (player(3), "4.00"),
    ]


def test_who_has_played_too_few_games_stands_behind_all_who_have_not() -> None:
    """Players with too few games rank lower even with more points."""
    found = standings(
        TEN, in_order(1, 1, 2, 3), in_order(2, 3, 2), in_order(3, 3, 2), minimum_games=2
    )

    assert [(each.rank, each.player, each.qualified) for each in found] == [
        (1, player(3), True),
        (2, player(2), True),
        (3, player(1), False),
    ]


def test_a_season_may_make_something_else_of_its_total() -> None:
    """The Stockholm formula divides by the root of the games. Adjustments are added afterwards."""
    found = standings(
        TEN,
        in_order(1, 1, 2),
        in_order(2, 1, 2),
        in_order(3, 1, 2),
        in_order(4, 1, 2),
        adjustment(1, 2, "0.5"),
        overall="total / sqrt(played)",
    )

    assert [(each.player, each.points) for each in found] == [
        (player(1), "20.00"),
        (player(2), "12.50"),
    ]


def test_an_overall_formula_without_a_value_is_nothing() -> None:
    """A formula without a value never stops a season."""
    found = standings(TEN, in_order(1, 1, 2), overall="1 / (played - 1)")

    assert {each.points for each in found} == {"0.00"}


def test_who_has_only_an_adjustment_stands_in_the_table() -> None:
    """A penalty is visible even before the first result."""
    found = standings(TEN, in_order(1, 1, 2), adjustment(1, 9, "-2", "penalty"))

    last = found[-1]
    assert (last.player, last.points, last.played, last.best) == (player(9), "-2.00", 0, None)


def test_the_best_single_result_breaks_a_tie() -> None:
    """Between equal points, one won tournament ranks above several good results."""
    found = standings(
        PointsTable(points=("4", "2")),
        award(1, (1, 1, 1), (2, 2, 1)),
        award(2, (3, 1, 1), (2, 2, 1)),
        tie_breaks=("standings.best_result", "standings.wins"),
    )

    assert [(each.rank, each.player, each.points, each.best) for each in found] == [
        (1, player(1), "4.00", "4.00"),
        (1, player(3), "4.00", "4.00"),
        (3, player(2), "4.00", "2.00"),
    ]
    assert [each.shared for each in found] == [True, True, False]


def test_wins_break_a_tie_of_points_and_best_results() -> None:
    """If first and second place get equal points, the winner ranks higher."""
    found = standings(LEVEL, award(1, (2, 1, 1), (1, 2, 1)))

    assert [(each.rank, each.player, each.wins) for each in found] == [
        (1, player(2), 1),
        (2, player(1), 0),
    ]
    assert {each.decided_by for each in found} == {"standings.wins"}


def test_who_was_more_often_before_the_other_goes_first() -> None:
    """Only results against level players count."""
    flat = PointsTable(points=("5", "5", "5", "5"))
    found = standings(
        flat,
        in_order(1, 9, 1, 2),
        in_order(2, 9, 1, 2),
        in_order(3, 9, 2, 1),
        tie_breaks=("standings.wins", "standings.head_to_head"),
    )

    assert ranks(found) == [
        (1, player(9), "standings.wins"),
        (2, player(1), "standings.head_to_head"),
        (3, player(2), "standings.head_to_head"),
    ]


def test_the_most_recent_result_breaks_a_tie() -> None:
    """The latest tournament in which the players differ decides. A missed one counts 0."""
    found = standings(
        PointsTable(points=("6", "4", "2")),
        in_order(1, 1, 9, 2),
        in_order(2, 2, 9, 1),
        in_order(3, 9, 8, 7),
        tie_breaks=("standings.most_recent",),
    )

    assert ranks(found)[:3] == [
        (1, player(9), None),
        (2, player(2), "standings.most_recent"),
        (3, player(1), "standings.most_recent"),
    ]


def test_standings_do_not_depend_on_the_order_of_counting() -> None:
    """Except for the tie-break by recency, a late award of points changes no rank."""
    terms = {"tie_breaks": ("standings.best_result", "standings.wins")}
    one, two = in_order(1, 1, 2), in_order(2, 2, 3)

    assert standings(TEN, one, two, **terms) == standings(TEN, two, one, **terms)


def test_who_is_level_shares_the_rank_until_lots_are_drawn_at_the_close() -> None:
    """Each draw has its own number and comes from the season's master, which is then published."""
    asked = (award(1, (1, 1, 2), (2, 1, 2), (3, 3, 2), (4, 3, 2)),)
    season = Scenario(decider).asked(opening(TEN), *asked)
    assert [(each.rank, each.shared) for each in season.state.standings()] == [
        (1, True), (1, True), (3, True), (3, True),
    ]  # fmt: skip

    first, second, closed = season.when(closing(season.state)).events()

    assert isinstance(first, LotsDrawn)
    assert isinstance(closed, SeasonClosed)
    assert [(each.rank, each.draw.number, each.rule) for each in (first, second)] == [
        (1, 1, "standings.lot"),
        (3, 2, "standings.lot"),
    ]
    assert closed.master == MASTER
    order = [*first.draw.order, *second.draw.order]
    assert [(each.rank, each.player) for each in closed.standings] == [*enumerate(order, 1)]
    assert {each.decided_by for each in closed.standings} == {"standings.lot"}


@pytest.mark.parametrize("number", [1, 2, 7])
def test_anybody_can_repeat_a_lot(number: int) -> None:
    """The audit's generator, which is independent of the engine's, repeats the lot."""
    players = [player(each) for each in (5, 3, 8, 1)]

    draw = drawn(players, master=MASTER, number=number)

    seed = generator.seed(bytes.fromhex(MASTER), "draws", 0, number, 1)
    nobody = generator.openings_digest(())
    order = generator.Draws(seed, "lot", 1, nobody).order(sorted(players))
    assert draw == LotDraw(number=number, candidates=tuple(sorted(players)), order=tuple(order))


def test_without_lots_among_the_tie_breaks_equals_share_the_final_rank() -> None:
    """No lot is drawn unless the terms ask for it."""
    season = Scenario(decider).asked(
        opening(TEN, tie_breaks=("standings.wins",)), award(1, (1, 1, 2), (2, 1, 2))
    )

    (closed,) = season.when(closing(season.state)).events()

    assert [each.rank for each in closed.standings] == [1, 1]
