"""The decks that a league has dealt: every card at every position, counted."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from engine.kit.cards import DECKS
from service.audit.play import statistics
from service.audit.play.statistics import ALARM, p_value
from service.audit.report import DealtDecks, Findings
from service.audit.said import said

_ENOUGH = 10
"""The expected count of each card at each position that is needed for a p-value."""

_AT_ONCE = 256
"""Decks counted together, with one pass for each position instead of a step for each card."""

_NAMES = {cards: name for name, cards in DECKS.items()}


class Dealt:
    """Counts the positions of the cards in the first piles of deals."""

    def __init__(self) -> None:
        self._counts: dict[str, list[Counter[str]]] = {}
        self._waiting: dict[str, list[Sequence[str]]] = {}

    def see(self, deck: tuple[str, ...], cards: Sequence[str]) -> None:
        """Count one pile, made of a whole *deck*."""
        name = _NAMES[deck]
        waiting = self._waiting.setdefault(name, [])
        waiting.append(cards)
        if len(waiting) >= _AT_ONCE:
            self._count(name)

    def _count(self, name: str) -> None:
        counts = self._counts.setdefault(name, [Counter() for _ in DECKS[name]])
        for counter, laid in zip(counts, zip(*self._waiting.pop(name), strict=True), strict=True):
            counter.update(laid)

    def kept(self) -> dict[str, list[int]]:
        """Return the counts by deck, position after position."""
        for name in list(self._waiting):
            self._count(name)
        return {
            name: [counter[card] for counter in counts for card in DECKS[name]]
            for name, counts in self._counts.items()
        }


def judged(
    parts: Iterable[Mapping[str, Sequence[int]]], findings: Findings | None
) -> dict[str, DealtDecks]:
    """
    Add up the counts, and give each deck its p-value.

    Args:
        findings: Collects decks that a fair generator would hardly deal. None in a sandbox,
            where masters may be fixed.
    """
    sums: dict[str, list[int]] = {}
    for part in parts:
        for name, counts in part.items():
            known = sums.get(name, [0] * len(counts))
            sums[name] = [one + other for one, other in zip(known, counts, strict=True)]
    found = {}
    for name, counts in sorted(sums.items()):
        size = len(DECKS[name])
        decks = sum(counts) // size
        value = p_value(statistics.places(counts, size)) if decks >= _ENOUGH * size else None
        found[name] = DealtDecks(decks=decks, p_value=value)
        if findings is not None and value is not None:
            what = said(
                "the positions of the cards in %(decks)s decks %(name)s have p = %(value)s",
                decks=decks,
                name=name,
                value=f"{value:g}",
            )
            findings.hold("randomness", value >= ALARM, -1, "", what)
    return found
