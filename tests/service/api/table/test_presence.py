"""Leaving a seat for a while, and coming back to it."""

import asyncio
from typing import Any

import pytest

pytestmark = pytest.mark.anyio


async def seats(person: Any, table: str) -> dict[str, Any]:
    """Return the seats of a table by entrant, once a hand is open."""
    for _ in range(200):
        view = (await person.get(f"/v1/tables/{table}")).json()
        if view["decision"] is not None:
            return {seat["entrant"]: seat for seat in view["seats"]}
        await asyncio.sleep(0.02)
    raise AssertionError("no hand was opened")


async def test_who_steps_away_is_away_until_it_comes_back(serving) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing(3)
        await seats(owner, table)

        left = await people[0].post(f"/v1/tables/{table}/presence", {"away": True})
        again = await people[0].post(f"/v1/tables/{table}/presence", {"away": True})
        entrant = left.json()["entrant"]
        gone = (await seats(owner, table))[entrant]["away"]
        back = await people[0].post(f"/v1/tables/{table}/presence", {"away": False})

        assert (left.status_code, again.status_code, back.status_code) == (200, 200, 200)
        assert (gone, (await seats(owner, table))[entrant]["away"]) == (True, False)
        assert left.headers["etag"] and "etag" not in again.headers


async def test_a_spectator_has_no_seat_to_leave(serving) -> None:
    async with serving() as api:
        owner, _, _, _, table = await api.playing()
        refused = await owner.post(f"/v1/tables/{table}/presence", {"away": True})
        stranger = await api.person()
        foreign = await stranger.post(f"/v1/tables/{table}/presence", {"away": True})

        assert (refused.status_code, refused.json()["code"]) == (409, "entrant_not_seated")
        assert (foreign.status_code, foreign.json()["code"]) == (404, "not_found")
