"""
Sharp players' conclusions from the bets of others.

A sharp player assumes that the others bet as steady players do. Their bets then show which hands
they may hold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from service.base.documents import Document
from service.sandbox.bots.judgement import SelectionRank
from service.sandbox.bots.practice import Possible

RAISES: Final = 1.55
"""A player raises if the chance to win is this many times a fair share."""

BLUFFS: Final = 0.05
"""The weight of a hand that is too weak for its raise or call. Other hands have the weight 1."""

HIDES: Final = 0.35
"""The weight of a checked hand that was worth a raise. Other checked hands have the weight 1."""

PAID: Final = 0.5
"""A player who paid for a raise before the new cards had this chance to beat one opponent,"""

PAID_LESS: Final = 0.3
"""or a smaller chance, with this weight."""

CERTAIN: Final = 0.985
"""No player waits for a better chance than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Another live seat, with the hands that it may hold."""

    put_in: int
    """Chips put into the street."""

    stack: int
    hands: tuple[tuple[float, float, SelectionRank], ...]
    """The weight of each hand, its chance now, and its final selection. The weights sum to 1."""

    def due(self, bet: int) -> int:
        """Return the chips that a call of *bet* costs."""
        return max(0, min(bet - self.put_in, self.stack))

    def split(self, least: float) -> tuple[float, dict[SelectionRank, float]]:
        """Return the weight of the hands with a chance below *least*, and the other hands."""
        folded, called = 0.0, dict[SelectionRank, float]()
        for weight, now, after in self.hands:
            if now < least:
                folded += weight
            else:
                called[after] = called.get(after, 0.0) + weight
        return folded, called


def paying(price: float, due: int, pot: int, rivals: int) -> float:
    """
    Return the chance against one opponent from which a player pays *due* into a *pot*.

    A large bet counts like another opponent, because it suggests a strong hand.

    Args:
        price: The chance to win that the player demands.
        pot: The chips in the pot, with the bet.
        rivals: The number of opponents.
    """
    pressure = min(1.5, due / max(1, pot - due))
    return float(min(CERTAIN, price ** (1 / (rivals + pressure))))


class Knowledge(Protocol):
    """A player's knowledge of the hands that others may hold."""

    def others(self, kept: int | None) -> Sequence[Possible]:
        """Return the hands of a player who kept that many cards.

        None if the number is not known.
        """

    def chance(self, found: SelectionRank) -> float:
        """Return the chance that a hand beats one opponent's, as its owner sees it."""


class StreetBets:
    """The bets of a street, seen from the viewer's seat."""

    def __init__(self, view: Document) -> None:
        me, count, bet = view["me"]["seat"], view["seat_count"], view["current_bet"]
        self.others = [each for each in view["seats"] if each["live"] and each["seat"] != me]
        self.first = view["decision"]["street"] == 1
        """True before the new cards."""

        big, ante = view["amounts"]["big"] or 0, view["amounts"]["ante"] or 0
        self._forced = big + 2 * ante
        self._bet = bet
        # Clockwise from the viewer, the first seat that has paid the whole bet raised it.
        clockwise = sorted(self.others, key=lambda each: (each["seat"] - me) % count)
        forced = big if self.first else 0
        self._raiser = next((each for each in clockwise if each["put_in"] == bet > forced), None)
        opener = (view["big_blind"] if self.first else None) or view["button"] or me
        self._before_me = {
            each["seat"]
            for each in self.others
            if (each["seat"] - opener - 1) % count < (me - opener - 1) % count
        }
        rivals, pot = len(self.others), sum(each["chips"] for each in view["pots"])
        self._to_raise = (RAISES / (rivals + 1)) ** (1 / rivals)
        self._to_call = paying(bet / max(1, pot), bet, pot, rivals)

    def rivals(self, known: Knowledge) -> list[Rival]:
        """Return the other live seats with the hands that agree with their bets."""
        return [self._rival(seat, known) for seat in self.others]

    def _rival(self, seat: Document, known: Knowledge) -> Rival:
        hands = tuple(self._hands(seat, known.others(seat["kept"]), known))
        total = sum(weight for weight, _, _ in hands)
        return Rival(
            put_in=seat["put_in"],
            stack=seat["stack"],
            hands=tuple((weight / total, now, after) for weight, now, after in hands),
        )

    def _hands(
        self, seat: Document, possible: Sequence[Possible], known: Knowledge
    ) -> Iterator[tuple[float, float, SelectionRank]]:
        for hand in possible:
            now = hand.before if self.first else known.chance(hand.after)
            agrees = self._before(seat, hand) * self._now(seat, now)
            yield hand.weight * agrees, now, hand.after

    def _before(self, seat: Document, hand: Possible) -> float:
        """Return how well *hand* agrees with the bets before the new cards."""
        paid = 0 if self.first else seat["wager"] - seat["put_in"]
        return 1.0 if paid <= self._forced or hand.before >= PAID else PAID_LESS

    def _now(self, seat: Document, now: float) -> float:
        """Return how well a hand with the chance *now* agrees with the bets of this street."""
        if self._raiser is None:
            hidden = seat["seat"] in self._before_me and now >= self._to_raise
            return HIDES if hidden and not seat["all_in"] else 1.0
        if seat["put_in"] != self._bet:
            return 1.0
        enough = self._to_raise if seat is self._raiser else self._to_call
        return 1.0 if now >= enough else BLUFFS
