"""Which events the heads of closed tables lead to."""

from engine.tournament.model.correcting_errors import TournamentNotFinished
from engine.tournament.model.heads_commands import RecordTables
from engine.tournament.model.heads_events import TablesRecorded
from engine.tournament.model.state import Cancelled, Finished, State, phase_of


def decide(state: State, command: RecordTables) -> tuple[TablesRecorded, ...]:
    """
    Return the record of a tournament's tables; nothing if it stands already.

    Raises:
        TournamentNotFinished: While anything may still happen at a table.
    """
    if not isinstance(state, Finished | Cancelled):
        raise TournamentNotFinished(phase=phase_of(state))
    if state.recorded:
        return ()
    return (TablesRecorded(tables=command.tables, at=command.now),)
