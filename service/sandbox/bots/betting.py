"""The betting of the example players, from their chance to win."""

import math
from dataclasses import dataclass

from service.base.documents import Document
from service.sandbox.bots.judgement import whim
from service.sandbox.bots.strengths import STEADY, Style


@dataclass(frozen=True, slots=True, kw_only=True)
class Temper:
    """The traits in which players differ, each between 0 and 1."""

    boldness: float
    patience: float

    @classmethod
    def of(cls, name: str, seed: int) -> "Temper":
        """Return the temper of the player *name* on the night *seed*."""
        return cls(boldness=whim(seed, name, "bold"), patience=whim(seed, name, "patient"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """The chips that a seat can win and has to pay, and the number of its opponents."""

    pot: int
    """The chips in all pots, including the bets of this street."""

    due: int
    """The chips that a call or a stay costs."""

    current_bet: int
    opponents: int
    """The number of other live seats, at least 1."""

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
        """Return the chance to win, from 0 to 1, at which a call breaks even."""
        return self.due / max(1, self.pot + self.due)


def bet(
    legal: Document,
    stakes: Stakes,
    single: float,
    temper: Temper,
    mood: float,
    style: Style = STEADY,
    *,
    turns: bool = False,
) -> Document:
    """
    Return a betting action for a hand that beats one opponent with the chance *single*.

    Args:
        legal: The legal actions by verb.
        stakes: The pot, the price and the opponents.
        single: A chance between 0 and 1.
        temper: Bold players raise with weaker hands and bluff more. Patient players fold sooner.
        mood: A number between 0 and 1. A low number means a bluff.
        style: The way of betting of the player's strength.
        turns: True in a game of card turns.
    """
    price = style.price_of_turns if turns else style.price
    wins = _wins(single, stakes, style.doubt)
    fair = 1 / (stakes.opponents + 1)
    raising = legal.get("raise_to")
    strong = wins > fair * (style.raises - 0.4 * temper.boldness) and wins > stakes.price
    if raising is not None and strong:
        return _raise(raising, stakes, 0.3 + (style.size - 0.3) * wins)
    bluffing = mood < style.bluffs * (2 + 5 * temper.boldness) / 7 and stakes.opponents < 3
    if raising is not None and bluffing:
        return _raise(raising, stakes, 0.6)
    if "check" in legal:
        return {"type": "check"}
    if "stay" in legal:
        return {"type": "stay" if wins > 0.7 * price * stakes.price else "fold"}
    if wins < price * stakes.price * (1.0 + 0.3 * temper.patience):
        return {"type": "fold"}
    return {"type": "call", "expected": stakes.due}


def _wins(single: float, stakes: Stakes, doubt: float) -> float:
    """
    Return the chance to beat all opponents.

    A large bet suggests a strong hand. With a *doubt* of 1, a bet of the whole pot counts like
    one more opponent.
    """
    pressure = doubt * min(1.5, stakes.due / max(1, stakes.pot - stakes.due))
    return math.pow(single, stakes.opponents + pressure)


def _raise(raising: Document, stakes: Stakes, part: float) -> Document:
    return {"type": "raise_to", "amount": raised_by(raising, stakes, part)}


def raised_by(raising: Document, stakes: Stakes, part: float) -> int:
    """Return the legal amount of a raise by a *part* of the pot, or all-in if little would stay."""
    least, most = raising["min"], raising["max"]
    unit = max(1, least - stakes.current_bet)
    wished = stakes.current_bet + int((stakes.pot + stakes.due) * part)
    amount: int = least + max(0, wished - least) // unit * unit
    return most if amount * 1.5 > most else amount
