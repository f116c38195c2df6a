"""
Token families, passwords and resets: a child token has at most its parent's rights.
"""

import asyncio
from datetime import datetime, timedelta

import httpx
import psycopg
import pytest

from engine.values import number_of
from service.base.database import async_engine
from service.cli.account.reset import offer_reset
from service.projections.following.runner import Runner
from tests.service.api.conftest import ANY, PASSWORD, Api, Person

pytestmark = pytest.mark.anyio

NEW = "another horse"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def child(api: Api, token: str, **wanted) -> httpx.Response:
    """Make a child token with *token*."""
    return await api.http.post("/v1/tokens", json=wanted, headers=bearer(token))


async def works(api: Api, token: str) -> bool:
    answer = await api.http.get("/v1/me", headers=bearer(token))
    return answer.status_code == 200


async def signed_in(api: Api, login: str, password: str = PASSWORD, **wanted) -> httpx.Response:
    body = {"login": login, "password": password} | wanted
    return await api.http.post("/v1/tokens", json=body)


async def claimed(api: Api, owner: Person, league: str, name: str) -> Person:
    """Enter a player and let a person claim it."""
    made = (await owner.post(f"/v1/leagues/{league}/players", {"name": name})).json()
    body = {"code": made["claim"], "login": name.lower(), "password": PASSWORD}
    answer = await api.http.post("/v1/claims", json=body)
    assert answer.is_success, answer.text
    return Person(api.http, answer.json())


async def project(database) -> None:
    engine = async_engine(database.url("holotable_project"), 2)
    await Runner(engine).catch_up()
    await engine.dispose()


async def test_a_child_has_no_more_scope_and_no_longer_life_than_its_parent(serving) -> None:
    async with serving() as api:
        person = await api.person()
        made = await signed_in(
            api, person.login, scopes=["leagues:read", "tokens:manage"], expires_in_days=1
        )
        parent = made.json()
        wide = await child(api, parent["token"], scopes=["tables:play"])
        assert (wide.status_code, wide.json()["required_scopes"]) == (403, ["tables:play"])
        long = await child(api, parent["token"], scopes=["leagues:read"], expires_in_days=366)
        assert long.json()["expires_at"] == parent["expires_at"]
        assert long.json()["parent"] == parent["id"]
        assert parent["parent"] is None


async def test_a_token_without_the_scope_makes_ends_lists_and_rotates_no_token(serving) -> None:
    async with serving() as api:
        person = await api.person()
        narrow = (await signed_in(api, person.login, scopes=["leagues:read"])).json()
        other = (await signed_in(api, person.login)).json()
        for method, path in (
            ("POST", "/v1/tokens"),
            ("GET", "/v1/tokens"),
            ("DELETE", "/v1/tokens"),
            ("DELETE", f"/v1/tokens/{other['id']}"),
            ("POST", f"/v1/tokens/{narrow['id']}/rotate"),
            ("GET", "/v1/me/sign-ins"),
        ):
            sent = {"json": {"scopes": ["leagues:read"]}} if path == "/v1/tokens" else {}
            sent = sent if method == "POST" else {}
            answer = await api.http.request(method, path, headers=bearer(narrow["token"]), **sent)
            assert (answer.status_code, answer.json()["required_scopes"]) == (
                403,
                ["tokens:manage"],
            ), (method, path)
            assert "POST /v1/tokens" in answer.json()["detail"]
        assert await works(api, other["token"])
        own = await api.http.delete(f"/v1/tokens/{narrow['id']}", headers=bearer(narrow["token"]))
        assert own.status_code == 204, "whoever holds a token may give it up"


async def test_a_child_ends_with_its_parent_and_so_do_its_children(serving) -> None:
    async with serving() as api:
        person = await api.person()
        scopes = ["leagues:read", "tokens:manage"]
        line = [(await signed_in(api, person.login, scopes=scopes)).json()]
        for _ in range(2):
            line.append((await child(api, line[-1]["token"], scopes=scopes)).json())
        beside = (await child(api, line[0]["token"], scopes=scopes)).json()
        ended = await api.http.delete(f"/v1/tokens/{line[1]['id']}", headers=person.headers)
        assert ended.status_code == 204
        alive = [await works(api, each["token"]) for each in (*line, beside)]
        assert alive == [True, False, False, True]
        refused = await child(api, line[2]["token"], scopes=scopes)
        assert refused.status_code == 401


async def test_children_made_while_their_parent_ends_do_not_outlive_it(serving) -> None:
    async with serving() as api:
        person = await api.person()
        wanted = {"scopes": ["leagues:read", "tokens:manage"]}
        parent = (await signed_in(api, person.login, **wanted)).json()
        ending = api.http.delete(f"/v1/tokens/{parent['id']}", headers=person.headers)
        answers = await asyncio.gather(
            *(child(api, parent["token"], **wanted) for _ in range(6)),
            ending,
            *(child(api, parent["token"], **wanted) for _ in range(6)),
        )
        made = [each.json()["token"] for each in answers if each.status_code == 201]
        assert [await works(api, each) for each in made] == [False] * len(made)


