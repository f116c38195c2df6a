"""The money of a tournament: entries, the pool, the worth of places, and payments."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given as given_some
from hypothesis import strategies as some

from engine.errors import CommandRejected
from engine.rulesets import resolve, ruleset_hash
from engine.tournament import decider
from engine.tournament.model.commands import Cancel, DeclareRebuy, Finish, Pause, Withdraw
from engine.tournament.model.commands.floor import AnnounceBreak, EndBreak
from engine.tournament.model.commands.money import RecordPayment, ReversePayment, TakeAddOn
from engine.tournament.model.errors import EntrantUnknown, TermsInvalid, TournamentOver
from engine.tournament.model.errors.money import (
    AddOnNotAllowed,
    PaymentNotDue,
    PaymentNotRecorded,
    PaymentsOnTrust,
)
from engine.tournament.model.events import RebuyTaken, TournamentFinished
from engine.tournament.model.events.money import AddOnTaken, PaymentRecorded, PaymentReversed
from engine.tournament.model.terms import FeeTerms
from engine.tournament.model.terms.fees import AddOnTerms, PayoutRow, Price
from engine.tournament.model.values.money import PaymentKind
from engine.tournament.money.prizes import prizes
from engine.values import EntrantId
from tests.engine.scenario import Scenario
from tests.engine.tournament.books import charging, ledger, out, stacks
from tests.engine.tournament.floor import (
    NOON,
    announce,
    entrant,
    opening,
    player,
    register,
    to_start,
)
from tests.engine.tournament.rulings import RULED, WHY


def paid(number: int, kind: PaymentKind, amount: int) -> RecordPayment:
    return RecordPayment(entrant=entrant(number), kind=kind, amount=amount, by=player(99), now=NOON)


def entered(*numbers: int, **fees: Any) -> Scenario:
    """Return a tournament that takes entries, with *numbers* entered."""
    terms = FeeTerms(**{"buy_in": 1_000, "fee": 100, **fees})
    announced = announce(fees=terms, payouts=(1,), currency="EUR")
    return Scenario(decider).asked(announced, opening, *(register(each) for each in numbers))


def test_the_pool_follows_from_the_entries() -> None:
    """Buy-ins belong to the players, fees to the house. Nobody has to add anything up."""
    books = ledger(charging(4))

    assert (books.paid, books.pool, books.fees) == (4_400, 4_000, 400)


def test_who_withdraws_takes_the_buy_in_along() -> None:
    """Before play, a withdrawn entry counts as none."""
    given = entered(1, 2).asked(Withdraw(entrant=entrant(2), now=NOON))

    assert ledger(given).pool == 1_000


def test_a_guarantee_is_filled_up_by_the_house() -> None:
    """The books show the addition of the house as its own."""
    books = ledger(charging(4, guaranteed=5_000))

    assert (books.added, books.pool) == (1_000, 5_000)
    assert ledger(charging(6, guaranteed=5_000)).added == 0


def test_the_pool_is_paid_by_shares_when_the_tournament_ends() -> None:
    """50, 30 and 20 per cent of six thousand."""
    given = charging(6, payouts=(50, 30, 20))
    given.asked(out(given, entrant(1), entrant(2), entrant(3)))
    ranked = stacks(e4=4_000, e5=1_500, e6=500)

    (finished,) = given.when(Finish(rule="finish.hands_max", stacks=ranked, now=NOON)).events()

    assert isinstance(finished, TournamentFinished)
    assert [(each.entrant, each.amount) for each in finished.payouts] == [
        (entrant(4), 3_000),
        (entrant(5), 1_800),
        (entrant(6), 1_200),
    ]
    books = ledger(given)
    assert (books.prizes, books.pool, books.fees) == (6_000, 0, 600)


def test_two_out_with_equal_stacks_average_the_prizes_of_their_places() -> None:
    """The two share the fifth and the sixth prize equally."""
    given = charging(6, payouts=(30, 25, 20, 12, 8, 5))
    given.asked(out(given, entrant(1), entrant(2)))
    ranked = stacks(e3=3_000, e4=1_500, e5=1_000, e6=500)

    (finished,) = given.when(Finish(rule="finish.hands_max", stacks=ranked, now=NOON)).events()

    won = {each.entrant: each.amount for each in finished.payouts}
    assert (won[entrant(1)], won[entrant(2)]) == (390, 390)


@pytest.mark.parametrize(
    ("fees", "entrants", "pool", "expected"),
    [
        ({"table": (PayoutRow(entrants_from=2, shares=(1,)),)}, 5, 500, (500,)),
        (
            {
                "table": (
                    PayoutRow(entrants_from=2, shares=(1,)),
                    PayoutRow(entrants_from=6, shares=(65, 35)),
                )
            },
            6,
            600,
            (390, 210),
        ),
        ({"amounts": (300, 200)}, 9, 650, (450, 200)),
        ({"amounts": (300, 200)}, 1, 300, (300,)),
        ({"paid_percent": 20}, 11, 1_001, (501, 300, 200)),
        ({"paid_percent": 50}, 8, 1_200, (500, 300, 200, 200)),
        ({"unit": 50}, 9, 1_020, (520, 300, 200)),
        ({"unit": 100}, 9, 1_099, (599, 300, 200)),
    ],
)  # fmt: skip
def test_the_places_are_worth_what_the_terms_say(
    fees: dict[str, Any], entrants: int, pool: int, expected: tuple[int, ...]
) -> None:
    """Places are paid by the row for the field, by fixed amounts, by a part of it, or in units."""
    announced = announce(fees=FeeTerms(**fees), payouts=(50, 30, 20), currency="EUR")
    terms = Scenario(decider).asked(announced).state.terms

    amounts = prizes(terms, pool=pool, entrants=entrants)

    assert amounts == expected
    assert sum(amounts) == pool


@pytest.mark.parametrize(
    ("fees", "field"),
    [
        ({"buy_in": -1}, "fees"),
        ({"bounty": 2**51}, "fees"),
        ({"add_on": AddOnTerms(price=5, chips=0)}, "fees.add_on"),
        ({"add_on": AddOnTerms(price=5, chips=3)}, "fees.add_on"),
        ({"table": (PayoutRow(entrants_from=2, shares=()),)}, "fees.table"),
        ({"table": (PayoutRow(entrants_from=2, shares=(1,)),) * 2}, "fees.table"),
        ({"table": (PayoutRow(entrants_from=9, shares=(1,)),)}, "payouts"),
        ({"amounts": (200, 300)}, "fees.amounts"),
        ({"paid_percent": 101}, "fees.paid_percent"),
        ({"unit": 0}, "fees.unit"),
        ({"buy_in": 5}, "payouts"),
    ],
)
def test_terms_that_cannot_be_kept_are_not_announced(fees: dict[str, Any], field: str) -> None:
    """
    Nothing in the terms changes once people have paid.
    """
    asked = announce(fees=FeeTerms(**fees), payouts=(), currency="EUR")

    with pytest.raises(TermsInvalid) as refusal:
        decider.decide(decider.initial, asked)
    assert refusal.value.facts == {"field": field}


def test_money_must_have_a_currency() -> None:
    """An amount without a unit is not money."""
    with pytest.raises(TermsInvalid, match="currency"):
        decider.decide(decider.initial, announce(fees=FeeTerms(buy_in=5), payouts=(1,)))


def test_what_staff_saw_paid_is_written_down_and_the_rest_is_owed() -> None:
    """The pool counts entries, not payments. The books show at once who owes money."""
    given = entered(1, 2, payment="recorded")

    given.when(paid(1, "buy_in", 600)).then(
        PaymentRecorded(
            entrant=entrant(1),
            player=player(1),
            kind="buy_in",
            amount=600,
            currency="EUR",
            by=player(99),
            rule="payment.recorded",
        )
    )

    books = ledger(given)
    assert (books.paid, books.owed, books.pool, books.fees) == (600, 1_600, 2_000, 200)
    given.when(paid(1, "buy_in", 401)).then_rejected(
        PaymentNotDue, kind="buy_in", amount=401, due=400
    )
    given.when(paid(3, "buy_in", 1)).then_rejected(EntrantUnknown)


def test_a_payment_recorded_by_mistake_is_taken_back_with_a_reason() -> None:
    """Both entries stay in the books, and the payment may be recorded again."""
    given = entered(1, 2, payment="recorded")
    given.asked(paid(1, "buy_in", 1_000))

    def back(amount: int, kind: PaymentKind = "buy_in", number: int = 1) -> ReversePayment:
        return ReversePayment(
            entrant=entrant(number), kind=kind, amount=amount, by=player(99), reason=WHY, now=NOON
        )

    given.when(back(1_001)).then_rejected(
        PaymentNotRecorded, kind="buy_in", amount=1_001, recorded=1_000
    )
    given.when(back(1, "fee")).then_rejected(PaymentNotRecorded, kind="fee", amount=1, recorded=0)
    given.when(back(1, number=3)).then_rejected(EntrantUnknown)
    given.when(back(400)).then(
        PaymentReversed(
            entrant=entrant(1), player=player(1), kind="buy_in", amount=400, currency="EUR",
            by=player(99), reason=WHY, rule="payment.reversed",
        )
    )  # fmt: skip
    books = ledger(given)
    assert (books.paid, books.owed, books.credit) == (600, 1_600, 0)
    given.asked(back(600), paid(1, "buy_in", 1_000))
    assert (ledger(given).paid, ledger(given).owed) == (1_000, 1_200)
    entered(1, 2).when(back(1)).then_rejected(PaymentsOnTrust)
    given.asked(Cancel(reason="rain", now=NOON))
    given.when(back(1)).then_rejected(TournamentOver, phase="cancelled")


def taken_back(number: int, amount: int, kind: PaymentKind = "buy_in") -> ReversePayment:
    return ReversePayment(
        entrant=entrant(number), kind=kind, amount=amount, by=player(99), reason=WHY, now=NOON
    )


def test_a_payment_that_was_given_back_is_not_taken_back_too() -> None:
    """Otherwise the entrant would owe money for an entry that does not exist."""
    given = entered(1, 2, payment="recorded")
    given.asked(paid(2, "buy_in", 1_000), Withdraw(entrant=entrant(2), now=NOON))
    given.asked(paid(2, "refund", 600))

    given.when(taken_back(2, 401)).then_rejected(
        PaymentNotRecorded, kind="buy_in", amount=401, recorded=400
    )
    owed = ledger(given).owed
    given.asked(taken_back(2, 600, "refund"), taken_back(2, 1_000))
    assert (ledger(given).paid, ledger(given).credit, ledger(given).owed) == (0, 0, owed)


@given_some(
    some.lists(
        some.tuples(
            some.sampled_from(["pay", "refund", "reverse", "withdraw", "unrefund"]),
            some.integers(1, 2),
            some.integers(1, 1_500),
        ),
        max_size=30,
    )
)
def test_whatever_staff_record_nobody_has_paid_less_than_nothing(
    steps: list[tuple[str, int, int]],
) -> None:
    """Commands of several members of staff are decided one after the other, in any order."""
    game = entered(1, 2, 3, payment="recorded")
    for step, number, amount in steps:
        asked: Any = {
            "pay": paid(number, "buy_in", amount),
            "refund": paid(number, "refund", amount),
            "reverse": taken_back(number, amount),
            "unrefund": taken_back(number, amount, "refund"),
            "withdraw": Withdraw(entrant=entrant(number), now=NOON),
        }[step]
        try:
            game.asked(asked)
        except CommandRejected:
            continue
        books = game.state.books
        sums = Counter[EntrantId]()
        for each in books.payments:
            sums[each.entrant] += -each.amount if each.kind == "refund" else each.amount
        assert all(0 <= each <= 1_100 for each in sums.values())
    cancelled = game.asked(Cancel(reason="rain", now=NOON)).state
    assert all(each.amount > 0 for each in cancelled.books.refunds)


def test_who_withdraws_after_paying_is_given_it_back_once() -> None:
    """Until then it is the entrant's credit. More than was paid is never given back."""
    given = entered(1, 2, payment="recorded")
    given.asked(paid(2, "buy_in", 1_000), Withdraw(entrant=entrant(2), now=NOON))
    assert ledger(given).credit == 1_000

    given.asked(paid(2, "refund", 1_000))

    books = ledger(given)
    assert (books.credit, books.refunds) == (0, 1_000)
    given.when(paid(2, "refund", 1)).then_rejected(PaymentNotDue, kind="refund", amount=1, due=0)


