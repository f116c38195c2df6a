"""A bust over HTTP: its window, a rebuy, and a special item staked instead."""

from datetime import datetime, timedelta
from itertools import count
from typing import Any

import asyncpg
import pytest

from service.director.next_hand import open_next_hand
from service.director.runtime import open_runtime
from tests.service.api.proof.test_evidence import project
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

_keys = count(1)

GAME = {
    "first_dealer": "host_choice",
    "tie": {"kind": "chance_cube"},
    "escalation": {"kind": "none"},
    "special_item": True,
    "item_values": [20],
}


def chips(seat: dict[str, Any]) -> int:
    """Return the chips of a seat: its stack and its wager in this hand."""
    return int(seat["stack"] + seat["wager"])


async def stack_read(database: TestDatabase, table: str, entrant: str) -> int:
    """Return the stack in the read model, which is the stack between hands."""
    connection = await asyncpg.connect(database.url("holotable_project"))
    try:
        return int(
            await connection.fetchval(
                'SELECT stack FROM reads.seat WHERE "table" = $1 AND entrant = $2', table, entrant
            )
        )
    finally:
        await connection.close()


async def answer(person: Any, table: str) -> bool:
    """Answer the open decision of *person* by going all-in. Return False if there is none."""
    view = (await person.get(f"/v1/tables/{table}")).json()
    if not view["my_turn"]:
        return False
    legal = {action["verb"]: action for action in view["legal"]}
    body: dict[str, Any] = {"decision": view["decision"]["token"]}
    if "select" in legal:
        body |= {"type": "select", "cards": view["me"]["cards"]}
    elif "improve" in legal:
        body |= {"type": "improve", "cards": []}
    elif "raise_to" in legal:
        body |= {"type": "raise_to", "amount": legal["raise_to"]["max"]}
    else:
        body["type"] = "call" if "call" in legal else "check"
    done = await person.post(f"/v1/tables/{table}/actions", body, key=f"all-in-{next(_keys)}")
    assert done.status_code == 200, done.text
    return True


async def statuses(person: Any, tournament: str) -> dict[str, str]:
    """Return the status of each player in the tournament."""
    shown = (await person.get(f"/v1/tournaments/{tournament}")).json()
    return {each["player"]: each["status"] for each in shown["entrants"]}


async def two_playing(
    api: Any, rebuy: dict[str, Any], **overrides: Any
) -> tuple[Any, str, str, list[Any]]:
    """Start a game of two with short stacks. Return its owner, tournament, table and players."""
    owner, league = await api.league()
    people = [await api.join(owner, league) for _ in range(2)]
    made = await owner.post(
        f"/v1/leagues/{league}/tournaments",
        {
            "name": "Night",
            "hands_between_seconds": 0,
            "ruleset": "better_simple",
            "overrides": {**GAME, "rebuy": rebuy, **overrides},
            "starting_stack": 10,
        },
    )
    assert made.status_code == 201, made.text
    tournament = made.json()["id"]
    for person in people:
        await person.post(f"/v1/tournaments/{tournament}/registrations")
    await owner.post(f"/v1/tournaments/{tournament}/start")
    shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
    return owner, tournament, shown["tables"][0]["id"], people


async def until_a_bust(
    api: Any, rebuy: dict[str, Any], **overrides: Any
) -> tuple[str, str, Any, Any]:
    """Play until a player busts. Return tournament, table, the busted player and the other."""
    owner, tournament, table, people = await two_playing(api, rebuy, **overrides)
    return tournament, table, *await bust_at(owner, tournament, table, people)


async def bust_at(owner: Any, tournament: str, table: str, people: list[Any]) -> tuple[Any, Any]:
    """Play until a player busts. Return this player and the other one."""
    for _ in range(400):
        seats = (await owner.get(f"/v1/tables/{table}")).json()["seats"]
        if len(seats) == 1:
            winner = seats[0]["entrant"]
            entrants = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
            player = next(each["player"] for each in entrants if each["id"] == winner)
            broke = next(person for person in people if person.player != player)
            return broke, next(p for p in people if p is not broke)
        for person in people:
            await answer(person, table)
    raise AssertionError("nobody goes broke")


