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
from service.audit.hidden import held_alike
from service.audit.report import Findings
from service.errors import EventUnreadable
from service.eventstore.record import Recorded
from service.eventstore.sealing import unseal
from service.eventstore.upcasters import current_version
from service.keys import LeagueKeys

DEFECTS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What a forged event may provoke in code that expects a possible one."""

_TAGS = {kind: str(kind.__struct_config__.tag) for kind in get_args(Event)}
_FOLLOWING = {tag: current_version(tag) for kind, tag in _TAGS.items() if kind not in recall.ASKING}


def only_follows(recorded: Recorded) -> bool:
    """
    Return whether a table's event has to be what follows from those that were asked for.

    Such an event says nothing that deciding does not say again: its bytes are compared.
    """
    return _FOLLOWING.get(recorded.type) == recorded.schema_version


def decided_alike(
    state: Any, group: list[tuple[Any, int]], keys: LeagueKeys, findings: Findings
) -> list[tuple[Any, Any]] | None:
    """
    Return what follows, at a table in *state*, from what was asked in one append.

    Args:
        group: Its events with their positions; those that only follow as they are recorded.
        keys: Open what is sealed of these.

    Returns:
        Every event with the state after it, events that were decided at once all with the
        state after their command; ``None`` if *group* says anything else.
    """
    found: list[tuple[Any, Any]] = []
    opened = 0
    try:
        parts = recall.parts_of([event for event, _ in group])
        for part in parts:
            made, after = decide_through(state, recall.command_of(part), drawn)
            if len(made) != len(part):
                return None
            for one, stored in zip(made, part, strict=True):
                hidden = _hidden_alike(one, stored, keys)
                if hidden is None:
                    return None
                opened += hidden
            if NEEDS_BEFORE.isdisjoint(map(type, made)):
                # Deciding has applied these very events, and nobody asks what was between.
                found += [(event, after) for event in made]
            else:
                states = accumulate(made, evolve, initial=state)
                found += zip(made, islice(states, 1, None), strict=True)
            state = after
    except (EngineError, EventUnreadable, *DEFECTS):
        return None  # what is wrong is found by whoever reads the group whole
    findings.held(("decisions",), len(parts))
    findings.held(("commitments",), opened)
    return found


def _hidden_alike(made: Any, stored: Any, keys: LeagueKeys) -> int | None:
    """
    Return how many cards are hidden in a row that holds just what was decided.

    Nothing is asked again of what was read already.  ``None`` for any other event.
    """
    if type(stored) is not Recorded:
        return 0 if made == stored else None
    if _TAGS[type(made)] != stored.type:
        return None
    if stored.sealed is None:
        # Who hides nothing knows no hidden place: with its boxes taken away, nothing is a card.
        return 0 if encode(made) == stored.data else None
    boxes = unseal(keys, stored.stream, stored.stream_version, stored.sealed, None)
    return held_alike(made, stored, boxes)


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
