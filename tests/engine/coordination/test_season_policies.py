"""The commands to a season about a tournament: its money, its knock-outs, and its corrections."""

from datetime import timedelta
from typing import Any

from engine.coordination.policies import season_told
from engine.coordination.season_points import points_of
from engine.kit.freezes import Frozen
from engine.season import decider as seasons
from engine.season.commands import AwardPoints, CloseSeason, ReviseAward, RevokeAward
from engine.season.freezing import FreezeStandings, ReleaseStandings
from engine.season.values import PointsFormula
from engine.tournament.model.commands.correcting import CorrectResult, Reaward
from engine.tournament.model.commands.entering import CloseLateRegistration
from engine.tournament.model.commands.freezing import FreezeResult, ReleaseResult
from engine.tournament.model.state import Finished
from engine.tournament.model.terms import EntryTerms, FeeTerms
from engine.values import DisputeId
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import DIRECTOR, REASON, closing, opening
from tests.engine.tournament.books import charging, out
from tests.engine.tournament.floor import NOON, entrant, player
from tests.engine.tournament.test_late_entry import evening, late, running, until_out


def a_night(**fees: Any) -> Scenario:
    """Return a tournament of four that entrant 1 won by knocking out 4, 3 and 2."""
    given = charging(4, **fees)
    for loser in (4, 3, 2):
        given.asked(out(given, entrant(loser), by=(entrant(1),)))
    return given


def test_a_season_is_told_what_a_formula_may_ask() -> None:
    """
    20 EUR to the pool, 1 EUR to the house and a bounty of 5 EUR, four times.
    """
    award = points_of(a_night(buy_in=2_000, fee=100, bounty=500).state, now=NOON)

    assert (award.buy_in, award.pool, award.entries, award.money_digits) == (2_000, 8_000, 4, 2)
    assert {(each.player, each.place, each.spent, each.knockouts) for each in award.placings} == {
        (player(1), 1, 2_600, 3),
        (player(2), 2, 2_600, 0),
        (player(3), 3, 2_600, 0),
        (player(4), 4, 2_600, 0),
    }


def test_the_points_of_a_night_follow_from_what_was_paid() -> None:
    """Dr Neau's formula: paying a fee beside the buy-in gives fewer points."""
    rule = PointsFormula(text="sqrt(n * buy_in * buy_in / spent) / (k + 1)")
    season = Scenario(seasons).asked(opening(rule))

    told = season_told(season.state, a_night(buy_in=2_000, fee=500).state, now=NOON)

    assert isinstance(told, AwardPoints)
    (awarded,) = season.when(told).events()
    assert [each.points for each in awarded.awards] == ["4.00", "2.67", "2.00", "1.60"]


def test_a_season_is_told_of_a_correction_once() -> None:
    """The revision names the author and the reason of the correction."""
    season, night = Scenario(seasons).asked(opening()), a_night()
    told = season_told(season.state, night.state, now=NOON)
    season.asked(told)
    assert season_told(season.state, night.state, now=NOON) is None
    order = tuple((entrant(number),) for number in (2, 1, 3, 4))
    night.asked(CorrectResult(order=order, by=DIRECTOR, reason=REASON, now=NOON))

    revised = season_told(season.state, night.state, now=NOON)

    assert isinstance(revised, ReviseAward)
    assert (revised.author, revised.reason) == (DIRECTOR, REASON)
    season.asked(revised)
    leader = season.state.standings()[0]
    assert (leader.player, leader.points) == (player(2), "4.00")
    season.when(season_told(season.state, night.state, now=NOON)).then_nothing()


def test_a_correction_does_not_bring_a_revoked_award_back() -> None:
    """Neither does the end of a dispute, which asks again what the season needs."""
    dispute = DisputeId("dsp_" + "3" * 32)
    season, night = Scenario(seasons).asked(opening()), a_night()
    season.asked(season_told(season.state, night.state, now=NOON))
    by = {"reason": REASON, "author": DIRECTOR, "now": NOON}
    season.asked(RevokeAward(tournament=night.state.terms.tournament, **by))

    order = tuple((entrant(number),) for number in (2, 1, 3, 4))
    night.asked(CorrectResult(order=order, by=DIRECTOR, reason=REASON, now=NOON))
    night.asked(FreezeResult(dispute=dispute, now=NOON), ReleaseResult(dispute=dispute, now=NOON))

    assert season_told(season.state, night.state, now=NOON) is None
    assert season.state.tournament(night.state.terms.tournament).revoked


def test_points_wait_for_a_dispute_and_come_when_it_lets_go() -> None:
    """The tournament finishes during a dispute: its result stands, and its points wait."""
    dispute = DisputeId("dsp_" + "3" * 32)
    season, night = Scenario(seasons).asked(opening(PointsFormula(text="n - k"))), a_night()
    night.asked(FreezeResult(dispute=dispute, now=NOON))

    assert season_told(season.state, night.state, now=NOON) is None
    night.when(Reaward(awards=(), by=DIRECTOR, reason=REASON, now=NOON)).then_rejected(
        Frozen, dispute=dispute
    )

    night.asked(ReleaseResult(dispute=dispute, now=NOON))
    assert isinstance(season_told(season.state, night.state, now=NOON), AwardPoints)


def test_a_disputed_season_counts_on_and_is_neither_adjusted_nor_closed() -> None:
    dispute = DisputeId("dsp_" + "3" * 32)
    season = Scenario(seasons).asked(
        opening(PointsFormula(text="n - k")), FreezeStandings(dispute=dispute, now=NOON)
    )

    season.when(CloseSeason(now=NOON)).then_rejected(Frozen, dispute=dispute)
    told = season_told(season.state, a_night().state, now=NOON)
    assert len(season.when(told).events()) == 1

    season.asked(ReleaseStandings(dispute=dispute, now=NOON), closing(season.state))
    assert season.state.closed


def test_an_unfinished_tournament_tells_its_season_nothing() -> None:
    season = Scenario(seasons).asked(opening())

    assert season_told(season.state, charging(4).state, now=NOON) is None


def test_who_enters_again_has_one_award_and_has_paid_twice() -> None:
    """The better of the two entries counts. The other still fills its place."""
    entry = EntryTerms(late_registration_seconds=3600, re_entries_max=1)
    fees = FeeTerms(buy_in=1_000, fee=100)
    night = evening(3, entry, table_seats=4, fees=fees, currency="EUR", payouts=(1,))
    until_out(night)
    back = running(night).placings[0].player
    number = next(each for each in (1, 2, 3) if player(each) == back)
    night.ask(late(number, as_entrant=11))
    night.ask(CloseLateRegistration(now=NOON + timedelta(seconds=3_700)))
    for _ in range(500):
        for each in list(night.tables):
            if not isinstance(night.tournament, Finished) and not night.tables[each].closed:
                night.next_hand(each)
                night.play_hand(each)
    assert isinstance(night.tournament, Finished)
    season = Scenario(seasons).asked(opening())

    told = season_told(season.state, night.tournament, now=NOON)

    assert isinstance(told, AwardPoints)
    (awarded,) = season.when(told).events()
    assert (awarded.field.entrants, awarded.field.pool) == (4, 4_000)
    mine = next(each for each in awarded.awards if each.player == back)
    placed = [each.place for each in night.tournament.placings if each.player == back]
    assert (len(placed), mine.place, mine.spent) == (2, min(placed), 2_200)
    assert [each.spent for each in awarded.awards if each.player != back] == [1_100, 1_100]
