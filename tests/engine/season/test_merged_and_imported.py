"""Results of merged players count for one, and results of past seasons count as stated."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.kit.house_bots import house_bot
from engine.season import decider
from engine.season.commands import (
    AddTournament,
    ImportResults,
    MergeResults,
    StatedResult,
    StatedTournament,
)
from engine.season.errors import (
    ImportInvalid,
    OwnPoints,
    ResultsMeet,
    SeasonClosedAlready,
)
from engine.season.events import ResultsImported, ResultsMerged
from engine.season.values import Aggregation, ImportedResult, ImportedTournament
from engine.values import PlayerId
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import (
    DIRECTOR,
    REASON,
    adjustment,
    award,
    closing,
    in_order,
    opening,
    tournament,
)
from tests.engine.tournament.floor import LEAGUE, NOON, player

DIGEST = "44" * 32


def season(*asked: Any, **terms: Any) -> Scenario:
    return Scenario(decider).asked(opening(**terms), *asked)


def merging(who: int, into: int) -> MergeResults:
    return MergeResults(
        player=player(who), into=player(into), author=DIRECTOR, reason=REASON, now=NOON
    )


def stated(name: str, *results: tuple[int, int, str]) -> StatedTournament:
    """Return a tournament of a list. Each item is player, place and points."""
    return StatedTournament(
        name=name,
        played_on=None,
        results=tuple(
            StatedResult(player=player(who), place=place, points=points)
            for who, place, points in results
        ),
    )


def importing(*tournaments: StatedTournament) -> ImportResults:
    return ImportResults(tournaments=tournaments, digest=DIGEST, author=DIRECTOR, now=NOON)


def points(given: Scenario) -> dict[PlayerId, str]:
    return {each.player: each.points for each in given.state.standings()}


def test_results_and_adjustments_of_a_merged_player_count_for_the_one_who_stays() -> None:
    given = season(in_order(1, 1, 2, 3), in_order(2, 4, 2), adjustment(1, 1, "5"), merging(1, 4))
    assert points(given) == {player(4): "10.00", player(2): "3.00", player(3): "1.00"}
    later = given.asked(in_order(3, 1, 2))
    assert points(later)[player(4)] == "12.00"
    [first] = [each for each in later.state.standings() if each.rank == 1]
    assert (first.player, first.played, first.wins) == (player(4), 3, 3)


def test_a_merge_holds_both_identifiers_and_is_made_once() -> None:
    given = season(in_order(1, 1, 2))
    expected = ResultsMerged(
        player=player(1), into=player(3), author=DIRECTOR, reason=REASON, rule="standings.merged"
    )
    given.when(merging(1, 3)).then(expected)
    given.when(merging(1, 3)).then_nothing()


def test_a_chain_of_merges_ends_at_the_last_player() -> None:
    for chain in ((merging(1, 2), merging(2, 3)), (merging(2, 3), merging(1, 3))):
        given = season(in_order(1, 1, 9), in_order(2, 2, 9), in_order(3, 3, 9), *chain)
        assert points(given) == {player(3): "6.00", player(9): "3.00"}


LISTED = importing(stated("A", (1, 1, "9"), (2, 2, "4")))


@pytest.mark.parametrize("earlier", [in_order(1, 1, 2), LISTED])
def test_players_with_results_in_one_tournament_are_not_one(earlier: Any) -> None:
    named = "A" if isinstance(earlier, ImportResults) else tournament(1)
    season(earlier).when(merging(1, 2)).then_rejected(ResultsMeet, tournament=named)
    through = season(earlier, merging(1, 3))
    through.when(merging(2, 3)).then_rejected(ResultsMeet, tournament=named)


def test_a_correction_that_gives_merged_players_two_places_counts_the_better_one() -> None:
    given = season(in_order(1, 1, 3), merging(1, 2), in_order(2, 3, 2, 1))
    assert points(given) == {player(2): "4.00", player(3): "4.00"}


def test_nobody_adjusts_the_points_of_a_player_who_counts_for_them() -> None:
    given = season(in_order(1, 1, 2), merging(1, 7))
    own = replace(adjustment(1, 1, "5"), author=player(7))
    given.when(own).then_rejected(OwnPoints)


def test_a_closed_season_takes_neither_a_merge_nor_a_list() -> None:
    given = season(in_order(1, 1, 2))
    closed = given.asked(closing(given.state))
    closed.when(merging(1, 3)).then_rejected(SeasonClosedAlready)
    closed.when(importing(stated("A", (1, 1, "9")))).then_rejected(SeasonClosedAlready)


def test_lots_are_drawn_among_players_as_they_count() -> None:
    given = season(in_order(1, 1, 2), in_order(2, 2, 3), merging(3, 1))
    closed = given.when(closing(given.state)).events()[-1]
    assert {each.player for each in closed.standings} == {player(1), player(2)}


def test_a_list_states_places_and_points_and_counts_before_all_others() -> None:
    listed = importing(stated("A", (1, 1, "9"), (2, 2, "4.5"), (3, 2, "4.5")))
    made = season().when(listed).events()
    results = (
        ImportedResult(player=player(1), place=1, shared=1, points="9.00"),
        ImportedResult(player=player(2), place=2, shared=2, points="4.50"),
        ImportedResult(player=player(3), place=2, shared=2, points="4.50"),
    )
    imported = ImportedTournament(name="A", played_on=None, results=results)
    assert made == (
        ResultsImported(
            tournaments=(imported,), digest=DIGEST, author=DIRECTOR, rule="standings.imported"
        ),
    )
    first = Aggregation(mode="best_series", results=1)
    given = season(in_order(1, 2, 1), listed, aggregation=first)
    assert points(given)[player(2)] == "4.50"
    assert given.when(listed).events() == ()


def test_a_later_list_takes_the_place_of_the_earlier_one() -> None:
    given = season(
        importing(stated("A", (1, 1, "9")), stated("B", (2, 1, "7"))),
        importing(stated("B", (3, 1, "5"))),
    )
    assert points(given) == {player(3): "5.00"}


@pytest.mark.parametrize(
    "played_here", [AddTournament(tournament=tournament(1), now=NOON), in_order(1, 5)]
)
def test_nobody_states_their_own_results_in_a_season_of_this_server(played_here: Any) -> None:
    """The others' results may still change. A merged identifier is the same person."""
    given = season(importing(stated("A", (1, 1, "9"), (2, 2, "4"))), merging(3, 1), played_here)
    for own in (
        (stated("A", (1, 1, "10"), (2, 2, "4")),),
        (stated("A", (2, 2, "4")),),
        (stated("A", (1, 1, "9"), (2, 2, "4")), stated("B", (3, 1, "1"))),
        (stated("B", (1, 1, "9"), (2, 2, "4")),),
    ):
        given.when(replace(importing(*own), author=player(1))).then_rejected(OwnPoints)
    others = (stated("A", (1, 1, "9"), (2, 3, "1")), stated("B", (2, 1, "9")))
    assert given.when(replace(importing(*others), author=player(1))).events()
    assert given.when(importing(stated("A", (1, 1, "10")))).events()


