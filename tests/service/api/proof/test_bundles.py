"""Bundles over HTTP: their contents, their audiences, and a root equal to the signed one."""

import json
from base64 import b64decode
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import asyncpg
import pytest

from engine.kit.audiences import STAFF_ONLY
from tests.service.api.conftest import ANY
from tests.service.api.proof.test_evidence import cut, project, signing
from tests.service.api.tournament import test_corrections as corrections
from tests.service.api.tournament.test_casino import play_until
from tests.service.api.tournament.test_entering import announced, at, enter
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

__all__ = ["signing"]


def parsed(text: bytes) -> list[dict[str, Any]]:
    """Return the parsed lines, after a check that each has its canonical form."""
    lines = text.split(b"\n")
    assert lines.pop() == b""
    found = [json.loads(line) for line in lines]
    for line, value in zip(lines, found, strict=True):
        written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert written.encode() == line
    return found


def of(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["line"] == kind]


def root(lines: list[dict[str, Any]], leaves: dict[int, bytes], size: int) -> bytes:
    """Return the root of the tree from nodes and leaves, by the definition in RFC 6962."""
    nodes = {
        (node["first"], node["end"]): bytes.fromhex(node["hash"]) for node in of(lines, "node")
    }

    def over(first: int, end: int) -> bytes:
        if (first, end) in nodes:
            return nodes.pop((first, end))
        if end - first == 1:
            return leaves.pop(first)
        middle = first + (1 << ((end - first - 1).bit_length() - 1))
        return sha256(b"\x01" + over(first, middle) + over(middle, end)).digest()

    found = over(0, size)
    assert nodes == {} and leaves == {}, "something is not in the tree"
    return found


async def a_night(
    api: Any, database: TestDatabase, sign: Callable[..., Any], **terms: Any
) -> tuple[Any, ...]:
    """Play one hand of three. Return owner, league, tournament, people and the hand."""
    owner, league, tournament, people, table = await api.playing(3, hands_max=1, **terms)

    async def finished() -> bool:
        state = (await owner.get(f"/v1/tournaments/{tournament}")).json()["state"]
        closed = (await owner.get(f"/v1/tables/{table}")).json()["closed"]
        return bool(state == "finished" and closed)

    await play_until(people, table, finished)
    await project(database)
    hands = (await owner.get(f"/v1/tables/{table}/hands")).json()["items"]
    await sign(league)
    assert [each["number"] for each in hands] == [1]
    return owner, league, tournament, people, hands[0]["hand"]


async def test_the_root_follows_from_the_lines_of_a_bundle(
    serving, signing: Callable[[], Any], database: TestDatabase
) -> None:
    async with serving() as api, signing() as sign:
        owner, league, tournament, _, hand = await a_night(api, database, sign)
        for path in (f"/v1/hands/{hand}/bundle", f"/v1/tournaments/{tournament}/bundle"):
            answer = await owner.get(path)
            assert answer.status_code == 200, answer.text
            lines = parsed(answer.content)
            end = lines[-1]
            body = answer.content[: answer.content.rindex(b'{"line":"end"')]
            assert end["lines"] == len(lines) - 1
            assert end["sha256"] == sha256(body).hexdigest()
            _, size, text = of(lines, "checkpoint")[0]["note"][:3]
            leaves = await hashes(database, league)
            told = {each["position"]: leaves[each["position"]] for each in of(lines, "event")}
            assert root(lines, told, int(size)) == b64decode(text)
        events = of(parsed((await owner.get(path)).content), "event")
        assert {each["stream"].partition("-")[0] for each in events} == {
            "league",
            "tournament",
            "table",
        }


async def hashes(database: TestDatabase, league: str) -> list[bytes]:
    """Return every event's hash from the log."""

    connection = await asyncpg.connect(database.url("holotable_audit"))
    try:
        rows = await connection.fetch("SELECT league, hash FROM events ORDER BY league, position")
    finally:
        await connection.close()
    return [row["hash"] for row in rows if f"lge_{row['league'].hex}" == league]


