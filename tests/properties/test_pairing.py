"""Pairings of rounds, for any number of players and any draw."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament.rounds.pairing import Met, heats, known_faces, round_robin, sizes, swiss

PEOPLE = st.integers(2, 40)
SEATS = st.integers(3, 8)


def played(people: int, seats: int, rounds: int, seed: int) -> Met:
    """Return the meetings of all pairs in a round robin with random draws."""
    random, met = Random(seed), Met(people)
    for _ in range(rounds):
        order = list(range(people))
        random.shuffle(order)
        met.add(round_robin(order, met, seats=seats))
    return met


def once_each(tables: list[list[int]], people: int, seats: int) -> None:
    assert sorted(each for table in tables for each in table) == list(range(people))
    counts = [len(table) for table in tables]
    assert max(counts) - min(counts) <= 1
    assert max(counts) <= seats
    assert len(counts) == max(1, -(-people // seats))


@settings(deadline=None, max_examples=25)
@given(PEOPLE, SEATS, st.randoms(use_true_random=False))
def test_every_pairing_seats_everybody_once_at_tables_that_differ_by_one_at_most(
    people: int, seats: int, random: Random
) -> None:
    met = Met(people)
    for _ in range(3):
        order = list(range(people))
        random.shuffle(order)
        for tables in (
            heats(order, seats=seats),
            swiss(order, met, seats=seats),
            round_robin(order, met, seats=seats),
        ):
            once_each(tables, people, seats)
        met.add(tables)


@settings(deadline=None, max_examples=15)
@given(PEOPLE, SEATS, st.integers(0, 1_000))
def test_the_same_draw_and_history_give_the_same_tables(people: int, seats: int, seed: int) -> None:
    met = played(people, seats, 2, seed)
    order = list(range(people))
    Random(seed).shuffle(order)
    assert swiss(order, met, seats=seats) == swiss(order, met, seats=seats)
    assert round_robin(order, met, seats=seats) == round_robin(order, met, seats=seats)


@settings(deadline=None, max_examples=20)
@given(PEOPLE, SEATS, st.integers(0, 1_000))
def test_a_swiss_round_never_repeats_more_than_plain_slices_of_the_ranking_would(
    people: int, seats: int, seed: int
) -> None:
    met = played(people, seats, 2, seed)
    order = list(range(people))
    Random(seed).shuffle(order)
    plain, start = [], 0
    for size in sizes(people, seats=seats):
        plain.append(order[start : start + size])
        start += size

    def weight(tables: list[list[int]]) -> int:
        return sum(
            met.row(one)[other] * (met.row(one)[other] + 1) // 2
            for table in tables
            for one, other in combinations(table, 2)
        )

    assert weight(swiss(order, met, seats=seats)) <= weight(plain)
    assert swiss(order, Met(people), seats=seats) == plain


@pytest.mark.parametrize("seed", range(4))
def test_nine_players_at_tables_of_three_meet_once_each_in_four_rounds(seed: int) -> None:
    """The algorithm finds the affine plane of order 3 exactly."""
    assert played(9, 3, 4, seed).spread() == (1, 1)


@pytest.mark.parametrize(
    ("people", "seats", "rounds", "once"),
    [(16, 4, 5, 0.86), (25, 5, 6, 0.84), (20, 4, 5, 0.75), (12, 4, 3, 0.54), (13, 4, 8, 0.46)],
)
def test_in_known_designs_no_two_meet_thrice_and_most_pairs_once(
    people: int, seats: int, rounds: int, once: float
) -> None:
    """
    Designs in which each pair meets once exist for both cases.

    They have 16 players at tables of 4 over 5 rounds, and 25 at tables of 5 over 6 rounds.
    """
    for seed in range(3):
        met = played(people, seats, rounds, seed)
        _, most = met.spread()
        assert most <= 2
        times = [met.row(one)[other] for one, other in combinations(range(people), 2)]
        assert times.count(1) / len(times) >= once


def test_a_large_field_meets_nobody_twice_while_there_is_room() -> None:
    met = Met(200)
    order = list(range(200))
    for _ in range(4):
        tables = round_robin(order, met, seats=6)
        assert known_faces(met, tables) == 0
        met.add(tables)
        order = order[7:] + order[:7]
