"""Raises, reopening and the last seat, from the tournament rules."""

import pytest

from engine.hand.betting import (
    BetTooLarge,
    BetTooSmall,
    CallAmountChanged,
    CannotCheck,
    LegalAction,
    RaiseNotAllowed,
    act,
    legal_actions,
    next_to_act,
)
from engine.hand.street import Bettor, Street
from engine.rulesets import REVISION, FixedContinue, PokerNoLimit
from tests.support.streets import played_with


class Round:
    """A street for tests. ``seats`` act in the given order."""

    def __init__(
        self,
        stacks: list[int],
        *,
        min_raise: str = "last_raise",
        min_open: int = 100,
        current_bet: int = 0,
        put_in: dict[int, int] | None = None,
        revision: int = REVISION,
    ) -> None:
        posted = put_in or {}
        self.bettors = {
            seat: Bettor(seat, stack, posted.get(seat, 0), None, True)
            for seat, stack in enumerate(stacks, start=1)
        }
        self.rules = PokerNoLimit(min_raise=min_raise, min_open=min_open)  # type: ignore[arg-type]
        self.min_open = min_open
        self.current_bet = current_bet
        self.full_raise = min_open
        self.last_actor: int | None = None
        self.revision = revision

    def street(self) -> Street:
        return Street(
            seats=tuple(self.bettors.values()),
            ruleset=played_with(self.rules, revision=self.revision),
            min_open=self.min_open,
            current_bet=self.current_bet,
            full_raise=self.full_raise,
            after=self.last_actor or 0,
        )

    def turn(self) -> int | None:
        return next_to_act(self.street())

    def play(self, *actions: str | int) -> "Round":
        for action in actions:
            seat = self.turn()
            assert seat is not None
            verb = "raise_to" if isinstance(action, int) else action
            amount = action if isinstance(action, int) else None
            outcome = act(self.street(), seat, verb, amount=amount)  # type: ignore[arg-type]
            before = self.bettors[seat]
            self.bettors[seat] = Bettor(
                seat,
                outcome.stack,
                before.put_in + outcome.paid,
                outcome.current_bet,
                before.live and verb != "fold",
            )
            self.current_bet, self.full_raise = outcome.current_bet, outcome.full_raise
            self.last_actor = seat
        return self

    def bounds(self) -> tuple[int | None, int | None] | None:
        seat = self.turn()
        assert seat is not None
        actions = legal_actions(self.street(), seat)
        return next(((a.min, a.max) for a in actions if a.verb == "raise_to"), None)

    def least(self) -> int | None:
        bounds = self.bounds()
        return None if bounds is None else bounds[0]


LONG = 100_000


