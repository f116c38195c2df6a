"""Voiding a deal over the API: its rights, its effect on views, and the next deal."""

import asyncio
from typing import Any

import pytest

from engine.kit.cards import deck
from service.base.database import async_engine
from service.director.next_hand import open_next_hand
from service.director.runtime import open_runtime
from service.projections.following.runner import Runner
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.api.table.test_leaks import cards_in
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

WANTED = {"cause": "mis_deal", "reason": "card_shown"}


async def dealt(person: Any, table: str, deal: int) -> dict[str, Any]:
    """Return the view of the table once *deal* of its first hand has an open decision."""
    for _ in range(200):
        view: dict[str, Any] = (await person.get(f"/v1/tables/{table}")).json()
        if view["decision"] is not None and view["deal"] == deal:
            return view
        await asyncio.sleep(0.02)
    raise AssertionError(f"deal {deal} was not opened")


async def feed(person: Any, table: str) -> list[dict[str, Any]]:
    items = await person.get(f"/v1/tables/{table}/events", params={"limit": 200})
    return list(items.json()["items"])


async def test_a_deal_is_voided_at_a_held_table_and_dealt_anew_once_it_is_released(
    serving, database: TestDatabase
) -> None:
    why = {"reason": "A card lies face up."}
    async with serving() as api:
        owner, league, _, _, table = await api.playing(3)
        await dealt(owner, table, 1)
        held = await owner.post(f"/v1/tables/{table}/hold", why, key="h")
        done = await owner.post(f"/v1/tables/{table}/void", WANTED, key="v")
        assert (held.status_code, done.status_code) == (200, 200), done.text
        async with open_runtime(database.settings("holotable_worker")) as runtime:
            await open_next_hand(runtime, league, table, fresh=True)
        still = (await owner.get(f"/v1/tables/{table}")).json()
        assert (still["held"], still["decision"]) == ("director", None)

        released = await owner.post(f"/v1/tables/{table}/release", why, key="r")
        assert released.is_success, released.text
        assert (await dealt(owner, table, 2))["hand_number"] == 1
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_a_voided_hand_is_dealt_anew_with_all_cards_of_the_first_deal_open(serving) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing(3)
        before = await dealt(owner, table, 1)
        person, view = await turn(people, table)
        await person.post(f"/v1/tables/{table}/actions", answer_to(view), key="first")
        assert cards_in([item["data"] for item in await feed(owner, table)]) <= cards_in(
            [item["data"].get("first_dealer_draws") for item in await feed(owner, table)]
        )

        done = await owner.post(f"/v1/tables/{table}/void", WANTED, key="v")
        again = await owner.post(f"/v1/tables/{table}/void", WANTED, key="v")
        after = await dealt(owner, table, 2)

        assert done.status_code == 200, done.text
        assert again.json() == done.json()
        assert (done.json()["number"], done.json()["deal"]) == (1, 1)
        for same in ("hand", "hand_number", "button", "small_blind", "big_blind", "level"):
            assert after[same] == before[same], same
        assert after["deck_root"] != before["deck_root"]
        assert [seat["stack"] for seat in after["seats"]] == [
            seat["stack"] for seat in before["seats"]
        ]
        items = await feed(people[0], table)
        (voided,) = (item for item in items if item["type"] == "deal_voided")
        assert cards_in(voided["data"]["cards"]) == set(deck("d62"))
        # No event of the new deal shows a card.
        later = items[items.index(voided) + 1 :]
        assert [item["type"] for item in later][:1] == ["hand_opened"]
        assert cards_in([item["data"] for item in later]) == set()


