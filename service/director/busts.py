"""What a tournament is told of its table in the same append, and what chips that brings."""

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
from service.log.streams import table_stream, tournament_stream
from service.log.writer import Entry, States


async def at_table(states: States, here: Table, asked: Sequence[TableCommand]) -> tuple[Entry, ...]:
    """Have the table decide what is *asked*, and the tournament what it is to be told of it."""
    stream = table_stream(here.table)
    events, state = policies.decide_in_turn(table.decider, here, asked)
    after = opened_of(state)
    busts = policies.busts_of(
        here.table, events, level=after.level_number, round_number=after.round
    )
    if busts is None:
        return (Entry(stream, events, after),)
    above = tournament_stream(here.tournament)
    before = (await states.load(above)).state
    leaving, guarded = await unwelcome(states, before, busts.now)
    left, then = policies.decide_in_turn(tournament.decider, before, leaving)
    told, _, bought, after = with_busts(then, after, busts)
    return Entry(stream, (*events, *bought), after), Entry(above, (*left, *told)), *guarded


def with_busts(
    above: Tournament, here: Table, busts: RecordBusts
) -> tuple[tuple[TournamentEvent, ...], Tournament, tuple[TableEvent, ...], Table]:
    """
    Return what a tournament makes of *busts*, the chips brought *here*, and both states then.

    A rebuy that was declared beforehand brings its chips at once.
    """
    told, above = policies.decide_in_turn(tournament.decider, above, (busts,))
    owed = purchases.chips_of(told, now=busts.now).get(here.table, ())
    bought, after = policies.decide_in_turn(table.decider, here, owed)
    return told, above, bought, opened_of(after)
