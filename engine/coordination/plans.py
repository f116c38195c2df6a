"""The plan of the commands that are appended together between two hands."""

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
    """Commands to one table, decided one after the other."""

    stream: Stream[TableState]
    commands: tuple[TableCommand, ...]


class ForTournament(msgspec.Struct, frozen=True, kw_only=True):
    """Commands to the tournament, decided one after the other."""

    stream: Stream[TournamentState]
    commands: tuple[TournamentCommand, ...]


class NextHandPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The commands to append, all at once, before anything else happens at a table."""

    outcome: Outcome
    """
    The kind of step, and the time to ask for the next one.

    ``name_pulse``: openings are settled and a pulse of the beacon is named. Ask again at once.
    ``open``: a hand is opened. Nothing else is due.
    ``windows``: entrants who busted and did not rebuy are out. Ask again at once.
    ``hold``: the wait is recorded. Ask again when the tournament has changed.
    ``rearrange``: entrants move. Ask again at once.
    ``finish``: the tournament ends. Ask again, and the table is closed.
    ``close``: the table is closed.
    ``nothing``: a hand is in play, the table is closed, or its wait is recorded already.
    """
    directive: Directive
    entries: tuple[ForTable | ForTournament, ...] = ()
    """The entries, one for each stream. A table that gives entrants away comes first."""
    guard: Stream[TableState] | Stream[TournamentState] | None = None
    """A stream that must not have changed, although nothing is appended to it."""
    wait_seconds: int = 0
    """The least number of seconds between the last settled hand and this step."""
    since: tuple[TableId, ...] = ()
    """Other tables. ``wait_seconds`` counts from their last settled hands too."""
    awaits: TableBeaconAwaited | None = None
    """The pulse of the beacon that the step still waits for, if any."""
    ask_again: tuple[TableId, ...] = ()
    """Other idle tables. Their directive may have changed with this step, or with the last bust."""
