"""When a table has played its last hand, and what may still settle a tie for the first place."""

from collections.abc import Mapping

import msgspec

from engine.errors import InvariantViolated
from engine.hand.positions import Marks
from engine.rulesets import EachDealtOnce, FixedContinue, HandsOrLast, NoEscalation
from engine.tournament.floor import last_hands
from engine.tournament.model.state import Running
from engine.tournament.model.terms import Rounds
from engine.tournament.model.values import Standing
from engine.values import Chips, EntrantId, Seat, TableId

SUDDEN_DEATH = 2
"""Stage of a hand among those who are tied when the scheduled hands are over."""


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


def hands_left(state: Running, table: TableSummary) -> int | None:
    """Return how many hands a table still plays at most; None if to the last chip."""
    limits = [hands_counted(state, table)]
    if table.hand_number and until_all_dealt(state):
        limits.append(table.dealers_left)
    return min((limit for limit in limits if limit is not None), default=None)


def hands_counted(state: Running, table: TableSummary) -> int | None:
    """Return how many hands of a number that is set a table still plays; None without one."""
    terms = state.terms
    end = terms.ruleset.end
    by_ruleset = end.hands if isinstance(end, HandsOrLast) else None
    limits = [
        max(limit - table.hand_number, 0)
        for limit in (terms.hands_max, by_ruleset)
        if limit is not None
    ]
    if isinstance(terms.format, Rounds) and state.in_round:
        of_round = terms.format.hands_per_round
        limits += [] if of_round is None else [max(of_round - table.hand_number, 0)]
    called = last_hands.counted(state, table.table)
    if called is not None:
        limits.append(max(called - table.hand_number, 0))
    return min(limits, default=None)


def until_all_dealt(state: Running) -> bool:
    """
    Return whether a table plays until everybody who sat there first has dealt.

    Source: rulebook ``finish.each_dealt_once`` and ``rounds.hands``.
    """
    terms = state.terms
    if isinstance(terms.ruleset.end, EachDealtOnce):
        return True
    return (
        isinstance(terms.format, Rounds) and state.in_round and terms.format.hands_per_round is None
    )


def deserted(state: Running, tables: Mapping[TableId, TableSummary]) -> bool:
    """
    Return whether so many are away that hands would be dealt without end, and nobody asked.

    Source: rulebook ``absence.players_away``.
    """
    if until_all_dealt(state):
        return False
    return not any(
        table.attended or table.blinds_out or hands_counted(state, table) is not None
        for table in (tables[each.table] for each in state.tables)
    )


def settled_by_a_hand(
    state: Running, tables: Mapping[TableId, TableSummary], tied: tuple[Standing, ...]
) -> bool:
    """
    Return whether those tied for the first place play one more hand.

    They must sit at one table and not have done so before, the hand must have a
    fixed price, and nobody may go out by it.

    Source: rulebook ``finish.ties``.
    """
    ruleset = state.terms.ruleset
    if ruleset.final_tie == "shared" or len(tied) < 2:
        return False
    if not isinstance(ruleset.betting, FixedContinue):
        return False
    if not isinstance(ruleset.escalation, NoEscalation):
        return False
    forced = ruleset.base_amounts()
    price = forced.ante + max(forced.small, forced.big) + 2 * ruleset.betting.cost
    if not ruleset.moneyless and tied[0].stack <= price:
        return False
    entrants = {each.entrant for each in tied}
    return any(
        tables[each.table].stage < SUDDEN_DEATH
        and entrants.issubset(seated.entrant for seated in each.seats)
        for each in state.tables
    )
