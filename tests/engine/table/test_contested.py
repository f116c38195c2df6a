"""A seat owes only chips that another seat can contest, except in the first revision."""

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from engine.hand.betting import (
    CallAmountChanged,
    NothingToCall,
    RaiseNotAllowed,
    act,
    legal_actions,
    next_to_act,
)
from engine.hand.pots import unmatched
from engine.hand.street import Bettor, Street
from engine.rulesets import FixedContinue, PokerNoLimit, Ruleset, preset, resolve
from engine.table.model import events
from engine.table.model.commands import Act, TimeOut
from tests.engine.table.hands import Company, bare, every
from tests.support.streets import after_something_legal, played_with, under

STREETS = 4000


def with_blinds(**overrides: Any) -> Ruleset:
    return bare(
        forced={"kind": "blinds", "small": 150, "big": 300},
        first_actor=["left_of_big_blind", "left_of_button"],
        betting={"kind": "poker_nl", "min_open": "big_blind"},
        **overrides,
    )


def first(ruleset: Ruleset) -> Ruleset:
    """Return *ruleset* under the first revision of the rules."""
    return replace(ruleset, revision=1)


def prices(company: Company, name: str) -> dict[str, int | None]:
    return {verb: action.amount for verb, action in company.legal(name).items()}


def returned(happened: Any) -> list[tuple[int, int]]:
    return [(event.seat, event.chips) for event in every(happened, events.UnmatchedReturned)]


def headsup() -> Company:
    """The small blind has 2000 chips. The big blind has 270 instead of 300."""
    return Company(with_blinds(), {"S": 2000, "B": 270})


def test_a_small_blind_is_asked_only_for_what_a_short_big_blind_can_contest() -> None:
    company = headsup()
    company.deal()
    assert company.turn() == "S"
    assert prices(company, "S") == {"fold": None, "call": 120}
    happened = (*company.bets("S call"), *company.check_down())
    assert returned(happened) == []
    assert company.pots(happened) == [(540, "SB")]


def test_in_the_first_revision_a_small_blind_pays_the_whole_bet_and_gets_the_rest_back() -> None:
    company = Company(first(with_blinds()), {"S": 2000, "B": 270})
    company.deal()
    assert prices(company, "S") == {"fold": None, "call": 150}
    happened = (*company.bets("S call"), *company.check_down())
    assert returned(happened) == [(company.seats["S"], 30)]


def test_the_price_that_a_caller_names_is_the_one_asked() -> None:
    company = headsup()
    company.deal()
    floor = company.floor
    decision = floor.table.decision
    assert decision is not None
    call = Act(
        entrant=company.entrant("S"),
        decision=decision.token,
        verb="call",
        expected=150,
        now=floor.now,
    )
    with pytest.raises(CallAmountChanged) as refused:
        floor.do(call)
    assert refused.value.facts == {"expected": 150, "due": 120}
    floor.do(replace(call, expected=120))
    assert floor.table.at(company.seats["S"]).stack == 2000 - 270


def test_who_calls_behind_shorter_all_ins_pays_up_to_the_largest_of_them() -> None:
    ruleset = with_blinds()
    company = Company(ruleset, {"S": 100, "B": 120, "U": 200, "D": 2000})
    company.deal()
    assert prices(company, "U") == {"fold": None, "call": 200}
    company.bets("U call")
    assert prices(company, "D") == {"fold": None, "call": 200}
    happened = (*company.bets("D call"), *company.check_down())
    assert returned(happened) == []
    assert company.pots(happened) == [(400, "SBUD"), (60, "BUD"), (160, "UD")]


def test_a_bet_that_somebody_may_still_match_is_asked_in_full() -> None:
    company = Company(with_blinds(), {"S": 2000, "B": 120, "U": 2000})
    company.deal()
    assert prices(company, "U") == {"fold": None, "call": 300, "raise_to": None}
    company.bets("U call")
    assert prices(company, "S") == {"fold": None, "call": 150, "raise_to": None}


def test_a_bet_that_others_can_match_in_part_is_asked_as_far_as_they_can() -> None:
    company = Company(with_blinds(), {"S": 250, "B": 120, "U": 2000})
    company.deal()
    assert prices(company, "U") == {"fold": None, "call": 250}
    company.bets("U call")
    assert prices(company, "S") == {"fold": None, "call": 100}


def test_who_has_called_less_than_the_bet_is_not_asked_again() -> None:
    company = Company(with_blinds(), {"S": 250, "B": 120, "U": 2000})
    company.deal()
    happened = company.bets("U call", "S call")
    assert every(happened, events.StreetClosed)
    assert every(happened, events.SeatActed)[-1].current_bet == 300


def test_a_seat_that_owes_nothing_checks_though_the_bet_is_higher() -> None:
    ruleset = with_blinds()
    ruleset = replace(ruleset, first_actor=("left_of_button", "left_of_button"))
    company = Company(ruleset, {"S": 2000, "B": 120, "D": 100})
    company.deal()
    assert set(prices(company, "S")) == {"fold", "check"}
    with pytest.raises(NothingToCall):
        company.floor.act(company.seats["S"], "call")
    company.bets("S check")
    assert prices(company, "D")["call"] == 100


def test_the_clock_checks_for_a_seat_that_owes_nothing() -> None:
    ruleset = replace(with_blinds(), first_actor=("left_of_button", "left_of_button"))
    company = Company(ruleset, {"S": 2000, "B": 120, "D": 100})
    company.deal()
    decision = company.floor.table.decision
    assert decision is not None
    late = decision.deadline + timedelta(seconds=company.floor.table.grace_seconds)
    happened = company.floor.do(TimeOut(decision=decision.token, now=late))
    (acted,) = every(happened, events.SeatActed)
    assert (acted.verb, acted.rule) == ("check", "clock.bet")


