"""
``python -m tests.simulation.soak``: evenings of a whole installation, from one seed.

Two API processes, two workers and a projector serve six clients in virtual time. Messages are
delayed, lost and doubled, the database goes away, and each process may end at any await. Each
evening a tournament is announced, entered and played. Then there are no faults for a while. The
tournament must end, and every check in ``tests/simulation/checks.py`` must hold.
"""

import argparse
import asyncio
import logging
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from engine.values import number_of
from service.sandbox.generating.chance import Dice
from tests.simulation.checks import Broken, Referee
from tests.simulation.clients import Line, Organiser, Player
from tests.simulation.loop import Crashes, Process, SimulatedLoop
from tests.simulation.processes import Installation

PLAYERS = 6
CRASH_EVERY = 600
"""The average number of steps between two ends of a process."""

STORMY_SECONDS = 240.0
"""The virtual time of an evening with faults."""

CALM_SECONDS = 1_200.0
"""The virtual time after the faults in which the tournament must end."""

STILL_SECONDS = 120.0
"""The longest virtual time without an event, after the last fault."""

QUIET_SECONDS = 30.0
"""The virtual time in which the read models must catch up."""


@dataclass(slots=True)
class Tally:
    """The counts of one run."""

    seed: int
    steps: int = 0
    evenings: int = 0
    events: int = 0
    views: int = 0
    acknowledged: int = 0
    crashes: int = 0
    virtual: float = 0.0
    """Virtual seconds."""

    seconds: float = 0.0
    """Seconds of processor time."""

    trace: str = ""
    faults: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self.faults.items()))
        return (
            f"seed {self.seed}: {self.steps} steps, {self.evenings} evenings, "
            f"{self.events} events, {self.acknowledged} commands acknowledged, "
            f"{self.views} views, in {self.virtual:.0f} virtual s "
            f"and {self.seconds:.1f} s of one processor\n"
            f"crashes {self.crashes}, {faults}\ntrace {self.trace}"
        )


class Failed(AssertionError):
    """A check failed. The message says how to repeat the run."""

    def __init__(self, seed: int, steps: int, why: str, last: list[str]) -> None:
        again = f"python -m tests.simulation.soak --seed {seed} --steps {steps}"
        super().__init__(f"{again} failed at step {steps}: {why}")
        self.seed, self.steps, self.why = seed, steps, why
        self.last = last
        """The last steps before the failure."""


def simulate(seed: int, steps: int) -> Tally:
    """
    Play evenings from *seed* until *steps* steps are done. The last one is played to its end.

    Raises:
        Failed: If a check failed.
    """
    loop = SimulatedLoop(Crashes(Dice(f"{seed}/crashes"), CRASH_EVERY))
    tally, began = Tally(seed), time.process_time()
    with _quietly():
        house = Installation(loop, str(seed))
        run = _Run(house, tally)
        main = loop.spawn(Process("main", mortal=False), run.evenings(steps))
        try:
            loop.run_until_complete(main)
        except Exception as error:
            why = str(error) if isinstance(error, Broken) else repr(error)
            raise Failed(seed, loop.steps, why, list(loop.last)) from error
        finally:
            house.close()
            loop.close()
    tally.seconds = time.process_time() - began
    return tally


class _Run:
    def __init__(self, house: Installation, tally: Tally) -> None:
        self._house = house
        self._tally = tally
        self._referee = Referee(house.server, Dice(f"{house.seed}/referee"))

    async def evenings(self, steps: int) -> None:
        """Found a league, and play evenings."""
        house, referee = self._house, self._referee
        line = Line(house, referee, Dice(f"{house.seed}/line"))
        organiser = Organiser(house, line, Dice(f"{house.seed}/organiser"), PLAYERS)
        await organiser.found()
        players = [
            Player(house, line, referee, Dice(f"{house.seed}/{name}"), name)
            for name in organiser.players
        ]
        loop, tally = house.loop, self._tally
        while loop.steps < steps:
            self._storm(True)
            await self._evening(organiser, players)
            tally.evenings += 1
        tally.steps, tally.trace = loop.steps, loop.trace
        tally.virtual, tally.crashes = loop.time(), loop.crashes.count
        tally.events, tally.views = referee.events, referee.views
        tally.faults.update(house.chaos.counts)

    def _storm(self, on: bool) -> None:
        self._house.chaos.on = on
        self._house.loop.crashes.every = CRASH_EVERY if on else None

    async def _evening(self, organiser: Organiser, players: list[Player]) -> None:
        house, referee = self._house, self._referee
        tournament = await organiser.announce()
        playing = [house.house(each.evening(organiser.league, tournament)) for each in players]
        until = house.loop.time() + STORMY_SECONDS
        while house.loop.time() < until and not all(each.done() for each in playing):
            await self._watched(playing, 1.0)
        self._storm(False)
        until = house.loop.time() + CALM_SECONDS
        events, still = referee.events, house.loop.time() + STILL_SECONDS
        while not all(each.done() for each in playing):
            if events != referee.events:
                events, still = referee.events, house.loop.time() + STILL_SECONDS
            if house.loop.time() > min(until, still):
                raise Broken(f"{tournament} does not end")
            await self._watched(playing, 1.0)
        league = number_of(organiser.league)
        until = house.loop.time() + QUIET_SECONDS
        await asyncio.sleep(QUIET_SECONDS / 2)
        while not referee.caught_up(league):
            if house.loop.time() > until:
                referee.projecting()
                raise Broken("the read models do not catch up")
            await asyncio.sleep(1.0)
        self._tally.acknowledged += referee.acknowledged
        await referee.at_rest(league)

    async def _watched(self, playing: list["asyncio.Task[None]"], seconds: float) -> None:
        """Let time pass, and raise the first breach that the referee or a client has found."""
        await asyncio.sleep(seconds)
        if self._referee.broken is not None:
            raise self._referee.broken
        for each in playing:
            if each.done():
                each.result()


@contextmanager
def _quietly() -> Iterator[None]:
    """Suppress the service's log, because the faults are intended."""
    before = structlog.get_config()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
        cache_logger_on_first_use=False,
    )
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            # A task may end with its process before it begins.
            warnings.filterwarnings("ignore", message="coroutine .* was never awaited")
            yield
    finally:
        logging.disable(logging.NOTSET)
        structlog.configure(**before)


def main(arguments: list[str]) -> int:
    """Simulate. Return 1 if a check failed."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000_000, help="of all processes")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**40)
    parser.add_argument("--each", type=int, default=50_000, help="the steps of one seed")
    options = parser.parse_args(arguments)
    done, seed = 0, options.seed
    while done < options.steps:
        try:
            tally = simulate(seed, min(options.each, options.steps - done))
        except Failed as failed:
            print(*failed.last, failed, sep="\n", file=sys.stderr)
            return 1
        print(tally, flush=True)
        done, seed = done + tally.steps, seed + 1
    print(f"{done} steps from seeds {options.seed} to {seed - 1}: everything held")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
