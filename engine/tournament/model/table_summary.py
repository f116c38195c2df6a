"""What a tournament knows of one of its tables."""

import msgspec

from engine.errors import InvariantViolated
from engine.hand.positions import Marks
from engine.tournament.model.values import Standing
from engine.values import Chips, EntrantId, Seat, TableId


class TableSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a tournament must know of a table to direct it."""

    table: TableId
    idle: bool
    """Whether no hand is in play."""
    hand_number: int
    """Of the last hand opened; 0 before the first."""
    stacks: tuple[Standing, ...]
    """Of everyone with a seat, those who wait for the next hand too."""
    playable: bool = True
    """Whether two seats at least could be dealt in now."""
    attended: bool = True
    """Whether two are there who could be dealt in, or one to win what the others must post."""
    blinds_out: bool = True
    """Whether forced bets bring the game to its end though everybody is away."""
    dealers_left: int = 0
    """Seats that have not dealt yet and could; of the first hand's."""
    stage: int = 0
    """Of the last hand opened: 1, or 2 for a sudden-death hand."""
    carried: Chips = 0
    """Chips that go from hand to hand and are nobody's yet."""
    round: int = 0
    """Of hand-for-hand play, of the last hand opened; 1 outside it, 0 before the first."""
    marks: Marks | None = None
    """Where button and blinds were; None if the first dealer is still to be drawn."""
    dealable: tuple[Seat, ...] = ()
    """Seats that can be dealt in."""
    newcomers: tuple[Seat, ...] = ()
    """Seats of those who have not been dealt in since they came to this table."""
    away: tuple[EntrantId, ...] = ()
    """Who is dealt in and folded, not being there."""

    def stack_of(self, entrant: EntrantId) -> Chips:
        """Return the chips of *entrant*; it must have a seat here."""
        for each in self.stacks:
            if each.entrant == entrant:
                return each.stack
        raise InvariantViolated(f"{entrant} has no seat at {self.table}")
