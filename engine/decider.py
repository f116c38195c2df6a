"""The interface of every aggregate, and the choice of a function by type."""

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

    ``Cases[State, Event, State]`` holds functions from a state and an event to a state. mypy adds
    up the types that ``on`` names. A type without a function is therefore an error where the cases
    are used. The choice is a single look-up for any number of types, while a ``match`` would try
    one class after another.
    """

    def on(
        self, kind: type[Another], then: Callable[[*Given, Another], Result]
    ) -> "Cases[*Given, Case | Another, Result]":
        """Return these cases and one more."""
        return self.and_all(Cases({kind: then}))

    def and_all(
        self, others: "Cases[*Given, Another, Result]"
    ) -> "Cases[*Given, Case | Another, Result]":
        """
        Return these cases and *others*.

        Raises:
            TypeError: If a type has a function in both. One of them would never be called.
        """
        if twice := self.keys() & others.keys():
            raise TypeError(f"two functions for {sorted(kind.__name__ for kind in twice)}")
        more: dict[Any, Any] = {**self, **others}
        return Cases(more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider(Generic[State, Command, Event]):
    """
    An aggregate and its functions.

    ``decide`` and ``evolve`` are deterministic and free of side effects, so a decider can replay
    events anywhere, any number of times.
    """

    category: str
    """
    The category of the aggregate's streams, such as ``tournament`` in ``tournament-<32 hex>``.
    """

    events: Any
    """The tagged union ``Event`` itself, for decoding."""

    initial: State
    """The state of an empty stream."""

    decide: Callable[[State, Command], tuple[Event, ...]]
    """Returns the events that a command causes. The empty tuple means that nothing changes."""

    evolve: Callable[[State, Event], State]
    """Returns the state after an event. Raises ``InvariantViolated`` if the event cannot follow."""

    decide_through: Callable[[State, Command], tuple[tuple[Event, ...], State]] | None = None
    """
    Returns the events of ``decide`` and the state after them, if deciding applies them anyway.
    """

    def carry_out(self, state: State, command: Command) -> tuple[tuple[Event, ...], State]:
        """
        Return the events that *command* causes and the state after them.

        Apply each event once.
        """
        if self.decide_through is not None:
            return self.decide_through(state, command)
        events = self.decide(state, command)
        return events, reduce(self.evolve, events, state)

    def replay(self, events: Iterable[Event]) -> State:
        """Return the state after *events*, which are in order, oldest first."""
        return reduce(self.evolve, events, self.initial)


AnyDecider = Decider[Any, Any, Any]
"""A decider found by the name of a stream. Only the log knows which state and events it has."""
