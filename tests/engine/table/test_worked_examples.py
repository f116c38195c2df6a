"""The rulebook's worked examples, played at a table if they have cards or chips."""

from typing import Any

import pytest

from engine.kit.cards import DECKS, OF_SUIT, VALUES, deck
from engine.kit.rng import openings_digest, shuffled_pile
from engine.rulesets import preset, resolve
from engine.rulesets.errors import RulesetInvalid
from engine.table.model import errors, events
from engine.table.model.commands import VacateSeats
from tests.engine.table.hands import Company, bare, every, of
from tests.engine.table.tables import Floor, add_nothing, entrant, keep_all, seeds


def revealed(happened: Any) -> dict[int, tuple[int, int]]:
    """Return distance and suit count by seat."""
    hands = of(happened, events.HandsRevealed).hands
    return {hand.seat: (hand.distance, hand.suit_count) for hand in hands}


def shown_down(target: tuple[int, Any], kept: dict[int, tuple[str, ...]]) -> Any:
    """Play a hand in which every seat keeps these cards and does not bet."""
    floor = Floor(bare(), [100] * len(kept))
    floor.target = target
    unused = (card for card in reversed(deck("d62")) if all(card not in c for c in kept.values()))
    for seat, cards in kept.items():
        missing = 5 - len(cards)
        floor.script[seat, "hand"] = (*cards, *(next(unused) for _ in range(missing)))
        floor.script[seat, "new"] = tuple(next(unused) for _ in range(missing))
    floor.open_hand()
    for seat, cards in kept.items():
        floor.select(seat, *cards)
    happened: tuple[events.Event, ...] = ()
    while floor.table.decision is not None:
        if floor.table.decision.phase == "improve":
            floor.everyone_improves(add_nothing)
        else:
            happened = floor.act(floor.table.decision.seats[0], "check")
    return happened


def test_example_01_both_decks_have_the_counts_and_sums_of_the_rulebook() -> None:
    assert len(DECKS["d62"]) == len(set(DECKS["d62"])) == 62
    assert sum(VALUES[card] for card in DECKS["d62"]) == 0
    for suit in ("circle", "triangle", "square"):
        suited = [card for card in DECKS["d62"] if not card.startswith("Z")]
        assert sum(card in OF_SUIT[suit] for card in suited) == 20
    assert len(DECKS["d76"]) == len(set(DECKS["d76"])) == 76
    assert sum(card.startswith("X") for card in DECKS["d76"]) == 16
    assert sum(VALUES[card] for card in DECKS["d76"]) == 320


def bob_and_jane(**betting: str) -> Company:
    """Return Bob as the small blind, and Jane as dealer and big blind."""
    ruleset = resolve("better", {"first_dealer": "host_choice", "betting": betting})
    company = Company(ruleset, {"B": 450, "J": 450})
    company.floor.target = (-5, "circle")
    company.floor.script = {
        (2, "hand"): ("S-08", "C-04", "C+02", "T+05", "Z1"),
        (1, "hand"): ("C-05", "S+09", "T-10", "S+01", "T+09"),
        (1, "new"): ("C-03", "T-02", "C+05", "Z2"),
    }
    company.floor.open_hand()
    company.floor.select(2, "S-08", "C-04", "C+02", "T+05", "Z1")
    company.floor.select(1, "C-05")
    assert of(company.bets("B call", "J check"), events.StreetClosed).chips == 20
    company.floor.improve(2)
    company.floor.improve(1, "C-03", "T-02", "C+05", "Z2")
    company.bets("B 15")
    return company


def test_example_02_jane_beats_bob_by_the_suit_and_wins_sixty() -> None:
    company = bob_and_jane()
    company.bets("J 20")
    happened = company.bets("B call")
    assert revealed(happened) == {2: (0, 3), 1: (0, 4)}
    assert of(happened, events.PotAwarded).chips == 60
    assert company.stacks() == {"B": 420, "J": 480}


def test_example_02_under_the_last_raise_rule_jane_must_make_it_thirty() -> None:
    company = bob_and_jane(min_raise="last_raise")
    assert company.legal("J")["raise_to"].min == 30
    with pytest.raises(errors.BetTooSmall) as refused:
        company.bets("J 20")
    assert (refused.value.rule, refused.value.facts["minimum"]) == ("betting.last_raise", 30)


