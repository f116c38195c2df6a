"""Events that can happen only in one phase, and events that change what every phase has."""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import InvariantViolated, cannot_follow
from engine.tournament.model.state import State, Unannounced
from engine.tournament.model.values.fairness import Fairness
from engine.tournament.model.values.money import Books

Phase = TypeVar("Phase")
Part = TypeVar("Part")
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


def carried_over(before: State, then: State) -> State:
    """
    Return a new phase with what every phase has, as the phase *before* left it.

    Raises:
        InvariantViolated: If the event that began *then* changed that too. The change would be lost
            here, so it needs an event of its own.
    """
    if (then.books, then.fairness, then.frozen) != (Books(), Fairness(), ()):
        raise InvariantViolated("one event changed both the phase and what every phase has")
    return replace(then, books=before.books, fairness=before.fairness, frozen=before.frozen)


def all_during(
    phase: type[Phase], cases: Cases[Phase, Happened, State]
) -> Cases[State, Happened, State]:
    """Return *cases*, each of which can happen only in *phase*."""
    return Cases({kind: during(phase, evolve) for kind, evolve in cases.items()})


def all_of_part(
    cases: Cases[Part, Happened, Part],
    part: Callable[[State], Part],
    with_part: Callable[[State, Part], State],
) -> Cases[State, Happened, State]:
    """Return *cases* of a part that every phase has, for any state with terms."""

    def of_part(change: Callable[[Part, Happened], Part]) -> Callable[[State, Happened], State]:
        def evolved(state: State, event: Happened) -> State:
            if isinstance(state, Unannounced):
                raise cannot_follow(state, event)
            return with_part(state, change(part(state), event))

        return evolved

    return Cases({kind: of_part(change) for kind, change in cases.items()})
