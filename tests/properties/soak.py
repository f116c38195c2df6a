"""
``python -m tests.properties.soak``: random steps from seeds, for as long as there is time.

A step is one command that was decided and evolved, by a seat or by the clock. After each one, the
chips of the table and the cards of its hand are counted. Every seat that must act needs a legal
action. One answer in four begins with a random attempt, which must be refused unless the view calls
it legal.

Expensive checks run on a random sample. One append in eight is decided again from its command and
from its events, with a count after each event. One state in sixty-four, and each state after a
hand, gets other secrets to see whether a view changes. Every log is folded again, whole and from
each of its last two hands.
"""

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from tests.properties import invariants
from tests.properties.croupier import Croupier, seats_max
from tests.properties.variants import VARIANTS

HANDS = 12
"""The number of hands at one table, if its chips last that long."""


@dataclass(slots=True)
class Tally:
    """The amount of play and of checks in a run."""

    steps: int = 0
    refusals: int = 0
    hands: int = 0
    tables: int = 0
    repeated: int = 0
    hidden: int = 0
    variants: Counter[str] = field(default_factory=Counter)
    """The number of steps by variant."""

    seats: Counter[int] = field(default_factory=Counter)
    """The number of tables by seats at the start."""

    seconds: float = 0.0
    """The processor time, in seconds."""

    def __str__(self) -> str:
        variants = ", ".join(f"{name} {steps}" for name, steps in sorted(self.variants.items()))
        seats = ", ".join(f"{seats}: {tables}" for seats, tables in sorted(self.seats.items()))
        return (
            f"{self.steps} steps, {self.hands} hands at {self.tables} tables, "
            f"{self.refusals} attempts refused, {self.repeated} appends decided again, "
            f"{self.hidden} states seen by everyone with other secrets, "
            f"in {self.seconds:.1f} s of one processor\n"
            f"steps by variant: {variants}\ntables by seats: {seats}"
        )


class Failed(AssertionError):
    """A property did not hold. The message is the call that repeats the failure."""


def soak(*, seed: int, steps: int | None = None, seconds: float | None = None) -> Tally:
    """
    Play tables of the variant with the fewest steps, for *steps* steps or *seconds* seconds.

    Raises:
        Failed: If a property did not hold.
    """
    tally = Tally()
    began = time.process_time()
    number = seed
    while (steps is None or tally.steps < steps) and (
        seconds is None or time.process_time() - began < seconds
    ):
        number += 1
        behind = min(VARIANTS, key=lambda name: tally.variants[name])
        play_one(behind, number, tally)
    tally.seconds = time.process_time() - began
    return tally


def play_one(name: str, number: int, tally: Tally) -> None:
    """
    Play the table *number* of the variant called *name*, and add it to *tally*.

    Raises:
        Failed: If a property did not hold.
    """
    dice = Random(number)
    seats = dice.randint(2, seats_max(name))
    croupier = Croupier(name, seats, number, dice)

    def check(croupier: Croupier) -> None:
        invariants.nothing_lost(croupier)
        invariants.waits_or_rests(croupier.table)
        sample = dice.randrange(64)
        if sample % 8 == 0:
            append = croupier.floor.appends[-1]
            invariants.decided_alike(append)
            if croupier.table.hand is not None:
                invariants.nothing_lost_between(append, croupier.chips)
            tally.repeated += 1
        if sample == 0 or croupier.table.hand is None:
            invariants.hides_secrets(croupier.table, dice)
            tally.hidden += 1

    try:
        croupier.play(HANDS, after=check)
        invariants.folds_alike(croupier.floor)
    except Exception as error:
        # Any error is a finding. The new error names the call that plays the same table again.
        again = f"play_one({name!r}, {number}, Tally())"
        raise Failed(f"{again} failed after {croupier.steps} steps: {error!r}") from error
    tally.steps += croupier.steps
    tally.refusals += croupier.refusals
    tally.hands += croupier.hands
    tally.tables += 1
    tally.variants[name] += croupier.steps
    tally.seats[seats] += 1


def main(arguments: list[str]) -> int:
    """Play until the time is up. Return 1 if a property did not hold."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="of one processor")
    parser.add_argument(
        "--seed", type=int, default=time.time_ns() % 2**40, help="of the first table"
    )
    options = parser.parse_args(arguments)
    print(f"from seed {options.seed}")
    try:
        print(soak(seed=options.seed, seconds=options.seconds))
    except Failed as failed:
        print(failed, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
