"""Entering over HTTP: drafts, approval, the waitlist, check-in and late registration."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.service.api.conftest import ANY
from tests.service.api.nights import project, start_by_clock
from tests.service.api.tournament.test_casino import play_until
from tests.service.audit.test_audit import audited, faults
from tests.service.league_night import utcnow
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


def at(seconds: float) -> str:
    return (utcnow() + timedelta(seconds=seconds)).isoformat()


async def announced(api: Any, players: int, **terms: Any) -> tuple[Any, str, str, list[Any]]:
    """Announce a tournament. Return owner, league, tournament and people who may enter."""
    owner, league = await api.league()
    people = [await api.join(owner, league) for _ in range(players)]
    asked = {"name": "Night", "ruleset": "better", "starts_at": at(3600)} | terms
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    assert made.status_code == 201, made.text
    return owner, league, made.json()["id"], people


async def enter(person: Any, tournament: str, **more: Any) -> Any:
    return await person.post(f"/v1/tournaments/{tournament}/registrations", **more)


async def entry_of(person: Any, tournament: str) -> dict[str, Any]:
    """Return the caller's own entry from the list of entries."""
    listed = (await person.get(f"/v1/tournaments/{tournament}/registrations")).json()["items"]
    found: dict[str, Any] = next(each for each in listed if each["player"] == person.player)
    return found


def refused(answer: Any, code: str) -> bool:
    return (answer.status_code, answer.json()["code"]) == (409, code)


