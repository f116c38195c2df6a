"""Entrants' entropy: it is opened before the first hand and goes into their table's decks."""

from collections.abc import Sequence

from engine import tournament
from engine.coordination import deals
from engine.table.model.events import HandOpened, TableBeaconMixed
from engine.table.model.state import State as TableState
from engine.table.model.state import Table
from engine.tournament.model.commands.fairness import OpenEntropy
from engine.tournament.model.state import Running
from engine.tournament.model.state import State as Tournament
from engine.values import EntrantId, Stream, number_of
from service.director.next_hand import lead
from service.director.runtime import Runtime
from service.log.streams import table_stream, tournament_stream
from service.log.writer import Order, Receipt, States, StreamEvents
from service.projections.reads.hand_rows import HandRow

_OPENINGS = """
    SELECT stream_version FROM events
     WHERE league = $1 AND stream = $2 AND position BETWEEN $3 AND $4 AND type = 'hand_opened'
     ORDER BY position
"""


async def open_entropy(
    runtime: Runtime, league: str, tournament_id: str, asked: tuple[EntrantId, str], order: Order
) -> Receipt:
    """
    Open an entrant's committed entropy, if no hand has been opened at the entrant's table.

    A guard keeps the table unchanged during the append. Afterwards the table's next hand is
    tried, because it may have waited only for this entrant.

    Raises:
        CommandRejected: If the tournament refuses the entropy.
    """
    stream, (entrant, value) = tournament_stream(tournament_id), asked

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(stream)).state
        there = _table_of(state, entrant)
        here = None if there is None else (await states.load(there)).state
        command = OpenEntropy(
            entrant=entrant,
            value=value,
            in_time=isinstance(here, Table) and deals.may_still_open(state, here, entrant),
            now=order.received_at,
        )
        events = tournament.decider.decide(state, command)
        return [StreamEvents(stream, events), *([] if there is None else [StreamEvents(there)])]

    receipt = await runtime.writer.submit(league, order, decide)
    state = (await runtime.writer.load(league, stream, fresh=False)).state
    for seating in state.tables if isinstance(state, Running) else ():
        if seating.seat_of(entrant) is not None:
            lead(runtime, league, seating.table)
    return receipt


def _table_of(state: Tournament, entrant: EntrantId) -> Stream[TableState] | None:
    """Return the stream of the table *entrant* sits at, or None."""
    tables = state.tables if isinstance(state, Running) else ()
    seated = (each.table for each in tables if each.seat_of(entrant) is not None)
    return next((table_stream(each) for each in seated), None)


async def deals_of(
    runtime: Runtime, row: HandRow
) -> list[tuple[HandOpened, TableBeaconMixed | None]]:
    """Return the opening of each deal of a hand, unsealed, with its beacon event if it has one."""
    store, stream, number = runtime.writer.store, table_stream(row.table), number_of(row.league)
    keys = await store.keys(number)
    versions = await runtime.pool.fetch(
        _OPENINGS, number, stream, row.first_position, row.last_position
    )
    found = []
    for version in versions:
        first, *then = [
            runtime.writer.codec.decode(each, keys)
            for each in await store.stream(number, stream, version["stream_version"] - 1, 2)
        ]
        found.append((first, next((e for e in then if isinstance(e, TableBeaconMixed)), None)))
    return found
