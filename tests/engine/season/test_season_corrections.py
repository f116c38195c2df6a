"""Corrections compensate earlier events, and the ledger keeps both versions."""

from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from engine.kit.house_bots import house_bot
from engine.season import decider
from engine.season.commands import ReviseAward, RevokeAward, VoidAdjustment
from engine.season.errors import (
    AdjustmentInvalid,
    AdjustmentUnknown,
    AwardUnknown,
    OwnPoints,
    SeasonClosedAlready,
)
from engine.season.events import (
    AdjustmentVoided,
    AwardRevised,
    AwardRevoked,
    BonusesAwarded,
    PointsAdjusted,
)
from engine.season.values import Award, AwardChange, Bonus, PointsFormula
from engine.values import AdjustmentId, identifier
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import (
    DIRECTOR,
    REASON,
    adjustment,
    award,
    closing,
    field_of,
    in_order,
    opening,
    tournament,
)
from tests.engine.tournament.floor import LEAGUE, NOON, entrant, player

SIGNED: dict[str, Any] = {"reason": REASON, "author": DIRECTOR, "now": NOON}
BONUSES = (Bonus(kind="attendance", points="1"), Bonus(kind="knockouts", points="5"))


def season(*asked: Any, **terms: Any) -> Scenario:
    return Scenario(decider).asked(opening(**terms), *asked)


def points(given: Scenario) -> dict[Any, str]:
    return {each.player: each.points for each in given.state.standings()}


def with_knockouts(number: int, *knockouts: int) -> Any:
    """Return a result with the given number of knock-outs for player 1, 2 and so on."""
    plain = in_order(number, *range(1, len(knockouts) + 1))
    finishes = zip(plain.placings, knockouts, strict=True)
    return replace(plain, placings=tuple(replace(it, knockouts=out) for it, out in finishes))


def awarded(who: int, place: int, worth: str) -> Award:
    return Award(
        player=player(who), entrant=entrant(place - 1), place=place, shared=1, points=worth,
        spent=0, knockouts=0, failure=None,
    )  # fmt: skip


def test_a_revision_holds_the_differences_and_standings_follow() -> None:
    """The third place is unchanged, so the event does not mention it."""
    given = season(in_order(1, 1, 2, 3))
    revised = ReviseAward(award=in_order(1, 2, 1, 3), **SIGNED)

    given.when(revised).then(
        AwardRevised(
            tournament=tournament(1),
            field=field_of(3),
            changes=(
                AwardChange(
                    player=player(2), before=awarded(2, 2, "2.00"), after=awarded(2, 1, "3.00")
                ),
                AwardChange(
                    player=player(1), before=awarded(1, 1, "3.00"), after=awarded(1, 2, "2.00")
                ),
            ),
            reason=REASON,
            author=DIRECTOR,
            rule="points.revised",
        )
    )

    assert points(given) == {player(2): "3.00", player(1): "2.00", player(3): "1.00"}
    given.when(revised).then_nothing()


def test_a_revision_adds_who_was_missing_and_removes_who_was_not_there() -> None:
    given = season(in_order(1, 1, 2))

    (revised,) = given.when(ReviseAward(award=in_order(1, 1, 3), **SIGNED)).events()

    sides = [(each.player, each.before is None, each.after is None) for each in revised.changes]
    assert sides == [(player(3), True, False), (player(2), False, True)]
    assert points(given) == {player(1): "2.00", player(3): "1.00"}


def test_a_revoked_tournament_counts_no_more_until_it_is_counted_anew() -> None:
    """The tournament's points and bonuses are gone, and it no longer counts as a game."""
    given = season(in_order(1, 1, 2), in_order(2, 2, 1), bonuses=BONUSES[:1])
    before = points(given)

    revoked, *voided = given.when(RevokeAward(tournament=tournament(2), **SIGNED)).events()

    assert isinstance(revoked, AwardRevoked)
    assert [type(each) for each in voided] == [AdjustmentVoided] * 2
    assert points(given) == {player(1): "3.00", player(2): "2.00"}
    given.when(RevokeAward(tournament=tournament(2), **SIGNED)).then_nothing()
    given.when(in_order(2, 2, 1)).then_nothing()
    given.asked(ReviseAward(award=in_order(2, 2, 1), **SIGNED))
    assert points(given) == before


def test_bonuses_are_entries_of_their_own_and_voided_one_by_one() -> None:
    """There is one bonus for each kind and player. A player without knock-outs gets none."""
    given = season(bonuses=BONUSES)

    _, bonuses = given.when(with_knockouts(1, 2, 0)).events()

    assert isinstance(bonuses, BonusesAwarded)
    assert [(each.player, each.kind, each.points) for each in bonuses.bonuses] == [
        (player(1), "attendance", "1.00"),
        (player(1), "knockouts", "10.00"),
        (player(2), "attendance", "1.00"),
    ]
    assert len({each.id for each in bonuses.bonuses}) == 3
    assert points(given) == {player(1): "13.00", player(2): "2.00"}
    void = VoidAdjustment(adjustment=bonuses.bonuses[1].id, **SIGNED)
    given.when(void).then(
        AdjustmentVoided(
            adjustment=bonuses.bonuses[1].id,
            reason=REASON,
            author=DIRECTOR,
            rule="points.voided",
        )
    )
    assert points(given) == {player(1): "3.00", player(2): "2.00"}
    given.when(void).then_nothing()