async def test_two_referees_who_see_one_mis_deal_void_one_deal(serving) -> None:
    async with serving() as api:
        owner, league, _, _, table = await api.playing(2)
        referee = await api.person()
        invited = await owner.post(f"/v1/leagues/{league}/invitations", {"role": "referee"})
        await referee.post(f"/v1/invitations/{invited.json()['code']}/accept")
        seen = await dealt(owner, table, 1)
        path, named = f"/v1/tables/{table}/void", {"hand": seen["hand"], "deal": seen["deal"]}

        done = await owner.post(path, WANTED | named, key="o")
        after = await dealt(owner, table, 2)
        refused = await referee.post(path, WANTED | named, key="r")

        assert done.status_code == 200, done.text
        problem = refused.json()
        assert (refused.status_code, problem["code"]) == (409, "another_deal_in_play")
        assert (problem["hand"], problem["deal"]) == (1, 2)
        assert (await dealt(owner, table, 2))["deck_root"] == after["deck_root"]
        floor = (await owner.get(f"/v1/tournaments/{seen['tournament']}/floor")).json()["floor"]
        (at,) = floor["tables"]
        assert (at["hand"], at["deal"]) == (seen["hand"], 2)
        # Clients that name no deal void the one in play, as before.
        assert (await referee.post(path, WANTED, key="s")).json()["deal"] == 2


async def test_only_who_directs_and_does_not_play_voids(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        player, stranger = await api.join(owner, league), await api.person()
        # The terms let staff who play start the tournament, but never void a deal.
        asked = {"name": "Night", "ruleset": "better", "staff_may_play": True}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        tournament = f"/v1/tournaments/{made.json()['id']}"
        for person in (owner, player):
            entered = await person.post(f"{tournament}/registrations")
            assert entered.status_code == 201, entered.text
        assert (await owner.post(f"{tournament}/start")).status_code == 202
        table = (await owner.get(tournament)).json()["tables"][0]["id"]
        await dealt(owner, table, 1)

        path = f"/v1/tables/{table}/void"
        said = [await person.post(path, WANTED, key="v") for person in (owner, player, stranger)]

        assert [(each.status_code, each.json()["code"]) for each in said] == [
            (403, "forbidden"),
            (403, "forbidden"),
            (404, "not_found"),
        ]
        assert (await dealt(owner, table, 1))["deal"] == 1


async def test_after_substantial_action_only_a_fouled_deck_voids(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing(3)
        await owner.post(f"/v1/tournaments/{tournament}/pause")
        bets = number = 0
        while bets < 2:
            person, view = await turn(people, table)
            action, number = answer_to(view), number + 1
            if view["phase"] == "bet":
                bets, action["type"] = bets + 1, "call"
            done = await person.post(f"/v1/tables/{table}/actions", action, key=f"n{number}")
            assert done.status_code == 200, done.text
        path = f"/v1/tables/{table}/void"
        refused = await owner.post(path, WANTED, key="a")
        assert (refused.status_code, refused.json()["code"]) == (409, "substantial_action")
        fouled = await owner.post(path, WANTED | {"cause": "fouled_deck"}, key="b")
        assert fouled.status_code == 200, fouled.text
        # A pause lets the hand in play finish, including its next deal.
        assert (await dealt(owner, table, 2))["hand_number"] == 1


async def test_the_history_shows_a_hand_by_its_last_deal(serving, database: TestDatabase) -> None:
    projecting = async_engine(database.url("holotable_project"), 2)
    try:
        async with serving() as api:
            owner, _, _, _, table = await api.playing(2)
            await dealt(owner, table, 1)
            await Runner(projecting).catch_up()
            [first] = (await owner.get(f"/v1/tables/{table}/hands")).json()["items"]
            await owner.post(f"/v1/tables/{table}/void", WANTED, key="v")
            await dealt(owner, table, 2)
            await Runner(projecting).catch_up()
            [hand] = (await owner.get(f"/v1/tables/{table}/hands")).json()["items"]
    finally:
        await projecting.dispose()
    assert (first["deal"], hand["deal"], hand["state"]) == (1, 2, "open")
    assert hand["hand"] == first["hand"]
    assert hand["first_position"] == first["first_position"] < hand["last_position"]
