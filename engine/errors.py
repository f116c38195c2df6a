"""The two ways the engine says no: a rule forbids it, or something impossible happened."""

from typing import Any, ClassVar


class EngineError(Exception):
    """Root of the engine's exceptions.  Never raised directly."""


class CommandRejected(EngineError):
    """
    The rules forbid this command in this state.  Never raised directly.

    Args:
        detail: One sentence for a person, without a final full stop.
        facts: The numbers and names behind the refusal, JSON-safe.
    """

    code: ClassVar[str]
    """Stable identifier, part of the public API; never renamed."""

    rule: str | None = None
    """The rulebook's name of the rule that says no; none where no rule of the game does."""

    def __init__(self, detail: str, **facts: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.facts = facts


class InvariantViolated(EngineError):
    """A defect: an event that cannot have happened, or a sum that does not add up."""
