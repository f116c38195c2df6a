"""The example bots play legally, repeat their play from a seed, and win by knowing the odds."""

from typing import Any

import pytest

from bench.bots import by_mood, calm, compare, never_folding, seated, sharp, steady
from engine.rulesets import PRESETS
from service.sandbox.bots import spike
from service.sandbox.bots.betting import Stakes, Temper, bet
from service.sandbox.bots.card_turns import card_turn
from service.sandbox.bots.judgement import Dealt, SelectionRank, chance, draws
from service.sandbox.bots.practice import practised
from service.sandbox.bots.reading import Rival
from service.sandbox.bots.strengths import STYLES
from service.sandbox.bots.weighing import Weighing
from service.sandbox.selfplay.game import Game

PATIENT = Temper(boldness=0.0, patience=0.5)
NO_BLUFF = 0.99


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_game_is_played_with_legal_actions_only(name: str) -> None:
    """``Game`` raises every refusal of the table, and no chip is lost by the end."""
    game = Game(name, 1, seated(1, [steady, sharp, steady, sharp, sharp]))
    chips = game.table.chips()
    game.play()

    assert game.hands > 1
    assert game.table.chips() == chips


def test_the_same_view_gives_the_same_action() -> None:
    """A night can be repeated from its seed."""
    players = [steady, sharp, steady, sharp]
    stacks = [Game("cantina", 3, seated(3, players)).play() for _ in range(2)]

    assert stacks[0] == stacks[1]


@pytest.mark.slow
def test_who_knows_the_odds_takes_most_of_the_chips() -> None:
    assert compare("better_simple", steady, by_mood, games=16).chips > 0.6
    assert compare("cantina", steady, never_folding, games=8).chips > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spike", "traditional"])
def test_in_card_turns_too_who_knows_the_odds_takes_most_of_the_chips(name: str) -> None:
    assert compare(name, steady, never_folding, games=6).chips > 0.6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stronger", "weaker"),
    [
        ("better_simple", steady, calm),
        ("traditional", steady, calm),
        ("traditional", sharp, steady),
        ("halcyon_100", sharp, steady),
        ("spike", sharp, calm),
    ],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_the_stronger_bots_take_most_of_the_chips(name: str, stronger: Any, weaker: Any) -> None:
    """``python -m bench bots`` measures every strength against the next."""
    assert compare(name, stronger, weaker, games=8).chips > 0.55


def test_a_selection_keeps_what_new_cards_can_improve() -> None:
    """Without ``T+09`` the total is on the target, and new cards can still improve the suit."""
    cards = ("S+05", "C+01", "C-01", "Z1", "T+09")
    kept = Dealt(cards, 5, "circle", draws(cards, 0.5, 14)).selection()

    assert set(kept) == {"S+05", "C+01", "C-01", "Z1"}


def test_the_chance_grows_with_the_suit_and_falls_with_the_distance() -> None:
    assert (
        chance(SelectionRank(0, -4))
        > chance(SelectionRank(0, -2))
        > chance(SelectionRank(1, -2))
        > chance(SelectionRank(9, 0))
    )


def legal(due: int) -> dict[str, Any]:
    paying = {"call": {"verb": "call", "amount": due}} if due else {"check": {"verb": "check"}}
    return {
        "fold": {"verb": "fold"},
        **paying,
        "raise_to": {"verb": "raise_to", "min": due + 10, "max": 500},
    }


def stakes(*, pot: int, due: int, opponents: int = 1) -> Stakes:
    return Stakes(pot=pot, due=due, current_bet=due, opponents=opponents)


def test_a_bad_hand_is_folded_to_a_big_bet() -> None:
    action = bet(legal(200), stakes(pot=250, due=200), 0.3, PATIENT, NO_BLUFF)

    assert action == {"type": "fold"}


def test_a_bad_hand_is_not_folded_when_checking_is_free() -> None:
    assert bet(legal(0), stakes(pot=20, due=0), 0.1, PATIENT, NO_BLUFF) == {"type": "check"}


def test_a_good_hand_is_raised() -> None:
    action = bet(legal(10), stakes(pot=40, due=10), 0.97, PATIENT, NO_BLUFF)

    assert action["type"] == "raise_to"
    assert 20 <= action["amount"] <= 500


def test_now_and_then_a_bad_hand_is_raised_too() -> None:
    """A player who never bluffs never gets paid for a good hand."""
    bold = Temper(boldness=1.0, patience=0.0)

    assert bet(legal(0), stakes(pot=20, due=0), 0.1, bold, 0.01)["type"] == "raise_to"


def turn(cards: list[str], **rounds: Any) -> dict[str, Any]:
    stand = {"verb": "stand", "source": None, "cards": None, "amount": None}
    draw = {"verb": "draw", "source": "pile", "cards": None, "amount": None}
    trade = {"verb": "trade", "source": "pile", "cards": cards, "amount": None}
    return {
        "me": {"seat": 1, "cards": cards},
        "seats": [{"seat": 1, "field": []}],
        "rounds": {"round": 1, "discard_top": None, "market": []} | rounds,
        "pots": [{"chips": 10}],
        "legal": [stand, draw, trade],
    }


