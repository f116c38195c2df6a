"""
The comparison that decides between two hands of Corellian Spike, for people who read a showdown.

Source: rulebook ``spike.ranking``, ``spike.nulrhek``, ``spike.galaxy_ranking``.
"""

from collections.abc import Sequence
from typing import Literal

from engine.hand.galaxy_hands import galaxy_rank
from engine.hand.ranks import HandRank
from engine.hand.spike_hands import rank
from engine.rulesets import CorellianSpike

Reason = Literal[
    "name", "total", "sign", "more_cards", "fewer_cards", "one_suit", "positive", "high", "lowest"
]
"""The first comparison that differs: of the names, then of what their ties compare."""

_GALAXY: tuple[Reason, ...] = (
    "name", "total", "sign", "more_cards", "one_suit", "positive", "high",
)  # fmt: skip
_PRINTED: dict[str, tuple[Reason, ...]] = {
    "nulrhek": ("name", "total", "sign", "more_cards", "positive", "high"),
    "unnamed_zero": ("name", "more_cards", "positive", "high"),
    "yee_haa": ("name", "lowest", "fewer_cards"),
}
_OTHERS: tuple[Reason, ...] = ("name", "lowest", "lowest")
"""The ties of all other names go to the lowest values."""


def judged(rules: CorellianSpike, cards: Sequence[str]) -> HandRank:
    """Return the rank of *cards* under the ruleset."""
    if rules.ranking == "galaxy":
        return galaxy_rank(cards)
    return rank(cards, extra=rules.extra_named_hands, strict=rules.strict_named_hands)


def reason(
    rules: CorellianSpike, best: Sequence[str], others: Sequence[Sequence[str]]
) -> Reason | None:
    """
    Return the comparison that puts *best* before the next of the *others*, or None without one.

    Hands of the others that are as good or better do not count. They had no share in the pot.

    >>> reason(CorellianSpike(), ["C+01", "C-02"], [["S+03", "S-05"]])
    'total'
    >>> reason(CorellianSpike(), ["C+05", "S+01", "C-07"], [["S+03", "S-04"]])
    'more_cards'
    """
    mine = judged(rules, best)
    keys = [judged(rules, each).key for each in others]
    next_best = min((key for key in keys if key > mine.key), default=mine.key)
    compared = _GALAXY if rules.ranking == "galaxy" else _PRINTED.get(mine.name, _OTHERS)
    differing = (
        said
        for said, own, other in zip(compared, mine.key, next_best, strict=False)
        if own != other
    )
    return next(differing, None)
