"""Staff enter house bots in one call."""

import json
from typing import Any

import asyncpg
import pytest

from engine.kit.house_bots import house_bot
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

NIGHT = {"name": "Night", "ruleset": "better_simple", "hands_between_seconds": 0}


async def announced(owner: Any, league: str, **terms: Any) -> str:
    made = await owner.post(f"/v1/leagues/{league}/tournaments", NIGHT | terms)
    assert made.status_code == 201, made.text
    return f"/v1/tournaments/{made.json()['id']}"


async def test_house_bots_enter_together_and_a_retry_enters_no_more(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        night = await announced(owner, league)
        wanted = {"count": 2, "strength": "sharp"}

        first = await owner.post(f"{night}/house-bots", wanted, key="bots")
        again = await owner.post(f"{night}/house-bots", wanted, key="bots")
        more = await owner.post(f"{night}/house-bots", {"count": 1, "strength": "sharp"})
        calm = await owner.post(f"{night}/house-bots", {"count": 1, "strength": "calm"})

        assert first.status_code == 201, first.text
        assert again.json() == first.json()
        bots = [*first.json()["bots"], *more.json()["bots"], *calm.json()["bots"]]
        assert [each["name"] for each in bots] == [
            "Bot 1, sharp",
            "Bot 2, sharp",
            "Bot 3, sharp",
            "Bot 1, calm",
        ]
        assert bots[1]["player"] == house_bot(league, "sharp", 2)
        entered = (await owner.get(f"{night}/registrations")).json()["items"]
        assert [(each["entrant"], each["name"], each["bot"]) for each in entered] == [
            (each["entrant"], each["name"], True) for each in bots
        ]
        other = await announced(owner, league)
        same = await owner.post(f"{other}/house-bots", wanted)
        assert [each["player"] for each in same.json()["bots"]] == [
            each["player"] for each in first.json()["bots"]
        ]


async def test_house_bots_come_all_or_not_at_all_and_never_for_money(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        member = await api.join(owner, league)
        small = await announced(
            owner, league, entrants_max=3, format={"kind": "single_table"}, entry={"waitlist": True}
        )
        refused = {
            small: "tournament_full",
            await announced(owner, league, bots="forbidden"): "bots_forbidden",
            await announced(owner, league, currency="EUR"): "house_bots_for_money",
        }
        for night, code in refused.items():
            answer = await owner.post(f"{night}/house-bots", {"count": 4})
            assert (answer.status_code, answer.json()["code"]) == (409, code)
            assert (await owner.get(f"{night}/registrations")).json()["items"] == []
        assert (await member.post(f"{small}/house-bots", {"count": 1})).status_code == 403


async def test_a_late_house_bot_is_seated_at_once(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        late = {"late_registration_seconds": 600}
        night = await announced(owner, league, table_seats=6, entry=late)
        await owner.post(f"{night}/house-bots", {"count": 2})
        assert (await owner.post(f"{night}/start")).status_code == 202

        answer = await owner.post(f"{night}/house-bots", {"count": 1})

        assert answer.status_code == 201, answer.text
        (bot,) = answer.json()["bots"]
        (table,) = (await owner.get(f"{night}/tables")).json()["items"]
        shown = (await owner.get(f"/v1/tables/{table['id']}")).json()
        assert shown["names"].get(bot["entrant"], bot["name"]) == "Bot 3, steady"
        floor = (await owner.get(f"{night}/registrations")).json()["items"]
        assert bot["entrant"] in {each["entrant"] for each in floor}


async def test_a_host_who_plays_enters_house_bots_until_play_begins_if_the_terms_let_them(
    serving: Any, database: TestDatabase
) -> None:
    """Afterwards they would bring chips to a table, perhaps to the host's own."""
    async with serving() as api:
        owner, league = await api.league()
        late = {"late_registration_seconds": 600}
        wanted = {"count": 1, "strength": "calm"}
        for allowed in (False, True):
            night = await announced(owner, league, entry=late, staff_may_play=allowed)
            entered = await owner.post(f"{night}/registrations")
            assert entered.status_code == 201, entered.text
            answer = await owner.post(f"{night}/house-bots", wanted)
            assert answer.status_code == (201 if allowed else 403), answer.text
            if not allowed:
                assert "`staff_may_play`" in answer.json()["detail"]
        assert (await owner.post(f"{night}/start")).status_code == 202

        answer = await owner.post(f"{night}/house-bots", wanted)

        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
        assert "does not play" in answer.json()["detail"]
    connection = await asyncpg.connect(database.url("holotable_project"))
    try:
        rows = await connection.fetch("SELECT type, metadata::text AS metadata FROM events")
    finally:
        await connection.close()
    marked = [row["type"] for row in rows if json.loads(row["metadata"]).get("entered")]
    assert marked.count("member_added") == marked.count("entrant_registered") == 1
