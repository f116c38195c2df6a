"""
Compare the bots with others: games of six seats, three of each kind.

One kind of opponent keeps the best cards at once and bets by mood. Another kind never folds. The
bots of each strength also play against the next weaker ones. Each player sees only the view of its
own seat.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Any, NamedTuple

from service.sandbox.bots.betting import Temper
from service.sandbox.bots.judgement import best_addition, score, whim
from service.sandbox.bots.player import choose
from service.sandbox.bots.strengths import STYLES, Strength
from service.sandbox.selfplay.game import Fault, Game
from service.sandbox.selfplay.match import CERTAIN

SEATS = 6
OTHERS_GAMES = 12

View = dict[str, Any]
Policy = Callable[[View, str], dict[str, Any]]


def of_strength(strength: Strength) -> Policy:
    """Return the policy of the bots of a strength."""

    def policy(view: View, name: str) -> dict[str, Any]:
        action = choose(view, Temper.of(name, 1), name, 1, STYLES[strength])
        if action is None:
            raise ValueError("nothing is asked of this seat")
        return action

    policy.__name__ = strength
    return policy


calm, steady, sharp = (of_strength(each) for each in STYLES)


def by_mood(view: View, name: str) -> dict[str, Any]:
    """Keep the best cards at once, and bet by a feeling between 0 and 1."""
    if (cards := _best_now(view)) is not None:
        return cards
    legal = {action["verb"]: action for action in view["legal"]}
    temper = Temper.of(name, 1)
    found = score(view["me"]["selection"], view["target"], view["suit"])
    feeling = {0: 0.2, 1: 0.08, 2: 0.04}.get(found.distance, 0.0) - 0.15 * found.missing
    moment = (view["number"], view["hand_number"], view["decision"]["turn"])
    nerve = min(1.0, feeling) + (whim(1, name, *moment) - 0.5) * (0.2 + 0.4 * temper.boldness)
    pot = sum(each["chips"] for each in view["pots"])
    raising = legal.get("raise_to")
    if raising is not None and nerve > 0.72 - 0.2 * temper.boldness:
        unit = max(1, raising["min"] - view["current_bet"])
        wished = view["current_bet"] + int(pot * nerve * 0.6)
        amount = raising["min"] + max(0, wished - raising["min"]) // unit * unit
        everything = nerve > 0.93 or amount * 2 > raising["max"]
        return {"type": "raise_to", "amount": raising["max"] if everything else amount}
    for free in ("check", "stay"):
        if free in legal:
            return {"type": free}
    due = legal["call"]["amount"]
    if nerve < 0.08 + due / max(1, pot + due) * (0.7 + 0.5 * temper.patience):
        return {"type": "fold"}
    return {"type": "call"}


def never_folding(view: View, name: str) -> dict[str, Any]:
    """Keep the best cards at once, and call every bet."""
    if (cards := _best_now(view)) is not None:
        return cards
    verbs = {action["verb"] for action in view["legal"]}
    return {"type": next(verb for verb in ("stand", "check", "stay", "call") if verb in verbs)}


PAIRINGS: tuple[tuple[str, Policy], ...] = (
    ("better_simple", by_mood),
    ("better_simple", never_folding),
    ("cantina", by_mood),
    ("cantina", never_folding),
    ("halcyon_100", by_mood),
    ("traditional", never_folding),
    ("spike", never_folding),
)
"""Opponents of steady bots, by ruleset."""

LADDERS = {
    "official": 200, "halcyon_10": 200, "halcyon_100": 40, "better": 60, "better_simple": 60,
    "cantina": 40, "traditional": 20, "spike": 100,
}  # fmt: skip
"""
Rulesets in which sharp bots play against steady ones, with the number of games. House bots play
``holo`` too, which differs from ``halcyon_10`` in the moment of the discards only.
"""

WEAKER = ("better_simple", "traditional", "spike")
"""Rulesets in which steady bots play against calm ones."""

WEAKER_GAMES = 12


def _best_now(view: View) -> dict[str, Any] | None:
    """Return the best selection if no more cards came; None if no selection is needed."""
    phase, mine = view["decision"]["phase"], view["me"]
    if phase not in ("select", "improve"):
        return None
    pool = mine["cards"] if phase == "select" else mine["new_cards"]
    cards = best_addition(mine["selection"], pool, view["target"], view["suit"])
    return {"type": phase, "cards": list(cards)}


@dataclass
class Following:
    """A player that follows a policy."""

    policy: Policy
    name: str

    def choose(self, view: View) -> View:
        """Return the action that the policy chooses."""
        return self.policy(view, self.name)

    def told(self, fault: Fault) -> None:
        """Raise an error, because these players know the rules."""
        raise RuntimeError(f"refused: {fault}")


def seated(number: int, policies: Sequence[Policy]) -> list[Following]:
    """Return a player for each policy, in the order of the seats of game *number*."""
    return [Following(each, f"{number}/{seat}") for seat, each in enumerate(policies, start=1)]


class Result(NamedTuple):
    """The share of one kind. A half means that both kinds are equal."""

    won: float
    chips: float
    give_or_take: float
    """The half-width of the range that holds the true share of chips with a probability of 95 %."""

    games: int
    hands: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"won {self.won:>4.0%} of {self.games} games, {self.chips:>4.0%} of the chips "
            f"(± {self.give_or_take:.0%}); "
            f"{self.hands} hands, {1e3 * self.seconds / self.hands:.1f} ms a hand"
        )


def compare(name: str, one: Policy, other: Policy, games: int) -> Result:
    """
    Play *games* of the preset *name*, and return the result of *one*.

    Two games have the same cards, and the two kinds change seats between them. So luck with the
    cards decides little.
    """
    shares: list[float] = []
    won, hands = 0.0, 0
    began = time.process_time()
    for number in range(games // 2):
        share = 0.0
        for side in (0, 1):
            ours = [(seat + side) % 2 == 0 for seat in range(SEATS)]
            game = Game(name, number, seated(number, [one if mine else other for mine in ours]))
            stacks = game.play()
            best = max(stacks.values())
            leaders = [seat for seat, stack in stacks.items() if stack == best]
            won += sum(ours[seat - 1] for seat in leaders) / len(leaders)
            mine = sum(stack for seat, stack in stacks.items() if ours[seat - 1])
            share += mine / max(1, sum(stacks.values())) / 2
            hands += game.hands
        shares.append(share)
    seconds = time.process_time() - began
    error = stdev(shares) / sqrt(len(shares)) if len(shares) > 1 else 0.0
    return Result(won / games, mean(shares), CERTAIN * error, games, hands, seconds)


def main() -> None:
    """Print the results of the bots against others, and of each strength against the next."""
    for name, other in PAIRINGS:
        _show(name, steady, other, OTHERS_GAMES)
    for name in WEAKER:
        _show(name, steady, calm, WEAKER_GAMES)
    for name, games in LADDERS.items():
        _show(name, sharp, steady, games)


def _show(name: str, one: Policy, other: Policy, games: int) -> None:
    pairing = f"{one.__name__} against {other.__name__.replace('_', ' ')}"
    print(f"{name:<14} {pairing:<28} {compare(name, one, other, games)}", flush=True)
