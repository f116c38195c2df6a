"""Steps of tests of webhooks, over HTTP."""

import asyncio
import json
from datetime import datetime
from typing import Any

from tests.service.api.conftest import Person
from tests.support.receivers import Received

TERMS = {"name": "Night", "ruleset": "better"}


def json_of(got: Received) -> dict[str, Any]:
    """Return the message that a receiver got."""
    found: dict[str, Any] = json.loads(got.body)
    return found


def instant(text: str) -> datetime:
    """Return the instant that an answer names."""
    return datetime.fromisoformat(text)


async def put(owner: Person, webhook: dict[str, Any], change: dict[str, Any]) -> None:
    """Change a webhook."""
    path = f"/v1/webhooks/{webhook['id']}"
    changed = await owner.http.put(path, json=change, headers=owner.headers)
    assert changed.status_code == 200, changed.text


async def play(people: list[Person], table: str) -> None:
    """Fold, or do what the phase requires, until the table's only hand is over."""
    async with asyncio.timeout(20):
        while not (await people[0].get(f"/v1/tables/{table}")).json()["closed"]:
            for person in people:
                view = (await person.get(f"/v1/tables/{table}")).json()
                if view["my_turn"]:
                    action = _action(view) | {"decision": view["decision"]["token"]}
                    await person.post(f"/v1/tables/{table}/actions", action)


def _action(view: dict[str, Any]) -> dict[str, Any]:
    if view["phase"] == "select":
        return {"type": "select", "cards": view["me"]["cards"][:1]}
    if view["phase"] == "improve":
        return {"type": "improve", "cards": []}
    verbs = {each["verb"] for each in view["legal"]}
    return {"type": "fold" if "fold" in verbs else "check"}


async def hooked(
    owner: Person, league: str, url: str, *kinds: str, form: str = "v1"
) -> dict[str, Any]:
    """Make a webhook and return the answer."""
    asked = {"name": "Site", "url": url, "kinds": kinds or ["tournament.announced"], "form": form}
    made = await owner.post(f"/v1/leagues/{league}/webhooks", asked)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


async def announce(owner: Person, league: str, **terms: Any) -> str:
    """Announce a tournament and return its identifier."""
    made = await owner.post(f"/v1/leagues/{league}/tournaments", TERMS | terms)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def log_of(owner: Person, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the deliveries to a webhook, the newest first, each as it is read alone."""
    listed = await owner.get(f"/v1/webhooks/{webhook['id']}/deliveries")
    assert listed.status_code == 200, listed.text
    found = []
    for each in listed.json()["items"]:
        read = await owner.get(f"/v1/webhook-deliveries/{each['id']}")
        assert read.status_code == 200, read.text
        assert {name: read.json()[name] for name in each} == each
        found.append(read.json())
    return found
