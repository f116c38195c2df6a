"""The rulebook's worked examples of uncalled bets, layers, ties and odd chips."""

import pytest

from engine.hand.pots import build_pots, split, unmatched

A, B, C, D = 1, 2, 3, 4

Wagers = dict[int, int]


def paid(
    wagers: Wagers,
    live: list[int],
    best: list[list[int]],
    *,
    carry: bool = True,
    dead: int = 0,
    unit: int = 1,
) -> tuple[Wagers, int]:
    """Settle a hand with seats ranked as in *best*. Tied seats share one list."""
    left = dict(wagers)
    won = dict.fromkeys(wagers, 0)
    if (returned := unmatched(left, live=live)) is not None:
        seat, chips = returned
        left[seat] -= chips
        won[seat] += chips
    carried = 0
    for pot in build_pots(left, live=live, carry=dead):
        rank = next(r for r in best if set(r) & set(pot.eligible))
        winners = [seat for seat in rank if seat in pot.eligible]
        shares, rest = split(pot.chips, winners, unit=unit, carry=carry)
        carried += rest
        for seat, chips in shares:
            won[seat] += chips
    assert sum(won.values()) + carried == sum(wagers.values()) + dead
    return won, carried


@pytest.mark.parametrize(
    ("wagers", "live", "best", "won", "carried"),
    [
        ({A: 20, B: 50, C: 50}, [A, B, C], [[A], [C], [B]], {A: 60, B: 0, C: 60}, 0),
        ({A: 20, B: 30, C: 30}, [A, B, C], [[A], [B], [C]], {A: 60, B: 20, C: 0}, 0),
        ({A: 20, B: 30, C: 30}, [A, B, C], [[B], [A], [C]], {A: 0, B: 80, C: 0}, 0),
        (
            {A: 10, B: 25, C: 60, D: 100},
            [B, C, D],
            [[B, C], [D]],
            {A: 0, B: 42, C: 112, D: 40},
            1,
        ),
        (
            {A: 10, B: 30, C: 30, D: 10},
            [A, B, C],
            [[A, B, C]],
            {A: 13, B: 33, C: 33, D: 0},
            1,
        ),
        ({A: 7, B: 18, C: 18, D: 4}, [A, B, C], [[A, B, C]], {A: 8, B: 19, C: 19, D: 0}, 1),
        ({A: 3, B: 17, C: 17, D: 7}, [A, B, C], [[A], [B], [C]], {A: 12, B: 32, C: 0, D: 0}, 0),
        ({A: 8, B: 8, C: 3}, [A, B, C], [[C], [A], [B]], {A: 10, B: 0, C: 9}, 0),
        ({A: 50, B: 20, C: 100}, [B, C], [[B], [C]], {A: 0, B: 60, C: 110}, 0),
        ({A: 3, B: 3, C: 2, D: 2}, [A, B, C], [[C], [A], [B]], {A: 2, B: 0, C: 8, D: 0}, 0),
    ],
    ids=[
        "three-way all-in",
        "20 against 30, the short one best",
        "20 against 30, the long one best",
        "fold, two all-ins, unmatched bet, tie",
        "tie over two pots",
        "tie over two pots again",
        "short ante",
        "short big blind",
        "the raiser folds",
        "everyone short once",
    ],
)
def test_a_hand_pays_what_the_rulebook_says(
    wagers: Wagers, live: list[int], best: list[list[int]], won: Wagers, carried: int
) -> None:
    assert paid(wagers, live, best) == (won, carried)


@pytest.mark.parametrize(
    ("chips", "winners", "unit", "each", "rest"),
    [(25, 2, 1, 12, 1), (85, 2, 5, 40, 5), (100, 3, 1, 33, 1)],
)
def test_odd_chips_are_carried(chips: int, winners: int, unit: int, each: int, rest: int) -> None:
    shares, remainder = split(chips, list(range(1, winners + 1)), unit=unit, carry=True)
    assert [share for _, share in shares] == [each] * winners
    assert remainder == rest


@pytest.mark.parametrize(("chips", "unit"), [(1, 1), (2, 1), (10, 5), (0, 1)])
def test_a_pot_that_is_too_small_to_share_is_carried_whole(chips: int, unit: int) -> None:
    shares, remainder = split(chips, [B, C, A], unit=unit, carry=True)
    assert (shares, remainder) == (((B, 0), (C, 0), (A, 0)), chips)


def test_the_carry_joins_the_next_main_pot() -> None:
    assert build_pots({A: 20, B: 20}, live=[A, B], carry=1)[0].chips == 41


def test_odd_chips_in_seat_order_go_to_the_first_from_the_button() -> None:
    assert split(11, [B, C, A], unit=1, carry=False) == (((B, 4), (C, 4), (A, 3)), 0)
    assert split(91, [A, B], unit=1, carry=False) == (((A, 46), (B, 45)), 0)


def test_a_steal_wins_the_blinds_and_gets_the_raise_back() -> None:
    won, _ = paid({A: 1, B: 2, C: 6, D: 0}, [C], [[C]])
    assert won[C] == 4 + 5


def test_folded_chips_above_every_live_wager_join_the_last_pot() -> None:
    pots = build_pots({A: 100, B: 250, C: 400, D: 430}, live=[A, B, C])
    assert [(pot.chips, pot.eligible) for pot in pots] == [
        (400, (A, B, C)),
        (450, (B, C)),
        (330, (C,)),
    ]


def test_what_a_folded_seat_has_wagered_is_never_returned() -> None:
    assert unmatched({A: 20, B: 30, C: 90}, live=[A, B]) is None