def of_blind(blind: int, *stacks: int) -> Round:
    """Return a first street in which the last seat has posted the big blind."""
    posted = {len(stacks) - 1: blind // 2, len(stacks): blind}
    left = [stack - posted.get(seat, 0) for seat, stack in enumerate(stacks, start=1)]
    return Round(left, min_open=blind, current_bet=blind, put_in=posted)


def test_c01_the_next_raise_is_as_large_as_the_last() -> None:
    assert Round([LONG] * 4, min_open=200).play(600, 1600, 3600).least() == 5600


def test_c02_a_short_all_in_raise_leaves_the_increment_at_the_big_blind() -> None:
    assert of_blind(100, 150, LONG, LONG, LONG).play(150).least() == 250


def test_c03_a_raise_of_seven_hundred_asks_for_seven_hundred_more() -> None:
    assert Round([LONG] * 3, min_open=200).play(300, 1000).least() == 1700


def test_c04_the_largest_raise_of_the_street_counts() -> None:
    assert of_blind(50, *[LONG] * 6).play(125, 200, 500).least() == 800


def test_c04b_calls_do_not_change_the_increment() -> None:
    assert of_blind(50, *[LONG] * 6).play(500, "call", "call").least() == 950


def opened_short() -> Round:
    """A bets 100, B is all-in with 125, C calls, D is all-in with 200, E calls."""
    return Round([LONG, 125, LONG, 200, LONG]).play(100, 125, "call", 200, "call")


def test_c05_short_all_ins_that_add_up_reopen_the_betting() -> None:
    street = opened_short()
    assert (street.turn(), street.least()) == (1, 300)


def test_c06_for_who_acted_in_between_they_may_not_add_up() -> None:
    street = opened_short().play("call")
    assert (street.turn(), street.bounds()) == (3, None)


def test_c07_a_full_raise_after_them_lets_everyone_raise() -> None:
    street = opened_short().play(300)
    assert (street.turn(), street.least()) == (3, 400)


def test_c08_short_all_ins_never_become_the_increment() -> None:
    street = Round([LONG, 500, 650, 800, LONG, LONG]).play(300, 500, 650, 800, "call")
    assert street.least() == 1100


def limped() -> Round:
    """A limps to 4000, C is all-in with 7500, the small blind folds."""
    return of_blind(4000, LONG, 7500, LONG, LONG).play("call", 7500, "fold")


def test_c09_the_big_blind_may_raise_a_short_all_in() -> None:
    street = limped()
    assert (street.turn(), street.least()) == (4, 11_500)


def test_c10_who_limped_may_not_raise_a_short_all_in() -> None:
    street = limped().play("call")
    assert (street.turn(), street.bounds()) == (1, None)


def test_c11_who_limped_may_raise_the_raise_of_the_big_blind() -> None:
    street = limped().play(11_500)
    assert (street.turn(), street.least()) == (1, 15_500)


def test_c12_two_short_all_ins_reopen_for_both_and_the_increment_is_the_last_full_one() -> None:
    street = Round([LONG, LONG, LONG, 1300, 1700]).play(500, 1000, "call", 1300, 1700, "call")
    assert (street.turn(), street.least()) == (2, 2200)
    street.play("call")
    assert (street.turn(), street.least()) == (3, 2200)


def test_c13_the_first_raiser_may_not_raise_a_short_all_in() -> None:
    street = of_blind(200, LONG, 650, LONG).play(600, 650, "call")
    assert (street.turn(), street.bounds()) == (1, None)


def test_c14_an_all_in_that_is_a_full_raise_sets_the_increment() -> None:
    street = of_blind(2, 16, LONG, 19, LONG).play(16, "call", 19, "call")
    assert (street.turn(), street.bounds()) == (2, None)


def test_c15_who_checked_may_not_raise_a_bet_that_is_not_full() -> None:
    street = Round([LONG, 50, LONG]).play("check", 50, "call")
    assert (street.turn(), street.bounds()) == (1, None)


def test_c16_who_has_not_acted_may_raise_a_bet_that_is_not_full() -> None:
    street = Round([LONG, 50, LONG]).play("check", 50)
    assert (street.turn(), street.least()) == (3, 150)


@pytest.mark.parametrize(
    ("min_raise", "bet", "second", "may"),
    [("min_bet", 20, 32, True), ("last_raise", 20, 32, False)],
)
def test_reopening_goes_by_what_a_seat_last_answered(
    min_raise: str, bet: int, second: int, *, may: bool
) -> None:
    street = Round([LONG, LONG, 25, second, LONG], min_raise=min_raise, min_open=10)
    street.play(bet, "call", 25)
    street.play(second, "fold")
    assert (street.bounds() is not None) == may


def test_one_short_all_in_leaves_only_call_or_fold() -> None:
    street = Round([LONG, LONG, 25], min_raise="min_bet", min_open=10).play(20, "call", 25)
    assert [a.verb for a in legal_actions(street.street(), 1)] == ["fold", "call"]
    with pytest.raises(RaiseNotAllowed):
        street.play(60)


def test_with_the_unit_rule_anything_above_the_bet_is_a_raise() -> None:
    street = Round([435, 430], min_raise="chip_unit", min_open=10).play(15)
    assert street.least() == 16


def test_the_big_blind_keeps_its_option() -> None:
    street = Round([LONG, LONG, 99, 98], min_open=2, current_bet=2, put_in={3: 1, 4: 2})
    street.play("call", "call", "call")
    assert street.turn() == 4
    assert {a.verb for a in legal_actions(street.street(), 4)} == {"fold", "check", "raise_to"}
    assert street.play("check").turn() is None


def test_a_small_blind_that_covers_an_all_in_big_blind_is_not_asked() -> None:
    street = Round([96, 0], min_open=8, current_bet=8, put_in={1: 4, 2: 3})
    assert street.turn() is None


def test_a_lone_seat_that_faces_an_all_in_may_call_or_fold_but_not_raise() -> None:
    street = Round([LONG, 500]).play(100, 500)
    assert legal_actions(street.street(), 1) == (
        LegalAction(verb="fold", rule="betting.fold"),
        LegalAction(verb="call", rule="betting.call", amount=400),
    )


def test_refusals_name_their_numbers() -> None:
    street = Round([LONG, LONG, LONG]).play(300)
    with pytest.raises(CannotCheck):
        act(street.street(), 2, "check")
    with pytest.raises(BetTooSmall) as refused:
        act(street.street(), 2, "raise_to", amount=400)
    assert refused.value.facts == {"offered": 400, "minimum": 600}
    with pytest.raises(CallAmountChanged):
        act(street.street(), 2, "call", expected=200)


def test_a_fixed_price_is_asked_once_of_everyone_who_can_pay() -> None:
    street = Street(
        seats=(
            Bettor(1, 5, 0, None, True),
            Bettor(2, 0, 0, None, True),
            Bettor(3, 1, 0, None, True),
        ),
        ruleset=played_with(FixedContinue(cost=2)),
        min_open=0,
        current_bet=0,
        full_raise=0,
    )
    assert next_to_act(street) == 1
    outcome = act(street, 3, "stay")
    assert (outcome.paid, outcome.all_in) == (1, True)


def test_a_seat_that_cannot_pay_more_than_the_bet_may_call_or_fold() -> None:
    street = Round([LONG, 80, LONG], min_open=10).play(100)
    assert [a.verb for a in legal_actions(street.street(), 2)] == ["fold", "call"]
    with pytest.raises(RaiseNotAllowed) as refused:
        act(street.street(), 2, "raise_to", amount=90)
    assert refused.value.rule == "betting.all_in"
    with pytest.raises(BetTooLarge) as large:
        act(street.street(), 3, "raise_to", amount=LONG + 1)
    assert large.value.rule == "betting.all_in"
