"""
The published vectors of scoring, pots and bets agree with the engine.

The tests also work out the vectors a second time, as plainly as the rulebook tells them.
A wrong vector would have to be wrong in the same way twice.
"""

import json
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from engine.rulesets import EXTRA_HANDS
from tests.engine.hand.test_spike_hands import plain, plain_galaxy
from tests.vectors.generate import FILES, FOLDER, text_of

Case = dict[str, Any]
LETTERS = {"circle": "C", "triangle": "T", "square": "S"}


def cases(name: str, section: str) -> list[Case]:
    document = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    found: list[Case] = document[section]
    assert found
    return found


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_published_vectors_are_what_the_engine_plays(name: str) -> None:
    """If a rule has changed on purpose, run ``python -m tests.vectors.generate``."""
    assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == text_of(name)


def counted(cards: list[str], target: int, suit: str) -> tuple[int, int]:
    """Return the distance and the suit count, read from the names of the cards."""
    values = [0 if card[0] == "Z" else int(card[1:]) for card in cards]
    fitting = [card for card in cards if card[0] in ("Z", LETTERS[suit])]
    return abs(sum(values) - target), len(fitting)


def test_every_selection_counts_as_its_letters_say() -> None:
    for case in cases("scoring", "selections"):
        assert counted(case["cards"], case["target"], case["suit"]) == (
            case["distance"],
            case["suit_count"],
        )


def test_the_best_are_those_whom_nobody_beats() -> None:
    for case in cases("scoring", "showdowns"):
        known = {
            int(seat): counted(cards, case["target"], case["suit"])
            for seat, cards in case["selections"].items()
        }
        unbeaten = [
            seat
            for seat, (distance, count) in known.items()
            if not any(d < distance or (d == distance and c > count) for d, c in known.values())
        ]
        assert sorted(case["best"]) == sorted(unbeaten)


def test_no_selection_beats_the_one_of_the_clock() -> None:
    for case in cases("scoring", "clock"):
        distance, count = counted(case["selected"], case["target"], case["suit"])
        others = [
            counted(list(other), case["target"], case["suit"])
            for size in range(1, 6)
            for other in combinations(case["hand"], size)
        ]
        assert all(d > distance or (d == distance and c <= count) for d, c in others)


def peeled(wagers: dict[int, int], live: list[int], carry: int) -> list[tuple[int, list[int]]]:
    """Return each pot with its eligible seats, by taking one chip of everybody at a time."""
    left = dict(wagers)
    pots: list[tuple[int, list[int]]] = []
    while any(left.values()):
        contenders = [seat for seat in live if left[seat]] or pots[-1][1]
        chips = sum(1 for chip in left.values() if chip)
        left = {seat: max(0, chip - 1) for seat, chip in left.items()}
        if pots and pots[-1][1] == contenders:
            chips += pots.pop()[0]
        pots.append((chips, contenders))
    main, *sides = pots or [(0, live)]
    return [(main[0] + carry, main[1]), *sides]


def test_pots_are_what_is_left_when_chips_are_taken_one_by_one() -> None:
    for case in cases("pots", "hands"):
        wagers = {int(seat): chips for seat, chips in case["wagers"].items()}
        if case["unmatched"] is not None:
            wagers[case["unmatched"]["seat"]] -= case["unmatched"]["chips"]
        assert peeled(wagers, case["live"], case["carry"]) == [
            (pot["chips"], pot["eligible"]) for pot in case["pots"]
        ]


def test_what_goes_back_is_what_only_a_live_seat_has_wagered() -> None:
    for case in cases("pots", "hands"):
        wagers = {int(seat): chips for seat, chips in case["wagers"].items()}
        highest = max(wagers.values())
        above = [seat for seat, chips in wagers.items() if chips == highest]
        rest = max((chips for seat, chips in wagers.items() if seat != above[0]), default=0)
        alone = highest > rest and above[0] in case["live"]
        expected = {"seat": above[0], "chips": highest - rest} if alone else None
        assert case["unmatched"] == expected


def test_shares_differ_by_a_unit_at_most_and_lose_nothing() -> None:
    for case in cases("pots", "shares"):
        shares = [case["shares"][str(seat)] for seat in case["winners"]]
        assert sum(shares) + case["carried"] == case["chips"]
        assert max(shares) - min(shares) <= case["unit"]
        assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("section", ["streets", "revision_2"])
def test_nothing_is_both_legal_and_refused(section: str) -> None:
    for case in cases("legal_actions", section):
        legal = {action["verb"]: action for action in case.get("legal", ())}
        for refused in case.get("refused", ()):
            action = legal.get(refused["verb"])
            inside = (
                action is not None
                and refused["verb"] == "raise_to"
                and not action["min"] <= refused["amount"] <= action["max"]
            )
            uneven = refused["code"] == "amount_not_in_units"
            assert action is None or inside or uneven