async def test_a_late_player_gets_a_full_stack_and_a_drawn_seat(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        late = {"entry": {"late_registration_seconds": 3600, "re_entries_max": 1}}
        owner, league, tournament, people, table = await api.playing(
            2, table_seats=4, starting_stack=100, **late
        )
        newcomer = await api.join(owner, league)
        entered = await enter(newcomer, tournament, key="late")
        assert entered.status_code == 201, entered.text
        assert entered.json()["status"] == "registered"
        again = await enter(newcomer, tournament, key="late")
        assert (again.status_code, again.json()["entrant"]) == (201, entered.json()["entrant"])
        assert refused(await enter(newcomer, tournament), "already_entered")

        async def seated() -> bool:
            seats = (await owner.get(f"/v1/tables/{table}")).json()["seats"]
            return any(seat["entrant"] == entered.json()["entrant"] for seat in seats)

        await play_until([*people, newcomer], table, seated)
        feed = (await owner.get(f"/v1/tournaments/{tournament}/events?limit=200")).json()["items"]
        drawn = next(each["data"] for each in feed if each["type"] == "late_seat_drawn")
        places = drawn["draw"]["candidates"]
        assert {"table": table, "seat": drawn["seat"]} in places
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        assert shown["late_registration"]
        closed = await owner.post(f"/v1/tournaments/{tournament}/registration/close")
        assert closed.json()["events"] == ["late_registration_closed"]
        stranger = await api.join(owner, league)
        assert refused(await enter(stranger, tournament), "registration_closed")
    assert faults(await audited(database, league)) == {}


async def test_a_table_is_added_when_every_seat_is_taken(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, tournament, people, _ = await api.playing(
            3,
            table_seats=3,
            starting_stack=100,
            overrides={"escalation": {"kind": "none"}},
            entry={"late_registration_seconds": 3600},
        )
        newcomer = await api.join(owner, league)
        assert (await enter(newcomer, tournament)).status_code == 201
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        assert [each["number"] for each in shown["tables"]] == [1, 2]
        tables = [each["id"] for each in shown["tables"]]

        async def company() -> bool:
            """Return True once a table was added and a player moved, or a table broke."""
            feed = await owner.get(f"/v1/tournaments/{tournament}/events?limit=200")
            types = {each["type"] for each in feed.json()["items"]}
            return "table_added" in types and bool(types & {"entrants_moved", "table_broken"})

        await play_until([*people, newcomer], tables[0], company)
    assert faults(await audited(database, league)) == {}


async def test_the_line_is_asked_in_order_and_an_offer_runs_out(serving) -> None:
    async with serving() as api:
        terms = {"entrants_max": 2, "entry": {"waitlist": True, "offer_seconds": 600}}
        _, _, tournament, people = await announced(api, 5, **terms)
        for person in people[:4]:
            assert (await enter(person, tournament)).status_code == 201
        assert (await entry_of(people[3], tournament))["line"] == 2
        offers = f"/v1/tournaments/{tournament}/offers"
        assert refused(await people[2].post(offers, {"accepted": True}), "no_offer")
        left = await people[0].post(f"/v1/tournaments/{tournament}/withdrawals", key="leave")
        assert left.json()["status"] == "withdrawn"
        assert (await entry_of(people[2], tournament))["status"] == "offered"
        waiting = await enter(people[4], tournament)
        assert waiting.json()["status"] == "waitlisted"
        declined = await people[2].post(offers, {"accepted": False}, key="no")
        assert declined.json()["events"] == ["waitlist_left", "place_offered"]
        again = await people[2].post(offers, {"accepted": False}, key="no")
        assert again.json()["events"] == declined.json()["events"]
        taken = await people[3].post(offers, {"accepted": True})
        assert taken.json()["events"] == ["entrant_registered"]
        assert (await entry_of(people[3], tournament))["status"] == "registered"


async def test_a_director_approves_and_refuses_and_only_the_staff_reads_why(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people = await announced(api, 2, entry={"approval": True})
        asked = [(await enter(person, tournament)).json() for person in people]
        assert [each["status"] for each in asked] == ["requested", "requested"]
        entries = [f"/v1/tournaments/{tournament}/registrations/{e['entrant']}" for e in asked]
        assert (await people[0].post(f"{entries[0]}/approve")).status_code == 403
        approved = await owner.post(f"{entries[0]}/approve")
        assert approved.json()["events"] == ["entry_approved", "entrant_registered"]
        no = await owner.post(f"{entries[1]}/refuse", {"reason": "Owes the bar money."})
        assert no.json()["events"] == ["entry_refused"]
        feed = (await owner.get(f"/v1/tournaments/{tournament}/events?limit=200")).json()["items"]
        (why,) = [
            each["data"]["reason"]["text"] for each in feed if each["type"] == "entry_refused"
        ]
        read = await owner.get(f"/v1/texts/{why}")
        assert read.json()["text"] == "Owes the bar money."
        for person in people:  # the applicant is not told either
            assert (await person.get(f"/v1/texts/{why}")).status_code == 404
        assert refused(await enter(people[1], tournament), "entry_refused")
        assert (await entry_of(people[1], tournament))["status"] == "refused"
        seen = (await people[0].get(f"/v1/tournaments/{tournament}/registrations")).json()
        assert [each["player"] for each in seen["items"]] == [people[0].player]
        nobody = f"/v1/tournaments/{tournament}/registrations/ent_{'0' * 32}/approve"
        assert refused(await owner.post(nobody), "applicant_unknown")


async def test_nobody_is_missing_from_the_next_page_because_somebody_left(serving) -> None:
    async with serving() as api:
        terms = {"entrants_max": 3, "entry": {"waitlist": True}}
        owner, _, tournament, people = await announced(api, 5, **terms)
        for person in people:
            assert (await enter(person, tournament)).status_code == 201
        path = f"/v1/tournaments/{tournament}/registrations?limit=2"
        first = (await owner.get(path)).json()
        assert (await people[0].post(f"/v1/tournaments/{tournament}/withdrawals")).is_success
        second = (await owner.get(f"{path}&cursor={first['next_cursor']}")).json()
        third = (await owner.get(f"{path}&cursor={second['next_cursor']}")).json()
        assert third["next_cursor"] is None
        found = [each["player"] for page in (first, second, third) for each in page["items"]]
        assert found == [each.player for each in people]


async def test_a_draft_is_seen_by_the_staff_alone_until_it_is_announced(serving) -> None:
    async with serving() as api:
        owner, league, tournament, (person,) = await announced(api, 1, draft=True)
        path = f"/v1/tournaments/{tournament}"
        assert (await owner.get(path)).json()["state"] == "draft"
        for hidden in (path, f"{path}/events", f"{path}/registrations", f"{path}/announcements"):
            assert (await person.get(hidden)).status_code == 404
        assert (await enter(person, tournament)).status_code == 404
        feed = (await person.get(f"/v1/leagues/{league}/events?limit=200")).json()["items"]
        assert [each["data"] for each in feed if each["type"] == "tournament_drafted"] == [{}]
        asked = {"name": "Day", "ruleset": "better", "starts_at": at(3600), "entrants_max": 9}
        revised = await owner.http.put(f"{path}/terms", json=asked, headers=owner.headers | ANY)
        assert revised.json()["events"] == ["terms_revised"]
        out = await owner.post(f"{path}/announce")
        assert out.json()["events"] == ["tournament_announced", "registration_opened"]
        shown = (await person.get(path)).json()
        assert (shown["name"], shown["entrants_max"]) == ("Day", 9)
        late = await owner.http.put(f"{path}/terms", json=asked, headers=owner.headers | ANY)
        assert refused(late, "not_a_draft")
        assert (await enter(person, tournament)).status_code == 201


async def test_players_check_in_and_the_desk_does_it_for_them(serving) -> None:
    async with serving() as api:
        terms = {"entry": {"check_in_opens_before_seconds": 60}}
        owner, _, tournament, people = await announced(api, 1, **terms)
        await enter(people[0], tournament)
        path = f"/v1/tournaments/{tournament}"
        assert refused(await people[0].post(f"{path}/check-ins"), "check_in_not_open")
        terms = {"starts_at": at(3600), "entry": {"check_in_opens_before_seconds": 7200}}
        owner, _, tournament, people = await announced(api, 3, **terms)
        path = f"/v1/tournaments/{tournament}"
        entries = [(await enter(person, tournament)).json()["entrant"] for person in people]
        mine = await people[0].post(f"{path}/check-ins")
        assert mine.json()["events"] == ["check_in_opened", "entrant_checked_in"]
        helped = await owner.post(f"{path}/registrations/{entries[1]}/check-in")
        assert helped.json()["entrant"] == entries[1]
        assert (
            await people[0].post(f"{path}/registrations/{entries[2]}/check-in")
        ).status_code == 403
        assert (await owner.post(f"{path}/start")).status_code == 202
        shown = (await owner.get(path)).json()["entrants"]
        assert sorted(each["id"] for each in shown) == sorted(entries[:2])


async def test_the_start_of_a_director_neither_postpones_again_nor_cancels(
    serving, database: TestDatabase
) -> None:
    """A director who starts just after the clock did used to postpone again, or to cancel."""
    entry = {"too_few": "postpone", "postpone_seconds": 600, "postponements_max": 1}
    async with serving() as api:
        owner, _, tournament, _people = await announced(api, 1, entry=entry)
        path = f"/v1/tournaments/{tournament}"

        async def shown() -> dict[str, Any]:
            return (await owner.get(path)).json()

        before = await shown()
        for _ in range(2):
            no = await owner.post(f"{path}/start", key="early")
            assert refused(no, "too_few_entrants")
            facts = no.json()
            assert (facts["entrants"], facts["entrants_min"]) == (0, 2)
            starts_at = datetime.fromisoformat(facts["starts_at"])
            assert starts_at == datetime.fromisoformat(before["starts_at"])
        assert await shown() == before

        await start_by_clock(database, owner, tournament)
        after = await shown()
        assert after["starts_at"] > before["starts_at"]
        answers = await asyncio.gather(*(owner.post(f"{path}/start") for _ in range(2)))
        assert all(refused(each, "too_few_entrants") for each in answers)
        assert await shown() == after
        await start_by_clock(database, owner, tournament)
        ended = await shown()
        assert ended["cancellation"] == {"reason": "too_few_entrants", "words": None}
        assert refused(await owner.post(f"{path}/start"), "registration_closed")


async def test_the_staff_tells_the_players_something(serving) -> None:
    async with serving() as api:
        owner, _, tournament, (person,) = await announced(api, 1)
        path = f"/v1/tournaments/{tournament}/announcements"
        said = await owner.post(path, {"text": "Dinner at nine."}, key="dinner")
        assert (said.status_code, said.json()["events"]) == (201, ["announcement_posted"])
        again = await owner.post(path, {"text": "Dinner at nine."}, key="dinner")
        assert again.headers["idempotent-replayed"] == "true"
        assert (await person.post(path, {"text": "No."})).status_code == 403
        listed = (await person.get(path)).json()["items"]
        assert [each["text"] for each in listed] == ["Dinner at nine."]
        feed = (await person.get(f"/v1/tournaments/{tournament}/events")).json()["items"]
        assert [each["type"] for each in feed][-1] == "announcement_posted"


async def test_one_place_and_many_who_want_it_at_once(serving) -> None:
    async with serving() as api:
        terms = {"entrants_max": 2, "entry": {"waitlist": True}}
        owner, _, tournament, people = await announced(api, 6, **terms)
        answers = await asyncio.gather(*(enter(person, tournament) for person in people))
        states = sorted(each.json()["status"] for each in answers)
        assert states == ["registered"] * 2 + ["waitlisted"] * 4
        listed = (await owner.get(f"/v1/tournaments/{tournament}/registrations")).json()["items"]
        assert [each["line"] for each in listed] == [None, None, 1, 2, 3, 4]


async def test_whoever_is_banned_while_waiting_is_not_taken_at_the_start(serving) -> None:
    async with serving() as api:
        terms = {
            "entrants_max": 2,
            "entry": {"waitlist": True, "check_in_opens_before_seconds": 7200},
        }
        owner, league, tournament, people = await announced(api, 4, **terms)
        for person in people:
            await enter(person, tournament)
        for person in (people[0], people[2], people[3]):
            there = await person.post(f"/v1/tournaments/{tournament}/check-ins")
            assert there.is_success, there.text
        banned = await owner.http.put(
            f"/v1/leagues/{league}/bans/{people[2].player}",
            json={"reason": "Cheated elsewhere."},
            headers=owner.headers,
        )
        assert banned.is_success, banned.text
        started = await owner.post(f"/v1/tournaments/{tournament}/start")
        assert started.status_code == 202, started.text
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        playing = {each["player"] for each in shown["entrants"] if each["table"]}
        assert playing == {people[0].player, people[3].player}


async def test_a_draft_that_is_discarded_is_never_announced(
    serving, database: TestDatabase
) -> None:
    """The draft leaves the usual lists. Staff still find it in the state ``discarded``."""
    async with serving() as api:
        owner, league, tournament, (person,) = await announced(api, 1, draft=True)
        path = f"/v1/tournaments/{tournament}"
        assert (await person.post(f"{path}/discard")).status_code in (403, 404)
        done = await owner.post(f"{path}/discard")
        assert (done.status_code, done.json()["events"]) == (200, ["draft_discarded"])
        assert (await owner.post(f"{path}/discard")).json()["events"] == []
        assert refused(await owner.post(f"{path}/announce"), "not_a_draft")
        assert (await person.get(path)).status_code == 404
        assert (await owner.get(path)).json()["state"] == "discarded"
        await project(database)
        listed = f"/v1/leagues/{league}/tournaments"
        assert (await owner.get(listed)).json()["items"] == []
        (kept,) = (await owner.get(f"{listed}?state=discarded")).json()["items"]
        assert kept["id"] == tournament
        assert (await person.get(f"{listed}?state=discarded")).json()["items"] == []
        other = await owner.post(listed, {"name": "Night", "ruleset": "better"})
        announced_one = f"/v1/tournaments/{other.json()['id']}/discard"
        assert refused(await owner.post(announced_one), "not_a_draft")


async def test_lists_call_a_tournament_what_the_tournament_calls_itself(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, people = await announced(
            api, 2, entry={"registration_closes_before_seconds": 60}
        )
        for person in people:
            await enter(person, tournament)
        path, seen = f"/v1/tournaments/{tournament}", []

        async def both() -> None:
            await project(database)
            own = (await owner.get(path)).json()["state"]
            listed = f"/v1/leagues/{league}/tournaments?state={own}"
            (found,) = (await owner.get(listed)).json()["items"]
            assert found["state"] == own
            seen.append(own)

        await both()
        for verb in ("registration/close", "start", "pause", "resume", "cancel"):
            done = await owner.post(f"{path}/{verb}")
            assert done.status_code in (200, 201, 202), done.text
            await both()
    assert seen == [
        "registering", "registration_closed", "running", "paused", "running", "cancelled",
    ]  # fmt: skip


async def test_who_asks_for_approval_is_nobodys_business_but_the_staffs(serving) -> None:
    """The feed tells others that an application was made, and hides the applicant."""
    async with serving() as api:
        owner, _, tournament, (one, other) = await announced(api, 2, entry={"approval": True})
        path = f"/v1/tournaments/{tournament}"
        entrant = (await enter(one, tournament)).json()["entrant"]
        why = {"reason": "not this time"}
        said = await owner.post(f"{path}/registrations/{entrant}/refuse", why)
        assert said.status_code == 200, said.text

        async def asked(person: Any) -> dict[str, Any]:
            items = (await person.get(f"{path}/events?limit=200")).json()["items"]
            return {each["type"]: each["data"] for each in items if "entry" in each["type"]}

        assert await asked(other) == {"entry_requested": {}, "entry_refused": {}}
        assert (await asked(owner))["entry_requested"]["player"] == one.player
        mine = (await one.get(f"{path}/registrations")).json()["items"]
        assert [each["status"] for each in mine] == ["refused"]


async def test_an_announcement_says_where_and_how_long(serving) -> None:
    """Characters that cannot be seen are refused, as in a name."""
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/tournaments"
        terms = {"name": "Night", "ruleset": "better", "length_seconds": 10_800}
        made = await owner.post(path, terms | {"place": " Cloud  City, deck 9 "})
        shown = (await owner.get(f"/v1/tournaments/{made.json()['id']}")).json()
        told = {name: shown[name] for name in ("place", "length_seconds", "visibility")}
        assert told == {
            "place": "Cloud City, deck 9",
            "length_seconds": 10_800,
            "visibility": "members",
        }
        assert shown["staff_may_play"] is False
        for wrong in ({"place": "Bespin\u202e"}, {"length_seconds": 59}, {"visibility": "public"}):
            answer = await owner.post(path, terms | wrong)
            assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_staff_who_play_neither_end_it_nor_choose_who_enters(serving) -> None:
    """The leader could end the game, and a player could refuse an opponent they fear."""
    async with serving() as api:
        owner, league = await api.league()
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments",
            {"name": "Night", "ruleset": "better", "entry": {"approval": True}},
        )
        path = f"/v1/tournaments/{made.json()['id']}"
        asks = await owner.post(f"{path}/registrations")
        entrant = asks.json()["entrant"]
        for way in ("close", "registration/close", f"registrations/{entrant}/approve"):
            answer = await owner.post(f"{path}/{way}", {}, key=way)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), way


@pytest.mark.parametrize("year", ["0001", "1999", "2200", "9999"])
async def test_an_instant_of_another_age_is_refused(serving, year: str) -> None:
    """Computing with such an instant would leave the calendar and stop the league's timetable."""
    async with serving() as api:
        owner, league = await api.league()
        terms = {"name": "T", "ruleset": "better", "starts_at": f"{year}-01-01T00:00:00Z"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", terms)
        assert (made.status_code, made.json()["code"]) == (400, "validation_failed")
        season = {"name": "S", "closes_at": f"{year}-12-31T23:59:59.999999-12:00"}
        opened = await owner.post(f"/v1/leagues/{league}/seasons", season)
        assert (opened.status_code, opened.json()["code"]) == (400, "validation_failed")
