"""Commands: a retry counts once, and a refusal is kept and explained."""

import asyncio

import asyncpg
import pytest

from service.base.addresses import asyncpg_dsn
from tests.service.api.conftest import ANY
from tests.service.api.matrix import BODIES, routes

pytestmark = pytest.mark.anyio


async def turn(people, table):
    """Return the person to act and their view, waiting until the first hand is open."""
    for _ in range(100):
        for person in people:
            view = (await person.get(f"/v1/tables/{table}")).json()
            if view["my_turn"]:
                return person, view
        await asyncio.sleep(0.05)
    raise AssertionError("nobody's turn")


def answer_to(view):
    """Return an action that is certainly legal."""
    decision = view["decision"]["token"]
    if view["phase"] == "select":
        return {"type": "select", "decision": decision, "cards": view["me"]["cards"][:1]}
    if view["phase"] == "improve":
        return {"type": "improve", "decision": decision, "cards": []}
    verbs = {each["verb"] for each in view["legal"]}
    verb = next(each for each in ("check", "call", "fold", "stay") if each in verbs)
    return {"type": verb, "decision": decision}


async def test_creating_twice_under_one_key_makes_one(serving) -> None:
    async with serving() as api:
        owner = await api.person()
        first = await owner.post("/v1/leagues", {"name": "A"}, key="k1")
        again = await owner.post("/v1/leagues", {"name": "A"}, key="k1")
        other = await owner.post("/v1/leagues", {"name": "B"}, key="k1")
        assert first.json() == again.json()
        assert "idempotent-replayed" not in first.headers
        assert again.headers["idempotent-replayed"] == "true"
        assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


async def test_signing_up_twice_under_one_key_shows_no_token_again(
    serving,
) -> None:
    async with serving() as api:
        body = {"login": "leia", "password": "correct horse"}
        headers = {"Idempotency-Key": "once"}
        first = await api.http.post("/v1/accounts", json=body, headers=headers)
        again = await api.http.post("/v1/accounts", json=body, headers=headers)
        taken = await api.http.post("/v1/accounts", json=body)
        shown = first.json()
        assert again.json() == shown | {"token": shown["token"] | {"token": None}}
        assert again.headers["idempotent-replayed"] == "true"
        assert (taken.status_code, taken.json()["code"]) == (409, "login_taken")


async def test_a_game_command_needs_a_key(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        path, asked = f"/v1/tables/{table}/actions", {"type": "check", "decision": "x"}
        answer = await api.http.post(path, json=asked, headers=people[0].headers)
        assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_required")


async def test_what_may_be_paid_twice_needs_a_key(serving) -> None:
    """Without a key, a retry after a lost answer would pay or buy twice."""
    async with serving() as api:
        owner, _, tournament, people, _ = await api.playing()
        paid = {"entrant": f"ent_{0:032x}", "kind": "buy_in", "amount": 5}
        for person, path, body in (
            (owner, "payments", paid),
            (people[0], "add-ons", {"chips": 5}),
            (people[0], "rebuys", {}),
        ):
            whole = f"/v1/tournaments/{tournament}/{path}"
            answer = await api.http.post(whole, json=body, headers=person.headers)
            assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_required")


async def test_an_action_sent_again_counts_once(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        action = answer_to(view)
        path = f"/v1/tables/{table}/actions"
        first = await person.post(path, action, key="a1")
        assert first.status_code == 200, first.text
        again = await person.post(path, action, key="a1")
        assert again.json() == first.json()
        assert again.headers["idempotent-replayed"] == "true"
        assert again.headers["etag"] == first.headers["etag"]
        changed = await person.post(path, {**action, "decision": "another"}, key="a1")
        assert (changed.status_code, changed.json()["code"]) == (422, "idempotency_key_reused")


async def test_a_refused_action_is_kept_and_says_what_is_legal(serving, database) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        path = f"/v1/tables/{table}/actions"
        stale = await person.post(path, {"type": "check", "decision": "stale"}, key="s1")
        assert (stale.status_code, stale.json()["code"]) == (409, "stale_decision")
        assert stale.json()["legal_actions"] == view["legal"]
        stranger = await owner.post(path, answer_to(view), key="s2")
        assert (stranger.status_code, stranger.json()["code"]) == (409, "entrant_not_seated")
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    try:
        rows = await connection.fetch("SELECT code FROM refused_command ORDER BY id")
        assert [row["code"] for row in rows] == ["stale_decision", "entrant_not_seated"]
        with pytest.raises(asyncpg.PostgresError, match="append-only"):
            await connection.execute("DELETE FROM refused_command")
    finally:
        await connection.close()


async def test_hands_are_played_over_http(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing()
        settled = number = 0
        while settled < 2:
            person, view = await turn(people, table)
            number += 1
            path = f"/v1/tables/{table}/actions"
            done = await person.post(path, answer_to(view), key=f"n{number}")
            assert done.status_code == 200, done.text
            settled += sum(each["type"] == "hand_settled" for each in done.json()["events"])
            assert number < 80
        shown = (await owner.get(f"/v1/tournaments/{tournament}/tables")).json()["items"]
        assert shown[0]["id"] == table


async def test_the_log_says_who_started_a_tournament(serving, database) -> None:
    """The director is the actor of a start by hand. The house is the actor of the hands."""
    async with serving() as api:
        owner, *_, people, table = await api.playing()
        await turn(people, table)
        connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
        rows = await connection.fetch(
            "SELECT type, metadata->>'actor' AS actor FROM events WHERE type = ANY ($1)",
            ["play_started", "table_opened", "hand_opened"],
        )
        await connection.close()
        assert {row["type"]: row["actor"] for row in rows} == {
            "play_started": owner.player,
            "table_opened": owner.player,
            "hand_opened": "house",
        }


HARMFUL = {
    "create_league", "open_season", "close_season", "save_template", "plan_fixtures", "invite",
    "enter_player", "issue_claims", "announce_tournament", "cancel_tournament", "register_entrant",
    "post_announcement", "publish_seeds", "propose_deal", "propose_deal_as_director", "end_round",
    "correct_result", "forfeit_result", "award_anew", "stake_item", "buy_back_item",
}  # fmt: skip
"""Commands that make, take or publish something a second time if they are sent again."""


async def test_what_would_harm_if_done_twice_needs_a_key(serving) -> None:
    assert {name for name, (*_, it) in routes().items() if it.key_required} > HARMFUL
    async with serving() as api:
        owner, league, tournament, people, _ = await api.playing()
        season = (await owner.post(f"/v1/leagues/{league}/seasons", {"name": "One"})).json()["id"]
        named = {"league_id": league, "tournament_id": tournament, "season_id": season}
        for name in sorted(HARMFUL):
            method, path, described = routes()[name]
            person = people[0] if described.needs == "own_entry" else owner
            sent = {"json": BODIES.get(name, {}), "headers": person.headers | ANY}
            answer = await api.http.request(method, path.format_map(named), **sent)
            found = (answer.status_code, answer.json().get("code"))
            assert found == (400, "idempotency_key_required"), (name, answer.text)
