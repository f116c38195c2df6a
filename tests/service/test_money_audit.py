"""The audit of money agrees with the engine on any night, and finds what was forged in one."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from engine.tournament.events import TournamentFinished
from engine.tournament.money.events import (
    BountyWon,
    PayoutDealAccepted,
    PayoutDealProposed,
    RefundsAwarded,
)
from service.audit.money import MoneyAudit
from service.audit.report import Findings, Report
from tests.engine.test_money_conserved import NIGHTS, night


def audited(events: list[Any]) -> Report:
    """Have the money of *events*, and nothing else, added up again."""
    findings = Findings()
    money = MoneyAudit("tournament-1", findings)
    for position, event in enumerate(events):
        money.see(event, position)
    return findings.close(Report(league="lge_1", tournament=None))


@pytest.mark.parametrize("seed", range(NIGHTS))
def test_the_audit_comes_to_the_same_sums_as_the_engine(seed: int) -> None:
    """
    Two ways to add up, of which neither knows the other.
    """
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
    """
    In the event that holds it.
    """
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
    """
    One agreement is missing from the log.
    """
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
