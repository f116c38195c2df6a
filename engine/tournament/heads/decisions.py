"""The decision of the command that records the heads of closed tables."""

from engine.tournament.model.commands.heads import RecordTables
from engine.tournament.model.errors.correcting import TournamentNotFinished
from engine.tournament.model.events.heads import TablesRecorded
from engine.tournament.model.state import Cancelled, Finished, State, phase_of


def decide(state: State, command: RecordTables) -> tuple[TablesRecorded, ...]:
    """
    Return the record of a tournament's tables, or nothing if there is one already.

    Raises:
        TournamentNotFinished: If anything may still happen at a table.
    """
    if not isinstance(state, Finished | Cancelled):
        raise TournamentNotFinished(phase=phase_of(state))
    if state.recorded:
        return ()
    return (TablesRecorded(tables=command.tables, at=command.now),)
