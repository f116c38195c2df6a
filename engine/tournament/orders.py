"""
The directives that a tournament gives its tables between two hands.

Entrants move only between idle tables. A table that has to break, or to give an entrant away, waits
until a receiving table is between hands too. Nobody waits for a table that has nothing to settle
with them, and somebody always plays, so every wait ends.
Tables break before they are balanced. Only the tournament's own draws are random here.

Source: TDA rules 10 and 11, rulebook ``seating``.
"""

from collections.abc import Mapping

from engine.rulesets import EachDealtOnce, OpenEnd
from engine.tournament.chips import casino
from engine.tournament.chips.rebuying import window_seconds
from engine.tournament.floor import at_tables
from engine.tournament.model.directives import (
    BringIn,
    Close,
    CloseRebuys,
    Directive,
    Finish,
    Hold,
    LetGo,
    NextRound,
    Open,
    Purge,
)
from engine.tournament.model.state import Cancelled, Finished, Running, Seating, State
from engine.tournament.model.table_summary import TableSummary, counted_in_play
from engine.tournament.model.values import Standing
from engine.tournament.results.endings import deserted, settled_by_a_hand, with_hands_left
from engine.tournament.rounds.playing import in_round
from engine.tournament.seating.balancing import balanced
from engine.tournament.seating.breaking import consolidated
from engine.values import EntrantId, TableId


def directive(state: State, tables: Mapping[TableId, TableSummary], table: TableId) -> Directive:
    """
    Return the directive of *table* now.

    Args:
        state: The state of the tournament.
        tables: Every open table of the tournament, and *table* itself.
        table: The table that is between hands.
    """
    if isinstance(state, Finished):
        return Close(reason="finished")
    if isinstance(state, Cancelled):
        return Close(reason="cancelled")
    if not isinstance(state, Running):
        return Hold(reason="not_started")
    here = state.seating(table)
    if here is None:
        return Close(reason="broken")
    if not tables[table].idle:
        return Hold(reason="hand_in_play")
    if state.paused:
        return Hold(reason="paused")
    if (first := at_tables.first_of_all(state, here)) is not None:
        return first
    tables = at_tables.with_standing(state, tables)
    if (rest := at_tables.in_break(state, _settled(state, tables), here)) is not None:
        return rest
    if (first := _before_play(state, tables, here)) is not None:
        return first
    return _in_play(state, _settled(state, tables), here)


def _before_play(
    state: Running, tables: Mapping[TableId, TableSummary], here: Seating
) -> Directive | None:
    """Return the directive about entrants who come, leave or are waited for, before any other."""
    if (changed := _coming_and_going(state, tables[here.table], here)) is not None:
        return changed
    if (awaited := at_tables.in_hand_for_hand(state, tables, here)) is not None:
        return awaited
    if here.table in {window.table for window in state.windows}:
        return CloseRebuys(wait_seconds=window_seconds(state))
    return at_tables.to_count(state, tables, here)


def _settled(
    state: Running, tables: Mapping[TableId, TableSummary]
) -> Mapping[TableId, TableSummary]:
    """Return *tables*. A table that waits for chips or for rebuys counts as in play."""
    waiting = {window.table for window in state.windows}
    waiting |= {each.table for each in state.promised}
    return counted_in_play(tables, waiting)


def _in_play(state: Running, tables: Mapping[TableId, TableSummary], here: Seating) -> Directive:
    """Return the directive by which play goes on at *here*, or ends."""
    if (scheduled := in_round(state, tables, here)) is not None:
        return scheduled
    if state.closing:
        return _closing(state, tables)
    live = with_hands_left(state, tables)
    if _all_played(state, tables, live):
        return _finished(state, tables, live, here)
    if here not in live:
        return Hold(reason="hands_max")
    if (arranged := _rearranged(state, tables, live, here)) is not None:
        return arranged
    if _stuck(state, tables, live):
        return _finished(state, tables, live, here)
    if len(here.seats) < 2 or not tables[here.table].playable:
        return Hold(reason="waiting_for_entrants")
    if deserted(state, tables):
        return Hold(reason="players_away")
    if (short := at_tables.short(state, tables, here)) is not None:
        return short
    if state.floor.hand_for_hand is not None:
        return NextRound()
    return at_tables.opening(state, tables, here, number=state.floor.round)


