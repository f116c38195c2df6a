"""Which events the heads of closed tables lead to."""

from engine.tournament.correcting.errors import TournamentNotFinished
from engine.tournament.heads.commands import RecordTables
from engine.tournament.heads.events import TablesRecorded
from engine.tournament.state import Cancelled, Finished, State, phase_of


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
