"""Histories as lines of JSON: whole, and with a last line that shows it."""

import hashlib
import json
from typing import Any

import pytest

from service.api.table import histories
from service.log.catalogue import SCHEMAS
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.api.table.test_feeds import everything
from tests.support.streams import following

pytestmark = pytest.mark.anyio

NDJSON = {"Accept": "application/x-ndjson"}


async def history(person: Any, path: str, **query: Any) -> tuple[Any, list[bytes], Any]:
    """Return the first line of a history, the lines of its events, and its last line."""
    answer = await person.get(path, headers=NDJSON, params=query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    begin, *lines, end = answer.content.splitlines(keepends=True)
    return json.loads(begin), lines, json.loads(end)


async def test_a_history_is_the_feed_and_its_last_line_proves_it(
    serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "HISTORY_EVENTS", 3)
    async with serving() as api:
        _, league, tournament, people, table = await api.playing()
        for number in range(4):
            person, view = await turn(people, table)
            await person.post(f"/v1/tables/{table}/actions", answer_to(view), key=f"n{number}")
        for path in (
            f"/v1/tables/{table}/events",
            f"/v1/tournaments/{tournament}/events",
            f"/v1/leagues/{league}/events",
        ):
            items = await everything(people[0], path)
            begin, lines, end = await history(people[0], path)
            assert [json.loads(line) for line in lines] == items
            assert (begin["type"], begin["epoch"], end["type"]) == ("begin", 0, "end")
            assert end["count"] == len(items) and end["cursor"] == items[-1]["cursor"]
            assert end["sha256"] == hashlib.sha256(b"".join(lines)).hexdigest()
            later = await history(people[0], path, after=items[4]["cursor"])
            assert later[1] == lines[5:]
            nothing = await history(people[0], path, after=end["cursor"])
            assert (nothing[1], nothing[2]["count"], nothing[2]["cursor"]) == ([], 0, None)
            assert nothing[2]["sha256"] == hashlib.sha256().hexdigest()


async def test_a_history_ends_where_it_said_and_has_no_last_line_if_it_is_cut_off(
    serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "HISTORY_EVENTS", 1)
    async with serving() as api:
        owner, league = await api.league()
        leaving, staying = [await api.join(owner, league) for _ in range(2)]
        path = f"/v1/leagues/{league}/events"
        before = await everything(staying, path)
        lines = "application/x-ndjson"
        async with (
            following(api.app, path, leaving.headers, accept=lines, limit=2) as cut,
            following(api.app, path, staying.headers, accept=lines, limit=2) as whole,
        ):
            await cut.until(2)
            await whole.until(2)
            left = await owner.http.delete(
                f"/v1/leagues/{league}/members/{leaving.player}", headers=owner.headers
            )
            assert left.is_success, left.text
            for each in (cut, whole):
                each.read_on()
                await each.ended.wait()
        assert [each["type"] for each in cut.items].count("end") == 0
        assert len(cut.items) < len(before)
        assert whole.items[1:-1] == before
        assert (whole.items[-1]["type"], whole.items[-1]["count"]) == ("end", len(before))


async def test_a_reader_who_pins_a_set_of_versions_sees_the_events_in_these_versions(
    serving,
) -> None:
    """`entrant_registered` has two versions. The first one does not tell who acted."""
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing()
        path, pinned = f"/v1/tournaments/{tournament}/events", {"Accept-Event-Version": "1"}
        schema = json.loads((SCHEMAS / "entrant_registered.v1.json").read_text(encoding="utf-8"))
        closed = schema["$defs"]["EntrantRegistered"]
        assert closed["additionalProperties"] is False

        current = await everything(owner, path)
        page = (await owner.get(path, params={"limit": 200}, headers=pinned)).json()["items"]
        lines = await owner.get(path, headers=NDJSON | pinned)
        async with following(api.app, path, owner.headers | pinned) as stream:
            await stream.until(len(current))

        older = [json.loads(line) for line in lines.content.splitlines()[1:-1]]
        assert stream.items == older == page
        registered = [each for each in page if each["type"] == "entrant_registered"]
        assert len(registered) == len(people)
        for each in registered:
            assert each["schema_version"] == 1
            assert each["data"].keys() | {"type"} == closed["properties"].keys()
        newer = {each["id"]: each for each in current}
        for each in page:
            now = newer[each["id"]]
            if each["type"] == "entrant_registered":
                assert now["schema_version"] == 2
                assert now["data"] == each["data"] | {"by": None}
            else:
                assert each == now
        newest = await owner.get(path, params={"limit": 200}, headers={"Accept-Event-Version": "2"})
        assert newest.json()["items"] == current

        for wrong in ("0", "3", "latest", "1.0"):
            for where in (path, f"/v1/tables/{table}/events", f"/v1/leagues/{league}/events"):
                refused = await owner.get(where, headers={"Accept-Event-Version": wrong})
                assert (refused.status_code, refused.json()["code"]) == (
                    400,
                    "event_version_unknown",
                )