def test_a_revision_exchanges_only_the_bonuses_that_changed() -> None:
    """A knock-out goes to another entrant. A bonus that somebody voided stays voided."""
    given = season(bonuses=BONUSES)
    _, first = given.when(with_knockouts(1, 2, 0)).events()
    given.asked(VoidAdjustment(adjustment=first.bonuses[0].id, **SIGNED))

    revised = ReviseAward(award=with_knockouts(1, 1, 1), **SIGNED)
    _, voided, given_anew = given.when(revised).events()

    assert voided.adjustment == first.bonuses[1].id
    assert [(each.player, each.kind, each.points) for each in given_anew.bonuses] == [
        (player(1), "knockouts", "5.00"),
        (player(2), "knockouts", "5.00"),
    ]
    assert points(given) == {player(1): "7.00", player(2): "7.00"}


def test_an_adjustment_is_an_entry_with_reason_and_author() -> None:
    given = season(in_order(1, 1, 2))
    asked = adjustment(1, 2, "1.5")

    given.when(asked).then(
        PointsAdjusted(
            adjustment=replace(asked.adjustment, points="1.50"),
            reason=REASON,
            author=DIRECTOR,
            rule="points.adjusted",
        )
    )

    assert points(given) == {player(1): "2.00", player(2): "2.50"}
    given.when(asked).then_nothing()


@pytest.mark.parametrize(
    "asked",
    [
        adjustment(1, 1, "0"),
        adjustment(1, 1, "0.005"),
        adjustment(1, 1, "1000000000001"),
        adjustment(1, 1, "3", "penalty"),
        adjustment(1, 1, "-3", "high_hand"),
    ],
)
def test_an_adjustment_that_cannot_be_kept_is_refused(asked: Any) -> None:
    """The points are 0, too fine for the scale, too large, or of the wrong sign."""
    with pytest.raises(AdjustmentInvalid):
        decider.decide(season(in_order(1, 1, 2)).state, asked)


def test_only_what_was_counted_can_be_corrected() -> None:
    given = season(in_order(1, 1, 2))
    nobody = AdjustmentId(identifier("adj", UUID(int=77)))

    given.when(ReviseAward(award=in_order(2, 1, 2), **SIGNED)).then_rejected(AwardUnknown)
    given.when(RevokeAward(tournament=tournament(2), **SIGNED)).then_rejected(AwardUnknown)
    given.when(VoidAdjustment(adjustment=nobody, **SIGNED)).then_rejected(AdjustmentUnknown)
    elsewhere = adjustment(1, 1, "1", tournament=tournament(2))
    given.when(elsewhere).then_rejected(AwardUnknown)


@pytest.mark.parametrize(
    "asked",
    [
        ReviseAward(award=in_order(1, 2, 1), **SIGNED),
        RevokeAward(tournament=tournament(1), **SIGNED),
        adjustment(1, 1, "1"),
    ],
)
def test_a_closed_season_is_final(asked: Any) -> None:
    """The lots are drawn and the master is public, so no later change would be fair."""
    given = season(in_order(1, 1, 2))
    given = given.asked(closing(given.state))
    given.when(asked).then_rejected(SeasonClosedAlready)


def test_a_formula_without_a_value_awards_nothing_and_says_why() -> None:
    """The tournament is free, and its season divides by the money spent."""
    given = season(points=PointsFormula(text="10 * buy_in / spent + n - k"))

    (free,) = given.when(award(1, (1, 1, 1), (2, 2, 1))).events()

    assert free.rule == "points.formula"
    assert [(each.points, each.failure) for each in free.awards] == [
        ("0.00", "division_by_zero"),
        ("0.00", "division_by_zero"),
    ]


def test_money_is_asked_in_whole_units_and_spent_is_summed_over_entries() -> None:
    """A player who re-entered spent twice. The yen has no minor unit."""
    given = season(points=PointsFormula(text="spent + buy_in + pool + entries"), scale=0)
    paid = in_order(1, 1, 2, 1, buy_in=20, pool=60, money_digits=0, entries=5)
    paid = replace(paid, placings=tuple(replace(each, spent=25) for each in paid.placings))

    (found,) = given.when(paid).events()

    assert [(each.player, each.spent, each.points) for each in found.awards] == [
        (player(1), 50, "135"),
        (player(2), 25, "110"),
    ]


def test_house_bots_get_no_points_by_an_adjustment() -> None:
    asked = adjustment(1, 2, "5")
    bot = replace(asked.adjustment, player=house_bot(LEAGUE, "calm", 1))
    with pytest.raises(AdjustmentInvalid, match="house bots get no points"):
        decider.decide(season().state, replace(asked, adjustment=bot))


def test_nobody_adjusts_their_own_points_nor_takes_back_what_was_taken() -> None:
    given = season(in_order(1, 1, 2))
    own = adjustment(1, 2, "5")
    given.when(replace(own, author=player(2))).then_rejected(OwnPoints)
    given = given.asked(adjustment(1, 2, "-5", kind="penalty"))
    void = VoidAdjustment(
        adjustment=own.adjustment.id, reason=own.reason, author=player(2), now=own.now
    )
    given.when(void).then_rejected(OwnPoints)
    given.when(replace(void, author=player(3))).events()
