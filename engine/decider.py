"""The one shape every aggregate takes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar

State = TypeVar("State")
Command = TypeVar("Command")
Event = TypeVar("Event")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider(Generic[State, Command, Event]):
    """
    An aggregate, as values.

    ``decide`` and ``evolve`` are deterministic and free of side effects; a
    decider may therefore be replayed anywhere, any number of times.
    """

    category: str
    """What the aggregate's streams are called: ``tournament`` in ``tournament-<32 hex>``."""

    events: Any
    """The tagged union ``Event`` itself, for decoding."""

    initial: State
    """The state of an empty stream."""

    decide: Callable[[State, Command], tuple[Event, ...]]
    """Events a command causes; the empty tuple means "it is already so"."""

    evolve: Callable[[State, Event], State]
    """The state after an event; ``InvariantViolated`` if it cannot follow."""

    decide_through: Callable[[State, Command], tuple[tuple[Event, ...], State]] | None = None
    """As ``decide``, with the state the events lead to, if deciding applies them anyway."""

    def carry_out(self, state: State, command: Command) -> tuple[tuple[Event, ...], State]:
        """Return the events *command* causes and the state they lead to, each applied once."""
        if self.decide_through is not None:
            return self.decide_through(state, command)
        events = self.decide(state, command)
        return events, reduce(self.evolve, events, state)

    def replay(self, events: Iterable[Event]) -> State:
        """Return the state that *events*, oldest first, lead to."""
        return reduce(self.evolve, events, self.initial)
