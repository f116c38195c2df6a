"""Pages after a fault: a form keeps its fields, counts once if sent again, and leads on."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any

import psycopg
import pytest

from tests.service.api.test_suspending import WHY, told
from tests.service.console.conftest import Browser
from tests.service.console.test_closed import known
from tests.service.console.test_door import opened
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

GERMAN = {"Accept-Language": "de"}


@contextmanager
def away(database: TestDatabase) -> Iterator[None]:
    """Take the database away from the application."""
    with psycopg.connect(database.server.cluster.url(), autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS false')
        try:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE datname = %s",
                [database.name],
            )
            yield
        finally:
            connection.execute(f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS true')


async def named(owner: Any, tournament: str, name: str) -> int:
    shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
    return sum(each["name"] == name for each in shown["entrants"])


def typed(browser: Browser, action: str) -> dict[str, Any]:
    """Return every field of a form of the open page, as a browser would send it."""
    assert browser.page is not None
    (form,) = re.findall(
        rf'<form[^>]*action="{re.escape(action)}"[^>]*>(.*?)</form>', browser.page.text, re.DOTALL
    )
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form)
    return {name: unescape(value) for name, value in found}


async def test_a_form_sent_in_an_outage_is_kept_and_done_once(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        await browser.get(door)
        action = f"{door}/walk-in"
        key = browser.hidden(action)["key"]
        name = 'Wuher & "Ackmena"'

        with away(database):
            page = await browser.submit(action, name=name)
            assert page.status_code == 503
            assert page.headers["content-type"].startswith("text/html")
            assert "The server cannot reach its database." in page.text
            assert "Ask again with the same key" not in page.text
            fields = typed(browser, action)
            assert (fields["key"], fields["name"]) == (key, name)
            # It may be sent any number of times.
            browser.page = await browser.post(action, fields)
            assert browser.page.status_code == 503
            fields = typed(browser, action)
            read = await browser.get(door, headers=GERMAN)
            assert read.status_code == 503
            assert f'href="{door}">Noch einmal versuchen</a>' in read.text
            assert "Der Server erreicht seine Datenbank nicht." in read.text

        assert fields["key"] == key
        for _ in range(2):
            assert (await browser.post(action, fields)).status_code == 200
        assert await named(owner, tournament, name) == 1


async def test_a_form_that_was_done_before_the_answer_was_lost_is_not_done_again(
    serving: Serving, database: TestDatabase
) -> None:
    """The walk-in is entered; then the page about it cannot be made."""
    async with serving() as console:
        owner, _, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        await browser.get(door)
        action = f"{door}/walk-in"
        fields = browser.hidden(action) | {"name": "Wuher"}
        assert (await browser.post(action, fields)).status_code == 200

        with away(database):
            browser.page = await browser.post(action, fields)
            assert browser.page.status_code == 503
            again = typed(browser, action)
        assert (await browser.post(action, again)).status_code == 200
        assert await named(owner, tournament, "Wuher") == 1


async def test_a_password_is_typed_again_and_never_stands_in_the_page(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        browser = console.browser()
        await browser.get("/sign-up")
        secret = {"password": "correct horse"}
        with away(database):
            page = await browser.submit("/sign-up", name="Lando", login="lando1", **secret)
            assert page.status_code == 503
            assert "correct horse" not in page.text
            assert 'name="password" type="password"' in page.text
            fields = typed(browser, "/sign-up")
            assert fields["login"] == "lando1"
        assert (await browser.post("/sign-up", fields | secret)).status_code == 303


async def test_what_was_sent_too_fast_is_kept_too(serving: Serving) -> None:
    async with serving(open_requests=1) as console:
        browser = console.browser()
        await browser.get("/sign-up")
        sent = {"name": "Lando", "login": "lando2", "password": "correct horse"}
        fields = browser.hidden("/sign-up") | sent
        for _ in range(20):
            browser.page = await browser.post("/sign-up", fields | {"login": "no good login"})
            if browser.page.status_code == 429:
                break
        assert browser.page is not None
        assert browser.page.status_code == 429
        assert "That was too much at once. Try again in" in browser.page.text
        assert typed(browser, "/sign-up")["key"] == fields["key"]
        assert "correct horse" not in browser.page.text


async def test_what_another_site_has_sent_is_not_kept(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        browser = console.browser()
        await browser.get("/sign-up")
        with away(database):
            fields = browser.hidden("/sign-up") | {"csrf": "00" * 32, "name": "Jabba"}
            page = await browser.post("/sign-up", fields)
            assert "Jabba" not in page.text or page.status_code == 400


async def test_the_address_of_a_form_leads_to_its_page(serving: Serving) -> None:
    """A browser keeps this address after a refusal."""
    async with serving() as console:
        owner, _, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        for form, page in (
            (f"/tournaments/{tournament}/door/walk-in", f"/tournaments/{tournament}/door"),
            (f"/tournaments/{tournament}/enter", f"/tournaments/{tournament}"),
        ):
            found = await browser.get(form)
            assert (found.status_code, found.url.path) == (200, page)


async def test_too_large_a_form_is_answered_with_a_page(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        browser = await console.signed_in(owner.login)
        await browser.get(f"/leagues/{league}/people")
        page = await browser.submit(f"/leagues/{league}/people/import", list="name\n" * 60_000)
        assert page.status_code == 413
        assert "That is more than a page may send at once." in page.text
        assert 'href="/"' in page.text


async def test_a_session_that_ended_leads_back_to_the_page_of_the_form(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        await browser.get(door)
        fields = browser.hidden(f"{door}/walk-in") | {"name": "Wuher"}
        browser.http.cookies.clear()
        answer = await browser.post(f"{door}/walk-in", fields)
        assert answer.status_code == 303
        assert answer.headers["location"] == f"/sign-in?then=%2Ftournaments%2F{tournament}%2Fdoor"


async def test_a_changed_form_with_an_old_key_is_told_in_words(serving: Serving) -> None:
    """A browser that goes back to the page keeps its key, also for a changed form."""
    async with serving() as console:
        owner, _, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        await browser.get(door)
        fields = browser.hidden(f"{door}/walk-in")
        assert (await browser.post(f"{door}/walk-in", fields | {"name": "Wuher"})).is_success
        again = await browser.post(f"{door}/walk-in", fields | {"name": "Ackmena"})
        assert again.status_code == 422
        assert "This form was already sent, with something else in it." in again.text
        assert 'value="Ackmena"' in again.text


PAGES = {"Accept": "text/html"}
_REFUSED = {
    403: ("This page is not open to you", "Diese Seite ist nicht für dich offen"),
    404: ("There is no such page", "Diese Seite gibt es nicht"),
    503: ("Not available just now", "Gerade nicht erreichbar"),
}


async def test_every_page_about_a_refusal_is_in_the_language_of_its_reader(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, tournament, people, table = await console.api.playing()
        browser = await console.signed_in(owner.login)
        player = await console.signed_in(people[0].login)
        floor = f"/tournaments/{tournament}/floor"
        forms = await browser.get(floor)
        pages = {
            404: lambda lead: browser.get("/nothing-here", headers=lead),
            403: lambda lead: player.get(f"/leagues/{league}/staff-log", headers=lead),
        }
        for status, asked in pages.items():
            for words, lead in zip(_REFUSED[status], (PAGES, PAGES | GERMAN), strict=True):
                page = await asked(lead)
                assert page.status_code == status
                whole_in(page.text, words, german=len(lead) > 1)
        assert (await told(database, "maintenance", "on", *WHY)).returncode == 0
        doors = console.api.app.shell.doors
        await known(lambda: doors.maintenance is not None)
        for words, lead in zip(_REFUSED[503], (PAGES, PAGES | GERMAN), strict=True):
            browser.page = forms
            page = await browser.post(f"{floor}/pause", browser.hidden(f"{floor}/pause"), **lead)
            assert page.status_code == 503
            whole_in(page.text, words, german=len(lead) > 1)
            page = await player.get(f"/tables/{table}", headers=lead)
            assert page.status_code == 200
            assert page.text.count("Wartung" if len(lead) > 1 else "Maintenance") == 1


def whole_in(page: str, title: str, *, german: bool) -> None:
    """Check that a page about a refusal has this title and speaks one language."""
    assert f"<h1>{title}</h1>" in page, page
    assert f'<html lang="{"de" if german else "en"}"' in page
    inside = page.partition('id="main"')[2].partition("</main>")[0]
    english = re.findall(
        r"\b(?:the|page|again|server|nothing|try)\b", re.sub("<[^>]+>", " ", inside)
    )
    assert bool(english) is not german, english


async def test_a_page_that_is_not_there_says_so_in_an_outage_too(
    serving: Serving, database: TestDatabase
) -> None:
    """Its reader is signed in, and nobody can say who that is."""
    async with serving() as console:
        browser = await console.signed_in((await console.api.person()).login)
        with away(database):
            page = await browser.get("/tournaments/no%20such/door")
        assert page.status_code == 404
        assert "There is no such page" in page.text