async def test_everybody_opens_what_was_shown_to_them_and_nothing_else(
    serving, signing: Callable[[], Any], database: TestDatabase
) -> None:
    async with serving() as api, signing() as sign:
        owner, _, tournament, people, hand = await a_night(api, database, sign)
        public = parsed((await owner.get(f"/v1/hands/{hand}/bundle")).content)
        assert (public[0]["viewer"], of(public, "opening")) == ("public", [])
        seen = []
        for person in people:
            lines = parsed((await person.get(f"/v1/hands/{hand}/bundle")).content)
            assert lines[0]["viewer"].startswith("ent_"), lines[0]
            cards = [each for each in of(lines, "opening") if isinstance(each["value"], str)]
            dealt = {each["value"] for each in cards}
            assert len(dealt) >= 5
            seen.append(dealt)
        assert not seen[0] & seen[1] and not seen[1] & seen[2]
        whole = parsed((await people[0].get(f"/v1/tournaments/{tournament}/bundle")).content)
        opened = {each["position"] for each in of(whole, "opening")}
        (masters,) = [each for each in of(whole, "event") if each["type"] == "registration_opened"]
        assert masters["position"] not in opened


async def test_what_is_still_played_or_not_signed_is_not_bundled(
    serving, signing: Callable[[], Any], database: TestDatabase
) -> None:
    async with serving() as api, signing() as sign:
        owner, league, tournament, people, table = await api.playing(2)
        await project(database)
        await sign(league)
        refused = await owner.get(f"/v1/tournaments/{tournament}/bundle")
        assert (refused.status_code, refused.json()["code"]) == (409, "not_over")
        hand = (await people[0].get(f"/v1/tables/{table}")).json()["hand"]
        refused = await owner.get(f"/v1/hands/{hand}/bundle")
        assert (refused.status_code, refused.json()["code"]) == (409, "not_over")
        stranger = await api.person()
        refused = await stranger.get(f"/v1/hands/{hand}/bundle")
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")


async def test_a_season_is_taken_away_as_the_public_or_as_an_entry_of_ones_own(
    serving, signing: Callable[[], Any], database: TestDatabase
) -> None:
    async with serving() as api, signing() as sign:
        owner, league, season, tournament, people = await corrections.a_night(api, database)
        asked = f"/v1/seasons/{season}/bundle"
        early = await owner.get(asked)
        later = {"name": "Next week", "ruleset": "better", "season": season, "draft": True}
        draft = (await owner.post(f"/v1/leagues/{league}/tournaments", later)).json()["id"]
        made = await owner.post(f"/v1/leagues/{league}/tournaments", later | {"draft": False})
        announced_too = f"tournament-{made.json()['id'][4:]}"
        head = await sign(league)
        unseen = [
            await person.get(f"/v1/tournaments/{draft}/bundle") for person in (owner, people[0])
        ]
        entered = (await owner.get(f"/v1/tournaments/{tournament}/registrations")).json()["items"]
        by_player = {each["player"]: each["entrant"] for each in entered}
        mine = by_player[people[0].player]
        public = await people[0].get(asked)
        own = await people[0].get(f"{asked}?entrant={mine}")
        foreign = await people[1].get(f"{asked}?entrant={mine}")
        stranger = await (await api.person()).get(asked)

    assert (early.status_code, early.json()["code"]) == (409, "not_signed_yet")
    assert (foreign.status_code, foreign.json()["code"]) == (400, "validation_failed")
    assert (stranger.status_code, stranger.json()["code"]) == (404, "not_found")
    assert [each.status_code for each in unseen] == [409, 404]
    leaves = await hashes(database, league)
    for answer, viewer in ((public, "public"), (own, mine)):
        lines = parsed(answer.content)
        assert answer.headers["content-disposition"] == f'attachment; filename="{season}.bundle"'
        assert (lines[0]["kind"], lines[0]["viewer"]) == ("season", viewer)
        told = {each["position"]: leaves[each["position"]] for each in of(lines, "event")}
        assert root(lines, told, head.size) == head.root
        streams = {each["stream"].partition("-")[0] for each in of(lines, "event")}
        assert streams == {"league", "season", "tournament", "table"}
        there = {each["position"] for each in of(lines, "event") if each["stream"] == announced_too}
        assert there and not there & {each["position"] for each in of(lines, "opening")}
        assert f"tournament-{draft[4:]}" not in {each.get("stream") for each in lines}
        opened = [each for each in of(lines, "opening") if isinstance(each["value"], str)]
        assert len(of(lines, "leaves")) >= 1 and bool(opened) == (viewer == mine)