def test_a_high_total_stands_and_a_low_one_draws() -> None:
    assert card_turn(turn(["SA15", "FL07"]))["type"] == "stand"
    assert card_turn(turn(["SA05", "FL04"]))["type"] == "draw"


def test_a_card_that_ruins_the_total_is_traded_away() -> None:
    action = card_turn(turn(["SA15", "X17a"]))

    assert (action["type"], action["card"]) == ("trade", "X17a")


def test_a_card_off_the_target_is_worth_less_where_the_target_is_easily_met() -> None:
    """Kept sets with a total of 0 are many, those with a total of 10 few."""
    assert practised(0).chance(SelectionRank(1, -2)) < practised(10).chance(SelectionRank(1, -2))
    assert practised(0).chance(SelectionRank(0, 0)) < practised(10).chance(SelectionRank(0, 0))


def test_a_player_who_kept_all_cards_is_feared_more_than_one_who_kept_none() -> None:
    def mean(kept: int) -> float:
        known = practised(5)
        return sum(each.weight * known.chance(each.after) for each in known.others(kept))

    assert mean(0) < mean(3) < mean(5)
    assert sum(each.weight for each in practised(5).others(2)) == pytest.approx(1)


def test_against_more_opponents_the_chance_falls() -> None:
    known = practised(-5)

    assert known.prospect(0, 1, 2, rivals=3) < known.prospect(0, 1, 2, rivals=1)


def weighing(mine: SelectionRank, *others: SelectionRank, due: int) -> Weighing:
    rivals = [
        Rival(put_in=due, stack=400, hands=((1.0, practised(5).chance(each), each),))
        for each in others
    ]
    pot = stakes(pot=60 + due * len(others), due=due, opponents=len(others))
    return Weighing(stakes=pot, put_in=0, rivals=rivals, mine={mine: 1.0})


GOOD, FAIR, POOR = SelectionRank(0, -4), SelectionRank(0, -2), SelectionRank(3, 0)


@pytest.mark.parametrize("mood", [0.0, 0.99])
def test_a_sharp_player_folds_what_cannot_win_and_pays_for_what_wins(mood: float) -> None:
    assert weighing(POOR, GOOD, due=50).action(legal(50), mood) == {"type": "fold"}
    assert weighing(GOOD, FAIR, due=50).action(legal(50), mood)["type"] != "fold"
    # One of the two is better, so the pot is lost.
    assert weighing(FAIR, POOR, GOOD, due=50).action(legal(50), mood) == {"type": "fold"}


def test_a_sharp_player_bluffs_against_a_hand_that_folds() -> None:
    weighed = weighing(POOR, SelectionRank(1, -1), due=0)

    assert weighed.action(legal(0), 0.0)["type"] == "raise_to"


def test_a_free_place_in_the_hand_is_never_given_up() -> None:
    free = {"fold": {"verb": "fold"}, "stay": {"verb": "stay", "amount": 0}}

    for mood in (0.0, 0.5, 0.99):
        assert weighing(POOR, GOOD, due=0).action(free, mood) == {"type": "stay"}


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        ((0, 0), "pure"), ((-10, -10, 0, 10, 10), "full"), ((-4, -4, 0, 4, 4), "fleet"),
        ((-4, 0, 4), "yee-haa"), ((-3, -3, 2, 2, 2), "rhylet"), ((-4, -4, 4, 4), "squadron"),
        ((-4, -1, 2, 3), "run"), ((-5, -2, 2, 5), "two pairs"), ((-6, 2, 2, 2), "three"),
        ((-7, 7), "pair"), ((-9, 4, 5), "zero"), ((-9, 8), "-1"), ((-8, 10), "2"),
    ],
)  # fmt: skip
def test_the_sharp_player_knows_the_names_of_hands(hand: spike.Hand, name: str) -> None:
    assert spike.name_of(hand) == name


def test_with_turns_to_come_a_hand_is_worth_more() -> None:
    far = (8, 9)
    outlooks = [spike.outlook(far, turns) for turns in (0, 1, 2)]

    assert outlooks == sorted(set(outlooks))
    assert spike.outlook((0, 0), 2) == spike.chance((0, 0))


def test_a_sharp_player_of_spike_takes_the_open_card_that_makes_a_pair_at_zero() -> None:
    stand = {"verb": "stand", "source": None, "cards": None, "amount": None}
    swap = {"verb": "swap", "cards": ["C+07", "T-03"], "amount": None}
    view = turn(["C+07", "T-03"], discard_top="S-07") | {
        "legal": [stand, swap | {"source": "pile"}, swap | {"source": "discards"}],
    }

    assert card_turn(view, STYLES["sharp"]) == {
        "type": "swap",
        "source": "discards",
        "card": "T-03",
    }
