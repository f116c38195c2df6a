"""The one shape every aggregate takes, and the one way to choose by type."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar, TypeVarTuple

State = TypeVar("State")
Command = TypeVar("Command")
Event = TypeVar("Event")

Given = TypeVarTuple("Given")
Case = TypeVar("Case")
Another = TypeVar("Another")
Result = TypeVar("Result")


class Cases(dict[type[Case], Callable[[*Given, Case], Result]], Generic[*Given, Case, Result]):
    """
    A function for each type of command or event: ``cases[type(event)](state, event)``.

    ``Cases[State, Event, State]`` holds functions from a state and an event to a state.  mypy
    adds up the types that ``on`` names, so a type without a function is an error where the cases
    are used.  Choosing is one look-up, however many types there are; a ``match`` would try one
    class after the other.
    """

    def on(
        self, kind: type[Another], then: Callable[[*Given, Another], Result]
    ) -> "Cases[*Given, Case | Another, Result]":
        """Return these cases and one more."""
        more: dict[Any, Any] = {**self, kind: then}
        return Cases(more)

    def and_all(
        self, others: "Cases[*Given, Another, Result]"
    ) -> "Cases[*Given, Case | Another, Result]":
        """Return these cases and *others*."""
        more: dict[Any, Any] = {**self, **others}
        return Cases(more)


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


AnyDecider = Decider[Any, Any, Any]
"""One picked by the name of a stream: which state and events go together only the log knows."""