async def test_rotation_changes_the_secret_alone_and_reaches_no_parent(serving) -> None:
    async with serving() as api:
        person = await api.person()
        scopes = ["leagues:read", "tokens:manage"]
        parent = (await signed_in(api, person.login, scopes=scopes)).json()
        narrow = (await child(api, parent["token"], scopes=scopes)).json()
        up = await api.http.post(
            f"/v1/tokens/{parent['id']}/rotate", headers=bearer(narrow["token"])
        )
        assert up.status_code == 404, "a child would come to its parent's scopes and life"
        path = f"/v1/tokens/{narrow['id']}/rotate"
        turned = await api.http.post(path, headers=bearer(parent["token"]))
        assert turned.status_code == 200, turned.text
        assert turned.json() == narrow | {"token": turned.json()["token"]}
        assert await works(api, turned.json()["token"])
        assert not await works(api, narrow["token"])


async def test_a_sign_up_gives_a_token_that_plays_and_reads(serving) -> None:
    async with serving() as api:
        body = {"login": "lando", "password": PASSWORD}
        made = (await api.http.post("/v1/accounts", json=body)).json()["token"]
        assert made["scopes"] == ["leagues:read", "tables:play"]
        keyed = {"Idempotency-Key": "k"}
        founding = await api.http.post(
            "/v1/leagues", json={"name": "x"}, headers=bearer(made["token"]) | keyed
        )
        assert founding.json()["required_scopes"] == ["leagues:manage"]
        wide = (await signed_in(api, "lando")).json()
        founding = await api.http.post(
            "/v1/leagues", json={"name": "x"}, headers=bearer(wide["token"]) | keyed
        )
        assert founding.status_code == 201


async def test_a_new_password_ends_every_token_but_the_one_that_asks(serving) -> None:
    async with serving() as api:
        person = await api.person()
        before = (await signed_in(api, person.login)).json()["token"]
        wanted = {"password": PASSWORD, "new_password": NEW}
        wrong = wanted | {"password": "wrong"}
        refused = await api.http.put("/v1/me/password", json=wrong, headers=person.headers)
        assert (refused.status_code, refused.json()["code"]) == (401, "wrong_password")
        changed = await api.http.put("/v1/me/password", json=wanted, headers=person.headers)
        assert (changed.status_code, changed.json()) == (
            200, {"tokens_ended": 2, "email": None},
        )  # fmt: skip
        assert not await works(api, before)
        assert (await person.get("/v1/me")).status_code == 200
        assert (await signed_in(api, person.login)).status_code == 401
        assert (await signed_in(api, person.login, NEW)).status_code == 201


async def test_signing_out_everywhere_ends_tokens_and_calendars(serving) -> None:
    async with serving() as api:
        person = await api.person()
        calendar = (await person.post("/v1/me/calendar-keys")).json()["path"]
        out = await api.http.delete("/v1/tokens", headers=person.headers)
        assert out.json() == {"tokens": 2, "calendar_keys": 1}
        assert (await person.get("/v1/me")).status_code == 401
        assert (await api.http.get(calendar)).status_code == 401


async def test_the_owner_of_an_account_reads_how_it_was_signed_in(serving) -> None:
    async with serving() as api:
        person, other = await api.person(), await api.person()
        listed = (await person.get("/v1/me/sign-ins?limit=1")).json()
        assert [each["kind"] for each in listed["items"]] == ["password"]
        assert listed["items"][0]["address"] == "127.0.0.1"
        rest = await person.get(f"/v1/me/sign-ins?cursor={listed['next_cursor']}")
        assert [each["kind"] for each in rest.json()["items"]] == ["signed_up"]
        foreign = await other.get(f"/v1/me/sign-ins?cursor={listed['next_cursor']}")
        assert foreign.json()["code"] == "invalid_cursor"


