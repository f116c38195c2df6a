"""Given these events, when this is asked, then exactly these events follow."""

from typing import Any

import pytest

from engine.decider import Decider
from engine.errors import CommandRejected


class Scenario:
    """
    One decision of one aggregate, from the events before it.

    What is decided is replayed too, so that every test of ``decide`` is one of ``evolve``.
    """

    def __init__(self, decider: Decider[Any, Any, Any]) -> None:
        self._decider = decider
        self._state = decider.initial
        self._command: Any = None

    @property
    def state(self) -> Any:
        """The state the events given lead to; after ``then``, the state after the decision."""
        return self._state

    def given(self, *events: Any) -> "Scenario":
        for event in events:
            self._state = self._decider.evolve(self._state, event)
        return self

    def asked(self, *commands: Any) -> "Scenario":
        """Let *commands* be decided on the way to the decision under test."""
        for command in commands:
            self.given(*self._decider.decide(self._state, command))
        return self

    def when(self, command: Any) -> "Scenario":
        self._command = command
        return self

    def events(self) -> tuple[Any, ...]:
        """Return what is decided, having checked that deciding twice answers the same."""
        decided = self._decider.decide(self._state, self._command)
        assert self._decider.decide(self._state, self._command) == decided
        self.given(*decided)
        return decided

    def then(self, *expected: Any) -> "Scenario":
        assert self.events() == expected
        return self

    def then_nothing(self) -> "Scenario":
        return self.then()

    def then_rejected(self, error: type[CommandRejected], **facts: Any) -> None:
        with pytest.raises(error) as refusal:
            self._decider.decide(self._state, self._command)
        assert refusal.value.facts == facts
        assert refusal.value.detail
