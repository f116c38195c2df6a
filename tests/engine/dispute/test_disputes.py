"""Disputes: claims, freezes, rulings, appeals and disclosures."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from engine import dispute
from engine.dispute import commands
from engine.dispute.errors import (
    AnotherPersonNeeded,
    ClaimTooLate,
    DisputeInvalid,
    DisputePhase,
    NotDisclosed,
)
from engine.dispute.events import DisputeOpened, DisputeRuled, DisputeUnfrozen
from engine.dispute.state import Claimed
from engine.dispute.values import Kind, Subject
from engine.kit.freezes import Frozen
from engine.kit.windows import DisputeWindows, Settled, WindowsInForce, closes_at, in_force
from engine.season import freezing
from engine.season.freezing import FreezeStandings, ReleaseStandings
from engine.tournament import decider as tournament
from engine.tournament.freezing import decisions as result
from engine.tournament.model.commands.freezing import FreezeResult
from engine.tournament.model.state import Unannounced
from engine.values import (
    DisputeId,
    HandId,
    LeagueId,
    PlayerId,
    SeasonId,
    TableId,
    TextId,
    TextRef,
    TournamentId,
)
from tests.engine.scenario import Scenario

NOW = datetime(2026, 11, 21, 20, tzinfo=UTC)
WHY = TextRef(text=TextId("txt_" + "0" * 32), digest="0" * 64)
HAND, TOURNAMENT = HandId("hnd_" + "1" * 32), TournamentId("trn_" + "2" * 32)
DISPUTE = DisputeId("dsp_" + "3" * 32)
LANDO, MON, ACKBAR = (PlayerId(f"plr_{name}") for name in ("lando", "mon", "ackbar"))

ABOUT = Subject(kind="hand", hand=HAND, table=TableId("tbl_" + "4" * 32), tournament=TOURNAMENT)


def claim(subject: Subject = ABOUT) -> commands.Claim:
    return commands.Claim(
        dispute=DISPUTE, league=LeagueId("lge_" + "5" * 32), subject=subject, claim=WHY,
        rules=("betting.reopening",), by=LANDO, now=NOW,
    )  # fmt: skip


def rule(by: PlayerId, **changes: Any) -> commands.Rule:
    ruling = {"outcome": "for", "rules": ("betting.reopening",)} | changes
    return commands.Rule(by=by, reason=WHY, now=NOW, **ruling)


def freeze(by: PlayerId = MON) -> commands.Freeze:
    return commands.Freeze(by=by, reason=WHY, now=NOW)


def appeal(by: PlayerId = LANDO) -> commands.Appeal:
    return commands.Appeal(by=by, reason=WHY, now=NOW)


def opened(*asked: Any) -> Scenario:
    return Scenario(dispute.decider).asked(claim(), *asked)


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("hand", {"hand": HAND}),
        ("step", {"hand": HAND, "step": 3}),
        ("seating", {"tournament": TOURNAMENT}),
        ("payout", {"tournament": TOURNAMENT}),
        ("standing", {"season": SeasonId("ssn_" + "6" * 32)}),
    ],
)
def test_a_claim_names_what_it_is_about_and_nothing_else(kind: Kind, named: Any) -> None:
    (event,) = Scenario(dispute.decider).when(claim(Subject(kind=kind, **named))).events()
    assert isinstance(event, DisputeOpened)
    with pytest.raises(DisputeInvalid):
        dispute.decider.decide(dispute.decider.initial, claim(Subject(kind=kind)))


@pytest.mark.parametrize(
    ("kind", "hours"),
    [("hand", 168), ("step", 168), ("seating", 168), ("payout", 2), ("standing", 336)],
)
def test_a_claim_is_in_time_until_its_window_ends(kind: Kind, hours: int) -> None:
    """The windows at the instant of the settlement count, even if they changed later."""
    changed = DisputeWindows(payout_hours=2, until_next_hand=False)
    later = DisputeWindows(hand_hours=1, seating_hours=1, payout_hours=1, standing_hours=1)
    known = (
        WindowsInForce(since=NOW - timedelta(days=1), windows=changed),
        WindowsInForce(since=NOW + timedelta(seconds=1), windows=later),
    )
    assert closes_at(in_force(known, NOW), kind, None) is None
    end = closes_at(in_force(known, NOW), kind, Settled(at=NOW))
    assert end == NOW + timedelta(hours=hours)
    asked = msgspec.structs.replace(claim(), closes_at=end)
    last, over = end - timedelta(microseconds=1), end
    Scenario(dispute.decider).when(msgspec.structs.replace(asked, now=last)).events()
    Scenario(dispute.decider).when(msgspec.structs.replace(asked, now=over)).then_rejected(
        ClaimTooLate, until=end.isoformat()
    )
    (late,) = (
        Scenario(dispute.decider)
        .when(msgspec.structs.replace(asked, now=over, ruling=True))
        .events()
    )
    assert late.rule == "disputes.window"


def test_a_hand_that_nothing_follows_is_disputed_for_a_minute_where_the_next_ends_it() -> None:
    windows = DisputeWindows(until_next_hand=True)
    assert closes_at(windows, "hand", Settled(at=NOW)) == NOW + timedelta(minutes=1)
    following = NOW + timedelta(seconds=3)
    assert closes_at(windows, "step", Settled(at=NOW, next_hand=following)) == following


def test_a_claim_that_comes_twice_is_one() -> None:
    opened().when(claim()).then_nothing()


def test_a_ruling_names_its_rules() -> None:
    opened().when(rule(MON, rules=())).then_rejected(DisputeInvalid)


def test_a_ruling_lets_go_what_waited_for_it() -> None:
    ruled, released = opened(freeze()).when(rule(MON)).events()
    assert isinstance(ruled, DisputeRuled)
    assert ruled.instance == 1
    assert isinstance(released, DisputeUnfrozen)


def test_what_is_frozen_is_frozen_once_and_a_ruled_dispute_not_at_all() -> None:
    opened(freeze()).when(freeze()).then_nothing()
    opened(rule(MON)).when(freeze()).then_rejected(DisputePhase, phase="ruled")


def test_nobody_rules_twice_nor_on_a_matter_of_their_own() -> None:
    opened().when(rule(LANDO)).then_rejected(AnotherPersonNeeded)
    opened(rule(MON), appeal(ACKBAR)).when(rule(MON)).then_rejected(AnotherPersonNeeded)
    opened(rule(MON), appeal(ACKBAR)).when(rule(ACKBAR)).then_rejected(AnotherPersonNeeded)


def test_the_second_ruling_is_final() -> None:
    scenario = opened(rule(MON), appeal())
    scenario.when(rule(ACKBAR, outcome="against")).events()
    state = scenario.state
    assert isinstance(state, Claimed)
    assert (state.phase, [each.outcome for each in state.rulings]) == ("final", ["for", "against"])
    scenario.when(appeal()).then_rejected(DisputePhase, phase="final")
    scenario.when(rule(MON)).then_rejected(DisputePhase, phase="final")


def test_there_is_no_appeal_before_a_ruling() -> None:
    opened().when(appeal()).then_rejected(DisputePhase, phase="open")


def grant(**changes: Any) -> commands.GrantDisclosure:
    asked = {
        "auditor": ACKBAR, "what": "hand", "subject": HAND, "until": NOW + timedelta(hours=1),
    } | changes  # fmt: skip
    return commands.GrantDisclosure(by=MON, reason=WHY, now=NOW, **asked)


def use(
    by: PlayerId = ACKBAR, subject: str = HAND, after: timedelta = timedelta()
) -> commands.UseDisclosure:
    return commands.UseDisclosure(by=by, what="hand", subject=subject, now=NOW + after)


def test_a_disclosure_holds_for_one_person_and_one_thing_until_its_end() -> None:
    scenario = opened(grant())
    (used,) = scenario.when(use()).events()
    assert (used.by, used.subject, used.expires_at) == (ACKBAR, HAND, NOW + timedelta(hours=1))
    scenario.when(use(by=MON)).then_rejected(NotDisclosed)
    scenario.when(use(subject="hnd_" + "9" * 32)).then_rejected(NotDisclosed)
    scenario.when(use(after=timedelta(hours=1))).then_rejected(NotDisclosed)


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": "hnd_" + "9" * 32},
        {"auditor": LANDO},
        {"until": NOW},
        {"until": NOW + timedelta(days=15)},
        {"what": "masters"},
    ],
)
def test_a_disclosure_that_reaches_too_far_is_refused(changes: Any) -> None:
    opened().when(grant(**changes)).then_rejected(DisputeInvalid)


def test_a_frozen_result_is_refused_with_the_disputes_name() -> None:
    held = Unannounced(frozen=(DISPUTE,))
    with pytest.raises(Frozen) as refused:
        result.demand_free(held)
    assert refused.value.facts == {"dispute": DISPUTE}
    assert tournament.decide(held, FreezeResult(dispute=DISPUTE, now=NOW)) == ()


def test_standings_that_are_let_go_say_when_the_season_was_to_close() -> None:
    (held,) = freezing.decide((), FreezeStandings(dispute=DISPUTE, now=NOW), closes_at=NOW)
    frozen = freezing.applied((), held)
    (gone,) = freezing.decide(frozen, ReleaseStandings(dispute=DISPUTE, now=NOW), closes_at=NOW)
    assert isinstance(gone, freezing.StandingsReleased)
    assert gone.closes_at == NOW
    assert freezing.applied(frozen, gone) == ()
