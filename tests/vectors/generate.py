"""``python -m tests.vectors.generate``: write the vectors of the rules to ``api-spec/vectors``."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any, Literal

import msgspec

from engine.errors import CommandRejected
from engine.hand import spike_hands
from engine.hand.betting import act, legal_actions, next_to_act
from engine.hand.galaxy_hands import galaxy_rank
from engine.hand.pots import build_pots, split, unmatched
from engine.hand.ranks import HandRank
from engine.hand.showdown import best_seats, best_selection, key, suit_count
from engine.hand.street import Bettor, Street
from engine.hand.traditional_ranking import rank
from engine.kit.cards import deck, total
from engine.rulesets import EXTRA_HANDS, FixedContinue, PokerNoLimit
from tests.support.streets import after_something_legal, played_with
from tests.vectors import beacon

FOLDER = Path(__file__).resolve().parents[2] / "api-spec" / "vectors"
SEED = 1977
TARGETS = (0, 5, -5, 10, -10)
SUITS = ("circle", "triangle", "square")
COMPARE: tuple[Literal["signed", "absolute"], ...] = ("signed", "absolute")

Case = dict[str, Any]


def scoring() -> Case:
    """Return vectors of scores, of winners and of the clock's selections."""
    dice = Random(SEED)
    told = [
        (["C+02", "S-04", "S-08", "T+05", "Z1"], -5, "circle"),
        (["C-05", "C-03", "T-02", "C+05", "Z2"], -5, "circle"),
        (["S+02"], 0, "circle"),
        (["T-02"], 0, "circle"),
        (["S+10", "Z1"], 10, "triangle"),
        (["T+10", "Z1"], 10, "triangle"),
        (["T+04", "C+06"], 10, "triangle"),
        (["Z1", "Z2"], 0, "square"),
        (["S+01", "C+03"], 10, "triangle"),
    ]
    drawn = [
        (dice.sample(deck("d62"), dice.randint(1, 5)), dice.choice(TARGETS), dice.choice(SUITS))
        for _ in range(40)
    ]
    return {
        "about": "Coruscant Shift: rulebook showdown.key, showdown.best, clock.selection.",
        "selections": [_scored(*case) for case in (*told, *drawn)],
        "showdowns": [_showdown(dice) for _ in range(40)],
        "clock": [_clock(dice) for _ in range(20)],
    }


def _scored(cards: list[str], target: int, suit: str) -> Case:
    return {
        "cards": cards,
        "target": target,
        "suit": suit,
        "distance": key(cards, target, suit)[0],
        "suit_count": suit_count(cards, suit),
    }


def _showdown(dice: Random) -> Case:
    target, suit = dice.choice(TARGETS), dice.choice(SUITS)
    cards = iter(dice.sample(deck("d62"), 30))
    selections = {
        seat: best_selection([next(cards) for _ in range(5)], target, suit)
        for seat in range(1, dice.randint(3, 7))
    }
    keys = [(seat, key(cards, target, suit)) for seat, cards in selections.items()]
    return {"target": target, "suit": suit, "selections": selections, "best": best_seats(keys)}


def _clock(dice: Random) -> Case:
    hand, target, suit = dice.sample(deck("d62"), 5), dice.choice(TARGETS), dice.choice(SUITS)
    selected = best_selection(hand, target, suit)
    return {"hand": hand, "target": target, "suit": suit, "selected": selected}


