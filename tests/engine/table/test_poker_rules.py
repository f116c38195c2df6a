"""The tournament rules of poker on blinds and pots, row by row."""

from typing import Any

import pytest

from engine.rulesets import resolve
from engine.table.model import commands, errors, events
from engine.table.model.commands import Arrival
from tests.engine.table.hands import Company, bare, every, of
from tests.engine.table.tables import entrant

TO_LAST_RAISE = {"kind": "poker_nl", "min_raise": "last_raise", "min_open": "big_blind"}


def with_blinds(small: int, big: int, **overrides: Any) -> Any:
    return bare(
        forced={"kind": "blinds", "small": small, "big": big},
        first_actor=["left_of_big_blind", "left_of_button"],
        betting=TO_LAST_RAISE,
        **overrides,
    )


def next_seats(
    seats: range, gone: tuple[int, ...], *, hands: int = 1, headsup: str = "dealer_small_blind"
) -> list[tuple[int, int | None, int | None, set[str]]]:
    """Return button, blind seats and the forced bets after a hand with the button at seat 1."""
    ruleset = with_blinds(50, 100, button="dead", headsup=headsup)
    company = Company(
        ruleset,
        dict.fromkeys("BCDEFGA"[: len(seats) - 1] + "A", 1000),
        seats=dict(zip("BCDEFG"[: len(seats) - 1] + "A", (*seats[1:], seats[0]), strict=True)),
    )
    opened = of(company.fold_round(), events.HandOpened)
    assert (opened.button, opened.small_blind, opened.big_blind) == (1, 2, 3)
    leaving = tuple(entrant(seat) for seat in gone)
    company.floor.do(commands.VacateSeats(departures=leaving, now=company.floor.now))
    seen = []
    for _ in range(hands):
        happened = company.fold_round()
        opened = of(happened, events.HandOpened)
        posts = of(happened, events.ForcedBetsPosted).posts
        kinds = {post.kind for post in posts}
        seen.append((opened.button, opened.small_blind, opened.big_blind, kinds))
    return seen


BOTH = {"small_blind", "big_blind"}


def test_a01_after_the_big_blind_busts_nobody_posts_the_small_one_and_the_button_may_be_empty() -> (
    None
):
    seen = next_seats(range(1, 7), (3,), hands=3)
    assert seen == [(2, 3, 4, {"big_blind"}), (3, 4, 5, BOTH), (4, 5, 6, BOTH)]


def test_a02_after_the_small_blind_busts_the_button_is_on_the_empty_seat() -> None:
    assert next_seats(range(1, 7), (2,)) == [(2, 3, 4, BOTH)]


def test_a03_after_both_blinds_bust_there_is_neither_small_blind_nor_dealer() -> None:
    assert next_seats(range(1, 7), (2, 3)) == [(2, 3, 4, {"big_blind"})]


@pytest.mark.parametrize(
    ("gone", "hands"),
    [(2, [(3, 3, 1, BOTH), (1, 1, 3, BOTH)]), (3, [(2, 2, 1, BOTH), (1, 1, 2, BOTH)])],
)
def test_a05_nobody_posts_the_big_blind_twice_running_when_two_are_left(
    gone: int, hands: list[Any]
) -> None:
    assert next_seats(range(1, 4), (gone,), hands=2) == hands


def test_a05_with_literal_seats_the_dealer_of_two_is_the_big_blind() -> None:
    seen = next_seats(range(1, 4), (2,), hands=2, headsup="literal")
    assert seen == [(1, 3, 1, BOTH), (3, 1, 3, BOTH)]


def test_a_dead_button_is_cleared_of_the_blinds_when_two_become_three() -> None:
    ruleset = with_blinds(50, 100, button="dead", headsup="dealer_small_blind")
    company = Company(ruleset, {"B": 1000, "A": 1000}, seats={"A": 1, "B": 5})
    opened = of(company.fold_round(), events.HandOpened)
    assert (opened.button, opened.small_blind, opened.big_blind) == (1, 1, 5)
    arrival = Arrival(seat=3, entrant=entrant(3), stack=1000)
    company.floor.do(commands.SeatArrivals(arrivals=(arrival,), now=company.floor.now))
    opened = of(company.fold_round(), events.HandOpened)
    assert (opened.button, opened.small_blind, opened.big_blind) == (3, 5, 1)