def test_no_call_in_the_second_revision_is_above_what_the_others_have() -> None:
    lower = 0
    for case in cases("legal_actions", "revision_2"):
        calls = [each for each in case.get("legal", ()) if each["verb"] == "call"]
        for call in calls:
            (own,) = (seat for seat in case["seats"] if seat["seat"] == case["to_act"])
            others = (seat for seat in case["seats"] if seat is not own)
            most = max(seat["put_in"] + seat["live"] * seat["stack"] for seat in others)
            assert own["put_in"] + call["amount"] <= min(most, case["current_bet"])
            lower += own["put_in"] + call["amount"] < min(
                case["current_bet"], own["put_in"] + own["stack"]
            )
    assert lower


FACES = {"17": -17, "15": -15, "14": -14, "13": -13, "11": -11, "08": -8, "02": -2, "00": 0}


def value_of(card: str) -> int:
    """Return a card's value in the deck of Traditional, from its letters."""
    return FACES[card[1:3]] if card[0] == "X" else int(card[2:])


@pytest.mark.parametrize("compare", ["signed", "absolute"])
def test_a_hand_of_traditional_counts_as_its_letters_say(compare: str) -> None:
    for case in cases("traditional", compare):
        values = sorted(value_of(card) for card in case["cards"])
        array = values == [0, 2, 3]
        assert case["total"] == sum(values)
        assert (case["name"] == "idiots_array") == array
        assert (case["name"] == "pure_sabacc") == (abs(sum(values)) == 23)
        outside = sum(values) == 0 or abs(sum(values)) > 23
        assert case["bombed_out"] == (outside and not array)


@pytest.mark.parametrize(
    ("compare", "height"), [("signed", lambda total: total), ("absolute", abs)]
)
def test_hands_of_traditional_stand_in_the_order_of_their_totals(
    compare: str, height: Callable[[int], int]
) -> None:
    """The Idiot's Array comes first, then 23 of either sign, then the other totals."""
    steps: list[Any] = cases("traditional", f"best_to_worst_{compare}")
    totals = [{height(sum(map(value_of, cards))) for cards in step} for step in steps]

    assert sorted(map(value_of, steps[0][0])) == [0, 2, 3]
    assert {abs(total) for total in totals[1]} == {23}
    rest = [total for step in totals[2:] for total in step]
    assert rest == sorted(set(rest), reverse=True)


def spike_value_of(card: str) -> int:
    """Return a card's value in the deck of Corellian Spike, from its letters."""
    return 0 if card[0] == "Z" else int(card[1:])


@pytest.mark.parametrize("ranking", ["printed", "strict", "extra_hands", "galaxy"])
def test_a_hand_of_spike_totals_what_its_letters_say(ranking: str) -> None:
    for case in cases("spike", ranking):
        value = sum(map(spike_value_of, case["cards"]))
        assert case["total"] == value
        assert (case["name"] in ("nulrhek", "idiots_array")) == (value != 0)


@pytest.mark.parametrize(
    ("ranking", "worth"),
    [
        ("printed", plain),
        ("strict", partial(plain, strict=True)),
        ("extra_hands", partial(plain, extra=frozenset(EXTRA_HANDS))),
    ],
)
def test_hands_of_spike_stand_as_the_rules_written_plainly_order_them(
    ranking: str, worth: Callable[[tuple[int, ...]], list[str]]
) -> None:
    """All hands of a step have the same sort words, which rise from step to step."""
    steps = [
        {tuple(worth(tuple(map(spike_value_of, cards)))) for cards in step}
        for step in cases("spike", f"best_to_worst_{ranking}")
    ]
    assert [len(step) for step in steps] == [1] * len(steps)
    assert sorted(steps, key=min) == steps


def test_hands_of_the_galaxy_stand_as_the_rules_written_plainly_order_them() -> None:
    steps = [
        [plain_galaxy(tuple(cards)) for cards in step]
        for step in cases("spike", "best_to_worst_galaxy")
    ]
    assert all(step.count(step[0]) == len(step) for step in steps)
    firsts = [step[0] for step in steps]
    assert sorted(firsts) == firsts


def test_a_blind_draw_goes_to_the_nearest_to_zero_and_of_two_to_the_positive() -> None:
    for case in cases("spike", "blind_draws"):
        values = {int(seat): spike_value_of(card) for seat, card in case["drawn"].items()}
        nearest = min(abs(value) for value in values.values())
        near = {seat: value for seat, value in values.items() if abs(value) == nearest}
        highest = max(near.values())
        assert case["best"] == [seat for seat, value in near.items() if value == highest]