def test_what_was_paid_too_much_is_given_back_after_a_cancellation_too() -> None:
    """The policy does not name players who had withdrawn."""
    given = entered(1, 2, payment="recorded")
    given.asked(paid(1, "fee", 100), paid(2, "buy_in", 300))
    given.asked(Withdraw(entrant=entrant(2), now=NOON), Cancel(reason="storm", now=NOON))
    assert (ledger(given).credit, ledger(given).refunds) == (300, 100)

    given.asked(paid(2, "refund", 300))

    assert (ledger(given).credit, ledger(given).refunds) == (0, 400)
    given.when(paid(1, "refund", 1)).then_rejected(PaymentNotDue, kind="refund", amount=1, due=0)
    given.when(paid(1, "fee", 1)).then_rejected(TournamentOver, phase="cancelled")


def test_on_trust_every_entry_counts_as_paid() -> None:
    """Clubs that settle at the bar need no second book."""
    entered(1).when(paid(1, "buy_in", 1)).then_rejected(PaymentsOnTrust)


@pytest.mark.parametrize(("price", "pooled"), [(None, 1_000), (Price(price=700, fee=30), 700)])
def test_a_rebuy_is_paid_into_the_pool(price: Price | None, pooled: int) -> None:
    """A rebuy has its own price, or costs the same as the entry."""
    rules = resolve("better", {"rebuy": {"max": 1, "seconds": 60}})
    terms = FeeTerms(buy_in=1_000, fee=100, rebuy=price)
    given = charging_with(rules, terms)
    given.asked(out(given, entrant(2)))

    (taken,) = given.when(DeclareRebuy(entrant=entrant(2), now=NOON)).events()

    assert isinstance(taken, RebuyTaken)
    books = ledger(given)
    assert books.pool == 3_000 + pooled
    assert books.fees == 300 + (100 if price is None else 30)