def test_nobody_raises_a_seat_that_cannot_even_match_the_bet() -> None:
    street = Street(
        (Bettor(1, 900, 0, None, True), Bettor(2, 0, 100, 100, True), Bettor(3, 80, 0, None, True)),
        played_with(PokerNoLimit(min_open=10)), 10, 100, 10, 0,
    )  # fmt: skip
    assert [each.verb for each in legal_actions(street, 1)] == ["fold", "call"]
    with pytest.raises(RaiseNotAllowed) as refused:
        act(street, 1, "raise_to", amount=200)
    assert refused.value.rule == "betting.lone_seat"
    more = replace(street, seats=(*street.seats[:2], Bettor(3, 101, 0, None, True)))
    assert [each.verb for each in legal_actions(more, 1)] == ["fold", "call", "raise_to"]


def test_chips_of_a_folded_seat_are_contested_by_who_matches_them() -> None:
    seats = (
        Bettor(1, 900, 0, None, True),
        Bettor(2, 0, 60, 60, True),
        Bettor(3, 500, 500, 500, False),
    )
    street = Street(seats, played_with(PokerNoLimit(min_open=10)), 10, 500, 500, 0)
    assert [each.amount for each in legal_actions(street, 1)] == [None, 500]


def test_the_last_at_a_fixed_price_pays_what_somebody_contests() -> None:
    def asked(*others: Bettor, revision: int = 2) -> int | None:
        seats = (*others, Bettor(3, 50, 0, None, True))
        game = played_with(FixedContinue(cost=5), revision=revision)
        street = Street(seats, game, 0, 0, 0, 2)
        if next_to_act(street) is None:
            return None
        return legal_actions(street, 3)[1].amount

    stayed, folded, short = (
        Bettor(1, 20, 5, 0, True),
        Bettor(1, 20, 0, 0, False),
        Bettor(2, 0, 3, 0, True),
    )
    all_in = Bettor(2, 0, 0, None, True)
    assert asked(stayed, short) == 5
    assert asked(folded, short) == 3
    assert asked(folded, all_in) is None
    assert asked(folded, short, revision=1) == 5
    assert asked(folded, all_in, revision=1) == 5


def test_on_the_second_street_only_what_somebody_put_in_is_asked() -> None:
    company = Company(bare(), {"A": 100, "B": 1000, "C": 40, "D": 1000})
    company.deal()
    company.bets("A 10", "B call", "C call", "D call")
    company.improve()
    company.bets("A 90", "B call")
    assert prices(company, "C") == {"fold": None, "call": 30}
    company.bets("C call")
    assert prices(company, "D")["call"] == 90


def test_without_blinds_both_revisions_ask_the_same() -> None:
    """Without blinds, some seat has always put in the whole bet."""
    dice = Random("no blinds")
    for _ in range(STREETS // 10):
        street = opening(dice, PokerNoLimit(min_open=10), blinds=False)
        while (seat := next_to_act(street)) is not None:
            old = under(street, 1)
            assert next_to_act(old) == seat
            assert price(legal_actions(street, seat)) == price(legal_actions(old, seat))
            street, _ = after_something_legal(street, seat, dice)


def price(legal: Any) -> int | None:
    return next((each.amount for each in legal if each.verb in ("call", "stay")), None)


def opening(dice: Random, rules: Any, *, blinds: bool) -> Street:
    """Return a street before the first action. Some seats are all-in or have folded."""
    count = dice.randint(2, 6)
    seats = []
    for seat in range(1, count + 1):
        stack = dice.choice((0, 1, 3, 7, 8, 15, 40, 100, 400))
        owed = {count - 1: 5, count: 10}.get(seat, 0) if blinds else 0
        put_in = min(owed, stack)
        seats.append(Bettor(seat, stack - put_in, put_in, None, dice.randrange(8) > 0))
    bet = 10 if blinds else 0
    return Street(tuple(seats), played_with(rules), 10, bet, 10, dice.randint(0, count))


@pytest.mark.parametrize("fixed", [False, True])
def test_nobody_is_asked_for_chips_that_no_other_seat_can_contest(*, fixed: bool) -> None:
    """Every returned chip was raised, posted, or contested by a seat that folded later."""
    dice = Random(f"contested {fixed}")
    rules = FixedContinue(cost=4) if fixed else PokerNoLimit(min_open=10)
    seen, lower = 0, 0
    for _ in range(STREETS):
        street = opening(dice, rules, blinds=not fixed and dice.randrange(2) == 0)
        course: list[tuple[int, str]] = []
        while (seat := next_to_act(street)) is not None:
            asked = price(legal_actions(street, seat))
            lower += asked != price(legal_actions(under(street, 1), seat))
            assert asked != 0
            street, verb = after_something_legal(street, seat, dice)
            course.append((seat, verb))
        wagers = {each.seat: each.hand.put_in for each in street.seats if each.hand}
        live = [each.seat for each in street.seats if each.hand and each.hand.live]
        back = unmatched(wagers, live=live)
        if back is None:
            continue
        own = [place for place, (seat, _) in enumerate(course) if seat == back[0]]
        if own and course[own[-1]][1] in ("call", "stay"):
            seen += 1
            assert "fold" in [verb for _, verb in course[own[-1] + 1 :]], (street, course)
    assert seen > STREETS // 100
    assert lower > STREETS // 100


def test_a_new_announcement_is_played_by_the_newest_revision() -> None:
    assert preset("better").revision == resolve("better", {"max_players": 6}).revision == 2
    assert resolve("better", {"revision": 2}) == preset("better")
