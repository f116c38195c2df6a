"""
A whole game of every preset is decided again from its log, byte by byte.

If one of these tests fails, a rule has changed.  Stored games would then be decided
differently too.  A corrected rule needs a new revision, with its own games.
"""

import pytest

from engine.table.decider import decider
from engine.table.model.events import Event, HandSettled, TableClosed, TableOpened
from engine.table.read.recall import commands_of
from tests.golden.generate import GAMES, path_of
from tests.golden.lines import read, written

every_game = pytest.mark.parametrize("name", GAMES)


def lines_of(name: str) -> list[str]:
    return path_of(name).read_text(encoding="utf-8").splitlines()


@every_game
def test_a_golden_game_is_decided_again_byte_by_byte(name: str) -> None:
    """The commands are recalled from the events, and they lead to the same events."""
    recorded = lines_of(name)

    state = decider.initial
    happened: list[Event] = []
    for command in commands_of(list(read(recorded))):
        decided = decider.decide(state, command)
        for event in decided:
            state = decider.evolve(state, event)
        happened += decided

    assert list(written(happened)) == recorded


@every_game
def test_a_golden_game_is_a_whole_one(name: str) -> None:
    """The table closed because its tournament finished, and some hand went to the showdown."""
    events = list(read(lines_of(name)))

    closed = events[-1]
    opened = events[0]
    assert isinstance(opened, TableOpened)
    assert opened.ruleset.revision == int(name.partition(".")[2] or 1)
    endings = [event.ending for event in events if isinstance(event, HandSettled)]
    assert isinstance(closed, TableClosed)
    assert closed.reason == "finished"
    assert "showdown" in endings
