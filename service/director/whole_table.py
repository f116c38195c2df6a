"""
Commands to a tournament that depend on every stack: payout deals and cancellations.

The append guards all tables, so that no stack changes after it was read.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from engine import table, tournament
from engine.coordination import policies
from engine.table.model.commands import ResumeTable
from engine.table.model.state import opened_of
from engine.tournament.model.commands import Cancel
from engine.tournament.model.commands.money import ProposeDeal
from engine.tournament.model.state import Running
from service.director.runtime import Runtime
from service.log.streams import table_stream, tournament_stream
from service.log.writer import Order, Receipt, States, StreamEvents


async def with_stacks(
    runtime: Runtime, league: str, tournament_id: str, command: ProposeDeal | Cancel, order: Order
) -> Receipt:
    """
    Decide *command* with every entrant's stack as it stands between hands.

    A cancellation releases the tables that are held.

    Raises:
        CommandRejected: If the tournament refuses it.
    """
    stream = tournament_stream(tournament_id)

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(stream)).state
        seatings = state.tables if isinstance(state, Running) else ()
        tables = [
            opened_of((await states.load(table_stream(each.table))).state) for each in seatings
        ]
        stacks = tuple(one for each in tables for one in policies.stacks_between_hands(each))
        events = tournament.decider.decide(state, replace(command, stacks=stacks))
        # Nobody can release a table once the tournament is cancelled, and its hand has to end.
        ends = isinstance(command, Cancel)
        asked = (ResumeTable(now=order.received_at),) if ends else ()
        entries = [
            StreamEvents(
                table_stream(each.table), *policies.decide_in_turn(table.decider, each, asked)
            )
            for each in tables
        ]
        return [StreamEvents(stream, events), *entries]

    return await runtime.writer.submit(league, order, decide)
