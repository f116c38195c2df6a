"""Checks on corrections that need another stream: the season of a result, or the league."""

from collections.abc import Sequence
from datetime import datetime
from functools import reduce

from msgspec.structs import replace

from engine import season
from engine.coordination import policies
from engine.coordination.aggregates import DECIDERS
from engine.errors import Wording
from engine.league.state import Created
from engine.season.commands import ReviseAward
from engine.season.errors import AdjustmentInvalid, SeasonClosedAlready
from engine.season.state import Opened
from engine.season.state import State as Season
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.state import Finished
from engine.tournament.model.state import State as Tournament
from engine.values import PlayerId, Stream
from service.log.codec import category_of
from service.log.streams import league_stream, season_stream
from service.log.writer import States, StreamEvents


async def counted_still(
    states: States, stream: Stream[Tournament], entries: Sequence[StreamEvents], now: datetime
) -> list[StreamEvents]:
    """
    Check that *entries* change no award of a closed season, and return the guard on the season.

    Source: rulebook ``standings.final``.

    Args:
        stream: The stream of the tournament.

    Raises:
        SeasonClosedAlready: If the season is closed and the correction would change an award.
    """
    result = (await states.load(stream)).state
    events = [event for entry in entries if entry.stream == stream for event in entry.events]
    if not any(isinstance(event, ResultCorrected) for event in events):
        return []
    if not isinstance(result, Finished) or result.terms.season is None:
        return []
    there = season_stream(result.terms.season)
    before = (await states.load(there)).state
    counted = before.tournament(result.terms.tournament) if isinstance(before, Opened) else None
    if isinstance(before, Opened) and before.closed and counted and not counted.revoked:
        corrected: Finished = reduce(DECIDERS[category_of(stream)].evolve, events, result)
        told = policies.season_told(before, replace(corrected, frozen=()), now=now)
        open_still = replace(before, closed=False)
        if isinstance(told, ReviseAward) and season.decider.decide(open_still, told):
            raise SeasonClosedAlready
    return [StreamEvents(there)]


async def demand_of_league(states: States, here: Season, player: PlayerId) -> None:
    """
    Check that points may go to *player*: a member, or a player that the season has counted.

    Source: rulebook ``points.adjusted``.

    Raises:
        AdjustmentInvalid: If *player* is neither.
    """
    if not isinstance(here, Opened):
        return
    league = (await states.load(league_stream(here.terms.league))).state
    member = isinstance(league, Created) and league.role_of(player) is not None
    counted = any(award.player == player for one in here.counted for award in one.awards)
    if not (
        member or counted or any(each.adjustment.player == player for each in here.adjustments)
    ):
        raise AdjustmentInvalid(
            problem=Wording("points go to members, and to players whom the season has counted")
        )