def test_a06_with_a_dead_button_a_newcomer_may_be_the_big_blind_but_waits_before_the_small() -> (
    None
):
    ruleset = with_blinds(50, 100, button="dead")
    company = Company(
        ruleset, dict.fromkeys("CEA", 1000), seats={"A": 1, "C": 3, "E": 6}, seat_count=8
    )
    company.fold_round()
    for seat in (4, 8):
        arrival = Arrival(seat=seat, entrant=entrant(seat), stack=1000)
        company.floor.do(commands.SeatArrivals(arrivals=(arrival,), now=company.floor.now))
    opened = of(company.fold_round(), events.HandOpened)
    assert (opened.button, opened.small_blind, opened.big_blind) == (3, 6, 8)
    assert [books.seat for books in opened.seats if books.waiting] == [4]
    opened = of(company.fold_round(), events.HandOpened)
    assert (opened.button, opened.small_blind, opened.big_blind) == (6, 8, 1)
    assert not any(books.waiting for books in opened.seats)


def test_a04_heads_up_with_the_dealer_small_the_button_acts_first_and_then_last() -> None:
    ruleset = with_blinds(50, 100, headsup="dealer_small_blind")
    company = Company(ruleset, {"A": 1000, "D": 1000}, "A D")
    opened = of(company.deal(), events.HandOpened)
    assert (opened.small_blind, opened.big_blind) == (company.seats["D"], company.seats["A"])
    assert company.turn() == "D"
    assert company.legal("D")["call"].amount == 50
    company.bets("D call", "A check")
    company.improve()
    assert company.turn() == "A"


def test_a06_a_newcomer_is_dealt_in_at_once_except_between_button_and_small_blind() -> None:
    company = Company(
        with_blinds(1, 2), {"C": 100, "E": 100, "A": 100}, seats={"A": 1, "C": 3, "E": 5}
    )
    company.fold_round()
    for seat in (4, 6):
        arrival = Arrival(seat=seat, entrant=entrant(seat), stack=100)
        company.floor.do(commands.SeatArrivals(arrivals=(arrival,), now=company.floor.now))
    opened = of(company.floor.open_hand(), events.HandOpened)
    assert (opened.button, opened.small_blind, opened.big_blind) == (3, 5, 6)
    assert [books.seat for books in opened.seats if books.waiting] == [4]
    assert [books.seat for books in opened.seats if books.dealt] == [1, 3, 5, 6]


def test_a08_a_short_big_blind_lowers_neither_the_price_nor_the_raise() -> None:
    company = Company(with_blinds(15, 30), {"S": 500, "B": 20, "D": 500}, "B S D")
    company.deal()
    legal = company.legal("D")
    assert (legal["call"].amount, legal["raise_to"].min) == (30, 60)
    company.bets("D call", "S call")
    assert company.pots(company.check_down())[0] == (60, "SBD")


def test_a09_a_short_small_blind_contests_only_its_layer() -> None:
    company = Company(with_blinds(150, 300), {"S": 50, "B": 900, "D": 900}, "S B D")
    company.deal()
    company.bets("D call", "B check")
    assert company.pots(company.check_down()) == [(150, "SBD"), (500, "BD")]


def test_a10_a_short_ante_is_all_in_for_the_layer_of_the_ante() -> None:
    ruleset = bare(forced={"kind": "ante", "amount": 20})
    company = Company(ruleset, {"A": 10, **dict.fromkeys("BCDEFGHI", 500)}, "A B C D E F G H I")
    company.deal()
    company.bets(*(f"{name} check" for name in "BCDEFGHI"))
    pots = company.pots(company.check_down())
    assert [chips for chips, _ in pots] == [90, 80]
    assert pots[1][1] == "BCDEFGHI"


