"""How much the example players stake on how often they win."""

import math
from dataclasses import dataclass

from service.base.documents import Document
from service.sandbox.bots.judgement import whim


@dataclass(frozen=True, slots=True, kw_only=True)
class Temper:
    """What makes one player unlike another; all between 0 and 1."""

    boldness: float
    patience: float

    @classmethod
    def of(cls, name: str, seed: int) -> "Temper":
        """Return the temper of the player called *name* on the night *seed*."""
        return cls(boldness=whim(seed, name, "bold"), patience=whim(seed, name, "patient"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """What is asked of a seat, and what is to be won."""

    pot: int
    """Chips in all pots, the bets of this street among them."""

    due: int
    """What staying in costs."""

    current_bet: int
    opponents: int
    """Live seats besides the own one."""

    @classmethod
    def of(cls, view: Document, legal: Document) -> "Stakes":
        """Return the stakes at a betting decision."""
        paying = legal.get("call") or legal.get("stay") or {}
        return cls(
            pot=sum(pot["chips"] for pot in view["pots"]),
            due=paying.get("amount") or 0,
            current_bet=view["current_bet"],
            opponents=max(1, sum(seat["live"] for seat in view["seats"]) - 1),
        )

    @property
    def price(self) -> float:
        """Return how often a call has to win to cost nothing."""
        return self.due / max(1, self.pot + self.due)


def bet(legal: Document, stakes: Stakes, single: float, temper: Temper, mood: float) -> Document:
    """
    Return a betting action for a hand that beats one opponent with the chance *single*.

    Args:
        legal: Legal actions by verb.
        stakes: What is asked and what is to be won.
        single: Between 0 and 1.
        temper: Bold players raise on less and bluff more, patient ones fold sooner.
        mood: Between 0 and 1; whether this is a moment for a bluff.
    """
    wins = _wins(single, stakes)
    fair = 1 / (stakes.opponents + 1)
    raising = legal.get("raise_to")
    if raising is not None and wins > fair * (1.75 - 0.4 * temper.boldness) and wins > stakes.price:
        return _raise(raising, stakes, wins)
    if raising is not None and mood < 0.02 + 0.05 * temper.boldness and stakes.opponents < 3:
        return _raise(raising, stakes, 0.5)
    if "check" in legal:
        return {"type": "check"}
    if "stay" in legal:
        return {"type": "stay" if wins > 0.7 * stakes.price else "fold"}
    if wins < stakes.price * (1.0 + 0.3 * temper.patience):
        return {"type": "fold"}
    return {"type": "call", "expected": stakes.due}


def _wins(single: float, stakes: Stakes) -> float:
    """
    Return the chance to beat everyone; who bets much has a better hand than most.

    A bet of the whole pot is believed as if it were another opponent.
    """
    pressure = min(1.5, stakes.due / max(1, stakes.pot - stakes.due))
    return math.pow(single, stakes.opponents + pressure)


def _raise(raising: Document, stakes: Stakes, wins: float) -> Document:
    """Raise by a part of the pot, more for a better hand, and by everything when little is left."""
    least, most = raising["min"], raising["max"]
    unit = max(1, least - stakes.current_bet)
    wished = stakes.current_bet + int((stakes.pot + stakes.due) * (0.3 + 0.6 * wins))
    amount = least + max(0, wished - least) // unit * unit
    return {"type": "raise_to", "amount": most if amount * 1.5 > most else amount}
