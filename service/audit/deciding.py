"""What happened at a table, decided again: it must be what the log says, to the byte."""

from functools import reduce
from itertools import accumulate, islice
from typing import Any, get_args

from engine.errors import EngineError
from engine.table import recall
from engine.table.decisions import decide_through
from engine.table.events import Event
from engine.table.evolution import evolve
from service.audit.chain import encode
from service.audit.drawn import drawn
from service.audit.hands import NEEDS_BEFORE
from service.audit.report import Findings
from service.eventstore.record import Recorded
from service.eventstore.upcasters import current_version

DEFECTS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What a forged event may provoke in code that expects a possible one."""

_TAGS = {kind: str(kind.__struct_config__.tag) for kind in get_args(Event)}
_FOLLOWING = {tag: current_version(tag) for kind, tag in _TAGS.items() if kind not in recall.ASKING}


def only_follows(recorded: Recorded) -> bool:
    """
    Return whether a table's event has to be what follows from those that were asked for.

    Such an event says nothing that deciding does not say again: its bytes are compared.
    """
    return recorded.sealed is None and (_FOLLOWING.get(recorded.type) == recorded.schema_version)


def decided_alike(
    state: Any, group: list[tuple[Any, int]], findings: Findings
) -> list[tuple[Any, Any]] | None:
    """
    Return what follows, at a table in *state*, from what was asked in one append.

    Args:
        group: Its events with their positions; those that only follow as they are recorded.

    Returns:
        Every event with the state after it, events that were decided at once all with the
        state after their command; ``None`` if *group* says anything else.
    """
    found: list[tuple[Any, Any]] = []
    try:
        parts = recall.parts_of([event for event, _ in group])
        for part in parts:
            made, after = decide_through(state, recall.command_of(part), drawn)
            if len(made) != len(part) or not all(map(_is, made, part)):
                return None
            if NEEDS_BEFORE.isdisjoint(map(type, made)):
                # Deciding has applied these very events, and nobody asks what was between.
                found += [(event, after) for event in made]
            else:
                states = accumulate(made, evolve, initial=state)
                found += zip(made, islice(states, 1, None), strict=True)
            state = after
    except (EngineError, *DEFECTS):
        return None  # what is wrong is found by whoever reads the group whole
    findings.held(("decisions",), len(parts))
    return found


def _is(made: Any, stored: Any) -> bool:
    if type(stored) is not Recorded:
        return bool(made == stored)
    return _TAGS[type(made)] == stored.type and encode(made) == stored.data


def find_difference(
    name: str, state: Any, group: list[tuple[Any, int]], findings: Findings
) -> None:
    """
    Say where the events of one append are not what follows from what was asked.

    Args:
        name: Of the table.
        group: All its events, read, with their positions.
    """
    done = decisions = 0
    try:
        for part in recall.parts_of([event for event, _ in group]):
            decided, _ = decide_through(state, recall.command_of(part), drawn)
            if decided == part:
                decisions += 1
            else:
                at = _first_difference(decided, part, group[done:])
                what = "decided again, the events are others"
                findings.hold("decisions", False, at, name, what)
            state = reduce(evolve, part, state)
            done += len(part)
    except (EngineError, *DEFECTS) as error:
        what = f"decided again, it is refused: {type(error).__name__}"
        findings.hold("decisions", False, group[done][1], name, what)
    findings.held(("decisions",), decisions)


def _first_difference(
    decided: tuple[Any, ...], stored: tuple[Any, ...], group: list[tuple[Any, int]]
) -> int:
    for index, (event, position) in enumerate(group[: len(stored)]):
        if index >= len(decided) or decided[index] != event:
            return position
    return group[min(len(decided), len(stored)) - 1][1] if decided else group[0][1]
