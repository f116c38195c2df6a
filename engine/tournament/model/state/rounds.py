"""The state of a tournament's scheduled rounds."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.tournament.model.events.rounds import CutMade, RoundEnded, RoundSeated
from engine.tournament.model.values.rounds import RoundBust, Score
from engine.values import Chips, EntrantId, Seat

Stage = Literal["playing", "between", "final"]


class RoundsState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the rounds, from the seats of the first round on."""

    stage: Stage
    playing: tuple[EntrantId, ...]
    """The entrants who are still in, in order of registration."""

    seated: tuple[RoundSeated, ...]
    """Every round that has begun."""

    ended: tuple[RoundEnded, ...] = ()
    busted: tuple[RoundBust, ...] = ()
    """The entrants who busted in the present round, in that order."""

    closing: bool = False
    """True if no further hand is opened in this round."""

    cut: CutMade | None = None
    tables: int
    """The last table number that was given."""

    @property
    def number(self) -> int:
        """Return the number of the present round, or of the last one."""
        return len(self.seated)

    @property
    def next_at(self) -> datetime | None:
        """Return the time at which the next round or the final is seated, or None while playing."""
        return self.ended[-1].next_at if self.stage == "between" else None

    @property
    def scores(self) -> tuple[Score, ...]:
        """Return the scores of everyone who was in at the end of the last round, best first."""
        return self.ended[-1].scores if self.ended else ()

    def seat_of(self, entrant: EntrantId) -> Seat | None:
        """Return the seat of *entrant* in the present or the last round, or None."""
        seats = (each for table in self.seated[-1].tables for each in table.seats)
        return next((each.seat for each in seats if each.entrant == entrant), None)

    def stack_of(self, entrant: EntrantId) -> Chips:
        """Return the stack of *entrant* at the end of the last round, or 0 without one."""
        for result in self.ended[-1].results if self.ended else ():
            for score in result.scores:
                if score.entrant == entrant:
                    return score.stack
        return 0
