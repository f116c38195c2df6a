"""
The ranking of Corellian Spike.

A hand takes the best name that its cards allow. A *kind* and a *pair* ignore the signs of
values. Sylops never belong to either.

Source: rulebook ``spike.ranking``.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from engine.errors import InvariantViolated
from engine.hand.ranks import HandRank
from engine.kit.cards import VALUES
from engine.rulesets import EXTRA_HANDS

HAND_MIN, HAND_MAX = 2, 5


class Held:
    """The counted values of a hand, for all questions about its name."""

    __slots__ = ("high", "kinds", "positive", "strict", "sylops", "total", "values")

    def __init__(self, cards: Sequence[str], *, strict: bool = False) -> None:
        if not HAND_MIN <= len(cards) <= HAND_MAX:
            raise InvariantViolated(f"a hand of {len(cards)} cards")
        self.values = tuple(sorted(VALUES[card] for card in cards))
        self.total = sum(self.values)
        self.sylops = self.values.count(0)
        self.kinds = Counter(abs(value) for value in self.values if value)
        self.positive = sum(value for value in self.values if value > 0)
        self.high = max(0, *self.values)
        self.strict = strict

    def alone(self, size: int) -> bool:
        """
        Return whether a name of *size* cards fits.

        Under strict names no other cards are allowed.
        """
        return len(self.values) == size or not self.strict

    def kind(self, count: int) -> int | None:
        """Return the lowest value that *count* cards or more have, or None."""
        return min((value for value, n in self.kinds.items() if n >= count), default=None)

    def run(self, length: int) -> int | None:
        """Return the start of the lowest run of *length* values, or None."""
        starts = range(1, 12 - length)
        return next(
            (s for s in starts if all(s + step in self.kinds for step in range(length))), None
        )


Ties = tuple[int, ...]


def pure_sabacc(held: Held) -> Ties | None:
    """Match exactly the two sylops."""
    return () if held.values == (0, 0) else None


def _full_sabacc(held: Held) -> Ties | None:
    return () if held.values == (-10, -10, 0, 10, 10) else None


def fleet(held: Held) -> Ties | None:
    """Match a sylop and four of a kind. The lowest value wins a tie."""
    four = held.kind(4)
    return None if four is None or not held.sylops else (four,)


def _prime_sabacc(held: Held) -> Ties | None:
    tens = {-10, 0, 10} <= set(held.values)
    return () if tens and held.alone(3) else None


def _dual_power_coupling(held: Held) -> Ties | None:
    return rule_of_two(held) if held.sylops else None


def yee_haa(held: Held) -> Ties | None:
    """Match a sylop and a pair. The lowest pair wins a tie, then fewer cards."""
    pair = held.kind(2)
    if pair is None or not held.sylops or not held.alone(3):
        return None
    return pair, len(held.values)


def rhylet(held: Held) -> Ties | None:
    """
    Match three cards of one value and two cards of another with the opposite sign.

    The lowest triple wins.
    """
    signed = Counter(value for value in held.values if value)
    # A total of zero already requires opposite signs.
    if sorted(signed.values()) != [2, 3]:
        return None
    return (min(abs(value) for value, count in signed.items() if count > 2),)


def _straight_staves(held: Held) -> Ties | None:
    return () if {7, 8, 9, 10} <= held.kinds.keys() and held.alone(4) else None


def squadron(held: Held) -> Ties | None:
    """Match four of a kind. The lowest value wins a tie."""
    four = held.kind(4)
    return None if four is None or not held.alone(4) else (four,)


def gee_whiz(held: Held) -> Ties | None:
    """Match 1, 2, 3 and 4 of one sign and a 10 of the other."""
    return () if held.values in ((-10, 1, 2, 3, 4), (-4, -3, -2, -1, 10)) else None


def _straight(held: Held, length: int) -> Ties | None:
    start = held.run(length)
    return None if start is None or not held.alone(length) else (start,)


def straight_khyron(held: Held) -> Ties | None:
    """Match a run of four. The lowest start wins a tie."""
    return _straight(held, 4)


def _straight_rhoon(held: Held) -> Ties | None:
    return _straight(held, 5)


def _straight_trill(held: Held) -> Ties | None:
    return _straight(held, 3)


def _banthas_wild(held: Held) -> Ties | None:
    three = held.kind(3)
    return None if three is None else (three,)


def rule_of_two(held: Held) -> Ties | None:
    """Match two pairs. The lowest pair wins a tie, then the other pair."""
    pairs = sorted(value for value, count in held.kinds.items() if count > 1)
    return None if len(pairs) < 2 else (pairs[0], pairs[1])


def _one_pair(held: Held) -> Ties | None:
    pair = held.kind(2)
    return None if pair is None else (pair,)


def _unnamed_zero(held: Held) -> Ties | None:
    return -len(held.values), -held.positive, -held.high


_ZEROS: tuple[tuple[str, Callable[[Held], Ties | None]], ...] = (
    ("pure_sabacc", pure_sabacc),
    ("full_sabacc", _full_sabacc),
    ("fleet", fleet),
    ("prime_sabacc", _prime_sabacc),
    ("dual_power_coupling", _dual_power_coupling),
    ("yee_haa", yee_haa),
    ("rhylet", rhylet),
    ("straight_staves", _straight_staves),
    ("squadron", squadron),
    ("gee_whiz", gee_whiz),
    ("straight_rhoon", _straight_rhoon),
    ("straight_khyron", straight_khyron),
    ("banthas_wild", _banthas_wild),
    ("rule_of_two", rule_of_two),
    ("straight_trill", _straight_trill),
    ("one_pair", _one_pair),
    ("unnamed_zero", _unnamed_zero),
)
"""The names of hands that total zero, best first. Each function returns its tie-break key."""

_EXTRA = frozenset(EXTRA_HANDS)


def rank(cards: Sequence[str], *, extra: Collection[str] = (), strict: bool = False) -> HandRank:
    """
    Return the rank of two to five *cards*.

    Args:
        cards: The cards of the hand, in any order.
        extra: The extra named hands that the table plays.
        strict: True if cards beyond the named ones forbid the names of a fixed size.

    Source: rulebook ``spike.ranking``, ``spike.extra_hands``, ``spike.strict_names``.

    >>> rank(["C+05", "S-05", "Z1"])
    HandRank(name='yee_haa', total=0, key=(6, 5, 3), bombed=False)
    """
    held = Held(cards, strict=strict)
    if held.values == (0, 2, 3) and "idiots_array" in extra:
        return HandRank("idiots_array", held.total, (0,))
    if held.total:
        return HandRank("nulrhek", held.total, (len(_ZEROS) + 1, *_nearness(held)))
    for place, (name, ties_of) in enumerate(_ZEROS, start=1):
        if name in _EXTRA and name not in extra:
            continue
        if (ties := ties_of(held)) is not None:
            return HandRank(name, 0, (place, *ties))
    raise InvariantViolated(f"a hand of {len(cards)} cards without a name")


def _nearness(held: Held) -> Ties:
    """Return the key of a hand that does not total zero (rulebook ``spike.nulrhek``)."""
    below = int(held.total < 0)
    return abs(held.total), below, -len(held.values), -held.positive, -held.high


def blind_draw_key(card: str) -> tuple[int, bool]:
    """
    Return the key of a card in the single blind draw. Smaller is better.

    The value nearest to zero wins, and a positive value beats its negative. Equal values draw
    again.

    Source: rulebook ``ties.blind_draw``.

    >>> sorted(["C-02", "S+02", "T+10", "Z2"], key=blind_draw_key)
    ['Z2', 'S+02', 'C-02', 'T+10']
    """
    return abs(VALUES[card]), VALUES[card] < 0
