"""A whole tournament of rounds with real cards and random answers."""

from uuid import UUID

from engine.coordination.aggregates import DECIDERS
from engine.coordination.policies import decide_in_turn
from engine.coordination.round_tables import opened
from engine.tournament.model.commands.rounds import SeatRound
from engine.tournament.model.state import Running
from engine.tournament.rounds.decisions import tables_max
from engine.values import TableId, identifier
from tests.properties.game import Game


class RoundsGame(Game):
    """A game that seats the next round once its time has come."""

    def _step(self) -> None:
        state = self.tournament
        if isinstance(state, Running) and state.rounds is not None and state.rounds.next_at:
            assert not [table for table in self.tables.values() if not table.closed]
            self.now = max(self.now, state.rounds.next_at)
            self._seat(state, state.rounds.tables)
            return
        super()._step()

    def _seat(self, state: Running, last: int) -> None:
        ids = tuple(
            TableId(identifier("tbl", UUID(int=9_000 + last + number)))
            for number in range(1, tables_max(state) + 1)
        )
        command = SeatRound(table_ids=ids, now=self.now)
        events, self.tournament = decide_in_turn(DECIDERS["tournament"], state, (command,))
        self.events += events
        for opening, absent in opened(self.tournament, events, now=self.now):
            self.tables[opening.table] = DECIDERS["table"].initial
            self.logs[opening.table] = []
            self.do(opening.table, opening, *absent)