def charging_with(rules: Any, terms: FeeTerms) -> Scenario:
    asked = to_start(
        3, ruleset=rules, ruleset_hash=ruleset_hash(rules), fees=terms, payouts=(1,),
        currency="EUR", table_seats=6,
    )  # fmt: skip
    return Scenario(decider).asked(*asked)


def test_an_add_on_is_taken_while_play_stands_and_paid_into_the_pool() -> None:
    """Each entrant may take one by default. Its chips come to the seat in the same append."""
    given = charging(3, add_on=AddOnTerms(price=500, fee=20, chips=2_000))
    take = TakeAddOn(entrant=entrant(2), now=NOON)
    given.when(take).then_rejected(AddOnNotAllowed, reason="not_at_a_break")
    given.asked(Pause(reason="break", now=NOON))

    (taken,) = given.when(take).events()

    assert isinstance(taken, AddOnTaken)
    assert (taken.chips, taken.number) == (2_000, 1)
    assert (ledger(given).pool, ledger(given).fees) == (3_500, 320)
    given.when(take).then_rejected(AddOnNotAllowed, reason="none_left")


def test_an_add_on_is_taken_at_a_break_of_the_schedule_too() -> None:
    """Play stops in a break. After the break the time for add-ons is over."""
    given = charging(3, add_on=AddOnTerms(price=500, chips=2_000))
    given.asked(AnnounceBreak(seconds=600, **RULED))

    given.asked(TakeAddOn(entrant=entrant(1), now=NOON), EndBreak(**RULED))

    assert ledger(given).pool == 3_500
    given.when(TakeAddOn(entrant=entrant(2), now=NOON)).then_rejected(
        AddOnNotAllowed, reason="not_at_a_break"
    )


def test_no_add_on_where_none_is_offered_and_none_for_who_is_out() -> None:
    """The terms name everything that is sold."""
    pause = Pause(reason="break", now=NOON)
    charging(3).asked(pause).when(TakeAddOn(entrant=entrant(1), now=NOON)).then_rejected(
        AddOnNotAllowed, reason="none_offered"
    )
    given = charging(3, add_on=AddOnTerms(price=500, chips=2_000)).asked(pause)
    given.asked(out(given, entrant(1)))
    given.when(TakeAddOn(entrant=entrant(1), now=NOON)).then_rejected(AddOnNotAllowed, reason="out")
