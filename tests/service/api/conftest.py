"""A running API with its own database, and people who call it."""

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import Any
from uuid import uuid4

import httpx
import pytest

from service.people.tokens import SCOPES_OF_PEOPLE
from service.process.app import build
from tests.service.api.truth import check
from tests.support.databases import TestDatabase

_numbers = count(1)
_served = count(1)
APPS_KEPT_MAX = 20
PASSWORD = "correct horse"

ANY = {"If-Match": "*"}
"""The header of an edit that passes at any version, for tests about something else."""


class Person:
    """A person with a token. The default is the token of their sign-up."""

    def __init__(
        self, http: httpx.AsyncClient, account: dict[str, Any], token: str | None = None
    ) -> None:
        self.http = http
        self.player = account["id"]
        self.login = account["login"]
        self.headers = {"Authorization": f"Bearer {token or account['token']['token']}"}

    async def get(self, path: str, **more: Any) -> httpx.Response:
        """Send a GET request."""
        headers = {**self.headers, **more.pop("headers", {})}
        return await self.http.get(path, headers=headers, **more)

    async def post(
        self, path: str, body: Any = None, key: str | None = None, **more: Any
    ) -> httpx.Response:
        """Send a command. Without *key* it has a key of its own."""
        keyed = {"Idempotency-Key": key or uuid4().hex}
        headers = {**self.headers, **keyed, **more.pop("headers", {})}
        return await self.http.post(path, json=body or {}, headers=headers, **more)


class Api:
    """The application, running in this event loop."""

    def __init__(self, http: httpx.AsyncClient, app: Any) -> None:
        self.http = http
        self.app = app

    async def person(self, name: str | None = None) -> Person:
        """Sign somebody up, with a token that has all scopes for people."""
        login = f"person{next(_numbers)}"
        asked = {"login": login, "password": PASSWORD}
        answer = await self.http.post("/v1/accounts", json=asked | {"name": name})
        assert answer.status_code == 201, answer.text
        wide = asked | {"scopes": SCOPES_OF_PEOPLE}
        token = await self.http.post("/v1/tokens", json=wide)
        assert token.status_code == 201, token.text
        return Person(self.http, answer.json(), token.json()["token"])

    async def league(self, visibility: str = "members") -> tuple[Person, str]:
        """Found a league. Return its owner and its identifier."""
        owner = await self.person()
        answer = await owner.post("/v1/leagues", {"name": "Cloud City"})
        assert answer.status_code == 201, answer.text
        league = answer.json()["id"]
        if visibility != "members":
            path, seen = f"/v1/leagues/{league}/visibility", {"visibility": visibility}
            answer = await self.http.put(path, json=seen, headers=owner.headers)
            assert answer.is_success, answer.text
        return owner, league

    async def join(self, owner: Person, league: str) -> Person:
        """Add a person to a league by an invitation."""
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
        person = await self.person()
        answer = await person.post(f"/v1/invitations/{code}/accept")
        assert answer.status_code == 201, answer.text
        return person

    async def playing(
        self, players: int = 2, *, visibility: str = "members", **terms: Any
    ) -> tuple[Person, str, str, list[Person], str]:
        """Start a tournament. Return owner, league, tournament, players and the first table."""
        owner, league = await self.league(visibility)
        people = [await self.join(owner, league) for _ in range(players)]
        asked = {"name": "Night", "ruleset": "better", "hands_between_seconds": 0} | terms
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        assert made.status_code == 201, made.text
        tournament = made.json()["id"]
        for person in people:
            entered = await person.post(f"/v1/tournaments/{tournament}/registrations")
            assert entered.status_code == 201, entered.text
        started = await owner.post(f"/v1/tournaments/{tournament}/start")
        assert started.status_code == 202, started.text
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        return owner, league, tournament, people, shown["tables"][0]["id"]


@pytest.fixture
def serving(database: TestDatabase) -> Callable[[], Any]:
    """Return a context manager that opens the API. Enter and leave it in the test's own task."""

    @asynccontextmanager
    async def serve(**changes: Any) -> AsyncIterator[Api]:
        # Most tests run no projector, so a wait for one's own writes would always be in vain.
        told = {"own_writes_milliseconds": 0} | changes
        app = build(database.settings("holotable_api", **told))
        async with app.lifespan():
            transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://test", event_hooks={"response": [check]}
            ) as http:
                yield Api(http, app)
        _free()

    return serve


def _free() -> None:
    """
    Free the memory of ended applications. Each start tells the garbage collector to keep
    everything.
    """
    if next(_served) % APPS_KEPT_MAX == 0:
        gc.unfreeze()
        gc.collect()
