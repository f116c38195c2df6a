"""
The closing of a season, refused while one of its tournaments is still to be counted.

The append guards the heads of all its tournaments. If a correction, an entry or a freeze is
accepted meanwhile, the season decides again. Another announcement has the same effect, because
it writes to the season's stream.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from engine import season
from engine.coordination import policies
from engine.season.commands import CloseSeason, LeaveOut
from engine.season.state import Opened
from engine.tournament.model.events import Event as TournamentEvent
from engine.values import TournamentId, number_of, stream_of
from service.director.counting import count_aside
from service.director.runtime import Runtime
from service.log.read import read_at
from service.log.streams import season_stream
from service.log.writer import States, StreamEvents

_ANNOUNCED = """
    SELECT position FROM events
     WHERE league = $1 AND type = 'tournament_announced'
       AND position > (SELECT position FROM events
                        WHERE league = $1 AND stream = $2 AND stream_version = 1)
     ORDER BY position
"""


async def announced_before(
    runtime: Runtime, league: str, season_id: str
) -> frozenset[TournamentId]:
    """
    Return the tournaments that the log announces for this season.

    Tournaments announced by earlier versions of the service are recorded nowhere else. Later
    ones are in the season's stream too.
    """
    rows = await runtime.pool.fetch(_ANNOUNCED, number_of(league), season_stream(season_id))
    async with runtime.pool.acquire() as connection:
        found = await read_at(connection, league, [row["position"] for row in rows])
    events = [runtime.writer.codec.decode(each, None) for each in found]
    return frozenset(each.tournament for each in events if each.season == season_id)


async def decided(
    states: States,
    season_id: str,
    before: Collection[TournamentId],
    *,
    leave_out: LeaveOut | None,
    now: datetime,
) -> list[StreamEvents]:
    """
    Decide the closing of a season, and return it with the guards on the season's tournaments.

    Args:
        before: The tournaments that :func:`announced_before` returned.

    Raises:
        CommandRejected: If the season may not be closed.
    """
    stream = season_stream(season_id)
    state = (await states.load(stream)).state
    if not isinstance(state, Opened) or state.closed:
        return [StreamEvents(stream, season.decider.decide(state, CloseSeason(now=now)))]
    counted = (each.tournament for each in state.counted)
    streams = {each: stream_of(each) for each in sorted({*before, *state.added, *counted})}
    outlooks = [
        policies.outlook_of(state, (await states.load(each)).state, now=now)
        for each in streams.values()
    ]
    command = CloseSeason(tournaments=tuple(outlooks), leave_out=leave_out, now=now)
    events = await count_aside(state, None, season.decider.decide, state, command)
    return [StreamEvents(stream, events), *(StreamEvents(each) for each in streams.values())]


async def told(
    states: States, events: Sequence[TournamentEvent], now: datetime
) -> list[StreamEvents]:
    """
    Return the entries that add the tournaments announced in *events* to their seasons.

    Raises:
        SeasonClosedAlready: If the season is closed.
    """
    entries = []
    for season_id, command in policies.announced_for(events, now=now):
        stream = season_stream(season_id)
        state = (await states.load(stream)).state
        entries.append(StreamEvents(stream, season.decider.decide(state, command)))
    return entries
