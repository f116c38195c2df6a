"""
Compare the simulated length of evenings with evenings that were played with cards.

The engine plays tournaments with simple players (``bench.nights``), at the pace of the structures.
The model (``service.schedule.evening_model``) plays the same evenings without cards. Four of five
played evenings should end between the model's tenth and ninetieth percentile.
"""

import statistics
import time

from bench.nights import Night
from bench.structure import ASKED, Asked, ruleset_of
from engine.rulesets import CoruscantShift
from engine.rulesets.parts import Levels
from service.schedule.evening_model import Plan, play
from service.schedule.lengths import Lengths, lengths_of, plan_of

SEATS = 6
TIMES = 30


def plan_for(asked: Asked) -> Plan:
    """Return the plan of the evening that a structure was suggested for."""
    game = ruleset_of(asked)
    if not (isinstance(game, CoruscantShift) and isinstance(game.escalation, Levels)):
        raise TypeError("the levels of this game are not listed")
    return plan_of(
        players=asked.players,
        seats=SEATS,
        stack=asked.stack,
        unit=game.chip_unit,
        levels=game.escalation.levels,
    )


def simulated(asked: Asked) -> Lengths:
    """Return the lengths by the model."""
    found = lengths_of(play(plan_for(asked)))
    if found is None:
        raise ValueError(f"{asked.players} players are too many for the model")
    return found


def played(asked: Asked, times: int) -> list[float]:
    """Return the lengths of evenings with cards, in seconds, the shortest first."""
    game = ruleset_of(asked)
    nights = (
        Night(game, players=asked.players, stack=asked.stack, seed=1000 + seed, table_seats=SEATS)
        for seed in range(times)
    )
    return sorted(each.play().total_seconds() for each in nights)


def inside(lengths: Lengths, ended: list[float]) -> float:
    """Return the share of evenings that ended between the model's percentiles."""
    return sum(lengths.p10 <= each <= lengths.p90 for each in ended) / len(ended)


def main() -> None:
    """Play them all, and print both."""
    shares, ratios = [], []
    for asked in ASKED:
        begun = time.process_time()
        model = simulated(asked)
        took = time.process_time() - begun
        ended = played(asked, min(TIMES, asked.times))
        median = statistics.median(ended)
        shares += [inside(model, ended)] * len(ended)
        ratios.append(model.p50 / median)
        print(
            f"{asked.ruleset:>8} {asked.players:>3} players {asked.stack:>5} chips"
            f" {asked.minutes:>4} min: model {model.p10 / 60:.0f} {model.p50 / 60:.0f}"
            f" {model.p90 / 60:.0f} ({model.evenings} evenings, {took:.2f} s);"
            f" played {ended[len(ended) // 10] / 60:.0f} {median / 60:.0f}"
            f" {ended[len(ended) * 9 // 10] / 60:.0f} (x{len(ended)});"
            f" inside {inside(model, ended):.0%}",
            flush=True,
        )
    print(
        f"inside {statistics.mean(shares):.0%} of {len(shares)} played evenings (80% is right);"
        f" median of the model {min(ratios):.2f} to {max(ratios):.2f} of the played one"
    )