@pytest.mark.parametrize(
    ("stack", "posted"), [(900, [200, 200]), (250, [200, 50]), (150, [150, 0])]
)
def test_a11_the_big_blind_covers_the_blind_before_the_ante_of_the_table(
    stack: int, posted: list[int]
) -> None:
    ruleset = bare(
        forced={"kind": "blinds", "small": 100, "big": 200, "table_ante": 200},
        first_actor=["left_of_big_blind", "left_of_button"],
        betting=TO_LAST_RAISE,
    )
    company = Company(ruleset, {"S": 900, "B": stack, "D": 900}, "S B D")
    happened = company.deal()
    posts = of(happened, events.ForcedBetsPosted).posts
    mine = [post.chips for post in posts if company.name(post.seat) == "B"]
    assert mine == posted
    assert company.legal("D")["call"].amount == 200
    happened = company.bets("D fold", "S fold") if stack > 400 else company.bets("D fold", "S call")
    if stack == 900:
        # The ante is dead money. It is won, and no part of it comes back as an uncalled bet.
        assert of(happened, events.UnmatchedReturned).chips == 100
        assert company.won(happened) == {"B": 400}
    else:
        happened += company.improve()
        assert company.pots(happened)[0] == (2 * posted[0] + posted[1], "SB")
    assert sum(company.stacks().values()) == 1800 + stack


def test_the_price_of_a_short_big_blind_is_a_switch() -> None:
    company = Company(
        with_blinds(15, 30, short_blind="as_posted"), {"S": 500, "B": 20, "D": 500}, "B S D"
    )
    company.deal()
    assert company.legal("D")["call"].amount == 20


def test_a12_an_ante_is_not_reduced_when_players_go() -> None:
    company = Company(bare(forced={"kind": "ante", "amount": 20}), dict.fromkeys("ABCDEFGHI", 500))
    antes = []
    for _ in range(2):
        happened = company.fold_round()
        antes.append({post.chips for post in of(happened, events.ForcedBetsPosted).posts})
        gone = tuple(entrant(seat) for seat in (4, 5, 6, 7, 8, 9) if seat in company.floor.stacks())
        if gone:
            company.floor.do(commands.VacateSeats(departures=gone, now=company.floor.now))
    assert antes == [{20}, {20}]


def test_a13_an_absent_player_posts_and_the_hand_is_dead() -> None:
    company = Company(with_blinds(100, 200), {"S": 900, "B": 160, "D": 900}, "S D")
    company.floor.do(commands.StepAway(entrant=company.entrant("B")))
    happened = company.floor.open_hand()
    posts = {post.kind: post.chips for post in of(happened, events.ForcedBetsPosted).posts}
    assert posts == {"small_blind": 100, "big_blind": 160}
    killed = of(happened, events.HandKilled)
    assert (company.name(killed.seat), killed.rule) == ("B", "absence.killed")
    company.select()
    company.bets("D call", "S call")
    happened = company.check_down()
    assert company.pots(happened) == [(560, "SD")]
    settled = of(happened, events.HandSettled)
    assert [company.name(bust.seat) for bust in settled.busts] == ["B"]


def test_a13_a_penalty_is_served_hand_by_hand() -> None:
    company = Company(with_blinds(1, 2), dict.fromkeys("SBD", 100))
    seat = company.seats["S"]
    happened = company.fold_round(penalties=(commands.Penalty(seat=seat, hands=2),))
    assert of(happened, events.HandKilled).cause == "penalty"
    assert of(company.fold_round(), events.HandKilled).seat == seat
    assert not every(company.fold_round(), events.HandKilled)


def test_d01_the_uncalled_part_goes_back_before_pots_are_built() -> None:
    company = Company(bare(), {"A": 7325, "B": 560, "C": 900}, "B A")
    company.deal()
    happened = company.bets("A 7325", "B call", "C fold") + company.improve()
    kinds = [type(event) for event in happened]
    assert kinds.index(events.UnmatchedReturned) < kinds.index(events.PotsFormed)
    assert of(happened, events.UnmatchedReturned).chips == 6765


