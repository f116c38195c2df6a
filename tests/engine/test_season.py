"""A season: what placings are worth, and who leads."""

from uuid import UUID

import pytest

from engine.season import decider
from engine.season.commands import AwardPoints, CloseSeason, OpenSeason
from engine.season.errors import (
    PlacingsInvalid,
    SeasonClosedAlready,
    SeasonNotOpened,
    SeasonTermsInvalid,
)
from engine.season.events import FinalStanding, PointsAwarded, SeasonClosed, SeasonOpened
from engine.season.values import Award, Finish, PlacesFromEnd, PointsRule, PointsTable
from engine.values import TournamentId, identifier
from tests.engine.floor import LEAGUE, NOON, SEASON, entrant, player
from tests.engine.scenario import Scenario


def opening(
    points: PointsRule | None = None, *, scale: int = 2, name: str = "Spring"
) -> OpenSeason:
    return OpenSeason(
        season=SEASON,
        league=LEAGUE,
        name=name,
        points=points or PlacesFromEnd(),
        scale=scale,
        now=NOON,
    )


def tournament(number: int) -> TournamentId:
    return TournamentId(identifier("trn", UUID(int=number)))


def award(number: int, *places: tuple[int, int, int]) -> AwardPoints:
    """Return the result of one tournament; each place is player, place, shared."""
    return AwardPoints(
        tournament=tournament(number),
        placings=tuple(
            Finish(entrant=entrant(index), player=player(who), place=place, shared=shared)
            for index, (who, place, shared) in enumerate(places)
        ),
        now=NOON,
    )


def test_a_season_opens_with_its_terms_and_tie_breaks() -> None:
    """
    How ties are broken is published before anybody plays.
    """
    given = Scenario(decider).when(opening())
    given.then(
        SeasonOpened(
            season=SEASON,
            league=LEAGUE,
            name="Spring",
            points=PlacesFromEnd(),
            scale=2,
            tie_breaks=("standings.best_result", "standings.wins"),
        )
    )
    given.when(opening(scale=0)).then_nothing()


@pytest.mark.parametrize(
    ("command", "field"),
    [
        (opening(name=""), "name"),
        (opening(scale=7), "scale"),
        (opening(PointsTable(points=())), "points"),
        (opening(PointsTable(points=("-1",))), "points"),
        (opening(PointsTable(points=("5", "8"))), "points"),
        (opening(PointsTable(points=("1",) * 1_001)), "points"),
    ],
)
def test_terms_that_contradict_themselves_are_refused(command: OpenSeason, field: str) -> None:
    """
    A better place is never worth less than a worse one.
    """
    Scenario(decider).when(command).then_rejected(SeasonTermsInvalid, field=field)


def test_places_are_counted_from_the_end() -> None:
    """
    Place k of n is worth n - k + 1, written with the season's scale.
    """
    (
        Scenario(decider)
        .asked(opening())
        .when(award(1, (1, 1, 1), (2, 2, 1), (3, 3, 1)))
        .then(
            PointsAwarded(
                tournament=tournament(1),
                awards=(
                    Award(player=player(1), entrant=entrant(0), place=1, shared=1, points="3.00"),
                    Award(player=player(2), entrant=entrant(1), place=2, shared=1, points="2.00"),
                    Award(player=player(3), entrant=entrant(2), place=3, shared=1, points="1.00"),
                ),
                rule="points.places_from_end",
            )
        )
    )


def test_shared_places_average_what_they_are_worth() -> None:
    """
    Rounded half to even at the scale; places beyond the table are worth nothing.
    """
    given = Scenario(decider).asked(opening(PointsTable(points=("10", "6.5")), scale=1))

    (awarded,) = given.when(award(1, (1, 1, 2), (2, 1, 2), (3, 3, 1))).events()

    assert [each.points for each in awarded.awards] == ["8.2", "8.2", "0.0"]
    assert awarded.rule == "points.table"


def test_a_tournament_counts_once() -> None:
    """
    The policy that awards points may be run again at any time.
    """
    given = Scenario(decider).asked(opening(), award(1, (1, 1, 1), (2, 2, 1)))
    given.when(award(1, (2, 1, 1))).then_nothing()


def test_the_best_of_a_players_entries_counts() -> None:
    """
    The other entries still fill their places.
    """
    given = Scenario(decider).asked(opening())

    (awarded,) = given.when(award(1, (1, 3, 1), (2, 2, 1), (1, 1, 1))).events()

    assert [(each.player, each.points) for each in awarded.awards] == [
        (player(1), "3.00"),
        (player(2), "2.00"),
    ]


def test_the_best_single_result_breaks_a_tie() -> None:
    """
    Level on points, a tournament won outweighs several good ones.
    """
    given = Scenario(decider).asked(
        opening(PointsTable(points=("4", "2"))),
        award(1, (1, 1, 1), (2, 2, 1)),
        award(2, (3, 1, 1), (2, 2, 1)),
    )

    standings = given.state.standings()

    assert [(each.rank, each.player, each.points, each.best) for each in standings] == [
        (1, player(1), "4.00", "4.00"),
        (1, player(3), "4.00", "4.00"),
        (3, player(2), "4.00", "2.00"),
    ]
    assert [each.shared for each in standings] == [True, True, False]


def test_wins_break_a_tie_of_points_and_best_results() -> None:
    """
    Where first and second are worth the same, who was first ranks higher.
    """
    given = Scenario(decider).asked(
        opening(PointsTable(points=("4", "4"))), award(1, (2, 1, 1), (1, 2, 1))
    )

    assert [(each.rank, each.player, each.wins) for each in given.state.standings()] == [
        (1, player(2), 1),
        (2, player(1), 0),
    ]


def test_standings_do_not_depend_on_the_order_of_counting() -> None:
    """
    Points may be awarded late without anybody gaining by it.
    """
    one, two = award(1, (1, 1, 1), (2, 2, 1)), award(2, (2, 1, 1), (3, 2, 1))

    there = Scenario(decider).asked(opening(), one, two).state.standings()
    back = Scenario(decider).asked(opening(), two, one).state.standings()

    assert there == back


def test_closing_writes_the_final_standings() -> None:
    """
    They are a fact from then on, and nothing counts afterwards.
    """
    given = Scenario(decider).asked(opening(), award(1, (1, 1, 1)))
    (
        given.when(CloseSeason(now=NOON))
        .then(SeasonClosed(standings=(FinalStanding(rank=1, player=player(1), points="1.00"),)))
        .when(CloseSeason(now=NOON))
        .then_nothing()
        .when(award(2, (1, 1, 1)))
        .then_rejected(SeasonClosedAlready)
    )


@pytest.mark.parametrize(
    "command",
    [
        award(1),
        award(1, (1, 0, 1)),
        AwardPoints(
            tournament=tournament(1),
            placings=(
                Finish(entrant=entrant(1), player=player(1), place=1),
                Finish(entrant=entrant(1), player=player(2), place=2),
            ),
            now=NOON,
        ),
    ],
)
def test_placings_of_no_tournament_are_refused(command: AwardPoints) -> None:
    """
    Points are decided once; they must not be decided from nonsense.
    """
    Scenario(decider).asked(opening()).when(command).then_rejected(PlacingsInvalid)


def test_nothing_counts_before_the_season_opens() -> None:
    """
    An empty stream takes its opening only.
    """
    Scenario(decider).when(award(1, (1, 1, 1))).then_rejected(SeasonNotOpened)
