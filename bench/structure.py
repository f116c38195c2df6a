"""
Check whether tournaments end near the time that a structure was suggested for.

The engine plays two hundred tournaments of several sizes, stacks, times and two games. The
players are simple, and a stated model gives the time of a hand.
"""

import statistics
import time
from typing import NamedTuple

import msgspec

from bench.nights import Night
from engine.rulesets import Ruleset, preset
from engine.rulesets.parts import Levels
from engine.rulesets.structure import HAND_SECONDS, PLAYER_SECONDS, suggest

NEAR = 0.2
"""The relative difference from the planned time that still counts as near."""


class Asked(NamedTuple):
    """A tournament, and the number of times it is played."""

    ruleset: str
    players: int
    stack: int
    minutes: int
    times: int


ASKED = (
    Asked("better", 6, 1000, 60, 40),
    Asked("better", 12, 1500, 90, 40),
    Asked("better", 8, 5000, 120, 25),
    Asked("better", 24, 2000, 120, 30),
    Asked("better", 18, 1000, 180, 20),
    Asked("better", 40, 3000, 150, 15),
    Asked("cantina", 12, 1000, 60, 30),
)


def ruleset_of(asked: Asked) -> Ruleset:
    """Return the game with the levels suggested for it."""
    game = preset(asked.ruleset)
    levels = suggest(game, players=asked.players, stack=asked.stack, minutes=asked.minutes)
    escalation = Levels(by="clock", levels=levels)
    return msgspec.structs.replace(game, escalation=escalation, starting_stack=asked.stack)


def ends(asked: Asked, times: int, *, ruleset: Ruleset | None = None) -> list[float]:
    """Return the ends of the tournaments in ascending order; 1 is the planned time."""
    game = ruleset or ruleset_of(asked)
    lengths = (
        Night(game, players=asked.players, stack=asked.stack, seed=seed).play()
        for seed in range(times)
    )
    return sorted(each.total_seconds() / 60 / asked.minutes for each in lengths)


def near(ended: list[float]) -> float:
    """Return the share that ended near the planned time."""
    return sum(abs(each - 1) <= NEAR for each in ended) / len(ended)


def main() -> None:
    """Play them all, and print how many ended in time."""
    began, every = time.perf_counter(), []
    print(f"a hand takes {HAND_SECONDS} s and {PLAYER_SECONDS} s a player dealt in")
    for asked in ASKED:
        ended = ends(asked, asked.times)
        every += ended
        print(
            f"{asked.ruleset:>8} {asked.players:>3} players {asked.stack:>5} chips"
            f" {asked.minutes:>4} min  x{asked.times:<3}"
            f" median {statistics.median(ended):.2f}"
            f"  from {ended[0]:.2f} to {ended[-1]:.2f}  near {near(ended):.0%}",
            flush=True,
        )
    print(
        f"{len(every)} tournaments: median {statistics.median(every):.2f} of the time asked for,"
        f" {near(every):.1%} within {NEAR:.0%} of it; {time.perf_counter() - began:.0f} s"
    )