def pots() -> Case:
    """Return vectors of uncalled bets, of the layers of pots and of shares."""
    dice = Random(SEED)
    told: list[tuple[dict[int, int], list[int], int]] = [
        ({1: 20, 2: 50, 3: 50}, [1, 2, 3], 0),
        ({1: 20, 2: 30, 3: 30}, [1, 2, 3], 0),
        ({1: 10, 2: 25, 3: 60, 4: 100}, [2, 3, 4], 0),
        ({1: 50, 2: 20, 3: 100}, [2, 3], 0),
        ({1: 20, 2: 20, 3: 50, 4: 50}, [1, 2], 0),
        ({1: 20, 2: 30, 3: 90}, [1, 2], 0),
        ({1: 20, 2: 20}, [1, 2], 1),
        ({1: 0, 2: 0, 3: 0}, [1, 2, 3], 7),
    ]
    return {
        "about": "Rulebook pots.unmatched, pots.layers, odd_chips. Seats are keys of objects.",
        "hands": [_layered(*case) for case in (*told, *(_wagers(dice) for _ in range(60)))],
        "shares": [_shared(dice) for _ in range(40)],
    }


def _wagers(dice: Random) -> tuple[dict[int, int], list[int], int]:
    seats = range(1, dice.randint(3, 9))
    wagers = {seat: dice.choice((0, 5, 10, 25, 40, 40, 75, 100)) for seat in seats}
    wagers[1] = wagers[1] or 5
    paid = [seat for seat in seats if wagers[seat]]
    live = sorted(dice.sample(paid, dice.randint(1, len(paid))))
    return wagers, live, dice.choice((0, 0, 3))


def _layered(wagers: dict[int, int], live: list[int], carry: int) -> Case:
    returned = unmatched(wagers, live=live)
    left = dict(wagers)
    if returned is not None:
        left[returned[0]] -= returned[1]
    return {
        "wagers": wagers,
        "live": live,
        "carry": carry,
        "unmatched": None if returned is None else {"seat": returned[0], "chips": returned[1]},
        "pots": [
            {"chips": pot.chips, "eligible": pot.eligible}
            for pot in build_pots(left, live=live, carry=carry)
        ],
    }


def _shared(dice: Random) -> Case:
    unit = dice.choice((1, 1, 5))
    winners = dice.sample(range(1, 9), dice.randint(1, 5))
    chips = unit * dice.randint(1, 60)
    policy = dice.choice(("carry", "seat_order"))
    shares, remainder = split(chips, winners, unit=unit, carry=policy == "carry")
    return {
        "chips": chips,
        "winners": winners,
        "unit": unit,
        "odd_chip": policy,
        "shares": dict(shares),
        "carried": remainder,
    }


def betting() -> Case:
    """Return vectors of the seat to act, of its legal actions and of the refused ones."""
    return {
        "about": "Rulebook 5. Amounts are chips of the street in all.",
        "streets": [_asked(street) for street in _streets(1, range(24))],
        "revision_2": [_asked(street) for street in _streets(2, range(100, 124))],
    }


def _streets(revision: int, numbers: range) -> Iterator[Street]:
    """Yield the states of random streets, each played by chance for up to eight steps."""
    for number in numbers:
        dice = Random(SEED + number)
        street = _opening(dice, revision)
        for _ in range(8):
            yield street
            seat = next_to_act(street)
            if seat is None:
                break
            street, _ = after_something_legal(street, seat, dice)


