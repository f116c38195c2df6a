"""Events that can happen only in one phase of a tournament."""

from collections.abc import Callable
from typing import TypeVar

from engine.decider import Cases
from engine.errors import cannot_follow
from engine.tournament.model.state import State

Phase = TypeVar("Phase")
Happened = TypeVar("Happened")


def during(
    phase: type[Phase], evolve: Callable[[Phase, Happened], State]
) -> Callable[[State, Happened], State]:
    """Return *evolve* for any state. It raises ``InvariantViolated`` in every other phase."""

    def evolved(state: State, event: Happened) -> State:
        if not isinstance(state, phase):
            raise cannot_follow(state, event)
        return evolve(state, event)

    return evolved


def all_during(
    phase: type[Phase], cases: Cases[Phase, Happened, State]
) -> Cases[State, Happened, State]:
    """Return *cases*, each of which can happen only in *phase*."""
    return Cases({kind: during(phase, evolve) for kind, evolve in cases.items()})
