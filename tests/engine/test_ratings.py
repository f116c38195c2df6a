"""Ratings follow the Plackett-Luce model of the OpenSkill libraries."""

from decimal import Decimal

import pytest

from engine.ratings import BETA, MU, SIGMA, TAU, Rating, rated

RESULTS: tuple[tuple[tuple[str, int], ...], ...] = (
    (("a", 1), ("b", 2), ("c", 3), ("d", 4)),
    (("d", 1), ("a", 2), ("b", 2), ("e", 4), ("c", 5), ("f", 5)),
    (("f", 1), ("a", 2)),
    (("b", 1), ("c", 1), ("a", 3)),
    tuple((player, place) for place, player in enumerate("fedcba", 1)),
)
"""Player and place in five tournaments. Equal places are ties."""

OPENSKILL = {
    "a": ("19.8580", "7.6659", "-3.1396"),
    "b": ("25.6495", "7.7913", "2.2757"),
    "c": ("23.8583", "7.7139", "0.7165"),
    "d": ("24.6949", "7.9706", "0.7832"),
    "e": ("27.8347", "8.1586", "3.3588"),
    "f": ("28.2888", "7.8975", "4.5963"),
}
"""
Mu, sigma and ordinal after these tournaments by ``PlackettLuce()`` of openskill 6.2.0 for Python.
"""


def after(results: tuple[tuple[tuple[str, int], ...], ...]) -> dict[str, Rating]:
    known: dict[str, Rating] = {}
    for result in results:
        moved = rated([(place, known.get(player, Rating())) for player, place in result])
        known |= zip((player for player, _ in result), moved, strict=True)
    return known


def test_ratings_are_those_of_openskill() -> None:
    """The five tournaments have ties, newcomers and a pair. Ratings agree to four digits."""
    found = after(RESULTS)

    unit = Decimal("0.0001")
    assert {
        player: tuple(str(each.quantize(unit)) for each in (it.mu, it.sigma, it.ordinal))
        for player, it in found.items()
    } == OPENSKILL


def test_a_newcomer_has_the_models_own_numbers() -> None:
    assert str(Rating().mu) == "25.000000"
    assert str(Rating().sigma) == "8.333333"
    assert (MU / SIGMA, SIGMA / BETA, MU / TAU) == (3, 2, 300)


def test_ratings_are_kept_at_six_digits() -> None:
    """
    Ratings are rounded after every tournament, so stored ratings continue without a difference.
    """
    for rating in after(RESULTS).values():
        assert rating.mu.as_tuple().exponent == rating.sigma.as_tuple().exponent == -6
        assert Rating(mu=Decimal(str(rating.mu)), sigma=Decimal(str(rating.sigma))) == rating


def test_one_player_alone_teaches_nothing() -> None:
    assert rated([(1, Rating())]) == (Rating(),)
    assert rated([]) == ()


@pytest.mark.parametrize("size", [2, 5, 40, 300])
def test_who_finishes_before_another_is_not_rated_lower(size: int) -> None:
    """All players are newcomers. Every result makes all their ratings more certain."""
    found = rated([(place, Rating()) for place in range(1, size + 1)])

    assert [each.mu for each in found] == sorted((each.mu for each in found), reverse=True)
    assert found[0].mu > 25 > found[-1].mu
    assert all(each.sigma < Rating().sigma + TAU for each in found)


def test_who_shares_a_place_is_moved_alike() -> None:
    first, *rest = rated([(1, Rating()), (2, Rating()), (2, Rating()), (4, Rating())])

    assert rest[0] == rest[1] != first
