"""What corrections meet beyond the stream that they correct: a closed season, the members."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from engine.coordination import policies
from engine.coordination.aggregates import DECIDERS
from engine.league.state import Created
from engine.season.commands import ReviseAward
from engine.season.errors import AdjustmentInvalid, SeasonClosedAlready
from engine.season.state import Opened
from engine.tournament.model.correcting_events import ResultCorrected
from engine.tournament.model.state import Finished
from engine.values import PlayerId, stream_of
from service.log.writer import Entry, States


async def counted_still(
    states: States, stream: str, entries: Sequence[Entry], now: datetime
) -> list[Entry]:
    """
    Check that no closed season counts what *entries* correct; return what has to stay so.

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
    counted = season.tournament(state.terms.tournament) if isinstance(season, Opened) else None
    if isinstance(season, Opened) and season.closed and counted and not counted.revoked:
        told = policies.season_told(season, replace(state, frozen=()), now=now)
        open_still = replace(season, closed=False)
        if isinstance(told, ReviseAward) and DECIDERS["season"].decide(open_still, told):
            raise SeasonClosedAlready
    return [Entry(there)]


async def demand_of_league(states: States, season: Any, player: PlayerId) -> None:
    """
    Check that points may go to *player*: a member, or somebody the season has counted.

    Source: rulebook ``points.adjusted``.

    Raises:
        AdjustmentInvalid: If the season has nothing to do with this person.
    """
    if not isinstance(season, Opened):
        return
    league = (await states.load(stream_of(season.terms.league))).state
    member = isinstance(league, Created) and league.role_of(player) is not None
    counted = any(award.player == player for one in season.counted for award in one.awards)
    if not (
        member or counted or any(each.adjustment.player == player for each in season.adjustments)
    ):
        raise AdjustmentInvalid(
            problem="points go to members, and to players whom the season has counted"
        )
