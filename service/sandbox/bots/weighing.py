"""
The betting of sharp players: the worth of an action is the chips that it wins on average.

Sharp players assume that the others answer a bet as steady players do, by the hands they may hold.
They also assume that the showdown follows this street.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from service.base.documents import Document
from service.sandbox.bots import spike
from service.sandbox.bots.betting import Stakes, raised_by
from service.sandbox.bots.card_turns import value_of
from service.sandbox.bots.judgement import SIZE, SelectionRank, best_addition, score
from service.sandbox.bots.practice import need_of, practised
from service.sandbox.bots.reading import Knowledge, Rival, StreetBets, paying

SIZES: Final = (0.5, 1.0, 1.8)
"""The raises that are weighed, as parts of the pot, besides the least one and all-in."""

CLOSE: Final = 0.02
"""Actions that differ by less than this part of the pot count as equal. The mood chooses."""

PATIENCE: Final = 1.15
"""A player calls if the chance to win is this many times the chance to break even."""


@dataclass(slots=True, kw_only=True)
class Weighing:
    """
    A betting decision.

    Args:
        stakes: The pot and the price.
        put_in: The player's chips in this street.
        rivals: The other live seats.
        mine: The player's possible final selections, with the chance of each.
    """

    stakes: Stakes
    put_in: int
    rivals: Sequence[Rival]
    mine: Mapping[SelectionRank, float]

    @classmethod
    def of(cls, view: Document, legal: Document) -> "Weighing":
        """Return the betting decision of a *view*."""
        me, known = view["me"]["seat"], _knowledge(view)
        return cls(
            stakes=Stakes.of(view, legal),
            put_in=next(each["put_in"] for each in view["seats"] if each["seat"] == me),
            rivals=StreetBets(view).rivals(known),
            mine=_mine(view),
        )

    def action(self, legal: Document, mood: float) -> Document:
        """Return the action that wins most chips. The *mood* chooses among the best."""
        weighed = self._weighed(legal)
        best = max(value for value, _ in weighed)
        close = [each for value, each in weighed if value >= best - CLOSE * self.stakes.pot]
        return close[int(mood * len(close))]

    def _weighed(self, legal: Document) -> list[tuple[float, Document]]:
        """Return the actions, each with the chips that it wins on average."""
        due, bet = self.stakes.due, self.stakes.current_bet
        weighed: list[tuple[float, Document]] = []
        if "check" in legal:
            weighed.append((self._gain(0, 0), {"type": "check"}))
        elif due:
            weighed.append((0.0, {"type": "fold"}))
        if "stay" in legal:
            weighed.append((self._gain(due, 0), {"type": "stay"}))
        elif "call" in legal:
            weighed.append((self._gain(due, bet), {"type": "call", "expected": due}))
        # Chips that nobody can match are returned.
        matched = max(each.put_in + each.stack for each in self.rivals)
        for amount in self._raises(legal.get("raise_to")):
            cost = max(0, min(amount, matched) - self.put_in)
            weighed.append((self._gain(cost, amount), {"type": "raise_to", "amount": amount}))
        return weighed

    def _raises(self, raising: Document | None) -> list[int]:
        """Return the amounts to weigh."""
        if raising is None:
            return []
        sizes = (raised_by(raising, self.stakes, part) for part in SIZES)
        return sorted({raising["min"], raising["max"], *sizes})

    def _gain(self, cost: int, bet: int) -> float:
        """Return the chips that the player gains on average by paying *cost*, at the new *bet*."""
        pot = self.stakes.pot + cost
        answers = []
        for rival in self.rivals:
            due = rival.due(bet)
            price = PATIENCE * due / (pot + due) if due else 0.0
            least = paying(price, due, pot, len(self.rivals))
            answers.append((due, *rival.split(least)))
        gain = 0.0
        for found, part in self.mine.items():
            # The chance of each set of callers, with the player's win, and the callers' chips.
            ways = [(1.0, 1.0, 0)]
            for due, folded, called in answers:
                stays, wins = 1.0 - folded, _beaten(called, found)
                ways = [
                    *((each * folded, won * folded, chips) for each, won, chips in ways if folded),
                    *((each * stays, won * wins, chips + due) for each, won, chips in ways),
                ]
            gain += part * sum(won * (pot + chips) - each * cost for each, won, chips in ways)
        return gain


def _beaten(hands: Mapping[SelectionRank, float], found: SelectionRank) -> float:
    """Return the weight of the *hands* that a final selection beats. A tie counts half."""
    beaten = sum(weight for after, weight in hands.items() if found < after)
    return beaten + hands.get(found, 0.0) / 2


def _knowledge(view: Document) -> Knowledge:
    if view["target"] is None:
        return spike.Others(view["rounds"]["round"])
    return practised(view["target"])


def _mine(view: Document) -> Mapping[SelectionRank, float]:
    me, target, suit = view["me"], view["target"], view["suit"]
    if target is None:
        return spike.finals(spike.hand_of(map(value_of, me["cards"])), view["rounds"]["round"])
    kept = me["selection"]
    if view["decision"]["street"] == 1:
        return practised(target).outcomes(*need_of(kept, target, suit), SIZE - len(kept))
    added = best_addition(kept, me["new_cards"], target, suit)
    return {score((*kept, *added), target, suit): 1.0}
