"""A casino over HTTP: players arrive, bring chips and leave, the house closes, the audit agrees."""

import asyncio
from typing import Any

import pytest

from tests.service.api.nights import project
from tests.service.api.tournament.test_rebuys import answer, until_a_bust
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


async def opened(api: Any, **terms: Any) -> tuple[Any, str, str, list[Any], str]:
    """Open a casino with two players. Return owner, league, tournament, three people and table."""
    owner, league = await api.league()
    people = [await api.join(owner, league) for _ in range(3)]
    made = await owner.post(
        f"/v1/leagues/{league}/tournaments",
        {
            "name": "Canto Bight",
            "ruleset": "casino",
            "overrides": {"rebuy": {"seconds": 0}},
            "starting_stack": 100,
            "table_seats": 4,
            **terms,
        },
    )
    assert made.status_code == 201, made.text
    tournament = made.json()["id"]
    for person in people[:2]:
        await person.post(f"/v1/tournaments/{tournament}/registrations")
    await owner.post(f"/v1/tournaments/{tournament}/start")
    shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
    return owner, league, tournament, people, shown["tables"][0]["id"]


async def stacks(person: Any, table: str) -> dict[str, int]:
    seats = (await person.get(f"/v1/tables/{table}")).json()["seats"]
    return {seat["entrant"]: seat["stack"] + seat["wager"] for seat in seats}


async def play_until(people: list[Any], table: str, so: Any) -> None:
    """Answer every open decision until *so* returns True."""
    for _ in range(600):
        if await so():
            return
        asked = [await answer(person, table) for person in people]
        if not any(asked):
            await asyncio.sleep(0.02)
    raise AssertionError("it never comes to this")


async def play_out(reader: Any, tournament: str, people: list[Any], table: str) -> None:
    """Answer every open decision until the tournament has finished."""

    async def finished() -> bool:
        shown = (await reader.get(f"/v1/tournaments/{tournament}")).json()
        return bool(shown["state"] == "finished")

    await play_until(people, table, finished)


async def test_a_casino_from_its_opening_to_its_closing(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await opened(api)
        late = people[2]
        entered = await late.post(f"/v1/tournaments/{tournament}/registrations")
        assert entered.status_code == 201, entered.text
        newcomer = entered.json()["entrant"]

        async def seated() -> bool:
            return newcomer in await stacks(owner, table)

        await play_until(people, table, seated)
        more = await late.post(f"/v1/tournaments/{tournament}/add-ons", {"chips": 55}, key="more")
        assert more.status_code == 201, more.text
        assert more.json()["events"] == ["chips_promised"]
        wrong = await late.post(f"/v1/tournaments/{tournament}/add-ons", {"chips": 3}, key="odd")
        assert (wrong.status_code, wrong.json()["code"]) == (409, "rebuy_not_allowed")
        left = await late.post(f"/v1/tournaments/{tournament}/leave", {}, key="leave")
        assert left.status_code == 201, left.text
        assert left.json()["events"][0] == "leave_declared"

        async def gone() -> bool:
            return newcomer not in await stacks(owner, table)

        await play_until(people, table, gone)
        await project(database)
        assert (await late.get("/v1/me")).json()["seats"] == []  # so no erasing waits for the end
        refused = await people[0].post(f"/v1/tournaments/{tournament}/close", {}, key="no")
        assert refused.status_code == 403
        closed = await owner.post(f"/v1/tournaments/{tournament}/close", {}, key="close")
        assert closed.json()["events"] == ["play_closing"]

        await play_out(owner, tournament, people, table)
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        assert len(shown["entrants"]) == 3
        assert all(each["placing"] for each in shown["entrants"])
    report = await audited(database, league)
    assert faults(report) == {}, report.text()
    assert report.hands


async def test_an_audit_counts_the_chips_that_a_rebuy_brings(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        rebuy = {"max": 1, "seconds": 600}
        tournament, _, broke, _ = await until_a_bust(api, rebuy)
        bought = await broke.post(f"/v1/tournaments/{tournament}/rebuys", {}, key="again")
        assert bought.status_code == 201, bought.text
        league = (await broke.get(f"/v1/tournaments/{tournament}")).json()["league"]
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_a_casino_without_a_pause_waits_for_somebody_and_goes_on_at_once(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, people, table = await opened(api, hands_between_seconds=0)
        first, second = people[:2]

        async def happened(kind: str) -> list[Any]:
            items = (await owner.get(f"/v1/tables/{table}/events")).json()["items"]
            return [item["data"] for item in items if item["type"] == kind]

        async def asked_to_bet() -> bool:
            views = [(await each.get(f"/v1/tables/{table}")).json() for each in (first, second)]
            return any("fold" in {each["verb"] for each in view["legal"]} for view in views)

        async def waiting() -> bool:
            return bool(await happened("table_waiting"))

        async def dealt_again() -> bool:
            return len(await happened("hand_opened")) == 2

        await play_until([first, second], table, asked_to_bet)
        view = (await first.get(f"/v1/tables/{table}")).json()
        player, other = (first, second) if view["my_turn"] else (second, first)
        decision = (await player.get(f"/v1/tables/{table}")).json()["decision"]["token"]
        away = await other.post(f"/v1/tables/{table}/presence", {"away": True})
        assert away.status_code == 200, away.text
        fold = {"type": "fold", "decision": decision}
        folded = await player.post(f"/v1/tables/{table}/actions", fold, key="fold")
        assert folded.status_code == 200, folded.text
        await play_until([], table, waiting)
        assert [each["reason"] for each in await happened("table_waiting")] == ["players_away"]
        assert not await dealt_again()
        await other.post(f"/v1/tables/{table}/presence", {"away": False})
        await play_until([], table, dealt_again)
    report = await audited(database, league)
    assert faults(report) == {}, report.text()
