"""
What a thief can still do while the owner of an account ends it.

Each test holds a lock, so that the two requests meet in the order that once did harm.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import psycopg
import pytest

from engine.values import number_of
from service.cli.account.reset import offer_reset
from service.people.entered_players import SECRET_BYTES, claim_code, digest_of
from service.process.people import organiser, sign_in_code
from tests.service.api.conftest import PASSWORD, Api, Person
from tests.service.api.me.test_emails import ADDRESS, SEND, ask, confirmed, post_office, put, rows
from tests.service.api.me.test_notifications import KEY, Browser
from tests.support.databases import TestDatabase
from tests.support.holding import FAMILY, holding
from tests.support.receivers import LOOPBACK
from tests.support.webhooks import announce, hooked

pytestmark = pytest.mark.anyio

NEW = "another horse"
LEFT = """
    UPDATE entered_player SET claim = %(claim)s, claim_until = now() + interval '1 day'
     WHERE account = %(account)s
"""
TOKENS = "SELECT id FROM token WHERE account = $1 FOR UPDATE"


def sent(person: Person, method: str, path: str, body: Any = None) -> asyncio.Task[httpx.Response]:
    """Send a request without waiting for its answer."""
    asked = person.http.request(method, path, json=body, headers=person.headers)
    return asyncio.create_task(asked)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/tokens", {"login": "{login}"}),
        ("PUT", "/v1/me/password", {"new_password": "a stolen horse"}),
        ("PUT", "/v1/me/email", {"email": None}),
        ("DELETE", "/v1/me", {"player": "{player}"}),
    ],
)
async def test_an_old_password_does_nothing_more_once_a_new_one_is_being_set(
    serving: Callable[..., Any],
    database: TestDatabase,
    method: str,
    path: str,
    body: dict[str, str | None],
) -> None:
    """The instant of the new password lies before the request that still read the old one."""
    async with serving() as api:
        person = await api.person()
        signed_in = await api.http.post(
            "/v1/tokens", json={"login": person.login, "password": PASSWORD}
        )
        thief = Person(
            api.http, {"id": person.player, "login": person.login, "token": signed_in.json()}
        )
        names = {"{login}": person.login, "{player}": person.player}
        asked = {name: names.get(str(it), it) for name, it in body.items()} | {"password": PASSWORD}
        change = {"password": PASSWORD, "new_password": NEW}
        async with holding(database, TOKENS, number_of(person.player)) as waiting:
            changing = sent(person, "PUT", "/v1/me/password", change)
            await waiting(1)  # for the tokens that it ends
            stealing = sent(thief, method, path, asked)
            await waiting(2)
        assert (await changing).status_code == 200
        refused = await stealing
        assert (refused.status_code, refused.json()["code"]) == (401, "wrong_password")
        again = {"login": person.login, "password": NEW}
        assert (await api.http.post("/v1/tokens", json=again)).status_code == 201


async def test_no_code_is_renewed_for_a_player_who_is_being_claimed(
    serving: Callable[..., Any], database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        han = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Han"})).json()
        claim = {"code": han["claim"], "login": "han", "password": PASSWORD}
        renew = f"/v1/leagues/{league}/players/{han['player']}/claim"
        async with holding(database, "LOCK TABLE sign_in IN SHARE MODE") as waiting:
            claiming = asyncio.create_task(api.http.post("/v1/claims", json=claim))
            await waiting(1)  # with everything done but the record of the sign-in
            renewing = asyncio.create_task(owner.post(renew))
            await waiting(2)
        assert (await claiming).status_code == 201
        refused = await renewing
        assert (refused.status_code, refused.json()["code"]) == (409, "not_claimable")


async def test_a_code_that_was_kept_for_a_claimed_account_opens_nothing(
    serving: Callable[..., Any], database: TestDatabase
) -> None:
    """Versions that renewed such codes may have left some."""
    async with serving() as api:
        owner, league = await api.league()
        han = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Han"})).json()
        claim = {"code": han["claim"], "login": "han", "password": PASSWORD}
        assert (await api.http.post("/v1/claims", json=claim)).status_code == 201
        player = number_of(han["player"])
        code = claim_code(player, bytes(SECRET_BYTES))
        with psycopg.connect(database.url("postgres")) as connection:
            connection.execute(LEFT, {"claim": digest_of(code), "account": player})
        claim |= {"code": code, "login": "thief"}
        assert (await api.http.post("/v1/claims", json=claim)).status_code == 404
        other = await api.person()
        assert (await other.post("/v1/me/claims", {"code": code})).status_code == 404


async def test_a_reset_that_waits_for_a_new_password_neither_follows_it_nor_blocks_it(
    serving: Callable[..., Any], database: TestDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    """The code must not be locked before the account: each would wait for the other."""
    async with serving() as api:
        person = await api.person()
        assert await offer_reset(database.settings("holotable_api"), person.login) == 0
        code = {"code": capsys.readouterr().out.strip(), "password": "a stolen horse"}
        change = {"password": PASSWORD, "new_password": NEW}
        async with holding(database, FAMILY, number_of(person.player)) as waiting:
            changing = sent(person, "PUT", "/v1/me/password", change)
            await waiting(1)
            resetting = asyncio.create_task(api.http.post("/v1/password-resets", json=code))
            await waiting(2)
        assert ((await changing).status_code, (await resetting).status_code) == (200, 404)


@pytest.mark.parametrize("other", [None, "lando@falcon.example"])
async def test_a_mailed_code_ends_with_the_address_that_it_was_mailed_to(
    serving: Callable[..., Any], database: TestDatabase, other: str | None
) -> None:
    async with post_office(database, serving) as (server, api, worker):
        lando = await api.person()
        await confirmed(lando, worker, server, ADDRESS)
        await ask(api, lando.login)
        await worker.work(SEND)
        stolen = {"code": server.got.pop().code, "password": "a stolen horse"}
        if other is None:
            assert (await put(lando, None)).status_code == 200
        else:
            await confirmed(lando, worker, server, other)
        assert (await api.http.post("/v1/password-resets", json=stolen)).status_code == 404


async def test_no_code_is_kept_for_an_address_that_is_removed_while_it_is_mailed(
    serving: Callable[..., Any], database: TestDatabase
) -> None:
    async with post_office(database, serving) as (server, api, worker):
        lando = await api.person()
        await confirmed(lando, worker, server, ADDRESS)
        await ask(api, lando.login)
        async with holding(database, "LOCK TABLE password_reset IN SHARE MODE") as waiting:
            mailing = asyncio.create_task(worker.work(SEND))
            await waiting(1)  # before it keeps the code
            removing = asyncio.create_task(put(lando, None))
            both = asyncio.create_task(waiting(2))
            await asyncio.wait([removing, both], return_when=asyncio.FIRST_COMPLETED)
            both.cancel()
            await asyncio.wait([both])
        assert (await removing).status_code == 200
        await mailing
        assert [str(each.message["subject"]) for each in server.got] == [
            f"This address no longer belongs to {lando.login}"
        ]
        assert rows(database, "SELECT origin FROM password_reset") == []


async def believing(api: Api, token: str) -> Person:
    """Let a process believe *token* for ever, so that no test depends on how fast it is."""
    thief = Person(api.http, {"id": "", "login": ""}, token)
    assert (await thief.get("/v1/me")).status_code == 200
    known, _ = api.app.shell.principals[token]
    api.app.shell.principals[token] = known, datetime.max.replace(tzinfo=UTC)
    return thief


@pytest.mark.parametrize("ended", ["rotated", "signed out"])
async def test_a_token_that_another_process_still_believes_makes_nothing_that_stays(
    serving: Callable[..., Any], ended: str
) -> None:
    pushing = {"push_key": KEY, "push_contact": "mailto:a@b.example", "webhook_networks": LOOPBACK}
    async with serving(**pushing) as here, serving(**pushing) as there:
        owner, league = await here.league()
        han = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Han"})).json()
        claim = {"code": han["claim"], "login": "han", "password": PASSWORD}
        assert (await here.http.post("/v1/claims", json=claim)).status_code == 201
        about = f"/v1/leagues/{league}"
        chewie = (await owner.post(f"{about}/players", {"name": "Chewie"})).json()["player"]
        hook = await hooked(owner, league, "http://127.0.0.1:9/hook")
        tournament = await announce(owner, league)
        stolen = owner.headers["Authorization"].removeprefix("Bearer ")
        thief = await believing(there, stolen)
        listed = (await owner.get("/v1/tokens")).json()["items"]
        number = next(each["id"] for each in listed if "tokens:manage" in each["scopes"])
        if ended == "rotated":
            done = await owner.post(f"/v1/tokens/{number}/rotate")
        else:
            done = await here.http.delete("/v1/tokens", headers=owner.headers)
        assert done.status_code == 200, done.text
        phone = Browser().subscription("http://127.0.0.1:9/thief")
        webhook = f"/v1/webhooks/{hook['id']}"
        asked = {
            "name": "Thief",
            "url": "http://127.0.0.1:9/thief",
            "kinds": ["tournament.announced"],
        }
        making = (
            ("/v1/tokens", {"scopes": ["leagues:read"]}),
            (f"/v1/tokens/{number}/rotate", {}),
            ("/v1/me/calendar-keys", {}),
            ("/v1/me/push-subscriptions", phone),
            (f"{about}/players/{han['player']}/password-reset", {}),
            (f"{about}/players", {"name": "Lando"}),
            (f"{about}/players/{chewie}/claim", {}),
            (f"{about}/claims", {}),
            (f"{about}/webhooks", asked),
            (f"{webhook}/rotate", {}),
            (f"/v1/tournaments/{tournament}/screen-keys", {}),
        )
        refused = {path: (await thief.post(path, body)).status_code for path, body in making}
        refused["PUT"] = (await sent(thief, "PUT", webhook, asked | {"enabled": True})).status_code
        assert set(refused.values()) == {401}, refused


async def test_a_believed_token_sets_no_first_password_after_its_end(
    serving: Callable[..., Any], database: TestDatabase
) -> None:
    async with serving() as here, serving() as there:
        settings = database.settings("holotable_api")
        await organiser(settings, "han", "Han")
        number, _, stolen = (await sign_in_code(settings, "han")).partition(".")
        thief = await believing(there, stolen)
        owner = Person(here.http, {"id": "", "login": "han"}, stolen)
        rotated = (await owner.post(f"/v1/tokens/{number}/rotate")).json()["token"]
        body = {"new_password": "a stolen horse"}
        refused = await sent(thief, "PUT", "/v1/me/password", body)
        assert refused.status_code == 401, refused.text
        owner = Person(here.http, {"id": "", "login": "han"}, rotated)
        assert (await sent(owner, "PUT", "/v1/me/password", {"new_password": NEW})).is_success


@pytest.mark.parametrize(
    ("path", "media", "parts"),
    [
        ("invitations", "application/json", (b'{"role":', b'"director","uses":1}')),
        ("past-seasons?name=Old", "text/csv", (b"tournament,name,place,points\n", b"A,Han,1,2\n")),
    ],
)
async def test_a_body_that_is_whole_after_its_token_has_ended_changes_nothing(
    serving: Callable[..., Any], path: str, media: str, parts: tuple[bytes, bytes]
) -> None:
    """A thief keeps a request open, whose rest is sent when the owner has signed out everywhere."""
    async with serving() as api:
        owner, league = await api.league()

        async def slowly() -> AsyncIterator[bytes]:
            yield parts[0]
            ended = await api.http.delete("/v1/tokens", headers=owner.headers)
            assert ended.status_code == 200, ended.text
            yield parts[1]

        headers = owner.headers | {"Content-Type": media, "Idempotency-Key": "slow"}
        answer = await api.http.post(
            f"/v1/leagues/{league}/{path}", content=slowly(), headers=headers
        )
        assert answer.status_code == 401, answer.text
