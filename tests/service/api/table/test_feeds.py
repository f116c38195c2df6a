"""Feeds show every viewer the same events, with the viewer's own cards only."""

import asyncio
import json
from typing import Any

import pytest

from tests.service.api.table.test_commands import answer_to, turn
from tests.support.poison import owning, plant
from tests.support.streams import following
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio


async def everything(person, path, limit=3):
    """Read a feed to its end in pages, which are small by default."""
    items, cursor = [], None
    while True:
        query = {"limit": limit} | ({"after": cursor} if cursor else {})
        page = (await person.get(path, params=query)).json()
        items += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return items


async def test_a_feed_is_pulled_in_pages_and_opens_only_the_viewers_cards(serving) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing()
        await turn(people, table)
        path = f"/v1/tables/{table}/events"
        public, first, second = [
            await everything(each, path) for each in (owner, people[0], people[1])
        ]
        assert [each["id"] for each in public] == [each["id"] for each in first]
        assert [each["version"] for each in public] == list(range(1, len(public) + 1))
        assert not any(each["opened"] for each in public)
        opened = [
            {str(value) for each in items for value in each["opened"].values()}
            for items in (first, second)
        ]
        assert opened[0] and opened[1] and not opened[0] & opened[1]
        assert [each["data"] for each in first] == [each["data"] for each in second]
        cursor = public[-1]["cursor"]
        foreign = await owner.get(path, params={"after": cursor[:-4] + "AAAA"})
        assert (foreign.status_code, foreign.json()["code"]) == (400, "invalid_cursor")


async def test_a_view_holds_only_the_callers_cards_and_an_etag(serving) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing()
        await turn(people, table)
        views = [(await each.get(f"/v1/tables/{table}")).json() for each in people]
        spectator = await owner.get(f"/v1/tables/{table}")
        assert spectator.json()["me"] is None
        for own, other in (views, views[::-1]):
            assert own["me"]["cards"]
            assert not any(card in json.dumps(other["me"]) for card in own["me"]["cards"])
        tag = {"If-None-Match": spectator.headers["etag"]}
        same = await owner.get(f"/v1/tables/{table}", headers=tag)
        assert (same.status_code, same.content) == (304, b"")


async def until_polling(api: Any) -> None:
    """Wait until one long poll waits."""

    async def waits() -> bool:
        return bool(api.app.limits.streams.number == 1)

    await until_awaited(waits)


async def test_a_long_poll_ends_with_the_news(serving) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        tag = (await owner.get(f"/v1/tables/{table}")).headers["etag"]
        polling = asyncio.create_task(
            owner.get(f"/v1/tables/{table}", params={"wait": 20}, headers={"If-None-Match": tag})
        )
        await until_polling(api)
        await person.post(f"/v1/tables/{table}/actions", answer_to(view), key="p")
        answer = await asyncio.wait_for(polling, 19)  # the poll itself would end later
        assert answer.status_code == 200
        assert answer.headers["etag"] != tag


async def test_a_long_poll_shows_nothing_once_its_token_has_ended(serving) -> None:
    """Nor its owner's cards, though news came."""
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        path, own = f"/v1/tables/{table}", person.headers
        token = (await person.post("/v1/tokens", {})).json()
        phone = {"Authorization": f"Bearer {token['token']}"}
        tag = (await api.http.get(path, headers=phone)).headers["etag"]
        polling = asyncio.create_task(
            api.http.get(path, params={"wait": 20}, headers=phone | {"If-None-Match": tag})
        )
        await until_polling(api)
        ended = await api.http.delete(f"/v1/tokens/{token['id']}", headers=own)
        assert ended.status_code == 204
        await person.post(f"{path}/actions", answer_to(view), key="p")
        answer = await asyncio.wait_for(polling, 19)  # the poll itself would end later
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


async def test_a_long_poll_shows_what_another_process_has_appended(serving) -> None:
    async with serving() as api, serving() as other:
        owner, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        path = f"/v1/tables/{table}"
        shown = await owner.get(path)
        tag = {"If-None-Match": shown.headers["etag"]}
        polling = asyncio.create_task(owner.get(path, params={"wait": 20}, headers=tag))
        await until_polling(api)
        action = {"json": answer_to(view), "headers": person.headers | {"Idempotency-Key": "p"}}
        done = await other.http.post(f"{path}/actions", **action)
        answer = await asyncio.wait_for(polling, 19)  # the poll itself would end later
        assert answer.json()["version"] == done.json()["version"] > shown.json()["version"]


async def test_a_stream_resumes_after_the_last_event_and_ends_on_stop(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        await turn(people, table)
        items = await everything(people[0], f"/v1/tables/{table}/events")
        path, after = f"/v1/tables/{table}/events", items[1]["cursor"]
        async with following(api.app, path, people[0].headers, after) as stream:
            await stream.until(len(items) - 2)
            api.app.shell.stopping.set()
            await asyncio.wait_for(stream.ended.wait(), 20)
        assert stream.items == items[2:]


async def test_a_feed_ends_at_an_event_that_cannot_be_read_and_other_feeds_go_on(
    database, serving
) -> None:
    async with serving() as api, owning(database) as planter:
        (person, poisoned), (other, healthy) = await api.league(), await api.league()
        await plant(planter, poisoned, "break_started", {}, version=99)
        broken = await person.get(f"/v1/leagues/{poisoned}/events")
        streamed = {"Accept": "text/event-stream"}
        ended = await person.get(f"/v1/leagues/{poisoned}/events", headers=streamed)
        sound = await other.get(f"/v1/leagues/{healthy}/events")
    assert (broken.status_code, broken.json()["code"]) == (409, "event_unreadable")
    assert ended.status_code == 200
    assert sound.status_code == 200 and len(sound.json()["items"]) > 0
