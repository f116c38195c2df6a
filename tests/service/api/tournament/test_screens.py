"""Screen keys open the clock of one evening, nothing else, and not for ever."""

from typing import Any

import httpx
import psycopg
import pytest

from tests.service.api.conftest import ANY, Api, Person
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

LEVELS = [{"small": 5, "big": 10, "length": 1200}, {"small": 10, "big": 20}]
TERMS = {
    "overrides": {"escalation": {"kind": "levels", "by": "clock", "levels": LEVELS}},
    "hands_between_seconds": 3600, "decision_seconds": 3600, "place": "Deck 9",
}  # fmt: skip
NOBODY = {"plr_", "ent_", "hnd_"}


async def key_of(person: Person, tournament: str) -> dict[str, Any]:
    made = await person.post(f"/v1/tournaments/{tournament}/screen-keys")
    assert made.status_code == 201, made.text
    return dict(made.json())


async def screen(api: Api, key: str, **headers: str) -> httpx.Response:
    return await api.http.get("/v1/screen", params={"key": key}, headers=headers)


async def revoke(person: Person, tournament: str, key: str) -> int:
    path = f"/v1/tournaments/{tournament}/screen-keys/{key}"
    return (await person.http.delete(path, headers=person.headers)).status_code


async def test_a_key_shows_the_clock_to_anybody_until_it_is_revoked(serving) -> None:
    async with serving() as api:
        owner, league, tournament, people, _ = await api.playing(2, **TERMS)
        path = f"/v1/tournaments/{tournament}/screen-keys"
        made = await owner.post(path, key="once")
        key = made.json()
        again = await owner.post(path, key="once")
        assert again.json() == {"id": key["id"], "key": None}
        assert again.headers["idempotent-replayed"] == "true"

        shown = await screen(api, key["key"])
        assert shown.status_code == 200
        assert shown.headers["cache-control"] == "private, no-store"
        told = shown.json()
        assert (told["level"]["number"], told["entrants_left"], told["place"]) == (1, 2, "Deck 9")
        await owner.post(f"/v1/tournaments/{tournament}/announcements", {"text": "Pizza is here"})
        told = (await screen(api, key["key"])).json()
        assert [each["text"] for each in told["announcements"]] == ["Pizza is here"]

        (listed,) = (await owner.get(path)).json()["items"]
        assert (listed["id"], listed["made_by"]) == (key["id"], owner.player)
        assert "key" not in listed
        log = (await owner.get(f"/v1/leagues/{league}/staff-log")).json()["items"]
        assert "screen_key_made" in [each["type"] for each in log]
        assert await revoke(owner, tournament, key["id"]) == 204
        assert await revoke(owner, tournament, key["id"]) == 404
        gone, never = await screen(api, key["key"]), await screen(api, "holo_scr_" + "0" * 64)
        assert gone.status_code == never.status_code == 404
        assert gone.json()["detail"] == never.json()["detail"]

        # Players make none, and staff who play need terms that let them run the clock.
        for person in people:
            assert (await person.post(path)).status_code == 403
            assert (await person.get(path)).status_code == 403
        assert (await (await api.person()).post(path)).status_code == 404


async def test_a_key_opens_nothing_but_its_own_clock(serving) -> None:
    async with serving() as api:
        owner, league, tournament, _, table = await api.playing(2, **TERMS)
        other_owner, _, other, _, _ = await api.playing(2, **TERMS)
        key = await key_of(owner, tournament)
        paths = [
            f"/v1/leagues/{league}", f"/v1/tournaments/{tournament}", "/v1/me",
            f"/v1/tournaments/{tournament}/floor", f"/v1/tables/{table}",
            f"/v1/tournaments/{tournament}/screen-keys",
        ]  # fmt: skip
        for path in paths:
            bearer = {"Authorization": f"Bearer {key['key']}"}
            assert (await api.http.get(path, headers=bearer)).status_code == 401, path
            # As a parameter it is unknown everywhere else.
            answer = await api.http.get(f"{path}?key={key['key']}")
            assert answer.status_code in (400, 401), path
        for path in (f"tournaments/{tournament}", f"tournaments/{tournament}/floor"):
            public = await api.http.get(f"/v1/public/{path}", params={"link": key["key"]})
            assert public.status_code == 404, path

        # It names its tournament itself, and another league's staff cannot end it.
        assert (await screen(api, key["key"])).json()["tournament"] == tournament
        assert await revoke(other_owner, other, key["id"]) == 404
        assert await revoke(other_owner, tournament, key["id"]) == 404
        wrong = await api.http.get(f"/v1/screen?key={key['key']}&tournament={other}")
        assert wrong.status_code == 400
        for text in ("", key["key"][:-1], key["key"].upper(), key["id"]):
            assert (await screen(api, text)).status_code == 404

        # What it shows holds no card, no stack and no seat of anybody who did not just move.
        told = (await screen(api, key["key"])).json()
        assert {"seats", "stack", "hand", "cards"}.isdisjoint(told["tables"][0])
        assert not [prefix for prefix in NOBODY if prefix in str(told["tables"])]


async def test_a_key_ends_with_the_office_of_its_maker(serving) -> None:
    async with serving() as api:
        owner, league, tournament, _, _ = await api.playing(2, **TERMS)
        director = await api.join(owner, league)
        member = f"/v1/leagues/{league}/members/{director.player}"
        headers = owner.headers | ANY
        await owner.http.put(member, json={"role": "director"}, headers=headers)
        key = (await key_of(director, tournament))["key"]
        assert (await screen(api, key)).status_code == 200
        await owner.http.put(member, json={"role": "player"}, headers=headers)
        assert (await screen(api, key)).status_code == 404

        # The office comes back, the key does not. A key made after that opens the clock.
        await owner.http.put(member, json={"role": "director"}, headers=headers)
        assert (await screen(api, key)).status_code == 404
        fresh = (await key_of(director, tournament))["key"]
        await owner.http.put(member, json={"role": "referee"}, headers=headers)
        assert (await screen(api, fresh)).status_code == 200


async def test_a_key_ends_some_hours_after_the_evening(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, _, tournament, _, _ = await api.playing(2, **TERMS)
        key = (await key_of(owner, tournament))["key"]
        assert (await owner.post(f"/v1/tournaments/{tournament}/cancel")).is_success
        assert (await screen(api, key)).json()["state"] == "cancelled"
        with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
            connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
            connection.execute(
                "UPDATE events SET at = at - interval '13 hours'"
                " WHERE type = 'tournament_cancelled'"
            )
            connection.execute("ALTER TABLE events ENABLE TRIGGER ALL")
        assert (await screen(api, key)).status_code == 404


async def test_there_are_few_keys_at_a_time(serving) -> None:
    async with serving() as api:
        owner, _, tournament, _, _ = await api.playing(2, **TERMS)
        keys = [await key_of(owner, tournament) for _ in range(20)]
        path = f"/v1/tournaments/{tournament}/screen-keys"
        refused = await owner.post(path)
        assert (refused.status_code, refused.json()["code"]) == (409, "quota_exhausted")
        assert await revoke(owner, tournament, keys[0]["id"]) == 204
        assert (await owner.post(path)).status_code == 201
