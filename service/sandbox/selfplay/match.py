"""Many games of one bot against house bots, and their report."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt
from statistics import mean, stdev
from typing import Final

import msgspec

from service.base.documents import Document
from service.sandbox.bots.strengths import Strength
from service.sandbox.selfplay.game import Fault, Game, Player
from service.sandbox.selfplay.players import Candidate, HousePlayer

CERTAIN: Final = 1.96
"""A mean lies within this many standard errors of the true one with 95 %."""

EXAMPLES: Final = 3
"""The faults of one code that a report shows in full."""


class Played(msgspec.Struct, kw_only=True):
    """The result of one ruleset."""

    ruleset: str
    games: int
    hands: int
    won: float
    """The share of the games that the bot won. A tie counts as a part of a win."""

    fair: float
    """The share that equal players would win."""

    stacks: float
    """
    The bot's mean stack at the end of a game, or its hands won in games without chips, as a part
    of what equal players would have.
    """

    give_or_take: float
    """The half-width of the range that holds the true mean with 95 %."""


class Report(msgspec.Struct, kw_only=True):
    """The results of a bot, and all its faults."""

    against: tuple[Strength, ...]
    played: tuple[Played, ...]
    decisions: int
    milliseconds: tuple[float, float, float]
    """The time for an answer in milliseconds: the median, the 99th percentile and the maximum."""

    faults: dict[str, int]
    """The number of faults by kind and code."""

    examples: tuple[Document, ...]
    """The first faults of each code."""

    @property
    def clean(self) -> bool:
        """Return whether every decision got a legal action in time."""
        return not self.faults


@dataclass(slots=True, kw_only=True)
class Match:
    """
    A bot against house bots.

    Args:
        bot: The bot under test.
        against: The strengths of the other seats.
        seed: With the number of a game, it fixes the cards.
    """

    bot: Candidate
    against: Sequence[Strength]
    seed: int = 1
    _played: list[Played] = field(default_factory=list)

    def play(self, ruleset: str, hands: int, told: Callable[[int], None] | None = None) -> Played:
        """
        Play games of *ruleset*, each to its end, until at least *hands* hands have been played.

        Args:
            told: Called with the number of hands so far after each game.
        """
        seats = 1 + len(self.against)
        stacks: list[float] = []
        won, dealt = 0.0, 0
        while dealt < hands:
            number = len(stacks)
            mine = number % seats
            game = Game(ruleset, number, self._seated(number, mine), self.seed)
            left = game.play()
            best = max(left.values())
            leaders = [seat for seat, stack in left.items() if stack == best]
            won += (mine + 1 in leaders) / len(leaders)
            stacks.append(left.get(mine + 1, 0) * seats / max(1, sum(left.values())))
            dealt += game.hands
            if told is not None:
                told(dealt)
        error = stdev(stacks) / sqrt(len(stacks)) if len(stacks) > 1 else 0.0
        played = Played(
            ruleset=ruleset,
            games=len(stacks),
            hands=dealt,
            won=won / len(stacks),
            fair=1 / seats,
            stacks=mean(stacks),
            give_or_take=CERTAIN * error,
        )
        self._played.append(played)
        return played

    def report(self) -> Report:
        """Return all results so far."""
        faults = Counter(_key(each) for each in self.bot.faults)
        seen: Counter[str] = Counter()
        examples: list[Document] = []
        for each in self.bot.faults:
            seen[_key(each)] += 1
            if seen[_key(each)] <= EXAMPLES:
                examples.append({name: getattr(each, name) for name in _MEMBERS})
        return Report(
            against=tuple(self.against),
            played=tuple(self._played),
            decisions=len(self.bot.took),
            milliseconds=_times(self.bot.took),
            faults=dict(faults.most_common()),
            examples=tuple(examples),
        )

    def _seated(self, number: int, mine: int) -> list[Player]:
        others: list[Player] = [
            HousePlayer(strength, f"{number}/{index}", self.seed)
            for index, strength in enumerate(self.against)
        ]
        return [*others[:mine], self.bot, *others[mine:]]


_MEMBERS: Final = ("kind", "code", "detail", "phase", "legal", "action")


def _key(fault: Fault) -> str:
    return f"{fault.kind}: {fault.code}" if fault.kind == "refused" else fault.kind


def _times(took: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, the 99th percentile and the maximum in milliseconds."""
    if not took:
        return 0.0, 0.0, 0.0
    ordered = sorted(1e3 * each for each in took)
    median, high = (ordered[ceil(share * len(ordered)) - 1] for share in (0.5, 0.99))
    return median, high, ordered[-1]
