"""Faults in merging players and importing results, each with the test that catches it."""

from tests.faults.planting import Fault

LEAGUE = "tests/engine/league/test_merging.py::"
SEASON = "tests/engine/season/test_merged_and_imported.py::"

FAULTS = (
    Fault(
        name="a chain of merges stops half-way",
        file="kit/merges.py",
        sound="return into if held == player else held",
        faulty="return held",
        caught_by=LEAGUE + "test_a_merge_is_made_once_and_chains_end_at_the_last",
    ),
    Fault(
        name="a merged player comes back by a code",
        file="league/uniting.py",
        sound="    if into != player:\n        raise MergedPlayer(into=into)",
        faulty="    if into == into * 2:\n        raise MergedPlayer(into=into)",
        caught_by=LEAGUE + "test_a_merged_player_returns_in_no_way",
    ),
    Fault(
        name="players who met are merged",
        file="season/merging.py",
        sound="if there & going and there & staying:",
        faulty="if there & going and there - staying == set():",
        caught_by=SEASON + "test_players_with_results_in_one_tournament_are_not_one[earlier0]",
    ),
    Fault(
        name="adjustments of a merged player are lost",
        file="season/state.py",
        sound="player = self.one(each.adjustment.player)",
        faulty="player = each.adjustment.player",
        caught_by=SEASON
        + "test_results_and_adjustments_of_a_merged_player_count_for_the_one_who_stays",
    ),
    Fault(
        name="an earlier list still counts",
        file="season/state.py",
        sound="imported=event.tournaments,",
        faulty="imported=(*state.imported, *event.tournaments),",
        caught_by=SEASON + "test_a_later_list_takes_the_place_of_the_earlier_one",
    ),
    Fault(
        name="an owner gives themselves points by a list",
        file="season/importing.py",
        sound="if not state.added and not state.counted:",
        faulty="if not state.counted:",
        caught_by=SEASON
        + "test_nobody_states_their_own_results_in_a_season_of_this_server[played_here0]",
    ),
    Fault(
        name="a house bot gets points by a list",
        file="season/importing.py",
        sound="if is_house_bot(player):",
        faulty="if not is_house_bot(player) and False:",
        caught_by=SEASON + "test_house_bots_get_no_points_by_a_list",
    ),
)
