"""Busts at a table: the same append reports them to the tournament and brings rebought chips."""

from collections.abc import Sequence

from engine import table, tournament
from engine.coordination import policies, purchases
from engine.table.model.commands import Command as TableCommand
from engine.table.model.events import Event as TableEvent
from engine.table.model.state import Table, opened_of
from engine.tournament.model.commands import RecordBusts
from engine.tournament.model.events import Event as TournamentEvent
from engine.tournament.model.state import State as Tournament
from service.director.admission import unwelcome
from service.director.level_clock import after_outages
from service.director.runtime import Runtime
from service.log.streams import table_stream, tournament_stream
from service.log.writer import States, StreamEvents


async def at_table(
    runtime: Runtime, states: States, here: Table, asked: Sequence[TableCommand]
) -> tuple[StreamEvents, ...]:
    """Decide *asked* on the table. If an entrant busts, decide that on the tournament too."""
    stream = table_stream(here.table)
    events, state = policies.decide_in_turn(table.decider, here, asked)
    after = opened_of(state)
    busts = policies.busts_of(after, events)
    if busts is None:
        return (StreamEvents(stream, events, after),)
    above = tournament_stream(here.tournament)
    before = (await states.load(above)).state
    leaving, guarded = await unwelcome(states, before, busts.now)
    # The busts may begin hand-for-hand play, which stops the level clock.
    first = await after_outages(runtime, states.league, before, (*leaving, busts), busts.now)
    left, then = policies.decide_in_turn(tournament.decider, before, first[:-1])
    told, _, bought, after = with_busts(then, after, busts)
    return (
        StreamEvents(stream, (*events, *bought), after),
        StreamEvents(above, (*left, *told)),
        *guarded,
    )


def with_busts(
    above: Tournament, here: Table, busts: RecordBusts
) -> tuple[tuple[TournamentEvent, ...], Tournament, tuple[TableEvent, ...], Table]:
    """
    Decide *busts* on the tournament, and the chips that follow on the table.

    A rebuy that was declared beforehand brings its chips at once.

    Returns:
        The tournament's events and new state, then the table's events and new state.
    """
    told, above = policies.decide_in_turn(tournament.decider, above, (busts,))
    owed = purchases.chips_of(told, now=busts.now).get(here.table, ())
    bought, after = policies.decide_in_turn(table.decider, here, owed)
    return told, above, bought, opened_of(after)
