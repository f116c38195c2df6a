"""Every command to a table has a decision, and every event of a table has a state change."""

from typing import get_args

from engine.table.decide import decisions
from engine.table.evolve import at_table
from engine.table.model.commands import Command
from engine.table.model.events import Event


def test_every_command_is_decided_in_one_place() -> None:
    assert sorted(map(str, decisions._AT_TABLE)) == sorted(map(str, get_args(Command)))


def test_every_event_is_applied_in_one_place() -> None:
    every = sorted(map(str, get_args(Event)))
    assert sorted(map(str, at_table.IN_PLAY)) == every
    assert sorted(map(str, at_table.BETWEEN_HANDS)) == every
