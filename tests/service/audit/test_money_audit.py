"""The audit of money agrees with the engine on any night, and finds forged amounts."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from engine.coordination.policies import decide_in_turn
from engine.rulesets import preset
from engine.tournament import decider
from engine.tournament.model.commands import Cancel, RecordBrought
from engine.tournament.model.commands.money import ProposeDeal
from engine.tournament.model.events import EntrantEliminated, EntrantRegistered, TournamentFinished
from engine.tournament.model.events.money import (
    BountyWon,
    PayoutDealAccepted,
    PayoutDealMade,
    PayoutDealProposed,
    PayoutDealVoided,
    RefundsAwarded,
)
from engine.tournament.model.terms import FeeTerms, Rounds
from engine.tournament.model.values import Standing
from service.audit.event.money import MoneyAudit
from service.audit.report import Findings, Report, close
from tests.engine.scenario import Scenario
from tests.engine.tournament.books import out
from tests.engine.tournament.floor import NOON, entrant, table, to_start
from tests.engine.tournament.rounds import Heats, bold
from tests.engine.tournament.test_late_entry import FLAT, HOUR, late
from tests.engine.tournament.test_money_conserved import NIGHTS, night


def audited(events: list[Any]) -> Report:
    """Add up only the money of *events*."""
    findings = Findings()
    money = MoneyAudit("tournament-1", findings)
    for position, event in enumerate(events):
        money.see(event, position)
    return close(Report(league="lge_1", tournament=None), [findings.kept()])


@pytest.mark.parametrize("seed", range(NIGHTS))
def test_the_audit_comes_to_the_same_sums_as_the_engine(seed: int) -> None:
    """Two independent ways to add up give the same result."""
    report = audited(list(night(seed)[0].events))

    assert report.passed, report.text()
    assert sum(check.checked for check in report.checks) > 0


def more_paid(event: TournamentFinished) -> Any:
    first, *others = event.payouts
    return replace(event, payouts=(replace(first, amount=first.amount + 1), *others))


def other_winner(event: BountyWon) -> Any:
    return replace(event, by="ent_" + "f" * 32)


def more_shared(event: PayoutDealProposed) -> Any:
    first, *others = event.shares
    return replace(event, shares=(replace(first, amount=first.amount + 1), *others))


def more_refunded(event: RefundsAwarded) -> Any:
    first, *others = event.refunds
    return replace(event, refunds=(replace(first, paid_in=first.paid_in + 1), *others))


@pytest.mark.parametrize(
    ("kind", "forged"),
    [
        (TournamentFinished, more_paid),
        (BountyWon, other_winner),
        (PayoutDealProposed, more_shared),
        (RefundsAwarded, more_refunded),
    ],
)
def test_a_unit_that_was_forged_is_found(kind: type, forged: Callable[[Any], Any]) -> None:
    """The audit reports the fault at the forged event."""
    events, index = next(
        (list(events), index)
        for seed in range(NIGHTS)
        for events in [night(seed)[0].events]
        for index, event in enumerate(events)
        if isinstance(event, kind) and (kind is not TournamentFinished or event.payouts)
    )
    events[index] = forged(events[index])

    report = audited(events)

    assert report.first_bad_position == index, report.text()


def test_a_deal_that_not_everyone_agreed_to_is_found() -> None:
    """One acceptance is missing from the log."""
    events = next(
        list(events)
        for seed in range(NIGHTS)
        for events in [night(seed)[0].events]
        if any(type(event).__name__ == "PayoutDealMade" for event in events)
    )
    made = next(i for i, event in enumerate(events) if type(event).__name__ == "PayoutDealMade")
    agreed = max(i for i in range(made) if isinstance(events[i], PayoutDealAccepted))
    del events[agreed]

    report = audited(events)

    assert report.first_bad_position == made - 1, report.text()


def test_who_came_late_lowers_the_places_that_a_cancellation_pays_for() -> None:
    """Four are paid. An entrant who busts first of three, before one more comes, is fourth."""
    terms: dict[str, Any] = {"fees": FeeTerms(buy_in=100), "currency": "EUR"}
    asked = to_start(3, entry=HOUR, table_seats=8, payouts=(4, 3, 2, 1), ruleset=FLAT, **terms)
    begun, state = decide_in_turn(decider, decider.initial, asked)
    lost = out(Scenario(decider).given(*begun), entrant(1))
    left = tuple(Standing(entrant=entrant(each), stack=1_000) for each in (2, 3, 4))
    ended, _ = decide_in_turn(
        decider,
        state,
        (
            lost,
            late(4),
            RecordBrought(table=table(1), now=NOON),
            Cancel(reason="storm", stacks=left, now=NOON),
        ),
    )
    (awarded,) = (each for each in ended if isinstance(each, RefundsAwarded))
    assert {each.entrant: each.prize for each in awarded.refunds}[entrant(1)] == 40
    report = audited([*begun, *ended])
    assert report.passed, report.text()


def test_a_deal_that_outlived_a_bust_is_found() -> None:
    """A house that leaves out ``payout_deal_voided`` would pay a player who is out."""
    plan = Rounds(rounds=2, hands_per_round=20, stacks="carried")
    terms = {"fees": FeeTerms(buy_in=100), "currency": "EUR", "payouts": (1,)}
    evening = Heats(9, preset("better"), plan, starting_stack=20, **terms)
    evening.ask(ProposeDeal(by=entrant(1), method="equal", now=NOON))
    evening.play_as = bold
    evening.play_round()
    assert audited(list(evening.events)).passed
    forged = [each for each in evening.events if not isinstance(each, PayoutDealVoided)]
    report = audited([*forged, PayoutDealAccepted(number=1, entrant=entrant(1))])
    assert not report.passed
    assert "a payout deal stayed open" in report.text()


def test_a_deal_that_was_accepted_by_a_player_who_is_out_is_found() -> None:
    """The cut puts the player out, and the forged log keeps the open deal."""
    plan = Rounds(rounds=1, hands_per_round=2, cut=4)
    terms = {"fees": FeeTerms(buy_in=100), "currency": "EUR", "payouts": (1,)}
    evening = Heats(9, preset("better"), plan, **terms)
    evening.ask(ProposeDeal(by=None, method="equal", now=NOON))
    evening.play_round()
    honest = [each for each in evening.events if not isinstance(each, PayoutDealVoided)]
    out = next(each.entrant for each in honest if isinstance(each, EntrantEliminated))
    left = evening.rounds.playing[0]
    assert audited([*honest, PayoutDealAccepted(number=1, entrant=left)]).passed
    report = audited([*honest, PayoutDealAccepted(number=1, entrant=out)])
    assert not report.passed
    assert "somebody who was out accepted a deal" in report.text()
    everyone = [each.entrant for each in honest if isinstance(each, EntrantRegistered)]
    forged: list[Any] = [PayoutDealAccepted(number=1, entrant=each) for each in everyone]
    report = audited([*honest, *forged, PayoutDealMade(number=1, rule="payout_deal.made")])
    assert "a payout deal was not made by exactly the remaining entrants" in report.text()
