"""
Compare the simulated length of evenings with evenings that were played with cards.

The engine plays tournaments at the pace of the structures: once with the simple players of
``bench.nights``, who raise with good cards, once with house bots, who are careful. The model
(``service.schedule.evening_model``) plays the same evenings without cards. Four of five evenings
should end between its tenth and its ninetieth percentile, and nine of ten before the ninetieth.

Every evening is played twice: with everybody in time and no rebuys, and with late players and
rebuys as the console assumes them. The model was set by evenings of other seeds.
"""

import statistics
from datetime import datetime
from typing import Any

import msgspec

from bench.nights import SALT, Later, Night
from bench.structure import ASKED, Asked, ruleset_of
from engine.rulesets import CoruscantShift
from engine.rulesets.parts import Levels, Rebuy
from engine.table.model.hand import Decision
from engine.table.model.state import Place, Table
from engine.table.read.view import seen_by
from service.api.table.actions import Action
from service.api.table.commanding import command_of
from service.sandbox.bots.betting import Temper
from service.sandbox.bots.player import choose
from service.sandbox.bots.strengths import STYLES
from service.schedule.evening_model import Plan, play
from service.schedule.lengths import (
    BUYING_PERCENT,
    LATE_ONE_IN,
    Lengths,
    lengths_of,
    plan_of,
)

SEATS = 6
TIMES, HOUSE_TIMES = 12, 8
PLAYERS_MAX = 24
"""With forty players an evening of house bots takes the engine too long."""

SEED = 50_000
"""The first seed. No number of the model was chosen by an evening from here on."""

LATE_LEVEL, REBUYS = 3, Rebuy(max=1, until_level=6)
"""The terms of the evenings with late players and rebuys."""


class HouseNight(Night):
    """An evening of calm house bots."""

    def _answer(self, table: Table, decision: Decision, place: Place, now: datetime) -> Any:
        view = msgspec.to_builtins(seen_by(table, place.entrant))
        seed = int(self.name[-8:], 16)
        temper = Temper.of(place.entrant, seed)
        action = choose(view, temper, place.entrant, seed, STYLES["calm"])
        read = msgspec.convert(action, Action)
        return command_of(read, entrant=place.entrant, now=now, salt=lambda: SALT)


def plan_for(asked: Asked, *, later: bool = False) -> Plan:
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
        late=(LATE_LEVEL, asked.players // LATE_ONE_IN) if later else None,
        rebuy=REBUYS if later else Rebuy(),
    )


def simulated(asked: Asked, *, later: bool = False) -> Lengths:
    """Return the lengths by the model."""
    found = lengths_of(play(plan_for(asked, later=later)))
    if found is None:
        raise ValueError(f"{asked.players} players are too many for the model")
    return found


def played(
    asked: Asked, times: int, kind: type[Night] = Night, *, later: bool = False
) -> list[float]:
    """Return the lengths of evenings with cards, in seconds, the shortest first."""
    game, happens = ruleset_of(asked), Later()
    if later:
        game = msgspec.structs.replace(game, rebuy=REBUYS)
        happens = Later(asked.players // LATE_ONE_IN, LATE_LEVEL, BUYING_PERCENT / 100)
    nights = (
        kind(
            game,
            players=asked.players,
            stack=asked.stack,
            seed=SEED + number,
            table_seats=SEATS,
            later=happens,
        )
        for number in range(times)
    )
    return sorted(each.play().total_seconds() for each in nights)


def inside(lengths: Lengths, ended: list[float]) -> float:
    """Return the share of evenings that ended between the model's percentiles."""
    return sum(lengths.p10 <= each <= lengths.p90 for each in ended) / len(ended)


def in_time(lengths: Lengths, ended: list[float]) -> float:
    """Return the share of evenings that ended before the latest end that the model gives."""
    return sum(each <= lengths.p90 for each in ended) / len(ended)


def main() -> None:
    """Play all evenings with both, and print both."""
    found = [_compared(later=later) for later in (False, True)]
    for name, shares in zip(("in time, no rebuys", "late players, rebuys"), found, strict=True):
        for kind, every in shares.items():
            within, before = zip(*every, strict=True)
            print(
                f"{name}, {kind}: {statistics.mean(within):.0%} inside,"
                f" {statistics.mean(before):.0%} ended in time"
            )


def _compared(*, later: bool) -> dict[str, list[tuple[float, float]]]:
    """Print every kind of evening. Return the shares inside and in time, by the players."""
    shares: dict[str, list[tuple[float, float]]] = {}
    for asked in (each for each in ASKED if each.players <= PLAYERS_MAX):
        model = simulated(asked, later=later)
        print(
            f"{asked.ruleset} {asked.players} players {asked.stack} chips {asked.minutes} min"
            f"{' with late players and rebuys' if later else ''}:"
            f" {_minutes(model.p10, model.p50, model.p90)} by {model.evenings} evenings"
        )
        for name, kind, times in (
            ("simple players", Night, min(TIMES, asked.times)),
            ("house bots", HouseNight, HOUSE_TIMES),
        ):
            ended = played(asked, times, kind, later=later)
            share = inside(model, ended), in_time(model, ended)
            shares.setdefault(name, []).append(share)
            told = _minutes(ended[0], statistics.median(ended), ended[-1])
            print(
                f"  {name} x{times}: {told}, inside {share[0]:.0%}, in time {share[1]:.0%}",
                flush=True,
            )
    return shares


def _minutes(*seconds: float) -> str:
    return " ".join(f"{each / 60:.0f}" for each in seconds)
