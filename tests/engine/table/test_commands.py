"""Every command to a table is decided, and every event of a table is applied."""

from typing import get_args

from engine.table.decide import decisions
from engine.table.evolve import at_table
from engine.table.model.commands import Command, OpenTable
from engine.table.model.events import Event, TableOpened


def test_every_command_is_decided_in_one_place() -> None:
    decided = [OpenTable, *decisions._IN_PLAY, *decisions._BETWEEN]

    assert sorted(map(str, decided)) == sorted(map(str, get_args(Command)))


def test_every_event_is_applied_in_one_place() -> None:
    applied = [TableOpened, *at_table._WITHIN_HANDS, *at_table._BETWEEN_HANDS]

    assert sorted(map(str, applied)) == sorted(map(str, get_args(Event)))
