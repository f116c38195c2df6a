"""Subscribed calendars: their format, their identifiers and their keys."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from service.schedule import listing
from service.schedule.ics import calendar
from service.schedule.items import ScheduledItem
from tests.service.api.conftest import ANY, Person
from tests.service.api.season.test_fixtures import announced, days_ahead, season_in, weekly
from tests.support.projecting import projecting

pytestmark = pytest.mark.anyio

NAME = re.compile(r"[A-Z][A-Z0-9-]*")
INSTANT = re.compile(r"\d{8}T\d{6}Z")
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def read(content: bytes) -> list[dict[str, str]]:
    """
    Return the events of a calendar, parsed strictly by RFC 5545.

    Lines end in CRLF and have at most 75 octets, without splitting UTF-8 characters. Texts are
    escaped. Every event has each required property once, and its own UID.
    """
    assert content.endswith(b"\r\n")
    physical = content[:-2].split(b"\r\n")
    assert all(len(line) <= 75 and b"\n" not in line and b"\r" not in line for line in physical)
    lines: list[str] = []
    for line in physical:
        text = line.decode()
        if text.startswith(" "):
            lines[-1] += text[1:]
        else:
            lines.append(text)
    assert (lines[0], lines[1], lines[-1]) == ("BEGIN:VCALENDAR", "VERSION:2.0", "END:VCALENDAR")
    assert sum(line.startswith("PRODID:") for line in lines) == 1
    events: list[dict[str, str]] = []
    inside = False
    for line in lines[1:-1]:
        head, colon, value = line.partition(":")
        name = head.partition(";")[0]
        assert colon and NAME.fullmatch(name), line
        if line == "BEGIN:VEVENT":
            assert not inside
            inside = True
            events.append({})
        elif line == "END:VEVENT":
            inside = False
        elif inside:
            assert name not in events[-1], f"{name} stands there twice"
            events[-1][name] = value
    assert not inside
    for event in events:
        assert event.keys() >= {"UID", "DTSTAMP", "SEQUENCE", "STATUS", "DTSTART", "SUMMARY"}
        assert INSTANT.fullmatch(event["DTSTART"]) and INSTANT.fullmatch(event["DTSTAMP"])
        assert event["STATUS"] in ("TENTATIVE", "CONFIRMED", "CANCELLED")
        assert event["SEQUENCE"].isdigit()
        assert re.search(r"(?<!\\)(\\\\)*[;,]", event["SUMMARY"]) is None
        assert re.search(r"(?<!\\)(\\\\)*\\[^\\;,nN]", event["SUMMARY"]) is None
    assert len({event["UID"] for event in events}) == len(events)
    return events


def item(name: str) -> ScheduledItem:
    return ScheduledItem(
        uid="trn_1@holotable",
        sequence=0,
        name=name,
        starts_at=NOON,
        standing="on",
        since=NOON,
        tournament="trn_1",
    )


@pytest.mark.parametrize(
    ("name", "summary"),
    [
        ("Night", "Night"),
        ("Han, Leia; Luke", r"Han\, Leia\; Luke"),
        ("back\\slash", r"back\\slash"),
        ("x" * 120, "x" * 120),
        ("ü" * 120, "ü" * 120),
        ("🂡" * 40, "🂡" * 40),
    ],
)
def test_texts_are_escaped_and_long_lines_folded_between_characters(
    name: str, summary: str
) -> None:
    (event,) = read(calendar(name, [item(name)]))
    assert event["SUMMARY"] == summary
    assert event["DTSTART"] == "20261123T120000Z"


def test_an_empty_calendar_is_one() -> None:
    assert read(calendar("Nothing yet", [])) == []


async def key_of(person: Person) -> dict[str, Any]:
    made = await person.post("/v1/me/calendar-keys")
    assert made.status_code == 201, made.text
    return dict(made.json())


async def fetched(http: httpx.AsyncClient, path: str, key: str) -> list[dict[str, str]]:
    answer = await http.get(path, params={"key": key})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    return read(answer.content)


async def test_an_event_says_where_it_is_when_it_ends_and_what_the_league_is(
    serving, database
) -> None:
    """A tournament's own place and length go before the league's. A year ahead is shown."""
    async with serving() as api, projecting(database) as runner:
        owner, league = await api.league()
        face = {
            "name": "Bespin", "description": "Sabacc; everybody, welcome.", "place": "Deck 9",
            "length_seconds": 7200, "url": "https://bespin.example/sabacc",
        }  # fmt: skip
        told = await api.http.put(f"/v1/leagues/{league}", json=face, headers=owner.headers)
        assert told.status_code == 200, told.text
        starts = (datetime.now(UTC) + timedelta(days=330)).replace(microsecond=0)
        path = f"/v1/leagues/{league}/tournaments"
        terms = {"ruleset": "better", "starts_at": starts.isoformat()}
        await owner.post(path, terms | {"name": "Plain"}, key="plain")
        own = {"name": "Own", "place": "The casino, hall 2", "length_seconds": 60}
        await owner.post(path, terms | own, key="own")
        season = await season_in(owner, league)
        await weekly(owner, season, rrule="FREQ=WEEKLY;COUNT=1")
        await runner.catch_up()
        key = (await key_of(owner))["key"]
        events = await fetched(api.http, f"/v1/leagues/{league}/calendar.ics", key)
        found = {each["SUMMARY"]: each for each in events}
        assert len(found) == 3
        for each in events:
            assert each["DESCRIPTION"] == "Sabacc\\; everybody\\, welcome."
            assert each["URL"] == "https://bespin.example/sabacc"
        ends = {name: f"{starts + timedelta(seconds=more):%Y%m%dT%H%M%SZ}"
                for name, more in (("Plain", 7200), ("Own", 60))}  # fmt: skip
        assert {name: found[name]["DTEND"] for name in ends} == ends
        assert found["Plain"]["LOCATION"] == "Deck 9"
        assert found["Own"]["LOCATION"] == "The casino\\, hall 2"


async def test_an_occurrence_keeps_its_name_from_plan_to_tournament_and_over_edits(
    serving, database
) -> None:
    async with serving() as api, projecting(database) as runner:
        owner, league = await api.league()
        season = await season_in(owner, league)
        key = (await key_of(owner))["key"]
        path = f"/v1/leagues/{league}/calendar.ics"
        recurrence = (await weekly(owner, season, rrule="FREQ=WEEKLY;COUNT=2")).json()["id"]
        await runner.catch_up()
        planned = await fetched(api.http, path, key)
        await announced(api, league, season, recurrence)
        await runner.catch_up()
        on = await fetched(api.http, path, key)
        moved = f"/v1/tournaments/{on[0]['X-HOLOTABLE-TOURNAMENT']}/terms-changes"
        for place in ("Deck 9", "Deck 10"):
            told = {"place": place, "reason": "The hall is taken"}
            assert (await owner.post(moved, told, headers=ANY)).is_success
        await runner.catch_up()
        changed = await fetched(api.http, path, key)
        changing = f"/v1/seasons/{season}/fixtures/{recurrence}/occurrences"
        await owner.post(f"{changing}/{days_ahead(3)}", {"starts": days_ahead(4)})
        await owner.post(f"{changing}/{days_ahead(10)}", {"skipped": True})
        await announced(api, league, season, recurrence)
        await runner.catch_up()
        edited = await fetched(api.http, path, key)
        tournament = edited[0]["X-HOLOTABLE-TOURNAMENT"]
        await owner.post(f"/v1/tournaments/{tournament}/cancel")
        await runner.catch_up()
        off = await fetched(api.http, path, key)

        every = (planned, on, changed, edited, off)
        shown = [[each["STATUS"] for each in events] for events in every]
        assert shown == [
            ["TENTATIVE"] * 2,
            ["CONFIRMED"] * 2,
            ["CONFIRMED"] * 2,
            ["CONFIRMED", "CANCELLED"],
            ["CANCELLED"] * 2,
        ]
        names = [[each["UID"] for each in events] for events in every]
        assert names == [names[0]] * 5
        numbers = [[int(each["SEQUENCE"]) for each in events] for events in every]
        first, second = zip(*numbers, strict=True)
        assert first[0] == first[1] < first[2] < first[3] < first[4]
        assert second[0] == second[1] == second[2] < second[3] == second[4]
        assert edited[0]["DTSTART"] != on[0]["DTSTART"]


async def test_a_sequence_grows_with_a_change_of_terms_and_a_cancellation(
    serving, database
) -> None:
    """RFC 5545, 3.8.7.4. Otherwise a calendar keeps the old start."""
    async with serving() as api, projecting(database) as runner:
        owner, league = await api.league()
        starts = datetime.now(UTC) + timedelta(days=1)
        terms = {"name": "Night", "ruleset": "better", "starts_at": starts.isoformat()}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", terms)
        night = f"/v1/tournaments/{made.json()['id']}"
        later = {"starts_at": (starts + timedelta(hours=1)).isoformat(), "reason": "A late train"}
        key = (await key_of(owner))["key"]
        seen = []
        player = await api.join(owner, league)
        for person, way, body in (
            (player, "registrations", {}),
            (owner, "terms-changes", later),
            (owner, "cancel", {}),
        ):
            answer = await person.post(f"{night}/{way}", body, headers=ANY)
            assert answer.is_success, answer.text
            await runner.catch_up()
            seen += await fetched(api.http, f"/v1/leagues/{league}/calendar.ics", key)

        assert [int(each["SEQUENCE"]) for each in seen] == [0, 2, 3]
        assert seen[0]["DTSTART"] < seen[1]["DTSTART"] == seen[2]["DTSTART"]
        assert seen[2]["STATUS"] == "CANCELLED"


async def test_a_players_calendar_holds_what_the_player_has_entered(serving, database) -> None:
    async with serving() as api, projecting(database) as runner:
        owner, league = await api.league()
        player = await api.join(owner, league)
        starts_at = (datetime.now(UTC) + timedelta(days=1)).isoformat()
        made = [
            await owner.post(
                f"/v1/leagues/{league}/tournaments",
                {"name": name, "ruleset": "better", "starts_at": starts_at},
            )
            for name in ("Mine", "Theirs")
        ]
        mine = made[0].json()["id"]
        await player.post(f"/v1/tournaments/{mine}/registrations")
        await runner.catch_up()
        (event,) = await fetched(api.http, "/v1/me/calendar.ics", (await key_of(player))["key"])
        assert (event["SUMMARY"], event["STATUS"]) == ("Mine", "CONFIRMED")
        owners = await fetched(api.http, "/v1/me/calendar.ics", (await key_of(owner))["key"])
        assert owners == []


async def test_a_key_opens_calendars_of_its_owner_and_nothing_else(serving, database) -> None:
    async with serving() as api:
        owner, league = await api.league()
        stranger = await api.person()
        key, foreign = [(await key_of(each))["key"] for each in (owner, stranger)]
        path = f"/v1/leagues/{league}/calendar.ics"
        assert (await api.http.get(path, params={"key": key})).status_code == 200
        refused = [
            await api.http.get(path, params={"key": foreign}),
            await api.http.get(path),
            await api.http.get(path, params={"key": key[:-1]}),
            await api.http.get("/v1/me", params={"key": key}),
            await api.http.get("/v1/me", headers={"Authorization": f"Bearer {key}"}),
            await api.http.get(f"/v1/leagues/lge_{'0' * 32}/calendar.ics", params={"key": key}),
        ]
        assert [each.status_code for each in refused] == [404, 401, 401, 401, 401, 404]


async def test_who_waits_for_an_expansion_holds_no_connection_meanwhile(
    serving, database, monkeypatch
) -> None:
    held: list[int] = []

    async with serving() as api, projecting(database) as runner:
        expanded, pool = listing._expanded, api.app.shell.engine.pool

        def observed(*args: Any) -> Any:
            held.append(pool.checkedout())
            return expanded(*args)

        monkeypatch.setattr(listing, "_expanded", observed)
        owner, league = await api.league()
        assert (await weekly(owner, await season_in(owner, league))).status_code == 201
        path, public = f"/v1/leagues/{league}", f"/v1/public/leagues/{league}"
        shown = await api.http.put(
            f"{path}/visibility", json={"visibility": "public"}, headers=owner.headers
        )
        assert shown.status_code == 200, shown.text
        await runner.catch_up()
        assert await fetched(api.http, f"{path}/calendar.ics", (await key_of(owner))["key"])
        for each in (f"{path}/schedule", "/v1/me/schedule"):
            assert (await owner.get(each)).json()["items"]
        assert (await api.http.get(f"{public}/schedule")).json()["items"]
    assert held == [0, 0, 0, 0]


async def test_a_key_is_made_once_for_a_retry_and_can_be_ended(serving) -> None:
    async with serving() as api:
        owner, _ = await api.league()
        other = await api.person()
        one, again = [
            (await owner.post("/v1/me/calendar-keys", key="once")).json() for _ in range(2)
        ]
        assert again == one | {"key": None, "path": None}
        assert (await api.http.get(one["path"])).status_code == 200
        ending = f"/v1/me/calendar-keys/{one['id']}"
        assert (await api.http.delete(ending, headers=other.headers)).status_code == 404
        assert (await api.http.delete(ending, headers=owner.headers)).status_code == 204
        assert (await api.http.get(one["path"])).status_code == 401
        (listed,) = (await owner.get("/v1/me/calendar-keys")).json()["items"]
        assert listed["revoked_at"] is not None
        assert "key" not in listed


async def test_a_calendar_that_has_not_changed_is_not_sent_again(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        params = {"key": (await key_of(owner))["key"]}
        path = f"/v1/leagues/{league}/calendar.ics"
        tag = (await api.http.get(path, params=params)).headers["etag"]
        again = await api.http.get(path, params=params, headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