def test_example_03_opposite_signs_tie() -> None:
    happened = shown_down((0, "circle"), {1: ("S+02",), 2: ("T-02",)})
    assert revealed(happened) == {1: (2, 0), 2: (2, 0)}
    award = of(happened, events.PotAwarded)
    assert (sorted(share.seat for share in award.shares), award.rule) == ([1, 2], "ties.split")


def test_example_04_a_sylop_counts_for_the_target_suit() -> None:
    kept = {1: ("T+04", "C+06"), 2: ("S+10", "Z1"), 3: ("T+10", "Z2")}
    happened = shown_down((10, "triangle"), kept)
    assert revealed(happened) == {1: (0, 1), 2: (0, 1), 3: (0, 2)}
    assert [share.seat for share in of(happened, events.PotAwarded).shares] == [3]


@pytest.mark.parametrize("target", [0, 10, -5])
def test_example_05_an_empty_final_selection_is_refused_whatever_the_target(target: int) -> None:
    floor = Floor(bare(), (100, 100))
    floor.target = (target, "circle")
    floor.open_hand()
    floor.everyone_selects(add_nothing)
    while floor.table.decision is not None and floor.table.decision.phase == "bet":
        floor.act(floor.table.decision.seats[0], "check")
    with pytest.raises(errors.SelectionTooSmall) as refused:
        floor.improve(1)
    assert refused.value.rule == "selection.improve"
    with pytest.raises(RulesetInvalid):
        resolve("better", {"final_selection_min": 0})


def test_example_06_three_all_in_form_two_pots() -> None:
    company = Company(bare(), {"A": 20, "B": 50, "C": 80}, "A C B")
    company.deal()
    happened = company.bets("A 20", "B 50", "C call") + company.improve()
    assert company.pots(happened) == [(60, "ABC"), (60, "BC")]
    assert company.won(happened) == {"A": 60, "C": 60}


@pytest.mark.parametrize(("ranking", "won"), [("A B C", {"A": 60, "B": 20}), ("B A C", {"B": 80})])
def test_example_07_twenty_against_thirty(ranking: str, won: dict[str, int]) -> None:
    company = Company(bare(), {"A": 20, "B": 30, "C": 30}, ranking)
    company.deal()
    happened = company.bets("A 20", "B 30", "C call") + company.improve()
    assert company.pots(happened) == [(60, "ABC"), (20, "BC")]
    assert company.won(happened) == won


def test_example_08_fold_two_all_ins_an_unmatched_bet_and_a_tie() -> None:
    company = Company(bare(), {"B": 25, "C": 60, "D": 100, "A": 100}, "BC D")
    company.deal()
    happened = company.bets("B check", "C check", "D check", "A 10")
    happened = company.bets("B 25", "C 60", "D 100", "A fold") + company.improve()
    returned = of(happened, events.UnmatchedReturned)
    assert (company.name(returned.seat), returned.chips) == ("D", 40)
    assert company.pots(happened) == [(85, "BCD"), (70, "CD")]
    assert company.stacks() == {"A": 90, "B": 42, "C": 112, "D": 40}
    assert company.carry == 1


def test_example_09_odd_chips_are_carried_and_join_the_next_main_pot() -> None:
    company = Company(bare(), {"A": 100, "B": 100, "D": 100}, "AB")
    company.deal()
    company.bets("A 5", "B call", "D call")
    company.improve()
    happened = company.bets("A 5", "B call", "D fold")
    award = of(happened, events.PotAwarded)
    assert (award.chips, company.won(happened), award.remainder) == (25, {"A": 12, "B": 12}, 1)
    assert company.carry == 1
    company.rank("A B")
    company.deal()
    company.bets("B check", "D check", "A 20", "B call", "D fold")
    happened = company.check_down()
    assert company.pots(happened) == [(41, "AB")]
    assert company.won(happened) == {"A": 41}


@pytest.mark.parametrize(
    ("unit", "bet", "dead", "players", "each", "rest"),
    [(5, 40, 5, "AB", 40, 5), (1, 32, 4, "ABC", 33, 1)],
)
def test_example_09_shares_are_whole_units(
    unit: int, bet: int, dead: int, players: str, each: int, rest: int
) -> None:
    stacks = dict.fromkeys((*players, "D"), 100)
    company = Company(bare(chip_unit=unit), stacks, players)
    company.deal()
    calls = [f"{name} call" for name in (*players[1:], "D")]
    company.bets(f"A {dead}", *calls)
    company.improve()
    happened = company.bets(f"A {bet - dead}", *(f"{name} call" for name in players[1:]), "D fold")
    assert company.won(happened) == dict.fromkeys(players, each)
    assert company.carry == rest


