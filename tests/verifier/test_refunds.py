"""A tournament cancelled before play gives back the payments that staff recorded."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.verifier.forging import PUBLIC, Forgery
from tests.verifier.loading import bundle, verifier

Fault = Callable[[list[Any]], None]

PAYMENTS = [(0, "buy_in", 1000), (1, "buy_in", 1000), (1, "refund", 400), (3, "buy_in", 1500)]
"""Payments of four entrants: the third has paid nothing, and the last has paid too much."""

DUE = [(0, 1000), (1, 600), (3, 1500)]


def recorded() -> Forgery:
    """Return `cancel_early` with recorded payments, which replace its last entries."""
    forged = Forgery(bundle("cancel_early"))
    forged.data("tournament_announced")["fees"]["payment"] = "recorded"
    entered = forged.events("entrant_registered")
    entrants = [event["data"] for event in entered[: -len(PAYMENTS)]]
    for event, (who, kind, amount) in zip(entered[-len(PAYMENTS) :], PAYMENTS, strict=True):
        event["type"] = "payment_recorded"
        event["data"] = {
            "amount": amount,
            "by": "plr_" + "1" * 32,
            "currency": "XXX",
            "entrant": entrants[who]["entrant"],
            "kind": kind,
            "player": entrants[who]["player"],
            "rule": "payment.recorded",
            "type": "payment_recorded",
        }
    awarded = forged.data("refunds_awarded")
    parts = {"bounty": 0, "fee": 0}
    awarded["refunds"] = [
        awarded["refunds"][who] | parts | {"paid_in": amount} for who, amount in DUE
    ]
    return forged


def verified(forged: Forgery) -> Any:
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    return report


def test_what_staff_saw_paid_less_what_was_given_back_is_a_right_refund() -> None:
    report = verified(recorded())
    assert report.differences == []
    assert report.status() == verifier.PASS


def gives_back_what_was_charged(refunds: list[Any]) -> None:
    refunds[0] |= {"bounty": 250, "fee": 100}


def gives_back_twice(refunds: list[Any]) -> None:
    refunds[1]["paid_in"] = 1000


def keeps_what_was_paid_too_much(refunds: list[Any]) -> None:
    refunds[2]["paid_in"] = 1350


def forgets_somebody(refunds: list[Any]) -> None:
    refunds.pop()


@pytest.mark.parametrize(
    "fault",
    [
        gives_back_what_was_charged,
        gives_back_twice,
        keeps_what_was_paid_too_much,
        forgets_somebody,
    ],
)
def test_a_wrong_refund_of_what_was_paid_is_found_and_named(fault: Fault) -> None:
    forged = recorded()
    awarded = forged.events("refunds_awarded")[0]
    fault(awarded["data"]["refunds"])
    found = {difference[:2] for difference in verified(forged).differences}
    assert found == {(awarded["position"], "cancellation.before_play")}


def test_a_refund_for_who_paid_nothing_is_found_and_named() -> None:
    forged = recorded()
    awarded, third = forged.events("refunds_awarded")[0], forged.events("entrant_registered")[2]
    refund = {name: third["data"][name] for name in ("entrant", "player")} | {"paid_in": 1000}
    awarded["data"]["refunds"].insert(2, awarded["data"]["refunds"][0] | refund)
    found = {difference[:2] for difference in verified(forged).differences}
    assert found == {(awarded["position"], "cancellation.before_play")}


def test_refunds_in_another_order_than_that_of_registration_are_found() -> None:
    forged = recorded()
    awarded = forged.events("refunds_awarded")[0]
    awarded["data"]["refunds"].reverse()
    found = {difference[:2] for difference in verified(forged).differences}
    assert found == {(awarded["position"], "cancellation")}


@pytest.mark.parametrize("name", ["cancel_all", "cancel_low", "cancel_deal", "cancel_rebuy"])
def test_after_the_start_refunds_go_by_what_was_charged(name: str) -> None:
    forged = Forgery(bundle(name))
    forged.data("tournament_announced")["fees"]["payment"] = "recorded"
    report = verified(forged)
    assert report.differences == []
    assert report.status() == verifier.PASS


@pytest.mark.parametrize("member", ["player", "currency"])
def test_a_payment_of_somebody_elses_or_in_other_money_is_found(member: str) -> None:
    forged = recorded()
    payment = forged.events("payment_recorded")[0]
    payment["data"][member] = "plr_" + "2" * 32
    found = {difference[:2] for difference in verified(forged).differences}
    assert found == {(payment["position"], "payment.recorded")}


def test_a_payment_that_was_given_back_and_then_taken_back_too_is_found() -> None:
    """Somebody paid 1000 and got 400 back. Only 600 can still be taken back."""
    for amount, expected in ((1000, True), (600, False)):
        forged = recorded()
        taken = forged.events("payment_recorded")[-1]
        paid = forged.events("payment_recorded")[1]["data"]
        taken["type"] = "payment_reversed"
        taken["data"] = {
            **paid,
            "amount": amount,
            "reason": {"text": "txt_" + "1" * 32, "digest": "11" * 32},
            "rule": "payment.reversed",
            "type": "payment_reversed",
        }
        found = (taken["position"], "payment.reversed")
        rules = {difference[:2] for difference in verified(forged).differences}
        assert (found in rules) is expected
