"""Scenarios: given these events, when a command is decided, then exactly these events follow."""

from typing import Any

import pytest

from engine.decider import Decider
from engine.errors import CommandRejected


class Scenario:
    """
    One decision of one aggregate, from the events before it.

    The decided events are folded too, so every test of ``decide`` also tests ``evolve``.
    """

    def __init__(self, decider: Decider[Any, Any, Any]) -> None:
        self._decider = decider
        self._state = decider.initial
        self._command: Any = None

    @property
    def state(self) -> Any:
        """Return the state after the given events or, after ``then``, after the decision."""
        return self._state

    def given(self, *events: Any) -> "Scenario":
        for event in events:
            self._state = self._decider.evolve(self._state, event)
        return self

    def asked(self, *commands: Any) -> "Scenario":
        """Decide *commands* before the decision under test."""
        for command in commands:
            self.given(*self._decider.decide(self._state, command))
        return self

    def when(self, command: Any) -> "Scenario":
        self._command = command
        return self

    def events(self) -> tuple[Any, ...]:
        """Return the decided events. Check that a second decision gives the same events."""
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
