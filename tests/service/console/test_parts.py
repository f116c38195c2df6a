"""Parts and streams: a page asks for its changed parts."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from service.api.http.following import joining
from service.console import live
from service.console.assets import STATIC, STYLE, assets
from tests.service.api.proof.test_evidence import project
from tests.service.console.conftest import Console
from tests.service.console.test_forms import evening
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_a_part_is_sent_again_only_if_it_has_changed(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}?part=poster"

        first = await browser.http.get(path)
        assert first.status_code == 200
        assert "<html" not in first.text
        assert "Thursday" in first.text
        known = {"If-None-Match": first.headers["etag"]}
        assert (await browser.http.get(path, headers=known)).status_code == 304

        await owner.post(f"/v1/tournaments/{tournament}/registrations")
        again = await browser.http.get(path, headers=known)
        assert again.status_code == 200
        assert again.headers["etag"] != first.headers["etag"]


async def test_a_part_needs_what_its_page_needs(serving: Serving) -> None:
    async with serving() as console:
        _, _, tournament = await evening(console)
        stranger = console.browser()
        other = await console.signed_in((await console.api.person()).login)

        for browser in (stranger, other):
            answer = await browser.http.get(f"/tournaments/{tournament}?part=poster")
            assert (answer.status_code, answer.text) == (404, "")
        assert (await stranger.http.get("/account?part=main")).status_code == 401


async def test_the_stream_says_what_has_changed_and_nothing_else(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser = await console.signed_in(owner.login)

        async with streaming(console, f"topics={tournament},me", _cookie(browser)) as items:
            await owner.post(f"/v1/tournaments/{tournament}/registrations")
            async with asyncio.timeout(10):
                item = await anext(items)

        assert set(item) == {"topic", "version"}
        assert item["topic"] in (tournament, "me")


async def test_a_player_is_told_of_the_draw_and_of_each_decision(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        people = [await console.api.join(owner, league) for _ in range(2)]
        asked = {"name": "Night", "ruleset": "better", "decision_seconds": 3600}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        tournament = made.json()["id"]
        browser = await console.signed_in(people[0].login)
        for each in people:
            assert (await each.post(f"/v1/tournaments/{tournament}/registrations")).is_success
        await project(database)

        async with streaming(console, "topics=me", _cookie(browser)) as items:
            assert (await owner.post(f"/v1/tournaments/{tournament}/start")).is_success
            async with asyncio.timeout(10):
                assert (await anext(items))["topic"] == "me"
            shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
            path = f"/v1/tables/{shown['tables'][0]['id']}"
            table = (await people[1].get(path)).json()
            action = {"type": "select", "decision": table["decision"]["token"], "cards": []}
            action["cards"] = table["me"]["cards"][:1]
            assert (await people[1].post(f"{path}/actions", action)).is_success
            version = (await owner.get(path)).json()["version"]
            async with asyncio.timeout(10):
                while await anext(items) != {"topic": "me", "version": version}:
                    pass


async def test_a_league_joined_elsewhere_is_told_without_a_new_stream(
    serving: Serving, database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "PING_SECONDS", 0.1)
    monkeypatch.setattr(joining, "JOINED_SECONDS", 0.1)
    async with serving() as console:
        owner, league = await console.api.league()
        guest = await console.api.person()
        browser = await console.signed_in(guest.login)
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]

        async with streaming(console, "topics=me,plans", _cookie(browser)) as items:
            assert (await guest.post(f"/v1/invitations/{code}/accept")).is_success
            await project(database)
            async with asyncio.timeout(10):
                told = [await anext(items) for _ in range(2)]
            assert {each["topic"] for each in told} == {"me", "plans"}
            made = {"name": "Night", "ruleset": "better"}
            evening = (await owner.post(f"/v1/leagues/{league}/tournaments", made)).json()["id"]
            assert (await guest.post(f"/v1/tournaments/{evening}/registrations")).is_success
            async with asyncio.timeout(10):
                while (await anext(items))["version"] == 0:
                    pass


async def test_a_league_is_looked_for_once_though_the_read_model_goes_on_naming_it(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, _ = await console.api.league()
        await project(database)
        shell, topics = console.api.app.shell, live._Topics({live.PLANS: set()})
        looked: set[str] = set()
        with shell.joined.held(owner.player):
            found = [await live._joined(shell, topics, owner.player, looked) for _ in range(2)]
        assert found == [True, False]


async def test_a_league_that_was_left_is_looked_for_again_once_it_is_joined_again(
    serving: Serving, database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "JOINED_SECONDS", 0)
    async with serving() as console:
        owner, league = await console.api.league()
        guest = await console.api.join(owner, league)
        shell, topics = console.api.app.shell, live._Topics({live.PLANS: set()})
        looked: set[str] = set()

        async def joined() -> bool:
            await project(database)
            return await live._joined(shell, topics, guest.player, looked)

        with shell.joined.held(guest.player):
            assert await joined()
            assert (await guest.post(f"/v1/leagues/{league}/leave")).is_success
            assert not await joined()
            code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
            assert (await guest.post(f"/v1/invitations/{code}/accept")).is_success
            assert await joined()


async def test_acts_at_a_table_are_no_news_of_the_readers_plans(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        _, _, _, people, table = await console.api.playing(2, hands_between_seconds=3600)
        await project(database)
        browser = await console.signed_in(people[0].login)

        async with streaming(console, "topics=me,plans", _cookie(browser)) as items:
            view = (await people[1].get(f"/v1/tables/{table}")).json()
            act = {"type": "select", "decision": view["decision"]["token"]}
            act["cards"] = view["me"]["cards"][:1]
            assert (await people[1].post(f"/v1/tables/{table}/actions", act)).is_success
            version = (await people[0].get(f"/v1/tables/{table}")).json()["version"]
            topics = set()
            async with asyncio.timeout(10):
                async for item in items:
                    topics.add(item["topic"])
                    if item["version"] == version:
                        break
            assert topics == {"me"}


async def test_a_league_is_told_of_its_evenings(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        browser = await console.signed_in(owner.login)

        async with streaming(console, f"topics={league}", _cookie(browser)) as items:
            asked = {"name": "Night", "ruleset": "better"}
            made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
            async with asyncio.timeout(10):
                assert (await anext(items))["topic"] == league
            done = await owner.post(f"/v1/tournaments/{made.json()['id']}/cancel")
            assert done.is_success, done.text
            async with asyncio.timeout(10):
                assert (await anext(items))["topic"] == league


async def test_nobody_follows_what_they_may_not_read(serving: Serving) -> None:
    async with serving() as console:
        _, league, tournament = await evening(console)
        stranger = console.browser()
        other = await console.signed_in((await console.api.person()).login)

        for topic in (league, tournament, f"floor:{tournament}", f"tbl_{'0' * 32}"):
            assert (await other.http.get(f"/live?topics={topic}")).status_code == 404
            assert (await stranger.http.get(f"/live?topics={topic}")).status_code in (303, 401, 404)
        for topics in ("", "nothing", f"{tournament},drop table", ",".join([tournament] * 50)):
            assert (await other.http.get(f"/live?topics={topics}")).status_code in (400, 404)


async def test_static_files_are_kept_for_a_year_under_an_address_that_changes(
    serving: Serving,
) -> None:
    async with serving() as console:
        browser = console.browser()
        page = await browser.get("/sign-in")
        address = next(each for each in page.text.split('"') if each.endswith(STYLE))

        sheet = await browser.http.get(address)
        assert sheet.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert sheet.headers["content-encoding"] == "gzip"
        assert sheet.content == assets()[STYLE].content
        known = {"If-None-Match": sheet.headers["etag"]}
        assert (await browser.http.get(address, headers=known)).status_code == 304
        old = await browser.http.get(f"/static/0000/{STYLE}")
        assert old.headers["cache-control"] == "public, max-age=300"
        assert (await browser.http.get("/static/0000/css/nothing.css")).status_code == 404
        assert (await browser.http.get("/static/0000/..%2Fapp.py")).status_code == 404
        assert (await browser.http.get("/favicon.ico")).headers["content-type"] == "image/svg+xml"
        manifest = await browser.http.get("/manifest.webmanifest")
        assert manifest.headers["content-type"] == "application/manifest+json"


async def test_a_first_page_is_small(serving: Serving) -> None:
    """Under 20 KB of page and style, as sent, and under 60 KB of scripts in all."""
    async with serving() as console:
        owner, league, tournament = await evening(console)
        browser = await console.signed_in(owner.login)
        style = len(assets()[STYLE].compressed or b"")
        for path in ("/", "/account", f"/leagues/{league}", f"/tournaments/{tournament}"):
            async with browser.http.stream("GET", path) as answer:
                sent = b"".join([each async for each in answer.aiter_raw()])
            assert answer.headers["content-encoding"] == "gzip"
            assert len(sent) + style < 20_000, path
        scripts = [len(each.content) for path, each in assets().items() if path.endswith(".js")]
        assert sum(scripts) < 60_000


def test_no_text_of_a_script_goes_on_over_lines() -> None:
    """Scripts are sent without indentation (``assets.shortened``), which such a text would lose."""
    odd = [
        f"{path}: {line}"
        for path in STATIC.rglob("*.js")
        for line in path.read_text().splitlines()
        if line.count("`") % 2
    ]
    assert odd == []


async def test_a_page_is_in_the_language_that_the_browser_asks_for(serving: Serving) -> None:
    async with serving() as console:
        browser = console.browser()
        page = await browser.get("/sign-in", headers={"Accept-Language": "de-CH, en;q=0.5"})
        assert '<html lang="de">' in page.text
        assert "Passwort" in page.text
        assert '<html lang="en">' in (await browser.get("/sign-in")).text


async def test_a_path_that_nothing_has_is_a_page_for_browsers_and_a_problem_for_programs(
    serving: Serving,
) -> None:
    async with serving() as console:
        http = console.browser().http
        page = await http.get("/nothing/here", headers={"Accept": "text/html,*/*;q=0.8"})
        assert page.status_code == 404
        assert "There is no such page" in page.text
        problem = await http.get("/nothing/here")
        assert problem.headers["content-type"] == "application/problem+json"
        api = await http.get("/v1/nothing", headers={"Accept": "text/html"})
        assert api.headers["content-type"] == "application/problem+json"
        assert (await http.head("/sign-in")).content == b""


def _cookie(browser: Any) -> str:
    return "; ".join(f"{name}={value}" for name, value in browser.http.cookies.items())


class streaming:  # noqa: N801 - used as a function
    """Follow ``/live`` over the application itself, which httpx would wait for to its end."""

    def __init__(self, console: Console, query: str, cookie: str) -> None:
        self._console, self._query, self._cookie = console, query, cookie
        self._items: asyncio.Queue[Any] = asyncio.Queue()
        self._opened, self._gone = asyncio.Event(), asyncio.Event()

    async def __aenter__(self) -> AsyncIterator[Any]:
        scope = {
            "type": "http", "method": "GET", "path": "/live", "raw_path": b"/live",
            "query_string": self._query.encode(), "scheme": "http", "http_version": "1.1",
            "headers": [(b"host", b"localhost:8000"), (b"cookie", self._cookie.encode())],
            "client": ("127.0.0.1", 1), "server": ("localhost", 8000), "root_path": "",
            "asgi": {"version": "3.0"}, "extensions": {},
        }  # fmt: skip
        self._task = asyncio.create_task(self._console.app(scope, self._receive, self._send))
        async with asyncio.timeout(10):
            await self._opened.wait()
        return self._each()

    async def __aexit__(self, *_: object) -> None:
        self._gone.set()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _each(self) -> AsyncIterator[Any]:
        while True:
            yield await self._items.get()

    async def _receive(self) -> Any:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        for line in message.get("body", b"").decode().splitlines():
            if line == "event: begun":
                self._opened.set()
            if line.startswith("data: ") and line != "data: {}":
                self._items.put_nowait(json.loads(line.removeprefix("data: ")))
