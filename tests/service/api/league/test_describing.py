"""Naming and describing a league over HTTP, and saying who may see it."""

from typing import Any

import httpx
import pytest

from service.api.http.reading.public import digest_of
from tests.service.api.conftest import Person

pytestmark = pytest.mark.anyio

FACE = {
    "name": "Bespin Sabacc",
    "description": "Thursdays. Everybody is welcome.",
    "place": "Cloud City, deck 9",
    "length_seconds": 14_400,
    "url": "https://bespin.example/sabacc",
}


async def put(person: Person, path: str, body: Any, key: str = "k") -> httpx.Response:
    """Send a command with PUT."""
    headers = {**person.headers, "Idempotency-Key": key}
    return await person.http.put(path, json=body, headers=headers)


async def test_an_owner_renames_and_describes_a_league(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        member = await api.join(owner, league)
        path = f"/v1/leagues/{league}"
        before = await member.get(path)
        assert before.json()["description"] is None
        told = await put(owner, path, FACE)
        assert told.status_code == 200, told.text
        shown = await member.get(path, headers={"If-None-Match": before.headers["etag"]})
        assert {name: shown.json()[name] for name in FACE} == FACE
        assert told.json() | {"role": "player", "position": None} == shown.json()
        emptied = await put(owner, path, {"name": "Bespin"}, "k2")
        assert (emptied.json()["name"], emptied.json()["place"]) == ("Bespin", None)
        refused = await put(member, path, FACE)
        assert (refused.status_code, refused.json()["capability"]) == (403, "manage_league")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"place": "Bespin\u202e"},
        {"url": "javascript:alert(1)"},
        {"url": "https://a.example/\u0020x"},
        {"length_seconds": 59},
        {"description": ""},
        {"description": "2024-03-31T20:00:00"},
        {"unknown": 1},
    ],
)
async def test_a_description_that_cannot_be_shown_is_refused(serving, wrong) -> None:
    async with serving() as api:
        owner, league = await api.league()
        answer = await put(owner, f"/v1/leagues/{league}", FACE | wrong)
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_a_link_key_is_shown_once_and_the_log_holds_its_digest(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/visibility"
        made = await put(owner, path, {"visibility": "link"})
        key = made.json()["link"]
        assert (made.json()["visibility"], len(key)) == ("link", 52)
        again = await put(owner, path, {"visibility": "link"})
        assert (again.json()["link"], again.headers["idempotent-replayed"]) == (None, "true")
        same = await put(owner, path, {"visibility": "link"}, "same")
        assert (same.json()["link"], "idempotent-replayed" in same.headers) == (None, False)
        kept = await put(owner, path, {"visibility": "public"}, "public")
        assert kept.json()["link"] is None
        other = await put(owner, path, {"visibility": "link", "new_link": True}, "new")
        items = (await owner.get(f"/v1/leagues/{league}/events?limit=200")).json()["items"]
        links = [each["data"]["link"] for each in items if each["type"] == "visibility_set"]
        assert links == [digest_of(key), digest_of(key), digest_of(other.json()["link"])]
        assert key not in str(items)


async def test_a_tournament_keeps_the_visibility_that_it_was_announced_with(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Night", "ruleset": "better"}
        path = f"/v1/leagues/{league}/tournaments"
        made = []
        for number, visibility in enumerate(("members", "public", "link")):
            where = f"/v1/leagues/{league}/visibility"
            await put(owner, where, {"visibility": visibility}, f"v{number}")
            made.append((await owner.post(path, asked, key=f"t{number}")).json()["id"])
            draft = await owner.post(path, asked | {"draft": True}, key=f"d{number}")
            shown = (await owner.get(f"/v1/tournaments/{draft.json()['id']}")).json()
            assert shown["visibility"] == visibility
        found = [(await owner.get(f"/v1/tournaments/{each}")).json()["visibility"] for each in made]
        assert found == ["members", "public", "link"]
