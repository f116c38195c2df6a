"""
Compare the simulated length of evenings with evenings that were played with cards.

The engine plays tournaments at the pace of the structures: once with the simple players of
``bench.nights``, who raise with good cards, once with house bots, who are careful. The model
(``service.schedule.evening_model``) plays the same evenings without cards. Of all of them, four of
five should end between its tenth and its ninetieth percentile.
"""

import statistics
import time
from datetime import datetime
from typing import Any

import msgspec

from bench.nights import SALT, Night
from bench.structure import ASKED, Asked, ruleset_of
from engine.rulesets import CoruscantShift
from engine.rulesets.parts import Levels
from engine.table.model.hand import Decision
from engine.table.model.state import Place, Table
from engine.table.read.view import seen_by
from service.api.table.actions import Action
from service.api.table.commanding import command_of
from service.sandbox.bots.betting import Temper
from service.sandbox.bots.player import choose
from service.sandbox.bots.strengths import STYLES
from service.schedule.evening_model import Plan, play
from service.schedule.lengths import Lengths, lengths_of, plan_of

SEATS = 6
TIMES, HOUSE_TIMES = 30, 6


class HouseNight(Night):
    """An evening of calm house bots."""

    def _answer(self, table: Table, decision: Decision, place: Place, now: datetime) -> Any:
        view = msgspec.to_builtins(seen_by(table, place.entrant))
        seed = int(self.name[-8:], 16)
        temper = Temper.of(place.entrant, seed)
        action = choose(view, temper, place.entrant, seed, STYLES["calm"])
        read = msgspec.convert(action, Action)
        return command_of(read, entrant=place.entrant, now=now, salt=lambda: SALT)


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


def played(asked: Asked, times: int, kind: type[Night] = Night) -> list[float]:
    """Return the lengths of evenings with cards, in seconds, the shortest first."""
    game = ruleset_of(asked)
    nights = (
        kind(game, players=asked.players, stack=asked.stack, seed=1000 + seed, table_seats=SEATS)
        for seed in range(times)
    )
    return sorted(each.play().total_seconds() for each in nights)


def inside(lengths: Lengths, ended: list[float]) -> float:
    """Return the share of evenings that ended between the model's percentiles."""
    return sum(lengths.p10 <= each <= lengths.p90 for each in ended) / len(ended)


def main() -> None:
    """Play them all, and print both."""
    shares: dict[str, list[float]] = {"simple players": [], "house bots": []}
    for asked in ASKED:
        begun = time.process_time()
        model = simulated(asked)
        print(
            f"{asked.ruleset} {asked.players} players {asked.stack} chips {asked.minutes} min:"
            f" {_minutes(model.p10, model.p50, model.p90)} by {model.evenings} evenings"
            f" in {time.process_time() - begun:.2f} s"
        )
        for name, kind, times in (
            ("simple players", Night, min(TIMES, asked.times)),
            ("house bots", HouseNight, HOUSE_TIMES),
        ):
            ended = played(asked, times, kind)
            share = inside(model, ended)
            shares[name].append(share)
            told = _minutes(ended[0], statistics.median(ended), ended[-1])
            print(f"  {name} x{times}: {told}, inside {share:.0%}", flush=True)
    for name, found in shares.items():
        print(f"{name}: {statistics.mean(found):.0%} inside")
    print(f"both alike: {statistics.mean(map(statistics.mean, shares.values())):.0%} inside")


def _minutes(*seconds: float) -> str:
    return " ".join(f"{each / 60:.0f}" for each in seconds)
