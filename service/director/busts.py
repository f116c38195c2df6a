"""What a tournament is told of its table in the same append, and what chips that brings."""

from collections.abc import Sequence
from typing import Any

from engine import table, tournament
from engine.coordination import policies, purchases
from engine.coordination.aggregates import DECIDERS
from engine.errors import InvariantViolated
from engine.table.model.state import Table
from engine.tournament.model.commands import RecordBusts
from engine.values import stream_of
from service.director.admission import unwelcome
from service.log.writer import Entry, States


async def at_table(states: States, here: Table, asked: Sequence[Any]) -> tuple[Entry, ...]:
    """Have the table decide what is *asked*, and the tournament what it is to be told of it."""
    stream = stream_of(here.table)
    events, after = policies.decide_in_turn(DECIDERS["table"], here, asked)
    busts = policies.busts_of(
        here.table, events, level=after.level_number, round_number=after.round
    )
    if busts is None:
        return (Entry(stream, events, after),)
    above = stream_of(here.tournament)
    state = (await states.load(above)).state
    leaving, guarded = await unwelcome(states, state, busts.now)
    left, state = policies.decide_in_turn(tournament.decider, state, leaving)
    told, _, bought, after = with_busts(state, after, busts)
    return Entry(stream, (*events, *bought), after), Entry(above, (*left, *told)), *guarded


def with_busts(
    above: Any, here: Table, busts: RecordBusts
) -> tuple[tuple[Any, ...], Any, tuple[Any, ...], Table]:
    """
    Return what a tournament makes of *busts*, the chips brought *here*, and both states then.

    A rebuy that was declared beforehand brings its chips at once.
    """
    told, above = policies.decide_in_turn(tournament.decider, above, (busts,))
    owed = purchases.chips_of(told, now=busts.now).get(here.table, ())
    bought, after = policies.decide_in_turn(table.decider, here, owed)
    if not isinstance(after, Table):
        raise InvariantViolated("chips were brought to a table that is not open")
    return told, above, bought, after
