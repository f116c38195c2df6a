"""A tournament's knowledge of its tables."""

from collections.abc import Callable, Collection, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.hand.positions import Marks
from engine.tournament.model.values import Standing
from engine.values import Chips, EntrantId, Seat, TableId


class TableSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about a table by which its tournament directs it."""

    table: TableId
    idle: bool
    """True if no hand is in play."""
    hand_number: int
    """The number of the hand opened last, or 0 before the first."""
    stacks: tuple[Standing, ...]
    """The stacks of all seats, including those that wait for the next hand."""
    playable: bool = True
    """True if at least two seats can be dealt in now."""
    attended: bool = True
    """True if two present players can be dealt in, or one can win the forced bets of the others."""
    blinds_out: bool = True
    """True if forced bets end the game even if everybody is away."""
    dealers_left: int = 0
    """The number of seats of the first hand that have not dealt yet and still can."""
    stage: int = 0
    """The stage of the hand opened last: 1, or 2 for a sudden-death hand."""
    carried: Chips = 0
    """Chips that stay from hand to hand and belong to nobody yet."""
    round: int = 0
    """
    The number in hand-for-hand play of the hand opened last, or 1 outside it, 0 before the first.
    """
    marks: Marks | None = None
    """The last positions of button and blinds, or None before the first dealer is drawn."""
    dealable: tuple[Seat, ...] = ()
    """Seats that can be dealt in."""
    newcomers: tuple[Seat, ...] = ()
    """Seats of entrants who have not been dealt in since they came to this table."""
    away: tuple[EntrantId, ...] = ()
    """Entrants who are away: they are dealt in and their hands are killed."""

    def stack_of(self, entrant: EntrantId) -> Chips:
        """Return the chips of *entrant*, who must have a seat here."""
        for each in self.stacks:
            if each.entrant == entrant:
                return each.stack
        raise InvariantViolated(f"{entrant} has no seat at {self.table}")


class Summaries(Mapping[TableId, TableSummary]):
    """
    The summaries of tables.

    Each is made when it is asked for, because most directives depend on few tables.
    """

    def __init__(
        self, tables: Collection[TableId], make: Callable[[TableId], TableSummary]
    ) -> None:
        self._tables = tables
        self._make = make
        self._made: dict[TableId, TableSummary] = {}

    def __getitem__(self, table: TableId) -> TableSummary:
        found = self._made.get(table)
        if found is None:
            found = self._made[table] = self._make(table)
        return found

    def __iter__(self) -> Iterator[TableId]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)


def counted_in_play(
    tables: Mapping[TableId, TableSummary], busy: Collection[TableId]
) -> Mapping[TableId, TableSummary]:
    """Return *tables*. Those in *busy* count as in play although they are idle."""

    def counted(table: TableId) -> TableSummary:
        found = tables[table]
        return replace(found, idle=False) if table in busy else found

    return Summaries(tables, counted) if busy else tables