def _opening(dice: Random, revision: int) -> Street:
    unit = dice.choice((1, 5))
    min_open = unit * dice.choice((1, 2, 10))
    fixed = dice.randrange(4) == 0
    blinds = not fixed and dice.randrange(2) == 0
    count = dice.randint(2, 6)
    bettors = []
    for seat in range(1, count + 1):
        stack = unit * dice.choice((0, 1, 3, 8, 15, 40, 100))
        owed = {count - 1: min_open // 2, count: min_open}.get(seat, 0) if blinds else 0
        put_in = min(owed // unit * unit, stack)
        bettors.append(Bettor(seat, stack - put_in, put_in, None, dice.randrange(8) > 0))
    rules = (
        FixedContinue(cost=unit)
        if fixed
        else PokerNoLimit(
            min_raise=dice.choice(("chip_unit", "min_bet", "last_raise")), min_open=min_open
        )
    )
    return Street(
        seats=tuple(bettors),
        ruleset=played_with(rules, unit=unit, revision=revision),
        min_open=0 if fixed else min_open,
        current_bet=min_open if blinds else 0,
        full_raise=0 if fixed else min_open,
        after=count if blinds else dice.randint(0, count),
    )


def _asked(street: Street) -> Case:
    seat = next_to_act(street)
    case: Case = {
        "betting": msgspec.to_builtins(street.ruleset.betting),
        "unit": street.ruleset.chip_unit,
        "min_open": street.min_open,
        "current_bet": street.current_bet,
        "full_raise": street.full_raise,
        "after": street.after,
        "seats": [
            {
                "seat": each.seat,
                "stack": each.stack,
                "put_in": each.put_in,
                "acted_at": each.acted_at,
                "live": each.live,
            }
            for each in street.seats
        ],
        "to_act": seat,
    }
    if seat is None:
        return case
    legal = [
        {
            name: value
            for name in ("verb", "amount", "min", "max")
            if (value := getattr(action, name)) is not None
        }
        for action in legal_actions(street, seat)
    ]
    return {**case, "legal": legal, "refused": list(_refused(street, seat))}


def attempts(street: Street, seat: int) -> Iterator[tuple[str, int | None]]:
    """Yield every verb. A raise comes with the amounts around all possible bounds."""
    for verb in ("fold", "check", "call", "stay"):
        yield verb, None
    mine = street.bettor(seat)
    most = mine.put_in + mine.stack
    around = (0, street.min_open, street.current_bet, street.current_bet + street.full_raise, most)
    for amount in sorted({max(0, edge + step) for edge in around for step in (-1, 0, 1)}):
        yield "raise_to", amount


def _refused(street: Street, seat: int) -> Iterator[Case]:
    for verb, amount in attempts(street, seat):
        try:
            act(street, seat, verb, amount=amount)  # type: ignore[arg-type]
        except CommandRejected as refused:
            asked = {"verb": verb} if amount is None else {"verb": verb, "amount": amount}
            yield {**asked, "code": refused.code}


def traditional() -> Case:
    """Return vectors of the totals and of the order of Traditional hands."""
    dice = Random(SEED)
    told = [
        ["X00a", "CO02", "ST03"],
        ["X00a", "X00b", "SA02", "FL03"],
        ["SA15", "FL08"],
        ["X15a", "X08a"],
        ["SA01"],
        ["X17a", "X02a", "X02b", "X00a", "SA01"],
        ["SA15", "FL07"],
        ["SA14", "FL10"],
        ["SA11", "X11a"],
        ["X00a", "X00b"],
    ]
    drawn = [dice.sample(deck("d76"), dice.randint(2, 6)) for _ in range(50)]
    return {
        "about": "Traditional: rulebook traditional.rank. The hands of a step are equal.",
        **{compare: [_judged(cards, compare) for cards in (*told, *drawn)] for compare in COMPARE},
        **{
            f"best_to_worst_{compare}": _steps(
                [(rank(cards, compare), cards) for cards in (*told, *drawn)]
            )
            for compare in COMPARE
        },
    }


def _judged(cards: list[str], compare: Literal["signed", "absolute"]) -> Case:
    judged = rank(cards, compare)
    return {
        "cards": cards,
        "total": judged.total,
        "name": judged.name,
        "bombed_out": judged.bombed,
    }


def _steps(hands: list[tuple[HandRank, list[str]]]) -> list[list[list[str]]]:
    """Return the hands that can win in groups of equal hands, the best group first."""
    standing = sorted((judged.key, cards) for judged, cards in hands if not judged.bombed)
    return [
        [cards for _, cards in equal] for _, equal in groupby(standing, key=lambda each: each[0])
    ]


def spike() -> Case:
    """Return vectors of the rank of Corellian Spike hands under each ranking."""
    dice = Random(SEED)
    hands = [*_told_of_spike(), *_drawn_for_spike(dice)]
    return {
        "about": "Corellian Spike: rulebook spike.ranking, ties.blind_draw. The hands of a step "
        "are equal.",
        **{
            ranking: [_named(cards, judge(cards)) for cards in hands]
            for ranking, judge in SPIKE.items()
        },
        **{
            f"best_to_worst_{ranking}": _steps([(judge(cards), cards) for cards in hands])
            for ranking, judge in SPIKE.items()
        },
        "blind_draws": [_blind_draw(dice) for _ in range(12)],
    }


SPIKE: dict[str, Callable[[Sequence[str]], HandRank]] = {
    "printed": spike_hands.rank,
    "strict": partial(spike_hands.rank, strict=True),
    "extra_hands": partial(spike_hands.rank, extra=EXTRA_HANDS),
    "galaxy": galaxy_rank,
}
"""The rankings by name. ``extra_hands`` plays every extra name."""


def _told_of_spike() -> list[list[str]]:
    """Return a hand of every named rank, and hands that only a tie-break tells apart."""
    told = (
        "Z1 Z2, C+10 T+10 S-10 C-10 Z1, C+05 T+05 S-05 C-05 Z2, C+10 T-10 Z1, "
        "C+03 T-03 S+04 C-04 Z1, C+05 T-05 Z1, C+05 T-05 Z1 Z2, C+07 T-07 Z2, "
        "C+02 T+02 S+02 C-03 T-03, C+07 T-08 S-09 C+10, C+01 T+01 S-01 C-01, "
        "C+01 T+01 S+01 C-01 T-02, C+01 C+02 C+03 C+04 C-10, C-01 T-02 S-03 C-04 T+10, "
        "C+02 T+03 S-04 C+05 T-06, C+04 T-05 S-06 C+07, C+04 T-05 S-06 C+07 Z1, "
        "C+04 T+04 S-04 C-02 T-02, C+03 T-03 S+05 C-05, C+01 T+02 S-03, C+03 T-03, "
        "C+03 C-03 T+01 T+07 T-08, C+01 T+08 S-02 C-07, C+04 T+06 S-10, C+04 T+05 S-09, "
        "Z1 C+02 T+03, C+01 T-01 S+02 C-03 T+02, C+03 T-02, C-03 T+02"
    )
    return [cards.split() for cards in told.split(", ")]


def _drawn_for_spike(dice: Random) -> list[list[str]]:
    """Return 40 random hands. At least every second one has a total of zero."""
    drawn: list[list[str]] = []
    while len(drawn) < 40:
        cards = dice.sample(deck("d62"), dice.randint(2, 5))
        if len(drawn) % 2 == 0 or total(cards) == 0:
            drawn.append(cards)
    return drawn


def _named(cards: list[str], judged: HandRank) -> Case:
    return {"cards": cards, "total": judged.total, "name": judged.name}


def _blind_draw(dice: Random) -> Case:
    drawn = dict(enumerate(dice.sample(deck("d62"), dice.randint(2, 4)), start=1))
    best = min(map(spike_hands.blind_draw_key, drawn.values()))
    winners = [seat for seat, card in drawn.items() if spike_hands.blind_draw_key(card) == best]
    return {"drawn": drawn, "best": winners}


FILES = {
    "scoring": scoring,
    "pots": pots,
    "legal_actions": betting,
    "traditional": traditional,
    "spike": spike,
    "beacon": beacon.vectors,
}


def text_of(name: str) -> str:
    """Return the text of the file called *name*: JSON with one case a line."""
    document = json.loads(json.dumps(FILES[name]()))
    sections = []
    for section, content in document.items():
        if isinstance(content, list):
            lines = ",\n".join(f"    {json.dumps(each, ensure_ascii=False)}" for each in content)
            sections.append(f"  {json.dumps(section)}: [\n{lines}\n  ]")
        else:
            sections.append(f"  {json.dumps(section)}: {json.dumps(content, ensure_ascii=False)}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def main() -> int:
    """Write every file."""
    for name in FILES:
        (FOLDER / f"{name}.json").write_text(text_of(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
