"""Deciding the actions at a table again: the events must equal the log's, byte by byte."""

from collections.abc import Sequence
from functools import reduce
from itertools import repeat
from typing import Any, get_args

from engine.errors import EngineError
from engine.table.decide.decisions import decide_through
from engine.table.evolve.at_table import evolve
from engine.table.model.events import Event
from engine.table.model.state import State
from engine.table.read import recall
from service.audit.bytes.chain import encode
from service.audit.bytes.hidden import held_alike
from service.audit.play.drawn import drawn
from service.audit.play.hands import NEEDS_BEFORE
from service.audit.report import Findings
from service.audit.said import said
from service.base.errors import EventUnreadable
from service.log.keys import LeagueKeys
from service.log.record import Recorded
from service.log.sealing import texts_in
from service.log.upcasters import current_version

Decided = list[tuple[Event, int]]
"""Events of an append at a table with their positions."""

DEFECTS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""Errors that a forged event may cause in code that expects a possible one."""

_TAGS = {kind: str(kind.__struct_config__.tag) for kind in get_args(Event)}
FOLLOWING = {tag: current_version(tag) for kind, tag in _TAGS.items() if kind not in recall.ASKED}
"""
By type, the version of events that must follow from the requested ones.

Deciding gives their whole content again, so their bytes are compared.
"""


class Deciding:
    """
    Decides appends at tables again.

    Args:
        keys: The keys that open the sealed values of unread rows.
    """

    def __init__(self, keys: LeagueKeys) -> None:
        self._keys = keys
        self._decided = self._opened = 0

    def alike(
        self, state: State, group: Sequence[tuple[Event | Recorded, int]]
    ) -> list[tuple[Event, State]] | None:
        """
        Return the events that follow, at a table in *state*, from the requests of one append.

        Args:
            group: The append's events with their positions. Events that only follow are rows.

        Returns:
            Every event with the state after it, or with the state after its whole command.
            None if the decision differs from *group*.
        """
        found: list[tuple[Event, State]] = []
        opened = 0
        try:
            # The list has rows for events that only follow. Recalling never looks at those.
            parts: Any = recall.parts_of(next(zip(*group, strict=True)))
            for part in parts:
                made, after = decide_through(state, recall.command_of(part), drawn)
                if len(made) != len(part):
                    return None
                for one, stored in zip(made, part, strict=True):
                    if type(stored) is not Recorded:
                        if one != stored:
                            return None
                    elif _TAGS[type(one)] != stored.type:
                        return None
                    elif stored.sealed is None:
                        # Without its boxes, an event with hidden values cannot be encoded.
                        if encode(one) != stored.data:
                            return None
                    else:
                        hidden = held_alike(one, stored, self._texts(stored))
                        if hidden is None:
                            return None
                        opened += hidden
                if NEEDS_BEFORE.isdisjoint(map(type, made)):
                    # Deciding has applied these events, and no check needs the states between them.
                    found += zip(made, repeat(after))
                else:
                    for one in made:
                        state = evolve(state, one)
                        found.append((one, state))
                state = after
        except (EngineError, EventUnreadable, *DEFECTS):
            return None  # reading the whole group finds the fault
        self._decided += len(parts)
        self._opened += opened
        return found

    def _texts(self, stored: Recorded) -> dict[str, bytes]:
        sealed = stored.sealed or b""
        return texts_in(self._keys, stored.stream, stored.stream_version, sealed, None)

    def end(self, findings: Findings) -> None:
        """Record the number of decisions and hidden values that agree."""
        findings.held(("decisions",), self._decided)
        findings.held(("commitments",), self._opened)


def find_difference(name: str, state: State, group: Decided, findings: Findings) -> None:
    """
    Report the first event of an append that does not follow from its requests.

    Args:
        name: The table's stream.
        group: All events of the append, read, with their positions.
    """
    done = decisions = 0
    try:
        for part in recall.parts_of([event for event, _ in group]):
            decided, _ = decide_through(state, recall.command_of(part), drawn)
            if decided == part:
                decisions += 1
            else:
                at = _first_difference(decided, part, group[done:])
                what = said("deciding again gives different events")
                findings.hold("decisions", False, at, name, what)
            state = reduce(evolve, part, state)
            done += len(part)
    except (EngineError, *DEFECTS) as error:
        what = said("refused when decided again: %(error)s", error=type(error).__name__)
        findings.hold("decisions", False, group[done][1], name, what)
    findings.held(("decisions",), decisions)


def _first_difference(decided: tuple[Event, ...], stored: tuple[Event, ...], group: Decided) -> int:
    for index, (event, position) in enumerate(group[: len(stored)]):
        if index >= len(decided) or decided[index] != event:
            return position
    return group[min(len(decided), len(stored)) - 1][1] if decided else group[0][1]
