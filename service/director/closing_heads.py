"""
The heads that a finished tournament or a closed season records.

A tournament names the last event of each of its tables. A season names the last event of each
of its tournaments. Therefore no table, tournament or last hand can vanish unnoticed.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from engine import season, tournament
from engine.season.commands import RecordTournaments
from engine.season.events import TournamentHead
from engine.season.state import Opened
from engine.table.model.state import State as TableState
from engine.table.model.state import Table, opened_of
from engine.tournament.model.commands.heads import RecordTables
from engine.tournament.model.events.heads import TableHead
from engine.tournament.model.state import Cancelled, Finished
from engine.values import Stream, number_of
from service.director.runtime import Runtime
from service.log.streams import season_stream, tournament_stream
from service.log.writer import States, StreamEvents

_AGAIN = timedelta(seconds=5)

_TABLES = """
    SELECT stream FROM events
     WHERE league = $1 AND type = 'table_opened' AND data ->> 'tournament' = $3
       AND position > (SELECT position FROM events
                        WHERE league = $1 AND stream = $2 AND stream_version = 1)
     ORDER BY position
"""


async def record_tables(runtime: Runtime, league: str, tournament_id: str) -> datetime | None:
    """
    Record the last event of each table of a tournament that is over.

    Returns:
        The instant to try again, if a table is not closed yet. Otherwise ``None``.
    """
    stream = tournament_stream(tournament_id)
    loaded = await runtime.writer.load(league, stream)
    if not isinstance(loaded.state, Finished | Cancelled) or loaded.state.recorded:
        return None
    tables = await tables_opened(runtime, league, tournament_id)
    return await record_these(runtime, league, tournament_id, tables)


async def tables_opened(
    runtime: Runtime, league: str, tournament_id: str
) -> list[Stream[TableState]]:
    """Return the streams of all tables of a tournament, as the log knows them, open or closed."""
    asked = (number_of(league), tournament_stream(tournament_id), tournament_id)
    return [Stream(row["stream"]) for row in await runtime.pool.fetch(_TABLES, *asked)]


async def record_these(
    runtime: Runtime, league: str, tournament_id: str, streams: Sequence[Stream[TableState]]
) -> datetime | None:
    """
    Record the last event of each of *streams*, the tables of a tournament.

    Returns:
        The same as :func:`record_tables`.
    """
    stream = tournament_stream(tournament_id)
    loaded = await runtime.writer.load(league, stream)
    again = runtime.clock.now() + _AGAIN
    for each in streams:
        state = (await runtime.writer.load(league, each)).state
        if not isinstance(state, Table) or not state.closed:
            return again
    if not streams:
        return None

    async def decide(states: States) -> Sequence[StreamEvents]:
        heads = tuple([await _head(states, each) for each in streams])
        command = RecordTables(tables=heads, now=runtime.clock.now())
        events = tournament.decider.decide((await states.load(stream)).state, command)
        # The guards keep the tables from changing while their heads are recorded.
        return [StreamEvents(stream, events), *(StreamEvents(each) for each in streams)]

    order = runtime.order(f"record_tables/{tournament_id}/{loaded.version}")
    await runtime.writer.submit(league, order, decide)
    return None


async def _head(states: States, stream: Stream[TableState]) -> TableHead:
    loaded = await states.load(stream)
    table = opened_of(loaded.state)
    return TableHead(
        table=table.table,
        version=loaded.version,
        hash=loaded.hash.hex(),
        hands=table.hand_number - (table.voided is not None),
    )


async def record_tournaments(runtime: Runtime, league: str, season_id: str) -> datetime | None:
    """
    Record the last event of each tournament that a closed season has counted.

    Returns:
        The instant to try again, if a table of a tournament is not closed yet. Otherwise ``None``.
    """
    stream = season_stream(season_id)
    loaded = await runtime.writer.load(league, stream)
    state = loaded.state
    if not isinstance(state, Opened) or not state.closed or state.recorded:
        return None
    counted = [each.tournament for each in state.counted]
    for each in counted:
        again = await record_tables(runtime, league, each)
        if again is not None:
            return again

    async def decide(states: States) -> Sequence[StreamEvents]:
        ended = [(each, await states.load(tournament_stream(each))) for each in counted]
        heads = tuple(
            TournamentHead(tournament=each, version=last.version, hash=last.hash.hex())
            for each, last in ended
        )
        command = RecordTournaments(tournaments=heads, now=runtime.clock.now())
        events = season.decider.decide((await states.load(stream)).state, command)
        return [
            StreamEvents(stream, events),
            *(StreamEvents(tournament_stream(each)) for each in counted),
        ]

    order = runtime.order(f"record_tournaments/{season_id}/{loaded.version}")
    await runtime.writer.submit(league, order, decide)
    return None
