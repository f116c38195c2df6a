"""The tournament rules of poker on actions: in turn, in time and in the right amount."""

from datetime import timedelta
from typing import Any

import pytest

from engine.table.model import commands, errors, events
from tests.engine.table.hands import Company, bare, of
from tests.engine.table.test_poker_rules import with_blinds


def test_b01_an_accepted_action_cannot_be_taken_back() -> None:
    company = Company(with_blinds(1, 2), dict.fromkeys("SBD", 100))
    company.deal()
    decision = company.floor.table.decision
    assert decision is not None
    company.bets("D call")
    with pytest.raises(errors.StaleDecision) as refused:
        company.floor.do(
            commands.Act(
                entrant=company.entrant("D"),
                decision=decision.token,
                verb="fold",
                now=company.floor.now,
            )
        )
    assert refused.value.rule == "decisions.binding"


def test_b02_nobody_acts_out_of_turn() -> None:
    company = Company(with_blinds(1, 2), dict.fromkeys("SBD", 100))
    company.deal()
    before = company.floor.state
    with pytest.raises(errors.NotYourTurn) as refused:
        company.floor.act(company.seats["S"], "call")
    assert refused.value.rule == "betting.turn"
    assert company.floor.state == before


@pytest.mark.parametrize(
    ("verb", "amount", "code"),
    [("check", None, "facing_bet"), ("stay", None, "verb_not_played"), ("raise_to", 3, None)],
)
def test_b04_what_the_street_does_not_allow_is_refused_and_changes_nothing(
    verb: Any, amount: int | None, code: str | None
) -> None:
    company = Company(with_blinds(1, 2), dict.fromkeys("SBD", 100))
    company.deal()
    before = company.floor.state
    with pytest.raises(errors.CommandRejected) as refused:
        company.floor.act(company.seats["D"], verb, amount)
    assert refused.value.code == (code or "bet_too_small")
    assert company.floor.state == before


def test_b04_calling_nothing_is_refused() -> None:
    company = Company(bare(), dict.fromkeys("ABC", 100))
    company.deal()
    with pytest.raises(errors.NothingToCall):
        company.bets("A call")


def test_b05_a_fold_that_nothing_asked_for_is_legal_and_marked() -> None:
    company = Company(bare(), dict.fromkeys("ABC", 100))
    company.deal()
    assert of(company.bets("A fold"), events.SeatActed).rule == "betting.free_fold"
    company.bets("B 10")
    assert of(company.bets("C fold"), events.SeatActed).rule == "betting.fold"


@pytest.mark.parametrize(("bet", "verb"), [(None, "check"), (10, "fold")])
def test_b06_when_time_is_out_the_clock_checks_or_folds_and_ties_go_to_the_player(
    bet: int | None, verb: str
) -> None:
    company = Company(bare(), dict.fromkeys("ABC", 100))
    company.deal()
    if bet is not None:
        company.bets(f"A {bet}")
    floor = company.floor
    decision = floor.table.decision
    assert decision is not None
    floor.now = decision.deadline + timedelta(seconds=floor.table.grace_seconds, microseconds=-1)
    with pytest.raises(errors.DeadlineNotReached):
        floor.do(commands.TimeOut(decision=decision.token, now=floor.now))
    floor.now += timedelta(microseconds=1)
    acted = of(floor.do(commands.TimeOut(decision=decision.token, now=floor.now)), events.SeatActed)
    assert (acted.verb, acted.timed_out, acted.rule) == (verb, True, "clock.bet")


def test_b06_an_action_at_the_very_deadline_counts() -> None:
    company = Company(bare(), dict.fromkeys("ABC", 100))
    company.deal()
    decision = company.floor.table.decision
    assert decision is not None
    company.floor.now = decision.deadline
    assert of(company.bets("A 10"), events.SeatActed).paid == 10


def test_b07_a_call_pays_the_true_amount_unless_the_caller_names_another() -> None:
    company = Company(bare(), dict.fromkeys("ABC", 5000))
    company.deal()
    company.bets("A 1900")
    floor = company.floor
    decision = floor.table.decision
    assert decision is not None
    call = commands.Act(
        entrant=company.entrant("B"),
        decision=decision.token,
        verb="call",
        expected=900,
        now=floor.now,
    )
    with pytest.raises(errors.CallAmountChanged) as refused:
        floor.do(call)
    assert refused.value.facts == {"expected": 900, "due": 1900}
    assert of(company.bets("B call"), events.SeatActed).paid == 1900


def test_b08_raises_are_not_capped() -> None:
    company = Company(with_blinds(1, 2), dict.fromkeys("SBD", 1000))
    company.deal()
    for step in range(12):
        name = "DSB"[step % 3]
        company.bets(f"{name} {company.legal(name)['raise_to'].min}")
    assert company.floor.table.hand is not None
    assert company.floor.table.hand.current_bet == 2 + 12 * 2
