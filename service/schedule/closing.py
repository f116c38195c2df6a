"""Closing a season when its time has come."""

from collections.abc import Sequence
from datetime import datetime

from engine import season
from engine.season.commands import CloseSeason
from engine.season.state import Opened
from engine.values import stream_of
from service.desk import Desk
from service.writer import Entry, States


async def close(desk: Desk, league: str, season_id: str, closes_at: str) -> None:
    """
    Close a season; nothing happens if it is closed, or is to close at another time by now.

    Args:
        closes_at: The instant this was armed for, as the event has it.
    """
    stream = stream_of(season_id)
    armed_for = datetime.fromisoformat(closes_at)
    command = CloseSeason(now=desk.clock.now())

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        if not isinstance(state, Opened) or state.schedule.closes_at != armed_for:
            return [Entry(stream)]
        return [Entry(stream, season.decider.decide(state, command))]

    await desk.writer.submit(league, desk.order(f"close_season/{season_id}/{closes_at}"), decide)
