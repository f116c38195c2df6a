"""A running stack with leagues and people, which tests arrange over the API."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal
from uuid import uuid4

import httpx
from playwright.sync_api import Browser

from service.console.sessions import LABEL, PLAIN_COOKIE
from service.people.tokens import SCOPES_OF_PEOPLE
from tests.browser.chromium import PHONE, Seen, open_context

PASSWORD = "correct horse"
Level = Literal["owner", "director", "referee", "scorer", "auditor", "player", "outsider"]
LEVELS: tuple[Level, ...] = (
    "owner", "director", "referee", "scorer", "auditor", "player", "outsider",
)  # fmt: skip
"""Everybody who signs in. A stranger has no account."""

_numbers = count(1)


@dataclass
class Person:
    """A person with an account, a token for the API and a session in the console."""

    http: httpx.Client
    name: str
    login: str
    player: str
    token: str
    session: str
    """The value of the cookie."""

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request to the API, and return its answer."""
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": uuid4().hex}
        if method != "GET":
            headers["If-Match"] = "*"
        answer = self.http.request(method, path, json=body or {}, headers=headers)
        assert answer.is_success, f"{method} {path}: {answer.text}"
        return answer.json() if answer.content else None

    def get(self, path: str) -> Any:
        """Read from the API."""
        return self.send("GET", path)

    def post(self, path: str, body: Any = None) -> Any:
        """Send a command to the API."""
        return self.send("POST", path, body)


@dataclass
class House:
    """
    The stack, and the browsers that look at it.

    Args:
        url: The address of the API and of the console.
        browser: Chromium.
    """

    url: str
    browser: Browser
    http: httpx.Client
    opened: list[Seen] = field(default_factory=list)

    def person(self, name: str = "") -> Person:
        """Sign somebody up."""
        number = next(_numbers)
        login, name = f"browser{number}-{uuid4().hex[:6]}", name or f"Person {number}"
        asked = {"login": login, "password": PASSWORD}
        made = self.http.post("/v1/accounts", json=asked | {"name": name})
        assert made.status_code == 201, made.text
        wanted = asked | {"scopes": SCOPES_OF_PEOPLE, "name": LABEL}
        tokens = [self.http.post("/v1/tokens", json=wanted).json() for _ in range(2)]
        session = f"{tokens[1]['id']}.{tokens[1]['token']}"
        return Person(self.http, name, login, made.json()["id"], tokens[0]["token"], session)

    def league(self, name: str = "Cloud City", visibility: str = "members") -> tuple[Person, str]:
        """Found a league. Return its owner and its identifier."""
        owner = self.person("Lando")
        league = owner.post("/v1/leagues", {"name": name})["id"]
        if visibility != "members":
            owner.send("PUT", f"/v1/leagues/{league}/visibility", {"visibility": visibility})
        return owner, league

    def join(self, owner: Person, league: str, role: Level = "player", name: str = "") -> Person:
        """Add somebody to a league, in a role."""
        person = self.person(name)
        if role != "outsider":
            asked = {"role": role}
            code = owner.post(f"/v1/leagues/{league}/invitations", asked)["code"]
            person.post(f"/v1/invitations/{code}/accept")
        return person

    def everybody(self, owner: Person, league: str) -> dict[Level, Person]:
        """Return a person at each level of access to a league."""
        others = {each: self.join(owner, league, each) for each in LEVELS if each != "owner"}
        return {"owner": owner, **others}

    def evening(self, owner: Person, league: str, **terms: Any) -> str:
        """Announce a tournament."""
        asked = {"name": "Thursday", "ruleset": "better"} | terms
        made: str = owner.post(f"/v1/leagues/{league}/tournaments", asked)["id"]
        return made

    def open(
        self, person: Person | None = None, size: tuple[int, int] = PHONE, **more: Any
    ) -> Seen:
        """Open a browser, signed in as *person*, or as a stranger."""
        seen = open_context(self.browser, size, base_url=self.url, **more)
        if person is not None:
            cookie = {"name": PLAIN_COOKIE, "value": person.session, "url": self.url}
            seen.context.add_cookies([cookie])
        self.opened.append(seen)
        return seen

    def close(self) -> list[str]:
        """Close the browsers, and return the complaints of their pages."""
        found = [each for seen in self.opened for each in seen.violations()]
        for seen in self.opened:
            seen.context.close()
        self.opened.clear()
        return found
