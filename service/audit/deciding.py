"""What happened at a table, decided again: it must be what the log says, to the byte."""

from itertools import accumulate
from typing import Any

from engine.errors import EngineError
from engine.table import recall
from engine.table.decisions import decide_through
from engine.table.evolution import evolve
from service.audit.drawn import drawn
from service.audit.hands import NEEDS_BEFORE
from service.audit.report import Findings

DEFECTS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What a forged event may provoke in code that expects a possible one."""


def decide_again(
    name: str, state: Any, group: list[tuple[Any, int]], findings: Findings
) -> list[Any]:
    """
    Ask the table *name* in *state* again what each command leads to.

    Args:
        group: The events of one append with their positions.

    Returns:
        Its state after each event, as far as it can be decided; events that were
        decided as they stand all have the state after their command.
    """
    folded: list[Any] = []
    position = group[0][1]
    decisions = 0
    try:
        for part in recall.parts_of([event for event, _ in group]):
            position = group[len(folded)][1]
            decided, after = decide_through(state, recall.command_of(part), drawn)
            if held := decided == part:
                decisions += 1
            else:
                at = _first_difference(decided, part, group[len(folded) :])
                what = "decided again, the events are others"
                findings.hold("decisions", False, at, name, what)
            if held and NEEDS_BEFORE.isdisjoint(map(type, part)):
                # Deciding has applied these very events, and nobody asks what was between.
                folded += [after] * len(part)
            else:
                folded += accumulate(part, evolve, initial=state)
                del folded[-len(part) - 1]
            state = folded[-1]
    except (EngineError, *DEFECTS) as error:
        what = f"decided again, it is refused: {type(error).__name__}"
        findings.hold("decisions", False, position, name, what)
    findings.held(("decisions",), decisions)
    return folded


def _first_difference(
    decided: tuple[Any, ...], stored: tuple[Any, ...], group: list[tuple[Any, int]]
) -> int:
    for index, (event, position) in enumerate(group[: len(stored)]):
        if index >= len(decided) or decided[index] != event:
            return position
    return group[min(len(decided), len(stored)) - 1][1] if decided else group[0][1]
