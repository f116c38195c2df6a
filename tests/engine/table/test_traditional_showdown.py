"""The end of hands and games of Traditional: ranks, penalties, Sudden Demise and both pots."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from engine.hand.traditional_ranking import rank
from engine.rulesets import Amounts, resolve
from engine.table.model import events
from engine.table.read.view_parts import TableView
from engine.tournament.model.events import TournamentFinished
from tests.engine.coordination.evening import Evening
from tests.engine.table.stacked import (
    HIGH,
    LOW,
    MIDDLE,
    called,
    floor,
    happened,
    opened,
    turn_seat,
    with_sabacc_pot,
)


def test_example_28_who_bombs_out_pays_the_main_pot_or_all_he_has() -> None:
    table = floor((100, 222, 67), ante={"main": 5, "sabacc": 2})
    opened(table, {1: HIGH, 2: ("SA14", "FL10"), 3: ("CO11", "X11a")})
    called(table, to=15)

    assert happened(table, events.PotsFormed)[0].pots[0].chips == 60
    assert [(p.seat, p.owed, p.paid) for p in happened(table, events.PenaltyPaid)] == [
        (2, 60, 60),
        (3, 60, 45),
    ]
    assert happened(table, events.PotAwarded)[0].shares == (events.Share(seat=1, chips=60),)
    assert table.table.sabacc_pot == 111
    assert table.stacks() == {1: 138, 2: 140}
    assert [bust.seat for bust in happened(table, events.HandSettled)[0].busts] == [3]


def test_example_29_penalties_are_paid_before_a_pure_sabacc_takes_both_pots() -> None:
    table = with_sabacc_pot(floor((100, 37), ante={"main": 1, "sabacc": 2}), 5)
    opened(table, {1: ("SA15", "FL08"), 2: ("SA14", "FL10")})
    called(table, to=19)

    assert happened(table, events.PotsFormed)[0].pots[0].chips == 40
    assert [(p.seat, p.paid) for p in happened(table, events.PenaltyPaid)] == [(2, 15)]
    assert happened(table, events.SabaccPotAwarded)[0].chips == 9 + 15
    assert table.stacks() == {1: 78 + 40 + 9 + 15}
    assert table.table.sabacc_pot == 0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (("X00a", "FL02", "CO03"), ("SA15", "FL08")),
        (("SA15", "FL08"), ("FL15", "SA07")),
        (("X15a", "X08a"), ("SA15", "FL07")),
        (("SA15", "FL07"), ("SA14", "CO07")),
        (("SA03", "X02a"), ("X14a", "X08a")),
        (("X14a", "X08a"), ("SA14", "FL10")),
        (("X14a", "X08a"), ("SA11", "X11a")),
        (("X14a", "X08a"), ("X00a", "X00b")),
        (("X14a", "X08a"), ("X17a", "X11a")),
    ],
)
def test_example_29_the_better_hand_takes_the_main_pot(
    better: Sequence[str], worse: Sequence[str]
) -> None:
    table = floor((100, 100))
    opened(table, {1: worse, 2: better[:2]}, better[2:])
    table.turn(2, "draw" if better[2:] else "stand")
    called(table, to=9)
    assert happened(table, events.PotAwarded)[0].shares == (events.Share(seat=2, chips=20),)
    assert happened(table, events.DemiseDealt) == []


def test_example_29_plus_and_minus_twenty_three_are_equal() -> None:
    plus, minus = rank(["SA15", "FL08"], "signed"), rank(["X15a", "X08a"], "signed")
    assert plus.key == minus.key
    table = floor((100, 100))
    opened(table, {1: ("SA15", "FL08"), 2: ("X15a", "X08a")}, ("X02a", "SA01"))
    called(table)
    # −15 − 8 − 2 and 15 + 8 + 1 both bomb out, so no tied seat may win.
    assert [d.bombed for d in happened(table, events.DemiseDealt)[0].dealt] == [True, True]
    assert happened(table, events.PotAwarded)[0].shares == ()
    assert happened(table, events.PenaltyPaid) == []


def test_absolute_totals_forget_the_sign() -> None:
    for compare, winner in (("signed", 2), ("absolute", 1)):
        table = floor((100, 100), compare=compare)
        opened(table, {1: ("X14a", "X08a"), 2: ("SA03", "X02a")})
        called(table)
        assert [s.seat for s in happened(table, events.PotAwarded)[0].shares] == [winner]


def test_example_30_sudden_demise_gives_each_tied_seat_a_card_and_leaves_the_sabacc_pot() -> None:
    table = floor((100, 100))
    opened(table, {1: ("SA14", "FL07"), 2: ("FL14", "SA07")}, ("SA02", "FL05"))
    called(table, to=9)

    (dealt,) = happened(table, events.DemiseDealt)
    assert [(each.seat, each.total, each.bombed) for each in dealt.dealt] == [
        (2, 23, False),
        (1, 26, True),
    ]
    assert happened(table, events.PotAwarded)[0].shares == (events.Share(seat=2, chips=20),)
    assert happened(table, events.PotAwarded)[0].rule == "traditional.demise"
    assert table.table.sabacc_pot == 2


def test_sudden_demise_is_repeated_among_those_still_equal() -> None:
    table = floor((100, 100, 100))
    hands = {1: ("SA10", "FL04"), 2: ("FL10", "SA04"), 3: ("CO10", "ST04")}
    opened(table, hands, ("SA01", "FL03", "CO03", "SA02", "FL05"))
    called(table)
    first, again = happened(table, events.DemiseDealt)
    assert [each.total for each in first.dealt] == [15, 17, 17]
    assert [(each.seat, each.total) for each in again.dealt] == [(3, 19), (1, 22)]
    assert [share.seat for share in happened(table, events.PotAwarded)[0].shares] == [1]


def test_if_all_tied_seats_bomb_out_in_sudden_demise_the_best_of_the_others_wins() -> None:
    table = floor((100, 100, 100))
    hands = {1: MIDDLE, 2: ("SA14", "FL08"), 3: ("FL14", "SA08")}
    opened(table, hands, ("SA05", "FL05"))
    called(table)
    assert [share.seat for share in happened(table, events.PotAwarded)[0].shares] == [1]
    assert happened(table, events.PenaltyPaid) == []


def test_the_cards_of_sudden_demise_count_for_every_further_layer() -> None:
    table = floor((12, 100, 100))
    hands = {1: ("SA14", "FL07"), 2: ("FL14", "SA07"), 3: ("SA10", "FL10")}
    opened(table, hands, ("X17a", "SA01"))
    called(table, to=30)
    main, side = happened(table, events.PotAwarded)
    # Seats 2 and 1 tie with 21. 21 − 17 is 4, so seat 3 wins the pot that seat 1 cannot win.
    assert (main.shares, side.shares) == (
        (events.Share(seat=1, chips=33),),
        (events.Share(seat=3, chips=40),),
    )


def test_if_everyone_bombs_out_the_main_pot_stays_for_the_next_hand() -> None:
    table = floor((100, 100))
    opened(table, {1: ("SA14", "FL10"), 2: ("FL14", "SA10")})
    called(table, to=9)
    (award,) = happened(table, events.PotAwarded)
    assert (award.shares, award.remainder, award.rule) == ((), 20, "traditional.nobody")
    assert table.table.carry == 20
    assert table.table.sabacc_pot == 2 + 20 + 20

    opened(table, {1: HIGH, 2: LOW})
    called(table)
    assert happened(table, events.PotAwarded)[-1].chips == 20 + 2


def test_a_layer_without_an_unbombed_hand_stays() -> None:
    table = floor((12, 100, 100))
    opened(table, {1: HIGH, 2: ("SA14", "FL10"), 3: ("FL14", "SA10")})
    called(table, to=30)
    main, side = happened(table, events.PotAwarded)
    assert main.shares == (events.Share(seat=1, chips=33),)
    assert (side.shares, side.remainder) == ((), 40)
    # Each bombed-out seat owes the sum of all layers.
    assert [(p.owed, p.paid) for p in happened(table, events.PenaltyPaid)] == [(73, 68), (73, 68)]


def test_only_the_winner_of_the_first_layer_can_take_the_sabacc_pot() -> None:
    table = floor((12, 100, 100))
    opened(table, {1: ("X00a", "SA02"), 2: ("SA15", "FL08"), 3: LOW}, ("FL03",))
    table.turn(2, "stand")
    table.turn(3, "stand")
    table.turn(1, "draw")
    while not table.table.idle:
        legal = {action.verb for action in table.view(turn_seat(table)).legal}
        if "call_hand" in legal:
            table.call_hand(turn_seat(table))
        elif "raise_to" in legal and "check" in legal and turn_seat(table) == 2:
            table.act(2, "raise_to", 30)
        else:
            table.act(turn_seat(table), "check" if "check" in legal else "call")
    main, side = happened(table, events.PotAwarded)
    assert ([s.seat for s in main.shares], [s.seat for s in side.shares]) == ([1], [2])
    assert happened(table, events.SabaccPotAwarded)[0].seat == 1


def test_winning_by_folds_shows_nothing_fines_nobody_and_leaves_the_sabacc_pot() -> None:
    table = floor((100, 100))
    opened(table, {1: ("SA14", "FL10"), 2: ("SA15", "FL08")})
    table.call_hand(2)
    table.act(2, "raise_to", 10)
    table.act(1, "fold")
    assert happened(table, events.HandsRanked) == []
    assert happened(table, events.PenaltyPaid) == []
    assert table.stacks() == {1: 98, 2: 100}
    assert table.table.sabacc_pot == 2


def test_who_cannot_pay_both_antes_is_out_if_the_house_wants_it_so() -> None:
    table = floor((100, 12), short_forced="out", ante={"main": 2, "sabacc": 3})
    opened(table, {1: HIGH, 2: LOW})
    called(table, to=4)
    (fine,) = happened(table, events.PenaltyPaid)
    assert (fine.seat, fine.cause, fine.paid, fine.stack) == (2, "short_of_antes", 3, 0)
    assert [bust.seat for bust in happened(table, events.HandSettled)[0].busts] == [2]
    assert table.table.sabacc_pot == 3 + 3 + 3
    assert table.table.chips() == 112


def at_random(dice: Random) -> Callable[[TableView], tuple[str, Any]]:
    """Return a player who draws, calls and bets by *dice*, and seldom folds."""

    def choose(view: TableView) -> tuple[str, Any]:
        legal = {action.verb: action for action in view.legal}
        if "call_hand" in legal and dice.random() < 0.5:
            return "call_hand", None
        if "draw" in legal:
            return dice.choice([("draw", "pile"), ("stand", None)])
        if "raise_to" in legal and dice.random() < 0.5:
            return "raise_to", legal["raise_to"].max
        return ("fold" if dice.random() < 0.2 else view.legal[1].verb), None

    return choose


def test_a_game_goes_on_until_at_most_one_seat_can_pay_both_antes() -> None:
    ends = Counter[str]()
    for seed in range(12):
        ruleset = resolve("traditional", {"pot_building_rounds": 0})
        evening = Evening(2 + seed % 4, ruleset, starting_stack=(3, 5, 9)[seed % 3])
        evening.play_as = at_random(Random(seed))
        evening.play()
        finished = evening.events[-1]
        assert isinstance(finished, TournamentFinished)
        ends[finished.rule] += 1
        able = [p for p in evening.table.places if p.stack >= ruleset.least_stack(Amounts(ante=1))]
        assert len(able) <= 1
        assert len(finished.placings) == 2 + seed % 4
    assert set(ends) == {"finish.last_entrant", "finish.too_few_stacks"}
