"""A season: the points of placings, and the order of players."""

import pytest

from engine.kit.rng import master_commitment
from engine.season import decider
from engine.season.commands import AwardPoints, CloseSeason, OpenSeason
from engine.season.errors import (
    FormulaInvalid,
    PlacingsInvalid,
    SeasonClosedAlready,
    SeasonNotOpened,
    SeasonTermsFixed,
    SeasonTermsInvalid,
)
from engine.season.events import FinalStanding, PointsAwarded, SeasonClosed, SeasonOpened
from engine.season.tiebreaks import TIE_BREAKS
from engine.season.values import (
    Aggregation,
    Award,
    Bonus,
    Fate,
    Finish,
    PlacesFromEnd,
    PointsFormula,
    PointsTable,
)
from engine.values import HOUSE, Sealed, number_of
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import MASTER, SALT, award, closing, field_of, opening, tournament
from tests.engine.tournament.floor import LEAGUE, NOON, SEASON, entrant, player


def test_a_season_opens_with_its_terms_and_tie_breaks() -> None:
    """Tie-breaks and the commitment to the master are public before the first game."""
    given = Scenario(decider).when(opening())
    given.then(
        SeasonOpened(
            season=SEASON,
            league=LEAGUE,
            name="Spring",
            points=PlacesFromEnd(),
            scale=2,
            aggregation=Aggregation(),
            minimum_games=0,
            overall=None,
            bonuses=(),
            tie_breaks=TIE_BREAKS,
            master_commitment=master_commitment(number_of(SEASON), "lots", bytes.fromhex(MASTER)),
            master=Sealed(MASTER, bytes.fromhex(SALT), (HOUSE,)),
        )
    )
    given.when(opening(master="01" * 32)).then_nothing()


def test_the_terms_of_an_open_season_never_change() -> None:
    """Another formula, scale or list of tie-breaks needs another season."""
    given = Scenario(decider).asked(opening())
    given.when(opening(scale=0)).then_rejected(SeasonTermsFixed)
    given.when(opening(tie_breaks=("standings.wins",))).then_rejected(SeasonTermsFixed)
    given.when(opening(PointsFormula(text="n - k"))).then_rejected(SeasonTermsFixed)


@pytest.mark.parametrize(
    ("command", "field"),
    [
        (opening(name=""), "name"),
        (opening(scale=7), "scale"),
        (opening(PointsTable(points=())), "points"),
        (opening(PointsTable(points=("-1",))), "points"),
        (opening(PointsTable(points=("5", "8"))), "points"),
        (opening(PointsTable(points=("1",) * 1_001)), "points"),
        (opening(PointsTable(points=("1000000000001",))), "points"),
        (opening(PointsFormula(text="n / (k - 1)")), "points"),
        (opening(PointsFormula(text="ln(k - 5)")), "points"),
        (opening(PointsFormula(text="k - n")), "points"),
        (opening(PointsFormula(text="n - k", language=2)), "points"),
        (opening(aggregation=Aggregation(mode="best")), "aggregation"),
        (opening(aggregation=Aggregation(mode="sum", results=3)), "aggregation"),
        (opening(aggregation=Aggregation(mode="best_series", results=0)), "aggregation"),
        (opening(minimum_games=-1), "minimum_games"),
        (opening(tie_breaks=("standings.coin",)), "tie_breaks"),
        (opening(tie_breaks=("standings.wins", "standings.wins")), "tie_breaks"),
        (opening(tie_breaks=("standings.lot", "standings.wins")), "tie_breaks"),
        (opening(bonuses=(Bonus(kind="attendance", points="0"),)), "bonuses"),
        (opening(bonuses=(Bonus(kind="attendance", points="1"),) * 2), "bonuses"),
    ],
)
def test_terms_that_contradict_themselves_are_refused(command: OpenSeason, field: str) -> None:
    """
    A better place is never worth less than a worse one.
    """
    Scenario(decider).when(command).then_rejected(SeasonTermsInvalid, field=field)


@pytest.mark.parametrize("terms", [{"overall": "total / n"}, {"overall": "total +"}])
def test_an_overall_formula_is_read_when_the_season_opens(terms: dict[str, str]) -> None:
    """An overall formula must be an expression with only the season's names."""
    with pytest.raises(FormulaInvalid):
        decider.decide(decider.initial, opening(**terms))


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
                field=field_of(3),
                awards=tuple(
                    Award(
                        player=player(place),
                        entrant=entrant(place - 1),
                        place=place,
                        shared=1,
                        points=f"{4 - place}.00",
                        spent=0,
                        knockouts=0,
                        failure=None,
                    )
                    for place in (1, 2, 3)
                ),
                rule="points.places_from_end",
            )
        )
    )


def test_shared_places_average_what_they_are_worth() -> None:
    """Points are rounded half to even at the scale. Places beyond the table get no points."""
    given = Scenario(decider).asked(opening(PointsTable(points=("10", "6.5")), scale=1))

    (awarded,) = given.when(award(1, (1, 1, 2), (2, 1, 2), (3, 3, 1))).events()

    assert [each.points for each in awarded.awards] == ["8.2", "8.2", "0.0"]
    assert awarded.rule == "points.table"


def test_a_tournament_counts_once() -> None:
    """The policy that awards points may run again at any time."""
    given = Scenario(decider).asked(opening(), award(1, (1, 1, 1), (2, 2, 1)))
    given.when(award(1, (2, 1, 1))).then_nothing()


def test_the_best_of_a_players_entries_counts() -> None:
    """The player's other entries still fill their places."""
    given = Scenario(decider).asked(opening())

    (awarded,) = given.when(award(1, (1, 3, 1), (2, 2, 1), (1, 1, 1))).events()

    assert [(each.player, each.points) for each in awarded.awards] == [
        (player(1), "3.00"),
        (player(2), "2.00"),
    ]


def test_closing_writes_the_final_standings() -> None:
    """The final standings are recorded, and no later result counts."""
    given = Scenario(decider).asked(opening(), award(1, (1, 1, 1)))
    first = FinalStanding(rank=1, player=player(1), points="1.00", decided_by=None)
    counted = Fate(tournament=tournament(1), fate="counted", by=None, reason=None)
    closed = given.when(closing(given.state)).then(
        SeasonClosed(standings=(first,), master=MASTER, fates=(counted,))
    )
    closed.when(CloseSeason(now=NOON)).then_rejected(SeasonClosedAlready)
    closed.when(award(2, (1, 1, 1))).then_rejected(SeasonClosedAlready)


@pytest.mark.parametrize(
    "command",
    [
        award(1),
        award(1, (1, 0, 1)),
        award(1, (1, 1, 1), money_digits=5),
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
    """Points are final, so impossible placings must be refused."""
    Scenario(decider).asked(opening()).when(command).then_rejected(PlacingsInvalid)


def test_nothing_counts_before_the_season_opens() -> None:
    """An empty stream accepts only its opening."""
    Scenario(decider).when(award(1, (1, 1, 1))).then_rejected(SeasonNotOpened)
