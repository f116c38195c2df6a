"""How far the rounds of a tournament have come."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.tournament.model.rounds_events import CutMade, RoundEnded, RoundSeated
from engine.tournament.model.rounds_values import RoundBust, Score
from engine.values import Chips, EntrantId, Seat

Stage = Literal["playing", "between", "final"]


class RoundsState(msgspec.Struct, frozen=True, kw_only=True):
    """Of a tournament whose format is rounds, from the seats of the first one on."""

    stage: Stage
    playing: tuple[EntrantId, ...]
    """Who is still in, in order of registration."""

    seated: tuple[RoundSeated, ...]
    """Every round that has begun."""

    ended: tuple[RoundEnded, ...] = ()
    busted: tuple[RoundBust, ...] = ()
    """Who has no chips left in the round being played, in the order they went."""

    closing: bool = False
    """Whether no further hand is opened in this round."""

    cut: CutMade | None = None
    tables: int
    """The last table number given."""

    @property
    def number(self) -> int:
        """Of the round that is played, or was played last."""
        return len(self.seated)

    @property
    def next_at(self) -> datetime | None:
        """When the next round, or the final, is seated."""
        return self.ended[-1].next_at if self.stage == "between" else None

    @property
    def scores(self) -> tuple[Score, ...]:
        """Return what all who were in when the last round ended have won, best first."""
        return self.ended[-1].scores if self.ended else ()

    def seat_of(self, entrant: EntrantId) -> Seat | None:
        """Return where *entrant* sits in the round played now, or sat in the last; or None."""
        seats = (each for table in self.seated[-1].tables for each in table.seats)
        return next((each.seat for each in seats if each.entrant == entrant), None)

    def stack_of(self, entrant: EntrantId) -> Chips:
        """Return what *entrant* had at the end of the last round played; 0 if nothing."""
        for result in self.ended[-1].results if self.ended else ():
            for score in result.scores:
                if score.entrant == entrant:
                    return score.stack
        return 0
