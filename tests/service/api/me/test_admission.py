"""Signing up and founding leagues, by the settings and the operator's invitations."""

import asyncio
import re
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.service.api.conftest import PASSWORD, Api, Person
from tests.service.api.test_suspending import told

pytestmark = pytest.mark.anyio


async def sign_up(api: Api, **more: Any) -> httpx.Response:
    login = f"newcomer{uuid4().hex[:8]}"
    return await api.http.post("/v1/accounts", json={"login": login, "password": PASSWORD} | more)


async def founded(api: Api, account: dict[str, Any]) -> httpx.Response:
    asked = {"login": account["login"], "password": PASSWORD, "scopes": ["leagues:manage"]}
    made = await api.http.post("/v1/tokens", json=asked)
    assert made.is_success, made.text
    return await Person(api.http, account, made.json()["token"]).post(
        "/v1/leagues", {"name": "Cloud City"}
    )


async def invited(database, *options: str) -> str:
    ended = await told(database, "account", "invite", *options)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


async def test_nobody_signs_up_or_founds_a_league_where_both_are_closed(serving, database) -> None:
    async with serving() as api:
        before = await sign_up(api)
        assert before.is_success, before.text
    code = await invited(database)
    async with serving(sign_up="closed", found_leagues="closed") as api:
        for more in ({}, {"invitation": code}):
            refused = await sign_up(api, **more)
            assert (refused.status_code, refused.json()["code"]) == (403, "sign_up_closed")
        refused = await founded(api, before.json())
        assert (refused.status_code, refused.json()["code"]) == (403, "founding_closed")
        page = await api.http.get("/sign-up", headers={"Accept": "text/html"})
        assert "Nobody can sign up here" in page.text and 'name="password"' not in page.text


async def test_an_invitation_opens_as_many_accounts_as_it_says_and_no_more_at_once(
    serving, database
) -> None:
    code = await invited(database, "--uses", "2")
    async with serving(sign_up="invite", found_leagues="invite") as api:
        for more in ({}, {"invitation": "holo_inv_" + 64 * "0"}):
            refused = await sign_up(api, **more)
            assert (refused.status_code, refused.json()["code"]) == (403, "invitation_needed")
        page = await api.http.get("/sign-up", headers={"Accept": "text/html"})
        assert 'name="invitation"' in page.text
        answers = await asyncio.gather(*(sign_up(api, invitation=code) for _ in range(4)))
        assert sorted(each.status_code for each in answers) == [201, 201, 403, 403]
        [account, _] = [each.json() for each in answers if each.status_code == 201]
        assert (await founded(api, account)).json()["code"] == "founding_closed"
        assert (await told(database, "account", "founder", account["login"])).returncode == 0
        assert (await founded(api, account)).status_code == 201


async def test_a_taken_login_uses_no_invitation_up_and_a_retry_only_one(serving, database) -> None:
    code = await invited(database, "--uses", "2", "--founder")
    async with serving(sign_up="invite", found_leagues="invite") as api:
        asked = {"login": "han", "password": PASSWORD, "invitation": code}
        headers = {"Idempotency-Key": "once"}
        first, again = [
            await api.http.post("/v1/accounts", json=asked, headers=headers) for _ in range(2)
        ]
        assert (first.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")
        taken = await api.http.post("/v1/accounts", json=asked)
        assert taken.json()["code"] == "login_taken"
        assert (await founded(api, first.json())).status_code == 201
        assert (await sign_up(api, invitation=code)).status_code == 201
        assert (await sign_up(api, invitation=code)).json()["code"] == "invitation_needed"


async def test_a_claim_code_opens_no_account_where_signing_up_is_closed(serving, database) -> None:
    """Where an invitation is needed, the code of a league's staff is one."""
    async with serving() as api:
        owner, league = await api.league()
        made = await owner.post(f"/v1/leagues/{league}/players", {"name": "Chewie"})
        asked = {"code": made.json()["claim"], "login": "chewie", "password": PASSWORD}
    for mode, expected in (("closed", 403), ("invite", 201)):
        async with serving(sign_up=mode) as api:
            answer = await api.http.post("/v1/claims", json=asked)
            assert answer.status_code == expected, answer.text
            made_up = await api.http.post("/v1/claims", json=asked | {"code": "AAAA"})
            assert made_up.status_code == (403 if mode == "closed" else 404)


async def test_an_invitation_that_was_ended_opens_nothing_more(serving, database) -> None:
    code = await invited(database, "--uses", "3")
    async with serving(sign_up="invite") as api:
        assert (await sign_up(api, invitation=code)).status_code == 201
        tried = await told(database, "account", "uninvite", code, "--dry-run")
        assert (tried.returncode, (await sign_up(api, invitation=code)).status_code) == (0, 201)
        log = (await told(database, "operators-log")).stdout
        [number] = re.findall(r"sign_up_invited (inv_[0-9a-f]{32})", log)
        assert (await told(database, "account", "uninvite", number)).returncode == 0
        assert (await sign_up(api, invitation=code)).json()["code"] == "invitation_needed"
        assert (await told(database, "account", "uninvite", code)).returncode == 1
        assert (await told(database, "account", "uninvite", "inv_none")).returncode == 2
        log = (await told(database, "operators-log")).stdout
        assert f"sign_up_uninvited {number}: 1 uses were left" in log