async def test_an_owner_resets_whom_the_leagues_own_code_made_and_nobody_else(
    serving, database
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        own = await claimed(api, owner, league, "Han")
        invited = await api.join(owner, league)
        path = f"/v1/leagues/{league}/players"
        refused = await owner.post(f"{path}/{invited.player}/password-reset")
        assert (refused.status_code, refused.json()["code"]) == (409, "not_resettable")
        offered = (await owner.post(f"{path}/{own.player}/password-reset")).json()
        wanted = {"code": offered["code"], "password": NEW}
        done = await api.http.post("/v1/password-resets", json=wanted)
        assert (done.status_code, done.json()) == (200, {"login": "han", "email": None})
        assert (await own.get("/v1/me")).status_code == 401
        assert (await signed_in(api, "han", NEW)).status_code == 201
        again = await api.http.post("/v1/password-resets", json=wanted)
        assert again.status_code == 404, "a code works once"
        await project(database)
        log = await owner.get(f"/v1/leagues/{league}/staff-log")
        assert "password_reset_offered" in log.text


async def test_a_reset_code_of_a_league_is_void_once_the_account_belongs_elsewhere_too(
    serving, database
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        stranger, elsewhere = await api.league()
        own = await claimed(api, owner, league, "Han")
        path = f"/v1/leagues/{league}/players/{own.player}/password-reset"
        code = (await owner.post(path)).json()["code"]
        joining = (await stranger.post(f"/v1/leagues/{elsewhere}/invitations", {})).json()["code"]
        assert (await own.post(f"/v1/invitations/{joining}/accept")).is_success
        await project(database)
        late = await api.http.post("/v1/password-resets", json={"code": code, "password": NEW})
        assert late.status_code == 404
        assert (await owner.post(path)).json()["code"] == "not_resettable"


async def test_a_reset_asks_the_log_where_the_read_models_stand_still(serving, database) -> None:
    """No projection runs here, so only the log knows the account's other leagues."""
    async with serving() as api:
        owner, league = await api.league()
        stranger, elsewhere = await api.league()
        own, founder = [await claimed(api, owner, league, name) for name in ("Han", "Leia")]
        paths = [
            f"/v1/leagues/{league}/players/{who.player}/password-reset" for who in (own, founder)
        ]
        codes = [(await owner.post(path)).json()["code"] for path in paths]
        joining = (await stranger.post(f"/v1/leagues/{elsewhere}/invitations", {})).json()["code"]
        assert (await own.post(f"/v1/invitations/{joining}/accept")).is_success
        wide = (await signed_in(api, "leia", scopes=["leagues:manage"])).json()["token"]
        keyed = bearer(wide) | {"Idempotency-Key": "k"}
        made = await api.http.post("/v1/leagues", json={"name": "Bespin"}, headers=keyed)
        assert made.is_success, made.text
        for path, code in zip(paths, codes, strict=True):
            late = await api.http.post("/v1/password-resets", json={"code": code, "password": NEW})
            assert late.status_code == 404
            assert (await owner.post(path)).json()["code"] == "not_resettable"
        own_league = f"/v1/leagues/{elsewhere}/members/{own.player}"
        left = await api.http.delete(own_league, headers=stranger.headers)
        assert left.is_success, left.text
        assert (await owner.post(paths[0])).is_success


@pytest.mark.parametrize(("stage", "counts"), [("unpacked", True), ("released", False)])
async def test_a_league_that_arrives_protects_its_owner_from_a_reset(
    serving, database, stage: str, counts: bool
) -> None:
    """Otherwise an owner elsewhere takes the account first, and owns the league afterwards."""
    async with serving() as api:
        owner, league = await api.league()
        own = await claimed(api, owner, league, "Leia")
        wide = (await signed_in(api, "leia", scopes=["leagues:manage"])).json()["token"]
        keyed = bearer(wide) | {"Idempotency-Key": "k"}
        made = await api.http.post("/v1/leagues", json={"name": "Bespin"}, headers=keyed)
        assert made.is_success, made.text
        moving = "UPDATE append_turn SET suspended_at = now(), relocation = %s WHERE league = %s"
        with psycopg.connect(database.url("postgres")) as superuser:
            superuser.execute(moving, [stage, number_of(made.json()["id"])])
        asked = await owner.post(f"/v1/leagues/{league}/players/{own.player}/password-reset")
        assert (asked.json().get("code") == "not_resettable") is counts, asked.text
        assert asked.is_success is not counts


@pytest.mark.parametrize("then", ["the giver is demoted", "the account becomes an owner's"])
async def test_a_reset_code_is_worth_what_its_giver_may_still_do(
    serving, database, then: str
) -> None:
    """Otherwise a former owner could take over an account that has since got an office."""
    async with serving() as api:
        founder, league = await api.league()
        giver, own = await api.join(founder, league), await claimed(api, founder, league, "Han")
        members = f"/v1/leagues/{league}/members"

        async def becomes(person: Person, role: str) -> None:
            path = f"{members}/{person.player}"
            done = await api.http.put(path, json={"role": role}, headers=founder.headers | ANY)
            assert done.is_success, done.text

        await becomes(giver, "owner")
        await becomes(own, "auditor")
        await project(database)
        path = f"/v1/leagues/{league}/players/{own.player}/password-reset"
        code = (await giver.post(path)).json()["code"]
        if then == "the giver is demoted":
            await becomes(giver, "player")
        else:
            await becomes(own, "owner")
        taken = await api.http.post("/v1/password-resets", json={"code": code, "password": NEW})
        assert taken.status_code == 404, taken.text
        assert (await own.get("/v1/me")).status_code == 200


async def test_the_operator_resets_any_password(serving, database, capsys) -> None:
    async with serving() as api:
        person = await api.person()
        assert await offer_reset(database.settings("holotable_api"), person.login) == 0
        code = capsys.readouterr().out.strip()
        wanted = {"code": code, "password": NEW}
        assert (await api.http.post("/v1/password-resets", json=wanted)).is_success
        assert (await signed_in(api, person.login)).status_code == 401
        assert (await signed_in(api, person.login, NEW)).status_code == 201


async def test_a_token_made_before_families_is_a_root(serving) -> None:
    async with serving() as api:
        person = await api.person()
        items = (await person.get("/v1/tokens")).json()["items"]
        assert [each["parent"] for each in items] == [None, None]
        ends = datetime.fromisoformat(items[0]["expires_at"])
        assert ends - datetime.fromisoformat(items[0]["created_at"]) == timedelta(days=90)