async def test_a_bundle_is_refused_when_what_its_head_covers_is_gone(
    serving, signing: Callable[[], Any], database: TestDatabase
) -> None:
    """The hand is whole, but the events between it and the signed root are gone."""
    async with serving() as api, signing() as sign:
        owner, league, tournament, _, hand = await a_night(api, database, sign)
        position = (await owner.get(f"/v1/hands/{hand}")).json()["last_position"]
        await cut(database, league, position + 1)
        refused = await owner.get(f"/v1/hands/{hand}/bundle")
        unfinished = await owner.get(f"/v1/tournaments/{tournament}/bundle")

    assert (refused.status_code, refused.json()["code"]) == (409, "log_incomplete")
    assert (unfinished.status_code, unfinished.json()["code"]) == (409, "not_over")


async def test_a_bundle_keeps_back_what_a_feed_keeps_back(
    serving, signing: Callable[[], Any], database: TestDatabase
) -> None:
    """Feeds and bundles show drafts, refusals and single entrants' money to staff only."""
    fees = {"buy_in": 500, "payment": "recorded"}
    terms = {"entry": {"approval": True}, "fees": fees, "currency": "EUR"}
    async with serving() as api, signing() as sign:
        owner, league, tournament, (one, two) = await announced(api, 2, draft=True, **terms)
        path = f"/v1/tournaments/{tournament}"
        told = {"ruleset": "better", "starts_at": at(3600)} | terms
        for name in ("A name that was dropped", "Day"):
            revised = await owner.http.put(
                f"{path}/terms", json=told | {"name": name}, headers=owner.headers | ANY
            )
            assert revised.status_code == 200, revised.text
        assert (await owner.post(f"{path}/announce")).status_code == 200
        asked = [(await enter(person, tournament)).json()["entrant"] for person in (one, two)]
        approved = await owner.post(f"{path}/registrations/{asked[0]}/approve")
        assert approved.status_code == 200, approved.text
        why = {"reason": "not this time"}
        assert (await owner.post(f"{path}/registrations/{asked[1]}/refuse", why)).status_code == 200
        paid = {"entrant": asked[0], "kind": "buy_in", "amount": 500}
        assert (await owner.post(f"{path}/payments", paid, key="paid")).status_code == 201
        assert (await owner.post(f"{path}/cancel", {}, key="off")).status_code == 200
        await project(database)
        await sign(league)
        feeds, bundles = [], []
        for person in (owner, one, two):
            items = (await person.get(f"{path}/events?limit=200")).json()["items"]
            feeds.append({each["version"]: each["data"] != {} for each in items})
            answer = await person.get(f"{path}/bundle")
            assert answer.status_code == 200, answer.text
            bundles.append(answer.content)
        archive = await owner.get(f"/v1/leagues/{league}/archive")

    with ZipFile(BytesIO(archive.content)) as taken:
        log = [json.loads(line) for line in taken.read("log.ndjson").splitlines()]
    log = [each for each in log if each["stream"] == f"tournament-{tournament[4:]}"]
    kept = {each["stream_version"]: each["type"] in STAFF_ONLY for each in log}
    assert sorted(each["type"] for each in log if each["type"] in STAFF_ONLY) == [
        "entry_refused", "entry_requested", "entry_requested", "payment_recorded",
        "refunds_awarded", "terms_revised", "terms_revised", "tournament_drafted",
    ]  # fmt: skip
    assert all(json.loads(each["data"]) for each in log)
    assert feeds[0] == dict.fromkeys(kept, True)
    assert feeds[1] == feeds[2] == {version: not secret for version, secret in kept.items()}
    for raw in bundles:
        lines = parsed(raw)
        whole = {
            each["version"] for each in of(lines, "event") if each["stream"] != log[0]["stream"]
        }
        shown = {
            each["version"]: each["line"] == "event"
            for each in lines
            if each.get("stream") == log[0]["stream"]
        }
        assert whole == {1}
        assert shown == feeds[1]
        for secret in (asked[1], two.player, "A name that was dropped", "not this time"):
            assert secret.encode() not in raw
