"""The page of a code says which league one joins, and only to those who hold it."""

import re
from collections.abc import Callable
from typing import Any

import httpx
import psycopg
import pytest

from tests.service.api.proof.test_evidence import project
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_the_page_of_an_invitation_names_its_league(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {"uses": 2})).json()["code"]
        guest = console.browser()
        page = await guest.get(f"/join/{code}")
        assert "<h1>Join Cloud City" in page.text
        assert 'name="name"' in page.text

        member = await console.signed_in(owner.login)
        page = await member.get(f"/join/{code}")
        assert "You are a member of this league already." in page.text
        assert f'action="/join/{code}"' not in page.text

        page = await guest.get(f"/join/{code[:-4]}AAA=")
        assert page.status_code == 404
        assert "This code opens no league" in page.text
        assert "Cloud City" not in page.text


async def test_the_page_of_a_claim_code_names_the_player_it_is_for(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        made = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Han Solo"})).json()
        browser = console.browser()
        page = await browser.get(f"/join/{made['claim']}")
        assert "entered you as Han Solo" in page.text
        assert 'name="name"' not in page.text
        path = f"/join/{made['claim']}"
        await browser.submit(f"{path}/new", login="han", password="correct horse")
        assert "Hello, Han Solo" in (await browser.get("/")).text
        assert "This code opens no league" in (await browser.get(path)).text


async def test_a_code_on_paper_stands_in_groups_and_is_typed_with_or_without_spaces(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        await owner.post(f"/v1/leagues/{league}/players", {"name": "Han Solo"})
        desk = await console.signed_in(owner.login)
        await desk.get(f"/leagues/{league}/people")
        page = await desk.submit(f"/leagues/{league}/people/cards")
        found = re.search(r"Or open (\S+) and type this code<br>([\w -]+)</small>", page.text)
        assert found is not None, page.text
        address, code = found.groups()
        assert address.endswith("/join") and set(map(len, code.split())) == {4}
        for typed in (code, code.replace(" ", ""), f" {address}/{code.replace(' ', '')}\n"):
            browser = console.browser()
            await browser.get("/join")
            page = await browser.submit("/join", code=typed)
            assert "entered you as Han Solo" in page.text, typed
        page = await browser.get("/join")
        assert (await browser.submit("/join", code="../sign-in")).status_code == 404
        await browser.get("/join")
        assert (await browser.submit("/join", code=" ")).url.path == "/join"


async def test_a_walk_in_who_signs_up_comes_to_the_own_seat(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        late = {"late_registration_seconds": 3600}
        owner, _, tournament, _, table = await console.api.playing(2, table_seats=4, entry=late)
        made = await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": "Jyn"})
        assert made.json()["table"] == table, made.text
        await project(database)
        browser, path = console.browser(), f"/join/{made.json()['claim']}"
        await browser.get(path)
        page = await browser.submit(f"{path}/new", login="jyn", password="correct horse")
        assert page.url.path == f"/tables/{table}", page.text
        assert "Welcome. You are signed in." in page.text
        page = await browser.get(f"/tournaments/{tournament}")
        assert "To my table" in page.text


_BREAKS = """
    ALTER TABLE reads.entrant RENAME TO unread;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE 'no token ends'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE OF revoked_at OR DELETE ON token
        FOR EACH ROW EXECUTE FUNCTION refuse();
"""
_MENDS = "ALTER TABLE reads.unread RENAME TO entrant; DROP TRIGGER refuse ON token"


async def test_a_newcomer_is_signed_in_though_the_seats_cannot_be_read(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        made = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Han Solo"})).json()
        browser, action = console.browser(), f"/join/{made['claim']}/new"
        browser.page = await browser.get(f"/join/{made['claim']}")
        fields = browser.hidden(action) | {"login": "han", "password": "correct horse"}
        with psycopg.connect(database.url("postgres"), autocommit=True) as broken:
            broken.execute(_BREAKS)
            answer = await browser.post(action, fields)
            broken.execute(_MENDS)
        assert (answer.status_code, answer.headers.get("location")) == (303, "/"), answer.text
        assert "Hello, Han Solo" in (await browser.get("/")).text


async def test_a_newcomer_counts_as_one_sign_up_and_may_send_the_form_twice(
    serving: Serving,
) -> None:
    async with serving(address_accounts=5) as console:
        owner, league = await console.api.league()  # the first
        invited = await owner.post(f"/v1/leagues/{league}/invitations", {"uses": 1})
        made = await owner.post(f"/v1/leagues/{league}/players", {"name": "Han Solo"})
        sent = []
        for code, login in ((invited.json()["code"], "rey"), (made.json()["claim"], "han")):
            browser, action = console.browser(), f"/join/{code}/new"
            browser.page = await browser.get(f"/join/{code}")
            fields = browser.hidden(action) | {"login": login, "password": "correct horse"}
            sent.append((browser, action, fields))
        # Nobody knows what a code was that is used up. So the last one is tried as both, and counts
        # twice.
        for browser, action, fields in (*sent, sent[0]):
            as_stranger = httpx.Cookies(browser.http.cookies)
            answer = await browser.post(action, fields)
            browser.http.cookies = as_stranger  # the second tap comes before the first answer
            assert answer.status_code == 303, answer.text
        stranger = {"login": "lando", "password": "correct horse"}
        headers = {"Idempotency-Key": "one too many"}
        answer = await console.api.http.post("/v1/accounts", json=stranger, headers=headers)
        assert answer.status_code == 429, answer.text
