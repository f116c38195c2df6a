"""Antes of every player in addition to blinds: small 50, big 100 and ante 20 by default."""

from typing import Any

import pytest

from engine.rulesets import Ruleset
from engine.table.model import commands, events
from engine.table.model.commands import Arrival
from tests.engine.table.hands import Company, bare, every, of
from tests.engine.table.tables import entrant


def with_antes(**overrides: Any) -> Ruleset:
    forced = {"kind": "blinds", "small": 50, "big": 100, "player_ante": 20}
    return bare(
        **{
            "forced": forced,
            "first_actor": ["left_of_big_blind", "left_of_button"],
            "betting": {"kind": "poker_nl", "min_raise": "last_raise", "min_open": "big_blind"},
        }
        | overrides
    )


def posted(company: Company, happened: Any) -> list[tuple[str, str, int]]:
    posts = of(happened, events.ForcedBetsPosted).posts
    return [(company.name(post.seat), post.kind, post.chips) for post in posts]


def test_every_player_pays_the_ante_before_the_blinds_and_it_is_no_bet() -> None:
    """The price of a call and the smallest raise depend on the blinds alone."""
    company = Company(with_antes(), dict.fromkeys("SBD", 900), "S B D")
    happened = company.deal()
    assert posted(company, happened) == [
        ("S", "ante", 20),
        ("B", "ante", 20),
        ("D", "ante", 20),
        ("S", "small_blind", 50),
        ("B", "big_blind", 100),
    ]
    legal = company.legal("D")
    assert (legal["call"].amount, legal["raise_to"].min) == (100, 200)
    company.bets("D call", "S call", "B check")
    assert company.pots(company.check_down()) == [(360, "SBD")]


@pytest.mark.parametrize(
    ("stack", "paid"), [(900, [20, 100]), (70, [20, 50]), (20, [20, 0]), (15, [15, 0])]
)
def test_a_short_big_blind_covers_the_ante_before_the_blind(stack: int, paid: list[int]) -> None:
    """The others owe the full blind, even if it was not posted in full."""
    company = Company(with_antes(), {"S": 900, "B": stack, "D": 900}, "B S D")
    happened = company.deal()
    assert [chips for name, _, chips in posted(company, happened) if name == "B"] == paid
    assert of(happened, events.ForcedBetsPosted).price == 100
    assert company.legal("D")["call"].amount == 100
    happened = company.bets("D call", "S call")
    happened += company.bets("B check") if stack == 900 else ()
    main, *side = company.pots(happened + company.check_down())
    assert main == (3 * min(sum(paid), 120), "SBD")
    assert side == ([] if stack == 900 else [(2 * (120 - sum(paid)), "SD")])


def test_as_posted_lowers_the_price_to_the_largest_blind_that_was_paid() -> None:
    company = Company(with_antes(short_blind="as_posted"), {"S": 900, "B": 20, "D": 900}, "S B D")
    assert of(company.deal(), events.ForcedBetsPosted).price == 50


def test_a_player_who_is_all_in_with_the_ante_plays_for_the_antes_alone() -> None:
    company = Company(with_antes(), {"S": 900, "B": 900, "X": 20, "D": 900}, "X S B D")
    company.deal()
    company.bets("D 300", "S call", "B fold")
    assert company.pots(company.check_down()) == [(80, "SXD"), (700, "SD")]


def test_what_nobody_matched_goes_back_and_no_ante_that_others_paid() -> None:
    """The unmatched part of an ante goes back if the others paid less."""
    company = Company(with_antes(), dict.fromkeys("SBD", 900), "S B D")
    company.deal()
    happened = company.bets("D fold", "S fold")
    assert of(happened, events.UnmatchedReturned).chips == 50
    assert company.stacks() == {"S": 830, "B": 990, "D": 880}

    duel = Company(with_antes(headsup="dealer_small_blind"), {"B": 15, "D": 900}, "B D")
    happened = duel.deal() + duel.improve()
    assert of(happened, events.UnmatchedReturned).chips == 20 + 50 - 15
    assert duel.stacks() == {"B": 30, "D": 885}


def test_under_a_dead_button_only_those_who_are_dealt_in_pay_an_ante() -> None:
    """The seat of the small blind is empty, and a newcomer waits for the button."""
    seats = {"A": 1, "B": 2, "C": 5, "D": 8}
    company = Company(
        with_antes(button="dead"), dict.fromkeys("BCDA", 900), seats=seats, seat_count=8
    )
    company.fold_round()
    company.floor.do(commands.VacateSeats(departures=(entrant(5),), now=company.floor.now))
    arrival = Arrival(seat=4, entrant=entrant(4), stack=900)
    company.floor.do(commands.SeatArrivals(arrivals=(arrival,), now=company.floor.now))
    happened = company.fold_round()
    opened = of(happened, events.HandOpened)
    posts = of(happened, events.ForcedBetsPosted).posts
    assert (opened.button, opened.small_blind, opened.big_blind) == (2, 5, 8)
    assert [books.seat for books in opened.seats if books.waiting] == [4]
    assert [(post.seat, post.kind) for post in posts] == [
        (8, "ante"),
        (1, "ante"),
        (2, "ante"),
        (8, "big_blind"),
    ]


def test_an_absent_player_pays_the_ante_and_the_hand_is_killed() -> None:
    company = Company(with_antes(), dict.fromkeys("SBD", 900), "S B D")
    company.floor.do(commands.StepAway(entrant=company.entrant("D")))
    happened = company.floor.open_hand()
    assert ("D", "ante", 20) in posted(company, happened)
    assert company.name(of(happened, events.HandKilled).seat) == "D"
    assert company.stacks()["D"] == 880


def test_any_chip_is_enough_to_be_dealt_in() -> None:
    company = Company(with_antes(), {"S": 900, "B": 900, "D": 1}, "S B D")
    opened = of(company.deal(), events.HandOpened)
    assert all(books.dealt for books in opened.seats)


def test_antes_and_blinds_double_together() -> None:
    company = Company(
        with_antes(escalation={"kind": "double_per_orbit"}), dict.fromkeys("SBD", 9000), "S B D"
    )
    levels = [of(company.fold_round(), events.HandOpened).level.amounts for _ in range(4)]
    assert [(each.small, each.big, each.ante) for each in (levels[0], levels[-1])] == [
        (50, 100, 20),
        (100, 200, 40),
    ]


def test_a_voided_deal_gives_antes_and_blinds_back() -> None:
    company = Company(with_antes(), dict.fromkeys("SBD", 900), "S B D")
    company.deal()
    happened = company.floor.do(
        commands.VoidDeal(cause="mis_deal", reason="card_shown", now=company.floor.now)
    )
    returned = {
        company.name(each.seat): each.chips for each in of(happened, events.DealVoided).returned
    }
    assert returned == {"S": 70, "B": 120, "D": 20}
    assert not every(happened, events.UnmatchedReturned)
