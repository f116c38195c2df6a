"""An evening with check-in, a price and a waitlist, for tests of its door."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.service.console.conftest import Console


async def opened(
    console: Console, *, visibility: str = "members", **terms: Any
) -> tuple[Any, str, str]:
    """Announce an evening with check-in and a price. Return owner, league and tournament."""
    owner, league = await console.api.league(visibility)
    asked = {
        "name": "Thursday", "ruleset": "better", "currency": "EUR",
        "starts_at": (datetime.now(UTC) + timedelta(hours=1)).isoformat(),
        "fees": {"buy_in": 1000, "fee": 200, "payment": "recorded"},
        "entry": {"check_in_opens_before_seconds": 7200, "waitlist": True},
    } | terms  # fmt: skip
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    assert made.status_code == 201, made.text
    return owner, league, made.json()["id"]


async def entry(owner: Any, tournament: str, number: int = 0) -> dict[str, Any]:
    shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
    found: dict[str, Any] = shown["entrants"][number]
    return found
