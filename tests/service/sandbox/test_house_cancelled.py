"""House bots play the hand on in which their tournament was cancelled."""

from typing import Any

import pytest

from tests.service.api.conftest import serving
from tests.service.api.table.test_commands import turn
from tests.service.api.table.test_feeds import everything
from tests.service.api.tournament.test_rulings import play_on
from tests.service.sandbox.test_house import NIGHT, driving
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

__all__ = ["serving"]


async def test_house_bots_answer_in_a_hand_that_a_cancellation_left_in_play(
    serving: Any, database: TestDatabase
) -> None:
    """Otherwise the players would wait for the clock at each of their turns."""
    async with serving() as api, driving(database):
        owner, league = await api.league()
        made = await owner.post(f"/v1/leagues/{league}/tournaments", NIGHT | {"bots": "allowed"})
        about = f"/v1/tournaments/{made.json()['id']}"
        person = await api.join(owner, league)
        assert (await person.post(f"{about}/registrations")).status_code == 201
        seated = await owner.post(f"{about}/house-bots", {"count": 3})
        assert seated.status_code == 201, seated.text
        assert (await owner.post(f"{about}/start")).status_code == 202
        [table] = [each["id"] for each in (await owner.get(f"{about}/tables")).json()["items"]]
        await turn([person], table)
        cancelled = await owner.post(f"{about}/cancel", {"reason": "No light."}, key="cancel")
        assert cancelled.is_success, cancelled.text
        feed = await everything(owner, f"/v1/tables/{table}/events", limit=200)
        assert feed[-1]["type"] != "table_closed"

        async def over() -> bool:
            return bool((await owner.get(f"/v1/tables/{table}")).json()["closed"])

        await play_on([person], [table], over)
        later = (await everything(owner, f"/v1/tables/{table}/events", limit=200))[len(feed) :]
        answered = [each["data"] for each in later if "timed_out" in each["data"]]
        assert len({each.get("seat") for each in answered}) > 1
        assert not any(each["timed_out"] for each in answered)
