"""Changes of announced terms over HTTP: their effects, their refusals, and races with players."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from engine.values import stream_of
from service.cli import repair
from service.director.runtime import open_runtime
from service.log.read import read_last_of_types
from tests.service.api.conftest import ANY
from tests.service.api.proof.test_evidence import KEY, project, signing
from tests.service.api.tournament.test_casino import play_out
from tests.service.api.tournament.test_entering import announced, at, enter, refused
from tests.service.audit.test_audit import audited, faults
from tests.service.league_night import utcnow
from tests.support.databases import TestDatabase
from tests.verifier.loading import verifier

pytestmark = pytest.mark.anyio

__all__ = ["signing"]

WHY = {"reason": "More players than we thought."}


async def change(person: Any, path: str, key: str | None = None, **asked: Any) -> Any:
    """Change terms, whatever version is the newest."""
    return await person.post(f"{path}/terms-changes", WHY | asked, key=key, headers=ANY)


async def test_more_places_and_a_later_start_reach_the_waitlist_lists_and_calendars(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        terms = {"entrants_max": 2, "entry": {"waitlist": True}, "starts_at": at(3600)}
        owner, league, tournament, people = await announced(api, 4, **terms)
        path = f"/v1/tournaments/{tournament}"
        for person in people:
            assert (await enter(person, tournament)).is_success
        later = at(7200)
        asked = {"starts_at": later, "entrants_max": 3, "place": "The back room"}
        tried = await owner.post(f"{path}/terms-changes?dry_run=true", WHY | asked)
        assert tried.status_code == 200, tried.text
        told = tried.json()["tournaments"][tournament]["terms"]
        assert (told["before"]["entrants_max"], told["after"]["entrants_max"]) == (2, 3)
        assert tried.json()["events"] == ["terms_changed", "place_offered"]
        assert (await owner.get(path)).json()["entrants_max"] == 2

        done = await change(owner, path, "more", **asked)
        assert done.status_code == 201, done.text
        assert done.json()["events"] == ["terms_changed", "place_offered"]
        again = await change(owner, path, "more", **asked)
        assert again.json() == done.json()
        shown = (await owner.get(path)).json()
        assert datetime.fromisoformat(shown["starts_at"]) == datetime.fromisoformat(later)
        assert (shown["entrants_max"], shown["place"]) == (3, "The back room")
        assert shown["ruleset_name"] == "better"
        offered = [each for each in shown["entrants"] if each["status"] == "offered"]
        assert [each["player"] for each in offered] == [people[2].player]
        (event,) = [
            each["data"]
            for each in (await people[0].get(f"{path}/events?limit=200")).json()["items"]
            if each["type"] == "terms_changed"
        ]
        assert event["by"] == owner.player
        text = (await people[0].get(f"/v1/texts/{event['reason']['text']}")).json()
        assert text["text"] == WHY["reason"]

        (told_of,) = (await people[0].get(f"{path}/terms-changes")).json()["items"]
        assert (told_of["number"], told_of["by"]) == (1, owner.player)
        assert told_of["reason"] == WHY["reason"]
        changed = {each["member"]: (each["before"], each["after"]) for each in told_of["changed"]}
        assert sorted(changed) == ["entrants_max", "place", "starts_at"]
        assert changed["entrants_max"] == (2, 3) and changed["place"] == (None, "The back room")
        assert abs(datetime.fromisoformat(told_of["at"]) - utcnow()) < timedelta(minutes=1)
        await change(owner, path, entry={"waitlist": False})
        newest, older = (await owner.get(f"{path}/terms-changes")).json()["items"]
        assert older == told_of and newest["number"] == 2
        assert newest["changed"] == [
            {"member": "entry.waitlist", "before": True, "after": False},
        ]
        await change(owner, path, entry={"waitlist": True})

        await project(database)
        (row,) = (await owner.get(f"/v1/leagues/{league}/tournaments")).json()["items"]
        assert (row["entrants_max"], row["place"]) == (3, "The back room")
        span = {"to": (utcnow() + timedelta(days=2)).isoformat()}
        planned = (await owner.get(f"/v1/leagues/{league}/schedule", params=span)).json()["items"]
        assert [each["starts_at"] for each in planned] == [shown["starts_at"]]
        assert (await people[0].post(f"{path}/start")).status_code == 403
        left = (await enter(people[3], tournament)).json()
        assert left["code"] == "already_entered"
        report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_changes_are_listed_by_pages_and_without_those_that_were_voided(
    serving, database: TestDatabase
) -> None:
    """The process that serves has applied the event before it is voided."""
    async with serving() as api:
        owner, league, tournament, _ = await announced(api, 1)
        path = f"/v1/tournaments/{tournament}"
        for place in ("The hut", "The barn", "The back room"):
            assert (await change(owner, path, place=place)).status_code == 201
        here = f"{path}/terms-changes"
        listed = (await owner.get(here)).json()["items"]
        assert [each["number"] for each in listed] == [3, 2, 1]
        assert listed == sorted(listed, key=lambda each: each["at"], reverse=True)
        paged, cursor = [], ""
        while cursor is not None:
            page = (await owner.get(f"{here}?limit=1{cursor and f'&cursor={cursor}'}")).json()
            paged += page["items"]
            cursor = page["next_cursor"]
        assert paged == listed

        async with open_runtime(database.settings("holotable_api")) as other:
            (row,) = await read_last_of_types(
                other.pool, league, stream_of(tournament), ["terms_changed"], 0, 1
            )
            sound = repair.VoidedPosition(
                position=row.position,
                stream=row.stream,
                version=row.stream_version,
                hash=row.hash.hex(),
                fails="hash",
            )
            await repair._void(other, league, [sound])
        left = await owner.get(here)
        assert left.status_code == 200, left.text
        assert left.json()["items"] == listed[1:]


async def test_a_change_demands_its_version_its_key_and_its_reason(serving) -> None:
    async with serving() as api:
        owner, _, tournament, (person,) = await announced(api, 1)
        path = f"/v1/tournaments/{tournament}/terms-changes"
        asked = WHY | {"entrants_max": 40}
        no = await owner.post(path, asked)
        assert (no.status_code, no.json()["code"]) == (428, "precondition_required")
        no = await owner.post(path, asked, headers={"If-Match": '"1"'})
        assert (no.status_code, no.json()["code"]) == (412, "stream_version_conflict")
        bare = owner.headers | ANY
        no = await owner.http.post(path, json=asked, headers=bare)
        assert no.json()["code"] == "idempotency_key_required"
        no = await owner.post(path, {"entrants_max": 40}, headers=ANY)
        assert no.json()["code"] == "validation_failed"
        for wrong in (
            {"ruleset": "classic"},
            {"starting_stack": 5},
            {"entrants_max": 1},
            {"name": None},
            {"entry": {"late": 1}},
            {"starts_at": "1999-01-01T00:00:00Z"},
        ):
            no = await owner.post(path, WHY | wrong, headers=ANY)
            assert (no.status_code, no.json()["code"]) == (400, "validation_failed"), no.text
            (error,) = no.json()["errors"]
            told = error["pointer"] + error["detail"]
            assert next(iter(wrong)) in told or "year" in told
        no = await person.post(path, asked, headers=ANY)
        assert (no.status_code, no.json()["code"]) == (403, "forbidden")
        await enter(owner, tournament)
        no = await owner.post(path, asked, headers=ANY)
        assert (no.status_code, no.json()["code"]) == (403, "forbidden")


async def test_members_inside_fees_and_entry_stay_unless_they_are_named(serving) -> None:
    async with serving() as api:
        fees = {"buy_in": 500, "guaranteed": 900, "rebuy": None}
        terms = {"fees": fees, "currency": "EUR", "entry": {"waitlist": True, "offer_seconds": 60}}
        owner, _, tournament, people = await announced(api, 1, **terms)
        path = f"/v1/tournaments/{tournament}"
        done = await change(
            owner, path, fees={"guaranteed": 1200}, entry={"late_registration_seconds": 600}
        )
        assert done.status_code == 201, done.text
        shown = (await owner.get(path)).json()
        assert (shown["fees"]["buy_in"], shown["fees"]["guaranteed"]) == (500, 1200)
        entry = shown["entry"]
        assert (entry["waitlist"], entry["offer_seconds"]) == (True, 60)
        assert entry["late_registration_seconds"] == 600
        assert (await change(owner, path, entry={"late_registration_seconds": None})).is_success
        assert (await owner.get(path)).json()["entry"]["late_registration_seconds"] is None
        assert (await enter(people[0], tournament)).is_success
        no = await change(owner, path, fees={"buy_in": 400})
        assert refused(no, "fees_fixed")
        assert (no.json()["rule"], no.json()["field"]) == ("terms.fees", "fees.buy_in")
        assert (await owner.post(f"{path}/registration/close")).is_success
        assert refused(await change(owner, path, fees={"guaranteed": 1000}), "prizes_fixed")


async def test_a_start_and_a_change_of_the_start_at_once_leave_one_winner(
    serving, database: TestDatabase
) -> None:
    """Play began before the change and it is refused, or the start obeys the new terms."""
    async with serving() as api:
        for _ in range(3):
            owner, league, tournament, people = await announced(api, 3, starts_at=at(3600))
            path = f"/v1/tournaments/{tournament}"
            for person in people:
                assert (await enter(person, tournament)).is_success
            later = at(9000)
            tag = (await owner.get(path)).headers["etag"]
            started, changed = await asyncio.gather(
                owner.post(f"{path}/start"),
                owner.post(
                    f"{path}/terms-changes",
                    WHY | {"starts_at": later},
                    headers={"If-Match": tag},
                ),
            )
            assert started.status_code == 202, started.text
            types = [
                each["type"]
                for each in (await owner.get(f"{path}/events?limit=200")).json()["items"]
            ]
            if changed.status_code == 201:
                assert types.index("terms_changed") < types.index("play_started")
            else:
                assert changed.json()["code"] in ("stream_version_conflict", "start_fixed")
                assert "terms_changed" not in types
            assert types.count("play_started") == 1
            assert refused(await change(owner, path, starts_at=at(9999)), "start_fixed")
        assert faults(await audited(database, league)) == {}


async def test_entries_and_a_smaller_number_of_places_at_once_lose_nobody(serving) -> None:
    async with serving() as api:
        terms = {"entrants_max": 5, "entry": {"waitlist": True}}
        owner, _, tournament, people = await announced(api, 6, **terms)
        path = f"/v1/tournaments/{tournament}"
        *answers, changed = await asyncio.gather(
            *(enter(person, tournament, key=uuid4().hex) for person in people[:5]),
            change(owner, path, entrants_max=3),
        )
        assert changed.status_code in (201, 412), changed.text
        if changed.status_code == 412:
            assert (await change(owner, path, entrants_max=3)).status_code == 201
        entered = {each.json()["entrant"] for each in answers if each.is_success}
        assert len(entered) == 5
        status = (await enter(people[5], tournament)).json()["status"]
        assert status == "waitlisted"
        shown = (await owner.get(path)).json()["entrants"]
        assert entered <= {each["id"] for each in shown}
        places = [each for each in shown if each["status"] == "registered"]
        assert 3 <= len(places) <= 5


async def away(api: Any) -> None:
    """Have the API be away for a moment, until now."""
    await asyncio.sleep(0.01)
    await api.app.shell.pool.execute(
        "INSERT INTO outage VALUES ('api', clock_timestamp() - interval '9 milliseconds',"
        " clock_timestamp())"
    )


async def test_a_night_with_changed_terms_is_audited_and_its_bundle_verified(
    serving, signing: Callable[[], Any], database: TestDatabase
) -> None:
    async with serving() as api, signing() as sign:
        terms = {"starting_stack": 100, "currency": "EUR", "prize_pool": 500, "payouts": [60, 40]}
        terms |= {"fees": {"buy_in": 1000}, "table_seats": 4, "hands_between_seconds": 0}
        entry = {"waitlist": True, "check_in_opens_before_seconds": 7200}
        entry |= {"late_registration_seconds": 600}
        more = terms | {"entrants_max": 3, "entry": entry, "starts_at": at(3600)}
        owner, league, tournament, people = await announced(api, 5, **more)
        path = f"/v1/tournaments/{tournament}"
        for person in people[:4]:
            assert (await enter(person, tournament)).is_success
        registered = (await owner.get(f"{path}/registrations")).json()["items"]
        here = [each["entrant"] for each in registered]
        for entrant in here[:2]:
            assert (await owner.post(f"{path}/registrations/{entrant}/check-in")).is_success
        week = await change(owner, path, starts_at=at(7 * 86_400), entrants_max=4)
        assert week.json()["events"] == ["terms_changed", "place_offered"]
        await away(api)
        taken = await people[3].post(f"{path}/offers", {"accepted": True})
        assert taken.json()["events"] == ["offer_extended", "entrant_registered"]
        assert (await change(owner, path, starts_at=at(3600), entrants_max=2)).is_success
        for entrant in here[:3]:
            assert (await owner.post(f"{path}/registrations/{entrant}/check-in")).is_success
        assert (await owner.post(f"{path}/start")).is_success
        grown = await change(
            owner, path, entrants_max=4, prize_pool=900, entry={"late_registration_seconds": 9000}
        )
        assert grown.status_code == 201, grown.text
        shown = (await owner.get(path)).json()
        until = datetime.fromisoformat(shown["late_registration_until"])
        assert until > utcnow() + timedelta(hours=2)
        await away(api)
        assert (await enter(people[4], tournament)).json()["status"] == "registered"
        longer = {"late_registration_seconds": 9600}
        assert (await change(owner, path, entry=longer)).is_success
        shown = (await owner.get(path)).json()
        moved = datetime.fromisoformat(shown["late_registration_until"]) - until
        assert moved > timedelta(seconds=600), "an outage has moved it too"
        assert (await owner.post(f"{path}/registration/close")).is_success
        table = shown["tables"][0]["id"]

        await play_out(owner, tournament, people, table)
        paid = [each["payout"] or 0 for each in (await owner.get(path)).json()["entrants"]]
        assert sum(paid) == 4 * 1000 + 900
        report = await audited(database, league)
        assert faults(report) == {}, report.text()
        await sign(league)
        bundle = (await owner.get(f"{path}/bundle")).content
        found = verifier.verify(bundle, [verifier.read_key(KEY.verifier_key())])
        assert found.authentic and found.differences == []


async def test_a_place_that_is_free_during_play_passes_the_banned_by(
    serving, database: TestDatabase
) -> None:
    """It would go to them by itself, or when they check in."""
    async with serving() as api:
        entry = {
            "waitlist": True,
            "check_in_opens_before_seconds": 7200,
            "late_registration_seconds": 3600,
        }
        terms = {"entrants_max": 2, "table_seats": 6, "entry": entry}
        owner, league, tournament, people = await announced(api, 6, **terms)
        path = f"/v1/tournaments/{tournament}"
        mine = [(await enter(person, tournament)).json()["entrant"] for person in people]
        for person in people[:4]:
            assert (await person.post(f"{path}/check-ins")).is_success
        assert (await owner.post(f"{path}/start")).status_code == 202

        async def ban(person: Any) -> None:
            banned = await owner.http.put(
                f"/v1/leagues/{league}/bans/{person.player}",
                json={"reason": "Cheated elsewhere."},
                headers=owner.headers,
            )
            assert banned.is_success, banned.text

        await ban(people[2])
        more = await change(owner, path, entrants_max=3)
        assert more.json()["events"][:4] == [
            "waitlist_left", "terms_changed", "waitlist_taken", "entrant_registered",
        ]  # fmt: skip
        assert (await change(owner, path, entrants_max=4)).json()["events"] == ["terms_changed"]
        await ban(people[4])
        assert refused(await people[4].post(f"{path}/check-ins"), "player_banned")
        came = (await people[5].post(f"{path}/check-ins")).json()
        assert came["events"][:3] == ["waitlist_left", "entrant_checked_in", "waitlist_taken"]
        assert came["entrant"] == mine[5]
        shown = (await owner.get(path)).json()["entrants"]
        seated = {each["id"] for each in shown if each["status"] in ("playing", "registered")}
        assert seated == {mine[0], mine[1], mine[3], mine[5]}, shown
    assert faults(await audited(database, league)) == {}
