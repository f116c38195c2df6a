"""What a correction of a result meets beyond its tournament: a season that is closed."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from engine import policies
from engine.aggregates import DECIDERS
from engine.season.commands import ReviseAward
from engine.season.errors import SeasonClosedAlready
from engine.season.state import Opened
from engine.tournament.correcting.events import ResultCorrected
from engine.tournament.state import Finished
from engine.values import stream_of
from service.writer import Entry, States


async def counted_still(
    states: States, stream: str, entries: Sequence[Entry], now: datetime
) -> list[Entry]:
    """
    Check that no closed season has counted what *entries* correct; return what has to stay so.

    Source: rulebook ``standings.final``.

    Args:
        stream: The tournament's.

    Raises:
        SeasonClosedAlready: If its season is closed and would count otherwise.
    """
    state = (await states.load(stream)).state
    events = [event for entry in entries if entry.stream == stream for event in entry.events]
    corrected = any(isinstance(event, ResultCorrected) for event in events)
    if not corrected or not isinstance(state, Finished) or state.terms.season is None:
        return []
    for event in events:
        state = DECIDERS["tournament"].evolve(state, event)
    there = stream_of(state.terms.season)
    season = (await states.load(there)).state
    if isinstance(season, Opened) and season.closed:
        told = policies.season_told(season, replace(state, frozen=()), now=now)
        open_still = replace(season, closed=False)
        if isinstance(told, ReviseAward) and DECIDERS["season"].decide(open_still, told):
            raise SeasonClosedAlready
    return [Entry(there)]