def test_d02_distinct_all_ins_make_layers() -> None:
    company = Company(bare(), {"C": 300, "A": 50, "B": 120}, "A B C")
    company.deal()
    happened = company.bets("C 300", "A call", "B call") + company.improve()
    assert of(happened, events.UnmatchedReturned).chips == 180
    assert company.pots(happened) == [(150, "CAB"), (140, "CB")]


def test_d03_folded_chips_stay_and_make_nobody_eligible() -> None:
    company = Company(bare(), {"D": 900, "A": 100, "B": 250, "C": 900}, "A B C")
    company.deal()
    happened = company.bets("D 400", "A call", "B call", "C 600", "D fold") + company.improve()
    assert of(happened, events.UnmatchedReturned).chips == 200
    assert company.pots(happened) == [(400, "ABC"), (450, "BC"), (300, "C")]


def test_d04_four_stacks_with_antes_make_three_pots() -> None:
    ruleset = bare(forced={"kind": "ante", "amount": 10})
    stacks = {"A": 1185, "B": 245, "C": 500, "D": 1235, "E": 945}
    company = Company(ruleset, stacks, "B E A D")
    company.deal()
    happened = company.bets("A check", "B check", "C check", "D 1225")
    happened = company.bets("E call", "A call", "B call", "C fold") + company.improve()
    assert of(happened, events.UnmatchedReturned).chips == 50
    assert [chips for chips, _ in company.pots(happened)] == [990, 2100, 480]


def test_d05_each_pot_is_split_on_its_own_the_main_pot_first() -> None:
    company = Company(bare(), {"A": 20, "B": 50, "C": 50}, "A BC")
    company.deal()
    happened = company.bets("A 20", "B 50", "C call") + company.improve()
    awards = every(happened, events.PotAwarded)
    assert [(award.pot, award.chips, len(award.shares)) for award in awards] == [
        (1, 60, 1),
        (2, 60, 2),
    ]


def test_d06_the_odd_chip_goes_to_the_first_winner_left_of_the_button() -> None:
    company = Company(
        bare(odd_chip="seat_order"),
        dict.fromkeys("GHC", 7000),
        "GH",
        seats={"C": 3, "G": 7, "H": 8},
    )
    company.deal()
    company.bets("G check", "H check", "C 1", "G 6644", "H call", "C fold")
    assert company.won(company.check_down()) == {"G": 6645, "H": 6644}


def test_d06_three_winners_take_odd_chips_one_each_from_the_button_on() -> None:
    company = Company(
        bare(odd_chip="seat_order"),
        dict.fromkeys("EHIB", 100),
        "BEH",
        seats={"B": 2, "E": 5, "H": 8, "I": 9},
    )
    company.fold_round()
    assert of(company.deal(), events.HandOpened).button == 5
    company.bets("H check", "I 2", "B call", "E call", "H call")
    company.improve()
    happened = company.bets("H 31", "I fold", "B call", "E call")
    award = of(happened, events.PotAwarded)
    assert award.chips == 101
    assert [(share.seat, share.chips) for share in award.shares] == [(8, 34), (2, 34), (5, 33)]


def test_d07_an_amount_that_is_no_multiple_of_the_unit_is_refused() -> None:
    company = Company(resolve("better", {"first_dealer": "host_choice"}), dict.fromkeys("SBD", 450))
    company.deal()
    with pytest.raises(errors.AmountNotInUnits) as refused:
        company.bets("D 18")
    assert refused.value.rule == "betting.units"


def test_d10_hands_are_shown_by_all_clockwise_from_the_button() -> None:
    company = Company(bare(), dict.fromkeys("ABC", 100), "B A C")
    company.deal()
    company.bets("A check", "B check", "C check")
    shown = of(company.check_down(), events.HandsRevealed).hands
    assert [company.name(hand.seat) for hand in shown] == ["A", "B", "C"]


def test_d11_no_chip_appears_or_goes_while_a_hand_is_played() -> None:
    company = Company(bare(), {"A": 20, "B": 50, "C": 80}, "A C B")
    total = company.floor.table.chips()
    company.deal()
    for action in ("A 20", "B 50", "C call"):
        company.bets(action)
        assert company.floor.table.chips() == total
    company.improve()
    assert company.floor.table.chips() == total