async def test_who_is_broke_buys_a_stack_and_sits_there_again(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        rebuy = {"max": 1, "seconds": 600}
        tournament, table, broke, other = await until_a_bust(api, rebuy)
        assert await statuses(broke, tournament) == {
            broke.player: "rebuy_open",
            other.player: "playing",
        }
        bought = await broke.post(f"/v1/tournaments/{tournament}/rebuys", {}, key="again")
        assert bought.status_code == 201, bought.text
        assert bought.json()["events"] == ["rebuy_taken", "chips_bought"]
        assert set((await statuses(broke, tournament)).values()) == {"playing"}
        seats = (await broke.get(f"/v1/tables/{table}")).json()["seats"]
        mine = bought.json()["entrant"]
        # The next hand may already be open, with its blinds posted.
        assert next(chips(seat) for seat in seats if seat["entrant"] == mine) == 10
        await project(database)
        assert await stack_read(database, table, mine) == 10
        again = await broke.post(f"/v1/tournaments/{tournament}/rebuys", {}, key="again")
        assert again.json()["events"] == bought.json()["events"]
        refused = await broke.post(f"/v1/tournaments/{tournament}/rebuys", {}, key="more")
        assert (refused.status_code, refused.json()["code"]) == (409, "rebuy_not_allowed")
        assert refused.json()["rule"] == "rebuy"
        declared = await other.post(f"/v1/tournaments/{tournament}/rebuys", {}, key="before")
        assert declared.json()["events"] == ["rebuy_declared"]


async def test_a_thing_is_staked_for_its_agreed_value(serving) -> None:
    async with serving() as api:
        tournament, table, broke, other = await until_a_bust(api, {"seconds": 600})
        path = f"/v1/tournaments/{tournament}/items"
        wrong = await broke.post(path, {"item": "ship", "value": 30}, key="a")
        assert (wrong.status_code, wrong.json()["code"]) == (409, "item_value_unknown")
        refused = await other.post(path, {"item": "ship", "value": 20}, key="b")
        assert refused.json()["code"] == "rebuy_not_allowed"
        staked = await broke.post(path, {"item": "ship", "value": 20}, key="c")
        assert staked.json()["events"] == ["item_staked", "chips_bought"]
        seats = (await broke.get(f"/v1/tables/{table}")).json()["seats"]
        assert sorted(chips(seat) for seat in seats) == [20, 20]
        back = await broke.post(f"{path}/return", {}, key="d")
        assert (back.status_code, back.json()["code"]) in (
            (409, "stack_too_small"),
            (409, "hand_in_play"),
        )


async def fold(person: Any, table: str) -> bool:
    """Answer the open decision of *person*, and fold if that is possible."""
    view = (await person.get(f"/v1/tables/{table}")).json()
    if not view["my_turn"] or "fold" not in {action["verb"] for action in view["legal"]}:
        return await answer(person, table)
    body = {"type": "fold", "decision": view["decision"]["token"]}
    done = await person.post(f"/v1/tables/{table}/actions", body, key=f"fold-{next(_keys)}")
    return bool(done.status_code == 200)


async def test_a_staked_thing_is_bought_back_for_its_value(serving) -> None:
    """Its owner wins a forced bet, and a pause keeps the next hand from opening."""
    async with serving() as api:
        staff, tournament, table, people = await two_playing(api, {"seconds": 600})
        broke, other = await bust_at(staff, tournament, table, people)
        path = f"/v1/tournaments/{tournament}"
        staked = await broke.post(f"{path}/items", {"item": "ship", "value": 20})
        assert staked.status_code == 201, staked.text
        for _ in range(200):
            back = await broke.post(f"{path}/items/return")
            if back.status_code == 201:
                break
            assert back.json()["code"] in ("hand_in_play", "stack_too_small"), back.text
            assert (await staff.post(f"{path}/resume")).is_success
            await fold(other, table)
            await answer(broke, table)
            assert (await staff.post(f"{path}/pause")).is_success
        assert back.json()["events"] == ["item_returned", "chips_returned"]


async def test_a_rebuy_is_not_owed_once_its_level_is_over(serving) -> None:
    """
    The level of the hand at the player's table decides.

    The refusal has a code and owes no rebuy.
    """
    async with serving() as api:
        owner, league = await api.league()
        people = [await api.join(owner, league) for _ in range(2)]
        levels = [{"small": 1, "big": 2, "length": 1}, {"small": 2, "big": 4}]
        escalation = {"kind": "levels", "by": "hands", "levels": levels}
        game = {"escalation": escalation, "rebuy": {"max": 1, "until_level": 1}}
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments",
            {
                "name": "Night",
                "hands_between_seconds": 0,
                "ruleset": "better_simple",
                "overrides": {**GAME, **game},
                "starting_stack": 1000,
            },
        )
        path = f"/v1/tournaments/{made.json()['id']}"
        for person in people:
            await person.post(f"{path}/registrations")
        await owner.post(f"{path}/start")
        (table,) = (await owner.get(path)).json()["tables"]
        owed = await people[0].post(f"{path}/rebuys", {}, key="early")
        assert owed.json()["events"] == ["rebuy_declared"]
        await folded(people, table["id"], until_level=2)
        late = await people[1].post(f"{path}/rebuys", {}, key="late")
        assert (late.status_code, late.json()["code"]) == (409, "rebuy_not_allowed")
        assert late.json()["reason"] == "level_over"


async def folded(people: list[Any], table: str, *, until_level: int) -> None:
    """Fold hand after hand until the table plays a hand of *until_level*."""
    for _ in range(200):
        for person in people:
            view = (await person.get(f"/v1/tables/{table}")).json()
            if view["hand"] is not None and view["level"] == until_level:
                return
            if "fold" in [each["verb"] for each in view["legal"]]:
                body = {"type": "fold", "decision": view["decision"]["token"]}
                await person.post(f"/v1/tables/{table}/actions", body, key=f"fold-{next(_keys)}")
            elif view["my_turn"]:
                await answer(person, table)
    raise AssertionError("no hand of that level is played")


async def test_the_time_to_rebuy_is_longer_by_an_outage(serving, database: TestDatabase) -> None:
    async with serving() as api:
        connection = await asyncpg.connect(database.url("postgres"))
        await connection.execute(
            "INSERT INTO outage VALUES ('api', now() - interval '1 minute', now() + interval '1h')"
        )
        await connection.close()
        tournament, table, broke, _ = await until_a_bust(api, {"max": 1, "seconds": 1})

        waiting = (await broke.get("/v1/me/waiting")).json()
        [until] = [each["until"] for each in waiting["items"] if each["type"] == "rebuy_window"]
        left = datetime.fromisoformat(until) - datetime.fromisoformat(waiting["now"])
        assert timedelta(minutes=50) < left < timedelta(minutes=61)
        league = (await broke.get(f"/v1/tournaments/{tournament}")).json()["league"]
        async with open_runtime(database.settings("holotable_worker")) as runtime:
            await open_next_hand(runtime, league, table, fresh=True, patience=30)
        assert (await statuses(broke, tournament))[broke.player] == "rebuy_open"