def test_example_10_odd_chips_in_seat_order_begin_left_of_the_button() -> None:
    company = Company(bare(odd_chip="seat_order"), dict.fromkeys("BCDA", 100), "ABC")
    company.deal()
    company.bets("B 2", "C call", "D call", "A call")
    company.improve()
    happened = company.bets("B 1", "C call", "D fold", "A call")
    award = of(happened, events.PotAwarded)
    assert award.chips == 11
    shares = [(company.name(share.seat), share.chips) for share in award.shares]
    assert shares == [("B", 4), ("C", 4), ("A", 3)]
    assert company.carry == 0


@pytest.mark.parametrize(
    ("dead", "short", "long", "pots", "won"),
    [
        (10, 10, 30, [(40, "ABC"), (40, "BC")], {"A": 13, "B": 33, "C": 33}),
        (4, 7, 18, [(25, "ABC"), (22, "BC")], {"A": 8, "B": 19, "C": 19}),
    ],
    ids=["example 11", "example 12"],
)
def test_examples_11_and_12_a_tie_over_two_pots_splits_each(
    dead: int, short: int, long: int, pots: list[tuple[int, str]], won: dict[str, int]
) -> None:
    company = Company(bare(), {"A": short, "B": long, "C": long, "D": 100}, "ABC")
    company.deal()
    happened = company.bets("A check", "B check", "C check", f"D {dead}")
    if short == dead:
        happened = company.bets("A call", f"B {long}", "C call", "D fold")
    else:
        happened = company.bets(f"A {short}", f"B {long}", "C call", "D fold")
    happened += company.improve()
    assert company.pots(happened) == pots
    assert company.won(happened) == won
    assert company.carry == 1


def fold_round(floor: Floor) -> None:
    """Play a hand in which everybody folds to the last player."""
    floor.open_hand()
    floor.everyone_selects(keep_all)
    while not floor.table.idle:
        assert floor.table.decision is not None
        floor.act(floor.table.decision.seats[0], "fold")


@pytest.mark.parametrize(
    ("players", "antes"),
    [
        (2, [2, 7, 12, 17, 22, 27]),
        (3, [2, 5, 8, 11, 14, 17]),
        (4, [2, 4, 6, 8, 10, 12]),
        (5, [2, 3, 4, 5, 6, 7]),
        (6, [2, 3, 4, 5, 6, 7]),
    ],
)
def test_example_13_the_cantina_ante_grows_by_the_number_of_players(
    players: int, antes: list[int]
) -> None:
    floor = Floor("cantina", [1000] * players)
    assert [_ante(floor) for _ in antes] == antes


def test_example_13_the_step_goes_by_who_is_left_when_it_is_made() -> None:
    floor = Floor("cantina", [1000] * 5)
    seen = []
    for players in (5, 5, 4, 4, 3, 2, 2):
        leaving = tuple(entrant(seat) for seat in sorted(floor.stacks())[players:])
        if leaving:
            floor.do(VacateSeats(departures=leaving, now=floor.now))
        seen.append(_ante(floor))
    assert seen == [2, 3, 5, 7, 10, 15, 20]


def _ante(floor: Floor) -> int:
    fold_round(floor)
    assert floor.table.level is not None
    return floor.table.level.amounts.ante


def test_example_14_blinds_double_by_the_orbit() -> None:
    floor = Floor("better_simple", [1000] * 4, seat_count=4)
    seen = []
    for _ in range(12):
        fold_round(floor)
        assert floor.table.level is not None
        amounts = floor.table.level.amounts
        seen.append((amounts.small, amounts.big))
    assert seen == [(1, 2)] * 4 + [(2, 4)] * 4 + [(4, 8)] * 4


