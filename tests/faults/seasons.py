"""Faults in the counting or closing of seasons, each with the test that catches it."""

from tests.faults.planting import Fault

CLOSING = "tests/engine/season/test_closing.py::"
HOUSE_BOTS = "tests/engine/coordination/test_house_bot_points.py::"
IMPORTED = "tests/engine/season/test_merged_and_imported.py::"
STANDINGS = "tests/engine/season/test_standings.py::"

FAULTS = (
    Fault(
        name="a house bot takes the points of its place",
        file="coordination/season_points.py",
        sound="if not is_house_bot(each.player)]",
        faulty="]",
        caught_by=HOUSE_BOTS + "test_house_bots_get_no_points_and_the_others_move_up",
    ),
    Fault(
        name="who knocks out a house bot has a knock-out",
        file="coordination/season_points.py",
        sound="uncounted=house)",
        faulty="uncounted=())",
        caught_by=HOUSE_BOTS + "test_a_house_bot_is_nobodys_knock_out",
    ),
    Fault(
        name="fewer wins break a tie of points",
        file="season/tiebreaks.py",
        sound="return lambda record: record.wins",
        faulty="return lambda record: -record.wins",
        caught_by=STANDINGS + "test_wins_break_a_tie_of_points_and_best_results",
    ),
    Fault(
        name="what was not played is never left out",
        file="season/standings.py",
        sound='missed = tournaments - len(points) if aggregation.mode == "drop_worst" else 0',
        faulty="missed = 0",
        caught_by=STANDINGS + "test_a_result_below_nothing_is_dropped_before_a_missed_one",
    ),
    Fault(
        name="lots are drawn under the label of seats",
        file="season/lots.py",
        sound='label="lot"',
        faulty='label="seats"',
        caught_by=STANDINGS + "test_anybody_can_repeat_a_lot",
    ),
    Fault(
        name="a season closes while a finished tournament is not counted",
        file="season/closing.py",
        sound='        return "finished"',
        faulty="        return None",
        caught_by=CLOSING + "test_a_season_stays_open_while_a_tournament_of_it_is_uncounted"
        "[finished-True-None-finished]",
    ),
    Fault(
        name="a tournament that is left out keeps its points",
        file="season/closing.py",
        sound="or not _counts(state.tournament(each)):",
        faulty="or _counts(state.tournament(each)):",
        caught_by=CLOSING
        + "test_leaving_out_a_tournament_takes_its_points_back_in_the_same_append",
    ),
    Fault(
        name="an owner states own results first and announces a tournament beside them",
        file="season/decisions.py",
        sound="    importing.demand_stated_by_others(state)\n",
        faulty="",
        caught_by=IMPORTED
        + "test_a_season_with_results_that_an_owner_states_alone_takes_no_tournament",
    ),
)
