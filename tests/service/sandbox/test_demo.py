"""The tournaments of ``holotable demo`` begin when every bot has entered."""

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rich.console import Console

from service.sandbox.demo.night import Night
from service.sandbox.demo.options import Options
from service.sandbox.demo.teller import Teller
from tests.service.api.conftest import serving

pytestmark = pytest.mark.anyio

__all__ = ["serving"]


async def test_a_tournament_starts_when_all_bots_have_entered_however_long_that_takes(
    serving: Any,
) -> None:
    """On a busy machine 24 bots need longer than a few seconds to enter."""
    options = Options(players=5, ruleset="better_simple", tournaments=1)
    teller = Teller(Console(file=io.StringIO()), 1)
    async with serving() as api:
        night = Night(api.http, options, teller, api.app.shell.runtime.clock)
        league, season = await night._gather()

        tournament, players = await night._started(league, season, 1)

        shown = await night._organiser.get(f"/v1/tournaments/{tournament}")
    assert datetime.fromisoformat(shown["starts_at"]) - datetime.now(UTC) > timedelta(minutes=50)
    assert shown["state"] == "running"
    assert {each["id"] for each in shown["entrants"]} == players.keys()
    assert len(players) == options.players