def test_an_organiser_brings_own_results_into_a_season_without_tournaments_of_this_server() -> None:
    mine = replace(importing(stated("A", (1, 1, "9"))), author=player(1))
    assert season().when(mine).events()


def test_a_season_with_results_that_an_owner_states_alone_takes_no_tournament() -> None:
    """The owner's results may count under a merged identifier. Closing such a season is free."""
    add = AddTournament(tournament=tournament(1), now=NOON)
    listed = importing(stated("A", (1, 1, "9"), (2, 2, "4")))
    mine = replace(listed, author=player(1))
    alone = season(mine)
    alone.when(add).then_rejected(OwnPoints)
    assert alone.when(mine).events() == ()
    season(merging(1, 3), replace(mine, author=player(3))).when(add).then_rejected(OwnPoints)
    assert alone.when(closing(alone.state)).events()
    without = replace(importing(stated("A", (2, 2, "4"))), author=player(1))
    assert season(mine, without).when(add).events()


def test_a_list_that_another_owner_brings_is_nobodys_own_statement() -> None:
    add = AddTournament(tournament=tournament(1), now=NOON)
    listed = importing(stated("A", (1, 1, "9"), (2, 2, "4")))
    mine = replace(listed, author=player(1))
    assert season(mine).when(listed).events(), "the same list is a statement of its own"
    assert season(mine, listed).when(add).events()
    other = replace(importing(stated("A", (1, 1, "9"), (2, 2, "5"))), author=player(1))
    assert season(mine, listed, other).when(add).events(), "own results were left as they are"
    for worse in (other, replace(importing(stated("A", (1, 1, "10"))), author=player(1))):
        season(mine, worse).when(add).then_rejected(OwnPoints)


def test_house_bots_get_no_points_by_a_list() -> None:
    bot = StatedResult(player=house_bot(LEAGUE, "calm", 1), place=1, points="9")
    listed = importing(StatedTournament(name="A", played_on=None, results=(bot,)))
    with pytest.raises(
        ImportInvalid, match="the result at place 1 is a house bot's, which gets no points"
    ):
        decider.decide(season().state, listed)


@pytest.mark.parametrize(
    ("listed", "problem"),
    [
        (
            (stated("A", (1, 1, "9"), (1, 2, "4")),),
            "A: the results at place 1 and place 2 are one player's",
        ),
        ((stated("A", (1, 1, "9")), stated("A", (2, 1, "9"))), "A: the list has this name twice"),
        ((stated("A", (1, 0, "9")),), "A: places are counted from 1"),
        ((stated("A", (1, 1, "9.001")),), "A: this season counts 2 fraction digits"),
        ((stated("A", (1, 1, "1" + 13 * "0")),), "A: points must not be beyond 1000000000000"),
        ((stated("A"),), "A: it has no results"),
        ((stated(121 * "A", (1, 1, "9")),), "A: a tournament's name has 1 to 120 characters"),
    ],
)  # fmt: skip
def test_a_list_that_contradicts_itself_or_the_terms_is_refused(listed: Any, problem: str) -> None:
    with pytest.raises(ImportInvalid, match=problem.replace("(", r"\(")):
        decider.decide(season().state, importing(*listed))


def test_merged_players_have_one_result_in_a_list() -> None:
    given = season(merging(1, 2))
    listed = importing(stated("A", (1, 1, "9"), (2, 2, "4")))
    with pytest.raises(ImportInvalid, match="are one player's"):
        decider.decide(given.state, listed)


def test_a_shared_award_stays_shared_after_a_merge() -> None:
    given = season(award(1, (1, 1, 2), (2, 1, 2)), merging(1, 3))
    wins = {each.player: each.wins for each in given.state.standings()}
    assert wins == {player(2): 0, player(3): 0}