def test_example_14_the_orbit_goes_by_the_seat_of_a_first_dealer_who_is_out() -> None:
    ruleset = resolve("better_simple", {"first_dealer": "host_choice"})
    floor = Floor(ruleset, [1000] * 4, seat_count=4)
    levels, dealers = [], []
    for hand in range(8):
        fold_round(floor)
        levels.append(floor.table.level_number - 1)
        dealers.append(floor.table.button)
        if hand == 3:
            floor.do(VacateSeats(departures=(entrant(1),), now=floor.now))
    assert dealers == [1, 2, 3, 4, 2, 3, 4, 2]
    assert levels == [0, 0, 0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize(
    ("order", "small", "big", "first", "second"),
    [("BA", "B", "A", "B", "B"), ("BCA", "B", "C", "A", "B"), ("DEABC", "D", "E", "A", "D")],
    ids=["heads-up", "three", "five"],
)
def test_example_15_blinds_and_first_actors(
    order: str, small: str, big: str, first: str, second: str
) -> None:
    ruleset = resolve("better_simple", {"first_dealer": "host_choice"})
    company = Company(ruleset, dict.fromkeys(order, 100), order[0])
    opened = of(company.deal(), events.HandOpened)
    assert opened.small_blind == company.seats[small]
    assert opened.big_blind == company.seats[big]
    assert company.turn() == first
    while company.floor.table.decision is not None:
        decision = company.floor.table.decision
        if decision.phase != "bet":
            break
        name = company.turn()
        company.bets(f"{name} {'call' if 'call' in company.legal(name) else 'check'}")
    company.improve()
    assert company.turn() == second


def test_example_16_short_all_ins_reopen_the_betting_when_they_add_up() -> None:
    rules = {"kind": "poker_nl", "min_raise": "min_bet", "min_open": 10}
    company = Company(bare(betting=rules), {"A": 500, "B": 500, "C": 25, "D": 32}, "A")
    company.deal()
    company.bets("A 20", "B call", "C 25")
    assert set(company.legal("D")) == {"fold", "call", "raise_to"}
    company.bets("D call")
    assert set(company.legal("A")) == {"fold", "call"}
    with pytest.raises(errors.RaiseNotAllowed) as refused:
        company.bets("A 60")
    assert refused.value.rule == "betting.reopening"
    company.bets("A call")
    assert set(company.legal("B")) == {"fold", "call"}
    again = Company(bare(betting=rules), {"A": 500, "B": 500, "C": 25, "D": 32}, "A")
    again.deal()
    again.bets("A 20", "B call", "C 25", "D 32")
    assert again.legal("A")["raise_to"].min == 42
    again.bets("A call")
    assert again.legal("B")["raise_to"].min == 42


@pytest.mark.parametrize(("blind", "may_raise"), [(10, True), (None, False)])
def test_example_16_under_the_last_raise_rule_the_first_bet_sets_the_increment(
    blind: int | None, *, may_raise: bool
) -> None:
    """Twenty is a raise by ten over a blind of ten. Without a blind it is a full bet of twenty."""
    betting = {"kind": "poker_nl", "min_raise": "last_raise", "min_open": 10}
    forced = {"kind": "none"} if blind is None else {"kind": "blinds", "small": 5, "big": blind}
    stacks = {"E": 500, "F": 500, "A": 500, "B": 500, "C": 25, "D": 32}
    if blind is None:
        stacks = {"A": 500, "B": 500, "C": 25, "D": 32}
    first = "left_of_button" if blind is None else "left_of_big_blind"
    ruleset = bare(betting=betting, forced=forced, first_actor=[first, "left_of_button"])
    company = Company(ruleset, stacks, "A")
    company.deal()
    company.bets("A 20", "B call", "C 25", "D 32")
    if blind is not None:
        company.bets("E fold", "F fold")
    assert ("raise_to" in company.legal("A")) == may_raise


def test_example_17_a_short_ante_wins_only_its_layer() -> None:
    ruleset = resolve(
        "cantina", {"first_dealer": "host_choice", "forced": {"kind": "ante", "amount": 7}}
    )
    company = Company(ruleset, {"A": 3, "B": 100, "C": 100, "D": 100}, "A B C")
    company.deal()
    # The lowest seat starts in the Cantina. This is D, and D's chips are dead money here.
    company.bets("D check", "B 10", "C call", "D fold")
    happened = company.check_down()
    assert company.pots(happened) == [(12, "ABC"), (32, "BC")]
    assert company.won(happened) == {"A": 12, "B": 32}


def test_example_18_halcyon_with_a_short_stack() -> None:
    company = Company(preset("halcyon_10"), {"A": 10, "B": 10, "C": 2, "D": 10}, "C A B")
    company.deal()
    company.bets("A stay", "B stay", "C stay", "D fold")
    company.improve()
    happened = company.bets("A stay", "B stay")
    assert company.pots(happened) == [(7, "ABC"), (2, "AB")]
    assert company.won(happened) == {"C": 7, "A": 2}


@pytest.mark.parametrize(("last", "pot"), [("fold", 30), ("stay", 32)])
def test_example_19_halcyon_with_a_hundred_chips(last: str, pot: int) -> None:
    company = Company(preset("halcyon_100"), dict.fromkeys("ABCD", 100), "A B C")
    happened = company.deal()
    assert sum(post.chips for post in of(happened, events.ForcedBetsPosted).posts) == 20
    company.bets("A stay", "B stay", "C stay", "D fold")
    company.improve()
    happened = company.bets("A stay", "B stay", f"C {last}")
    assert company.won(happened) == {"A": pot}


def test_example_20_eight_seats_use_twenty_two_cards_and_four_of_the_discards() -> None:
    floor = Floor(bare(), [100] * 8)
    floor.open_hand()
    for seat in range(1, 9):
        me = floor.view(seat).me
        assert me is not None
        floor.select(seat, *me.cards[: 2 if seat <= 6 else 1])
    happened: tuple[events.Event, ...] = ()
    while floor.table.decision is not None and floor.table.decision.phase == "bet":
        happened = floor.act(floor.table.decision.seats[0], "check")
    dealt = every(happened, events.ReplacementsDealt)
    assert [sum(len(part.cards) for part in event.dealt) for event in dealt] == [22, 4]
    assert of(happened, events.PileCommitted).size == 26


def test_example_20_six_seats_without_recycling_and_twelve_with_it() -> None:
    assert resolve("better", {"max_players": 6, "recycle_discards": False}).max_players == 6
    assert resolve("better", {"max_players": 12}).max_players == 12
    for overrides in ({"max_players": 7, "recycle_discards": False}, {"max_players": 13}):
        with pytest.raises(RulesetInvalid):
            resolve("better", overrides)


def test_example_21_the_official_draw_off_goes_to_the_higher_card() -> None:
    floor = Floor("official", (0, 0, 0))
    floor.target = (0, "circle")
    floor.script = {
        (2, "hand"): ("C+03", "S-03", "T+01", "T+02", "T+03"),
        (3, "hand"): ("T+07", "C-07", "T-01", "T-02", "T-03"),
        (1, "hand"): ("S+01", "S+05", "S+06", "S+07", "S+08"),
        (2, "new"): ("T+04", "T+05", "T+06"),
        (3, "new"): ("T-04", "T-05", "T-06"),
        (1, "new"): ("S-05", "S-06", "S-07", "S-08"),
    }
    # Fifteen cards are dealt and ten replaced, so the draw-off takes the next two.
    floor.seed = next(
        number for number in range(20_000) if drawn(number) in (("C-04", "C+02"), ("S-04", "S+02"))
    )
    floor.open_hand()
    floor.select(2, "C+03", "S-03")
    floor.select(3, "T+07", "C-07")
    floor.select(1, "S+01")
    for _ in range(2):
        for seat in (2, 3, 1):
            floor.act(seat, "stay")
    for seat in (2, 3, 1):
        happened = floor.improve(seat)
    assert revealed(happened) == {2: (0, 1), 3: (0, 1), 1: (1, 0)}
    cards = of(happened, events.DrawOffDealt).cards
    assert [(part.seat, VALUES[part.card.card]) for part in cards] == [(2, -4), (3, 2)]
    award = of(happened, events.PotAwarded)
    assert ([share.seat for share in award.shares], award.rule) == ([3], "ties.draw_off")
    assert floor.table.at(3).hands_won == 1


def drawn(number: int) -> tuple[str, ...]:
    """Return the two cards that follow the first 25 in the deck of a seed."""
    seed = bytes.fromhex(seeds(number).cards)
    return shuffled_pile(seed, openings_digest([]), 1, deck("d62")).cards[25:27]


def test_example_22_the_big_blind_checks_its_option() -> None:
    company = Company(
        resolve("better_simple", {"first_dealer": "host_choice"}), dict.fromkeys("ABCD", 100), "A"
    )
    company.deal()
    company.bets("C call", "D call", "A call")
    assert set(company.legal("B")) == {"fold", "check", "raise_to"}
    assert of(company.bets("B check"), events.StreetClosed).chips == 8


def test_example_23_a_steal_wins_the_blinds_and_shows_nothing() -> None:
    company = Company(
        resolve("better_simple", {"first_dealer": "host_choice"}), dict.fromkeys("ABCD", 100)
    )
    company.deal()
    happened = company.bets("C 6", "D fold", "A fold", "B fold")
    assert of(happened, events.UnmatchedReturned).chips == 4
    assert company.won(happened) == {"C": 5}
    assert not every(happened, events.HandsRevealed)
    assert company.stacks() == {"A": 99, "B": 98, "C": 103, "D": 100}


def test_example_24_a_short_big_blind_does_not_lower_the_price() -> None:
    ruleset = bare(
        forced={"kind": "blinds", "small": 4, "big": 8},
        first_actor=["left_of_big_blind", "left_of_button"],
        betting={"kind": "poker_nl", "min_open": "big_blind"},
    )
    company = Company(ruleset, {"S": 100, "B": 3, "D": 100}, "B S D")
    company.deal()
    assert company.legal("D")["call"].amount == 8
    company.bets("D call", "S call")
    happened = company.check_down()
    assert company.pots(happened) == [(9, "SBD"), (10, "SD")]
    assert company.won(happened) == {"B": 9, "S": 10}


def test_example_25_who_raised_and_folds_leaves_the_chips() -> None:
    company = Company(bare(), {"A": 200, "B": 20, "C": 200}, "B C")
    company.deal()
    happened = company.bets("A 50", "B call", "C 100", "A fold") + company.improve()
    returned = of(happened, events.UnmatchedReturned)
    assert (company.name(returned.seat), returned.chips) == ("C", 50)
    assert company.pots(happened) == [(60, "BC"), (60, "C")]
    assert company.stacks() == {"A": 150, "B": 60, "C": 210}


def test_example_26_a_full_hand_of_better_ends_in_a_tie_and_a_carried_chip() -> None:
    company = Company(
        resolve("better_simple", {"first_dealer": "host_choice"}), dict.fromkeys("ABCD", 100)
    )
    floor = company.floor
    floor.target = (10, "triangle")
    floor.script = {
        (2, "hand"): ("S+09", "C-03", "T+01", "T+06", "T-07"),
        (3, "hand"): ("C+10", "T+04", "T-04", "Z1", "S+02"),
        (4, "hand"): ("S+05", "T+05", "C-01", "C+08", "T-09"),
        (1, "hand"): ("S-10", "C-06", "T-02", "C+01", "S+03"),
        (3, "new"): ("C-08",),
        (4, "new"): ("Z2", "S-03", "T+03"),
    }
    floor.open_hand()
    floor.select(2, "S+09", "T+01")
    floor.select(3, "C+10", "T+04", "T-04", "Z1")
    floor.select(4, "S+05", "T+05")
    counts = of(floor.select(1, "C+01", "S+03"), events.CardsDiscarded).counts
    assert [(company.name(c.seat), c.cards) for c in counts] == [
        ("A", 3),
        ("B", 1),
        ("C", 3),
        ("D", 3),
    ]
    happened = company.bets("C 6", "D fold", "A fold", "B 16", "C call")
    assert of(happened, events.StreetClosed).chips == 33
    floor.improve(3)
    floor.improve(4, "Z2", "S-03", "T+03")
    happened = company.bets("B 10", "C call")
    assert revealed(happened) == {3: (0, 3), 4: (0, 3)}
    assert of(happened, events.PotAwarded).chips == 53
    assert company.won(happened) == {"B": 26, "C": 26}
    assert company.stacks() == {"A": 99, "B": 100, "C": 100, "D": 100}
    assert company.carry == 1


def test_example_27_a_cantina_tie_gives_the_odd_chip_to_the_first_from_the_starter() -> None:
    ruleset = resolve(
        "cantina", {"first_dealer": "host_choice", "forced": {"kind": "ante", "amount": 11}}
    )
    company = Company(ruleset, {"B": 100, "C": 100, "A": 100}, "AB")
    company.deal()
    company.bets("A 6", "B call", "C call")
    company.improve()
    happened = company.bets("A 20", "B call", "C fold")
    assert company.pots(happened) == [(91, "BA")]
    assert company.won(happened) == {"A": 46, "B": 45}
