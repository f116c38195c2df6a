"""Closing a season: the obstacles, the tournaments left out, and the fate of every tournament."""

from typing import Any

import pytest

from engine.coordination.policies import outlook_of
from engine.errors import InvariantViolated
from engine.kit.freezes import Frozen
from engine.season import decider
from engine.season.commands import AddTournament, LeaveOut, RevokeAward
from engine.season.errors import LeaveOutInvalid, SeasonClosedAlready, SeasonUncounted
from engine.season.events import AwardRevoked, SeasonClosed, TournamentAdded
from engine.season.freezing import FreezeStandings
from engine.season.values import Outlook
from engine.tournament import decider as tournaments
from engine.tournament.model.state import Unannounced
from engine.values import DisputeId, TextId, TextRef
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import DIRECTOR, REASON, award, closing, opening, tournament
from tests.engine.tournament.floor import NOON, player

OWNER = player(98)
WHY = TextRef(text=TextId("txt_" + "7" * 32), digest="66" * 32)
DISPUTE = DisputeId("dsp_" + "3" * 32)
OTHER = DisputeId("dsp_" + "4" * 32)

WAITING = [
    ("entered", False, None, "entered"),
    ("running", False, None, "running"),
    ("finished", True, None, "finished"),
    ("finished", True, DISPUTE, "frozen"),
]


def added(*numbers: int) -> Scenario:
    given = Scenario(decider).asked(opening())
    return given.asked(*(AddTournament(tournament=tournament(each), now=NOON) for each in numbers))


def outlook(number: int, prospect: Any, **more: Any) -> Outlook:
    return Outlook(tournament=tournament(number), prospect=prospect, **more)


def disputes(frozen: str | None) -> tuple[str, ...]:
    return () if frozen is None else (frozen,)


def leaving_out(*numbers: int) -> LeaveOut:
    named = tuple(tournament(each) for each in numbers)
    return LeaveOut(tournaments=named, reason=WHY, author=OWNER)


def fates(closed: Any) -> list[tuple[str, str, Any, Any]]:
    assert isinstance(closed, SeasonClosed) and closed.fates is not None
    return [(each.tournament, each.fate, each.by, each.reason) for each in closed.fates]


def test_a_season_notes_once_what_is_announced_for_it_until_it_closes() -> None:
    given = Scenario(decider).asked(opening())
    add = AddTournament(tournament=tournament(1), now=NOON)
    given.when(add).then(TournamentAdded(tournament=tournament(1))).when(add).then_nothing()
    given.asked(closing(given.state, outlook(1, "unplayed")))
    given.when(add).then_nothing()
    late = AddTournament(tournament=tournament(2), now=NOON)
    given.when(late).then_rejected(SeasonClosedAlready)


@pytest.mark.parametrize(("prospect", "uncounted", "frozen", "why"), WAITING)
def test_a_season_stays_open_while_a_tournament_of_it_is_uncounted(
    prospect: Any, uncounted: bool, frozen: str | None, why: str
) -> None:
    """The refusal names the tournament and the reason."""
    given = added(1, 2).asked(award(1, (1, 1, 1)))
    waits = outlook(2, prospect, uncounted=uncounted, frozen=disputes(frozen))
    named = {"tournament": tournament(2), "reason": why, "dispute": frozen}
    given.when(closing(given.state, waits)).then_rejected(SeasonUncounted, tournaments=[named])


@pytest.mark.parametrize(("frozen", "why"), [(None, "corrected"), (DISPUTE, "frozen")])
def test_a_season_stays_open_while_a_counted_result_may_change(
    frozen: str | None, why: str
) -> None:
    given = added(1).asked(award(1, (1, 1, 1)))
    waits = outlook(1, "finished", uncounted=frozen is None, frozen=disputes(frozen))
    named = {"tournament": tournament(1), "reason": why, "dispute": frozen}
    given.when(closing(given.state, waits)).then_rejected(SeasonUncounted, tournaments=[named])


def test_every_tournament_announced_for_a_season_has_a_fate_in_its_end() -> None:
    """
    A revoked tournament is left out by the person who revoked it.

    Fates are in ascending order.
    """
    given = added(5, 4, 3, 2, 1).asked(award(5, (1, 1, 1)), award(1, (2, 1, 1)))
    revoke = RevokeAward(tournament=tournament(5), reason=REASON, author=DIRECTOR, now=NOON)
    given.asked(revoke)
    others = (outlook(2, "cancelled"), outlook(3, "unplayed"), outlook(4, "running"))

    (closed,) = given.when(closing(given.state, *others, leave_out=leaving_out(4))).events()

    assert fates(closed) == [
        (tournament(1), "counted", None, None),
        (tournament(2), "cancelled", None, None),
        (tournament(3), "not_played", None, None),
        (tournament(4), "left_out", OWNER, WHY),
        (tournament(5), "left_out", DIRECTOR, REASON),
    ]


def test_leaving_out_a_tournament_takes_its_points_back_in_the_same_append() -> None:
    """
    A dispute over a counted result then no longer blocks the closing, and its points are gone.
    """
    given = added(1, 2).asked(award(1, (1, 1, 1)), award(2, (2, 1, 1)))
    given.asked(FreezeStandings(dispute=DISPUTE, now=NOON))
    disputed = outlook(1, "finished", frozen=(DISPUTE,))

    revoked, closed = given.when(closing(given.state, disputed, leave_out=leaving_out(1))).events()

    assert isinstance(revoked, AwardRevoked)
    assert (revoked.tournament, revoked.author, revoked.reason) == (tournament(1), OWNER, WHY)
    assert [each.player for each in closed.standings] == [player(2)]
    assert fates(closed)[0] == (tournament(1), "left_out", OWNER, WHY)


def test_a_dispute_over_the_standings_holds_the_close_whatever_is_left_out() -> None:
    given = added(1, 2).asked(FreezeStandings(dispute=OTHER, now=NOON))
    given.asked(FreezeStandings(dispute=DISPUTE, now=NOON))
    others = (outlook(1, "finished", frozen=(DISPUTE,)), outlook(2, "unplayed"))
    asked = closing(given.state, *others, leave_out=leaving_out(1))
    given.when(asked).then_rejected(Frozen, dispute=OTHER)


@pytest.mark.parametrize(
    ("number", "others", "problem"),
    [
        (1, (), "is counted already: revoke its award instead"),
        (2, (outlook(2, "cancelled"),), "is cancelled, and counts for nothing anyway"),
        (9, (), "was not announced for this season"),
    ],
)
def test_only_what_keeps_a_season_open_can_be_left_out(
    number: int, others: tuple[Outlook, ...], problem: str
) -> None:
    given = added(1).asked(award(1, (1, 1, 1)))
    asked = closing(given.state, *others, leave_out=leaving_out(number))
    with pytest.raises(LeaveOutInvalid, match=problem):
        decider.decide(given.state, asked)


def test_a_close_that_overlooks_a_tournament_of_the_season_is_a_defect() -> None:
    given = added(1)
    with pytest.raises(InvariantViolated, match=tournament(1)):
        decider.decide(given.state, closing(given.state))


def test_a_tournament_that_was_never_announced_has_no_outlook() -> None:
    assert tournaments.initial == Unannounced()
    with pytest.raises(InvariantViolated):
        outlook_of(added().state, Unannounced(), now=NOON)
