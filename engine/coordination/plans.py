"""What is to be appended between two hands, all at once."""

from typing import Literal

import msgspec

from engine.table.model.commands import Command as TableCommand
from engine.table.model.events import TableBeaconAwaited
from engine.table.model.state import State as TableState
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.directives import Directive
from engine.tournament.model.state import State as TournamentState
from engine.values import Stream, TableId

Outcome = Literal[
    "name_pulse", "open", "windows", "hold", "rearrange", "finish", "close", "nothing"
]


class ForTable(msgspec.Struct, frozen=True, kw_only=True):
    """Commands to one table, to be decided in turn."""

    stream: Stream[TableState]
    commands: tuple[TableCommand, ...]


class ForTournament(msgspec.Struct, frozen=True, kw_only=True):
    """Commands to the tournament, to be decided in turn."""

    stream: Stream[TournamentState]
    commands: tuple[TournamentCommand, ...]


class NextHandPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be appended, all at once, before anything else happens at a table."""

    outcome: Outcome
    """
    ``name_pulse``: openings are settled and a pulse of the beacon is named; ask again at
    once.  ``open``: a hand is opened, nothing more to ask.  ``windows``: who lost the last
    chip and did not come back is out; ask again at once.  ``hold``: the wait is
    recorded; ask again when the tournament has changed.  ``rearrange``: entrants
    move; ask again at once.  ``finish``: ask again, and the table is closed.
    ``close``: the table is closed.  ``nothing``: a hand is in play, or it is closed.
    """
    directive: Directive
    entries: tuple[ForTable | ForTournament, ...] = ()
    """One for each stream; a table that gives entrants away comes first."""
    guard: Stream[TableState] | Stream[TournamentState] | None = None
    """A stream that must not have moved on, though nothing is appended to it."""
    wait_seconds: int = 0
    """How long after the last hand was settled this may be done."""
    since: tuple[TableId, ...] = ()
    """Other tables whose last hand counts for that too."""
    awaits: TableBeaconAwaited | None = None
    """The pulse of the beacon without which it cannot be done, if it is not here yet."""
    ask_again: tuple[TableId, ...] = ()
    """Other idle tables: their directive may have changed with this, or with the last bust."""
