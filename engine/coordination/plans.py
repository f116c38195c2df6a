"""What is to be appended between two hands, all at once."""

from typing import Literal

import msgspec

from engine.table.model.commands import Command as TableCommand
from engine.table.model.events import TableBeaconAwaited
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.directives import Directive
from engine.values import TableId

Outcome = Literal[
    "name_round", "open", "windows", "hold", "rearrange", "finish", "close", "nothing"
]


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """Commands to one stream, to be decided in turn."""

    stream: str
    commands: tuple[TableCommand | TournamentCommand, ...]


class NextHandPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be appended, all at once, before anything else happens at a table."""

    outcome: Outcome
    """
    ``name_round``: openings are settled and a round of the beacon is named; ask again at
    once.  ``open``: a hand is opened, nothing more to ask.  ``windows``: who lost the last
    chip and did not come back is out; ask again at once.  ``hold``: the wait is
    recorded; ask again when the tournament has changed.  ``rearrange``: entrants
    move; ask again at once.  ``finish``: ask again, and the table is closed.
    ``close``: the table is closed.  ``nothing``: a hand is in play, or it is closed.
    """
    directive: Directive
    entries: tuple[Planned, ...] = ()
    """One for each stream; a table that gives entrants away comes first."""
    guard: str | None = None
    """A stream that must not have moved on, though nothing is appended to it."""
    wait_seconds: int = 0
    """How long after the last hand was settled this may be done."""
    since: tuple[TableId, ...] = ()
    """Other tables whose last hand counts for that too."""
    awaits: TableBeaconAwaited | None = None
    """The round of the beacon without which it cannot be done, if it is not here yet."""
    ask_again: tuple[TableId, ...] = ()
    """Other idle tables: their directive may have changed with this, or with the last bust."""
