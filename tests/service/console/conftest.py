"""Browsers without a screen, which read the console over HTTP as a browser does."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from service.process.app import build
from tests.service.api.conftest import PASSWORD, Api
from tests.support.databases import TestDatabase

HOST = "http://localhost:8000"
_FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
_FORM = re.compile(r'<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>', re.DOTALL)


class Browser:
    """A browser without scripts: it follows links, keeps cookies and sends forms."""

    def __init__(self, app: Any, host: str = HOST, address: str = "127.0.0.1") -> None:
        transport = httpx.ASGITransport(
            app=app, raise_app_exceptions=False, client=(address, 40_000)
        )
        self.http = httpx.AsyncClient(transport=transport, base_url=host)
        self.page: httpx.Response | None = None

    async def get(self, path: str, **more: Any) -> httpx.Response:
        """Open a page, and follow where it leads."""
        self.page = await self.http.get(path, follow_redirects=True, **more)
        return self.page

    async def submit(self, action: str, **fields: Any) -> httpx.Response:
        """Send the form of the open page with this action, as the page has made it."""
        self.page = await self.sent(action, **fields)
        if self.page.status_code == 303:
            await self.get(self.page.headers["location"])
        return self.page

    async def sent(self, action: str, **fields: Any) -> httpx.Response:
        """Send a form, and return the first answer."""
        assert self.page is not None
        hidden = self.hidden(action)
        return await self.post(action, hidden | fields)

    async def post(self, path: str, fields: dict[str, Any], **headers: str) -> httpx.Response:
        """Send fields as a page of this host does."""
        origin = {"Origin": str(self.http.base_url).rstrip("/"), "Sec-Fetch-Site": "same-origin"}
        return await self.http.post(path, data=fields, headers=origin | headers)

    def hidden(self, action: str) -> dict[str, Any]:
        """Return the hidden fields of the form with this action. Repeated ones are lists."""
        assert self.page is not None
        forms = {unescape(where): inside for where, inside in _FORM.findall(self.page.text)}
        assert action in forms, f"{urlsplit(str(self.page.url)).path} has only {list(forms)}"
        found: dict[str, Any] = {}
        for name, value in _FIELD.findall(forms[action]):
            known, new = found.get(name), unescape(value)
            found[name] = (
                new if known is None else [*([known] if isinstance(known, str) else known), new]
            )
        return found

    async def sign_in(self, login: str, password: str = PASSWORD) -> httpx.Response:
        """Sign in by the form."""
        await self.get("/sign-in")
        return await self.submit("/sign-in", login=login, password=password)


class Console:
    """The running application, for browsers and for people who use the API."""

    def __init__(self, api: Api, app: Any) -> None:
        self.api = api
        self.app = app
        self.opened: list[Browser] = []

    def browser(self, host: str = HOST, address: str = "127.0.0.1") -> Browser:
        """Open a browser."""
        self.opened.append(Browser(self.app, host, address))
        return self.opened[-1]

    async def signed_in(self, login: str) -> Browser:
        """Open a browser and sign in."""
        browser = self.browser()
        answer = await browser.sign_in(login)
        assert answer.status_code == 200, answer.text
        return browser


@pytest.fixture
def serving(database: TestDatabase) -> Callable[[], Any]:
    """Return a context manager that opens the application. Use it in the test's own task."""

    @asynccontextmanager
    async def serve(**changes: Any) -> AsyncIterator[Console]:
        told = {"own_writes_milliseconds": 0} | changes
        app = build(database.settings("holotable_api", **told))
        async with app.lifespan():
            transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
                console = Console(Api(http, app), app)
                yield console
                for each in console.opened:
                    await each.http.aclose()

    return serve
