"""The levels of the clock, as an evening has planned them."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from engine.rulesets import Amounts, Ruleset
from engine.rulesets.parts import Levels


class _Break(Protocol):
    """A planned break."""

    @property
    def level(self) -> int: ...
    @property
    def seconds(self) -> int: ...


class LevelLine(msgspec.Struct, kw_only=True):
    """A level of the clock, as it is planned."""

    amounts: Amounts
    minutes: int | None
    """The length, or null for the last level, which never ends."""

    break_minutes: int
    """The break after it, or 0. Strangers see none."""


def levels_of(ruleset: Ruleset, breaks: Iterable[_Break]) -> tuple[LevelLine, ...]:
    """Return the levels with the breaks after them, or none if bets do not rise by the clock."""
    escalation = ruleset.escalation
    if not isinstance(escalation, Levels) or escalation.by != "clock":
        return ()
    seconds = {each.level: each.seconds for each in breaks}
    return tuple(
        LevelLine(
            amounts=Amounts(small=each.small, big=each.big, ante=each.ante),
            minutes=None if each.length is None else each.length // 60,
            break_minutes=seconds.get(number, 0) // 60,
        )
        for number, each in enumerate(escalation.levels, 1)
    )