def _rearranged(
    state: Running, tables: Mapping[TableId, TableSummary], live: tuple[Seating, ...], here: Seating
) -> Directive | None:
    """
    Return the directive of *here* from ordered moves, breaking tables, redraws and balance.

    Once the last hands have been called, nobody is moved any more.
    """
    if state.floor.last_hands is not None:
        return None
    return (
        at_tables.ordered(state, tables, here)
        or consolidated(state, tables, live, here)
        or at_tables.redrawn(state, tables)
        or balanced(state, tables, live, here)
    )


def _closing(state: Running, tables: Mapping[TableId, TableSummary]) -> Directive:
    """Return the end by the host or by a deal, once no hand is in play at any table."""
    if not all(tables[each.table].idle for each in state.tables):
        return Hold(reason="closing")
    deal = state.books.deal
    agreed = deal is not None and deal.ends
    stacks = _stacks(state, tables)
    return Finish(rule="finish.deal" if agreed else "finish.closed", stacks=stacks)


def _coming_and_going(state: Running, table: TableSummary, here: Seating) -> Directive | None:
    """Return the directive by which entrants give up or take seats *here*, before any other."""
    if leaving := casino.leaving_from(state, here):
        return LetGo(entrants=leaving)
    if promised := tuple(each for each in state.promised if each.table == here.table):
        return BringIn(promised=promised)
    if absent := _never_came(state, table, here):
        return Purge(entrants=absent)
    return Hold(reason="waiting_for_entrants") if _alone(state) else None


def _never_came(state: Running, table: TableSummary, here: Seating) -> tuple[EntrantId, ...]:
    """Return the seated no-shows who are still away and leave play from this level on."""
    level = state.terms.entry.no_show_purge_level
    if level is None or state.clock is None or state.clock.level < level:
        return ()
    gone = state.entering.absent.intersection(table.away)
    return tuple(each.entrant for each in here.seats if each.entrant in gone)


def _alone(state: Running) -> bool:
    """Return whether at most one entrant is in while late registration may still bring others."""
    if not state.entering.late or state.closing or state.windows or state.promised:
        return False
    return state.still_in < 2


def _all_played(
    state: Running, tables: Mapping[TableId, TableSummary], live: tuple[Seating, ...]
) -> bool:
    """Return whether no table can open a hand any more, or wait for anyone."""
    if isinstance(state.terms.ruleset.end, OpenEnd):
        # A casino waits for newcomers. Only its closing or a fixed number of hands ends it.
        return not live and all(tables[each.table].idle for each in state.tables)
    stuck = not live or (len(live) == 1 and not tables[live[0].table].playable)
    return stuck and all(tables[each.table].idle for each in state.tables)


def _stuck(
    state: Running, tables: Mapping[TableId, TableSummary], live: tuple[Seating, ...]
) -> bool:
    """Return whether every table waits for entrants and no one will come."""
    if isinstance(state.terms.ruleset.end, OpenEnd):
        return False
    # A table in its last hand is not among *live*, but has to be waited for.
    if not all(tables[each.table].idle for each in state.tables):
        return False
    if any(tables[each.table].playable for each in live):
        return False
    return not any(_rearranged(state, tables, live, each) for each in live)


def _finished(
    state: Running, tables: Mapping[TableId, TableSummary], live: tuple[Seating, ...], here: Seating
) -> Directive:
    """Return the end, or the sudden-death hand that comes before it."""
    stacks = _stacks(state, tables)
    # Everybody may have left a casino with its last hand.
    best = max((each.rank for each in stacks), default=None)
    tied = tuple(each for each in stacks if each.rank == best)
    if settled_by_a_hand(state, tables, tied):
        seated = {each.entrant for each in here.seats}
        if not seated.issuperset(each.entrant for each in tied):
            return Hold(reason="hands_max")
        return Open(
            last=True,
            wait_seconds=state.terms.hands_between_seconds,
            only=tuple(each.entrant for each in tied),
        )
    if state.floor.last_hands is not None:
        return Finish(rule="finish.last_hands", stacks=stacks)
    if live:
        return Finish(rule="finish.too_few_stacks", stacks=stacks)
    if isinstance(state.terms.ruleset.end, EachDealtOnce):
        return Finish(rule="finish.each_dealt_once", stacks=stacks)
    return Finish(rule="finish.hands_max", stacks=stacks)


def _stacks(state: Running, tables: Mapping[TableId, TableSummary]) -> tuple[Standing, ...]:
    return tuple(
        standing
        for each in state.tables
        for standing in tables[each.table].stacks
        if each.seat_of(standing.entrant) is not None
    )
