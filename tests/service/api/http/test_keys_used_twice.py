"""One Idempotency-Key with two different bodies, on every route that takes a key."""

from typing import Any

import pytest

from service.base.database import async_engine
from tests.service.api.conftest import ANY
from tests.service.api.matrix import Asker, routes, undeclared
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

LAST = (
    "leave_league", "cancel_tournament", "close_tournament", "close_season", "leave_casino",
)  # fmt: skip
"""Routes that end something which other routes need."""

PURE = {
    "suggest_structure", "simulate_evenings", "evaluate_hands", "evaluate_tournament_hands",
    "try_season_terms", "choose_my_notifications",
}  # fmt: skip
"""
Routes that ignore a key. Most write nothing. The last replaces the whole of a person's
choices, so the same request twice changes nothing more.
"""

WORDS = {"name", "reason", "text", "claim"}


def another(body: Any) -> Any:
    """Return *body* with another value for one member, or None if no member can change."""
    if not isinstance(body, dict):
        return None
    for name, value in body.items():
        match value:
            case str() if name in WORDS:
                return {**body, name: f"{value}1"}
            case bool():
                return {**body, name: not value}
            case int():
                return {**body, name: value + 1}
            case dict() if (changed := another(value)) is not None:
                return {**body, name: changed}
    return {**body, "role": "scorer"} if "role" in body else None


async def test_a_key_under_which_another_body_came_is_refused_everywhere(
    serving: Any, database: TestDatabase
) -> None:
    async with serving() as api:
        projecting = async_engine(database.url("holotable_project"), 2)
        asker = Asker(api, projecting)
        await asker.meet()
        world = await asker.world()
        names = [
            name
            for name, (method, *_) in routes().items()
            if method in ("POST", "PUT") and name not in PURE
        ]
        accepted, wrong = set(), {}
        for name in sorted(names, key=lambda each: each in LAST):
            described = routes()[name][2]
            persona = "entered owner" if described.needs == "own_entry" else "owner"
            method, path, sent = await asker.request(persona, name, world)
            other = another(sent["json"])
            if other is None:
                continue
            sent["headers"] |= ANY | {"Idempotency-Key": "once"}
            first, second, again = [
                await api.http.request(method, path, **(sent | {"json": body}))
                for body in (sent["json"], other, sent["json"])
            ]
            if second.status_code >= 500:
                wrong[name] = second.text
            # A request that changed nothing is not in the log, so its key is still free.
            if not first.is_success or first.json().get("position", "") is None:
                continue
            accepted.add(name)
            for answer in (first, again):
                if fault := undeclared(answer, described):
                    wrong[name] = fault
            if second.json().get("code") != "idempotency_key_reused":
                wrong[name] = second.text
        await projecting.dispose()
    assert wrong == {}
    assert len(accepted) > 25, sorted(accepted)
    assert "enter_player" in accepted
