"""Calendar keys and reset codes end with the token or person that issued them."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.service.api.conftest import PASSWORD, Api, Person
from tests.service.api.me.test_token_families import NEW, bearer, child, claimed, signed_in

pytestmark = pytest.mark.anyio


async def key_of(api: Api, token: str) -> dict[str, Any]:
    made = await api.http.post("/v1/me/calendar-keys", json={}, headers=bearer(token))
    assert made.status_code == 201, made.text
    return dict(made.json())


async def reads(api: Api, key: dict[str, Any]) -> bool:
    answer = await api.http.get(key["path"])
    return answer.status_code == 200


async def change_password(api: Api, person: Person) -> None:
    wanted = {"password": PASSWORD, "new_password": NEW}
    done = await api.http.put("/v1/me/password", json=wanted, headers=person.headers)
    assert done.status_code == 200, done.text


async def test_a_key_ends_with_the_token_that_made_it_and_with_that_tokens_parent(serving) -> None:
    async with serving() as api:
        person = await api.person()
        wide = {"scopes": ["leagues:read", "tokens:manage"], "expires_in_days": 1}
        root = (await signed_in(api, person.login, **wide)).json()
        parent = (await child(api, root["token"], **wide)).json()
        made = (await child(api, parent["token"], scopes=["leagues:read"])).json()
        first, second = await key_of(api, made["token"]), await key_of(api, root["token"])
        assert first["expires_at"] == second["expires_at"] == root["expires_at"]
        await api.http.delete(f"/v1/tokens/{parent['id']}", headers=bearer(root["token"]))
        assert [await reads(api, each) for each in (first, second)] == [False, True]
        await api.http.delete(f"/v1/tokens/{root['id']}", headers=person.headers)
        assert not await reads(api, second)
        listed = (await person.get("/v1/me/calendar-keys")).json()["items"]
        assert all(each["revoked_at"] for each in listed)


async def test_a_key_ends_when_its_token_expires(serving, database) -> None:
    async with serving() as api:
        person = await api.person()
        made = (await signed_in(api, person.login)).json()
        key = await key_of(api, made["token"])
        assert await reads(api, key)
        with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
            connection.execute(
                "UPDATE token SET expires_at = service_time() - interval '1 second' WHERE id = %s",
                [made["id"][4:]],
            )
        assert not await reads(api, key)


@pytest.mark.parametrize("then", ["change", "reset"])
async def test_another_password_ends_every_key(serving, then: str) -> None:
    async with serving() as api:
        owner, league = await api.league()
        person = await claimed(api, owner, league, "Han")
        key = (await person.post("/v1/me/calendar-keys")).json()
        if then == "change":
            await change_password(api, person)
        else:
            path = f"/v1/leagues/{league}/players/{person.player}/password-reset"
            code = (await owner.post(path)).json()["code"]
            body = {"code": code, "password": NEW}
            assert (await api.http.post("/v1/password-resets", json=body)).is_success
        assert not await reads(api, key)


async def test_a_key_from_before_lives_366_days_and_ends_with_the_password(
    serving, database
) -> None:
    async with serving() as api:
        old, other = await api.person(), await api.person()
        keys = [(await each.post("/v1/me/calendar-keys")).json() for each in (old, other)]
        with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
            connection.execute("UPDATE calendar_key SET token = NULL")
            assert [await reads(api, each) for each in keys] == [True, True]
            connection.execute(
                "UPDATE calendar_key SET created_at = service_time() - %s WHERE id = %s",
                [timedelta(days=366), keys[0]["id"][4:]],
            )
        assert [await reads(api, each) for each in keys] == [False, True]
        await change_password(api, other)
        assert not await reads(api, keys[1])


async def test_an_account_has_as_many_keys_as_tokens_at_most(serving) -> None:
    async with serving(account_tokens=2) as api:
        person = await api.person()
        keys = [(await person.post("/v1/me/calendar-keys")).json() for _ in range(2)]
        full = await person.post("/v1/me/calendar-keys")
        assert (full.status_code, full.json()["quota"]) == (409, "calendar_keys")
        ended = f"/v1/me/calendar-keys/{keys[0]['id']}"
        assert (await api.http.delete(ended, headers=person.headers)).status_code == 204
        assert (await person.post("/v1/me/calendar-keys")).status_code == 201


async def test_a_token_that_may_only_read_ends_no_calendar_key(serving) -> None:
    async with serving() as api:
        person = await api.person()
        key = (await person.post("/v1/me/calendar-keys")).json()
        token = person.headers["Authorization"].removeprefix("Bearer ")
        reading = (await child(api, token, scopes=["leagues:read"])).json()["token"]
        ended = f"/v1/me/calendar-keys/{key['id']}"
        refused = await api.http.delete(ended, headers=bearer(reading))
        assert (refused.status_code, refused.json()["required_scopes"]) == (403, ["tokens:manage"])
        assert await reads(api, key)
        assert (await api.http.delete(ended, headers=person.headers)).status_code == 204


@pytest.mark.parametrize("then", ["change", "sign out"])
async def test_reset_codes_end_when_their_giver_changes_the_password_or_signs_out(
    serving, then: str
) -> None:
    """Otherwise a thief could still take over players' accounts after being locked out."""
    async with serving() as api:
        owner, league = await api.league()
        person = await claimed(api, owner, league, "Han")
        path = f"/v1/leagues/{league}/players/{person.player}/password-reset"
        code = (await owner.post(path)).json()["code"]
        if then == "change":
            await change_password(api, owner)
        else:
            await api.http.delete("/v1/tokens", headers=owner.headers)
        late = await api.http.post("/v1/password-resets", json={"code": code, "password": NEW})
        assert late.status_code == 404
        assert (await person.get("/v1/me")).status_code == 200
