"""The news of a floor has the voided deals of its own tables alone."""

from typing import Any

import pytest

from service.log.streams import table_stream
from tests.service.api.table.test_voiding import WANTED, dealt
from tests.service.api.tournament.test_entering import enter

pytestmark = pytest.mark.anyio


async def another_night(api: Any, owner: Any, league: str) -> tuple[str, str]:
    """Start one more tournament of *league*. Return it and its table."""
    asked = {"name": "Other", "ruleset": "better", "hands_between_seconds": 0}
    made = (await owner.post(f"/v1/leagues/{league}/tournaments", asked)).json()["id"]
    for _ in range(2):
        assert (await enter(await api.join(owner, league), made)).is_success
    started = await owner.post(f"/v1/tournaments/{made}/start")
    assert started.is_success, started.text
    shown = (await owner.get(f"/v1/tournaments/{made}")).json()
    return made, shown["tables"][0]["id"]


async def test_a_voided_deal_is_told_of_its_tournament_and_no_other_table_is_read(serving) -> None:
    async with serving() as api:
        owner, league, first, _, table = await api.playing(3)
        second, other = await another_night(api, owner, league)
        for each in (table, other):
            await dealt(owner, each, 1)
            voided = await owner.post(f"/v1/tables/{each}/void", WANTED)
            assert voided.is_success, voided.text
    for tournament, own, foreign in ((first, table, other), (second, other, table)):
        async with serving() as api:
            path = f"/v1/tournaments/{tournament}/happenings"
            answer = await api.http.get(path, headers=owner.headers)
            assert answer.status_code == 200, answer.text
            told = [each for each in answer.json()["items"] if each["type"] == "deal_voided"]
            assert [(each["table"], each["hand_number"]) for each in told] == [(1, 1)]
            known = api.app.shell.runtime.writer.known
            assert known(league, table_stream(own)) is not None
            assert known(league, table_stream(foreign)) is None
