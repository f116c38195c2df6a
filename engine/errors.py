"""The errors of the engine: a rule forbids a command, or something impossible happened."""

from datetime import datetime
from string import Formatter
from typing import Any, ClassVar, NewType, dataclass_transform

Wording = NewType("Wording", str)
"""A field that the ``detail`` of a refusal uses and its facts leave out."""


class EngineError(Exception):
    """Root of the engine's exceptions. It is never raised directly."""


@dataclass_transform(kw_only_default=True, eq_default=False)
class CommandRejected(EngineError):
    """
    The rules forbid this command in this state. This class is never raised directly.

    A refusal declares its ``code``, its ``detail`` and its fields. It is raised with a value for
    each field, by keyword.
    """

    code: ClassVar[str]
    """A stable identifier of the public API. It is never renamed."""

    detail: str
    """One sentence for a person, without a final full stop. ``{field}`` stands for a value."""

    rule: str | None = None
    """
    The rulebook's name of the rule that forbids the command. None if no rule of the game does.

    A refusal that several rules can cause declares this name as a field.
    """

    facts: dict[str, Any]
    """The values of all fields but ``rule`` and those of ``Wording``, JSON-safe."""

    _fields: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        cls._fields = {**cls._fields, **cls.__annotations__}
        named = {name for _, name, _, _ in Formatter().parse(cls.detail) if name is not None}
        if not named <= cls._fields.keys():
            raise TypeError(f"the detail of {cls.__name__} names more than its fields: {named}")

    def __init__(self, **values: Any) -> None:
        if values.keys() != self._fields.keys():
            raise TypeError(f"{type(self).__name__} needs {list(self._fields)}")
        vars(self).update(values)
        self.detail = self.detail.format_map(values)
        self.facts = {
            name: value.isoformat() if isinstance(value := values[name], datetime) else value
            for name, kind in self._fields.items()
            if name != "rule" and kind is not Wording
        }

    def __str__(self) -> str:
        return self.detail


class InvariantViolated(EngineError):
    """A defect: an event that cannot have happened, or a sum that does not add up."""


def cannot_follow(state: object, event: object) -> InvariantViolated:
    """Return the defect of an *event* that cannot have happened in *state*."""
    return InvariantViolated(f"{type(event).__name__} cannot follow {type(state).__name__}")
