"""Staff may not rule on players they may meet, nor enter a tournament they have ruled on."""

from typing import Any

import pytest

from tests.service.api.conftest import ANY, Api, Person

pytestmark = pytest.mark.anyio

WHY = {"reason": "I saw it."}
LATE = {"late_registration_seconds": 3600}


async def night(api: Api, role: str, **terms: Any) -> tuple[Person, Person, str, list[Person]]:
    """Announce a tournament. Return owner, a member with *role*, the path and three members."""
    owner, league = await api.league()
    officer, *people = [await api.join(owner, league) for _ in range(4)]
    given = await api.http.put(
        f"/v1/leagues/{league}/members/{officer.player}",
        json={"role": role},
        headers=owner.headers | ANY,
    )
    assert given.status_code == 200, given.text
    asked = {"name": "Night", "ruleset": "better", "hands_between_seconds": 0} | terms
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    assert made.status_code == 201, made.text
    return owner, officer, f"/v1/tournaments/{made.json()['id']}", people


async def enter(person: Person, path: str, status: str = "registered") -> str:
    """Enter the tournament. Return the entry's identifier."""
    entered = await person.post(f"{path}/registrations")
    assert (entered.status_code, entered.json()["status"]) == (201, status), entered.text
    entrant: str = entered.json()["entrant"]
    return entrant


async def start(owner: Person, path: str) -> str:
    """Start play. Return the first table."""
    started = await owner.post(f"{path}/start")
    assert started.status_code == 202, started.text
    table: str = (await owner.get(path)).json()["tables"][0]["id"]
    return table


async def test_staff_who_wait_in_line_rule_on_nobody(serving) -> None:
    """The place of a disqualified player goes to the next person on the waitlist."""
    async with serving() as api:
        terms = {"entrants_max": 2, "entry": LATE | {"waitlist": True}}
        owner, director, path, people = await night(api, "director", **terms)
        rivals = [await enter(each, path) for each in people[:2]]
        await enter(director, path, "waitlisted")
        table = await start(owner, path)
        about = WHY | {"entrant": rivals[0]}
        for way in ("warnings", "disqualifications", "disqualifications?dry_run=true"):
            answer = await director.post(f"{path}/{way}", about, key=way)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), way
        held = await director.post(f"/v1/tables/{table}/hold", WHY, key="h")
        assert (held.status_code, held.json()["code"]) == (403, "forbidden")
        assert (await owner.post(f"{path}/warnings", about, key="w")).status_code == 201


async def test_staff_who_ask_for_approval_approve_and_refuse_nobody(serving) -> None:
    async with serving() as api:
        owner, director, path, people = await night(api, "director", entry={"approval": True})
        rival = await enter(people[0], path, "requested")
        mine = await enter(director, path, "requested")
        no = {"reason": "Too good."}
        for way, body in ((f"{rival}/refuse", no), (f"{mine}/approve", {})):
            answer = await director.post(f"{path}/registrations/{way}", body, key=way)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), way
        refused = await owner.post(f"{path}/registrations/{mine}/refuse", no, key="r")
        assert refused.status_code == 200, refused.text
        again = await director.post(f"{path}/registrations/{mine}/approve", {}, key="again")
        assert (again.status_code, again.json()["code"]) == (403, "forbidden")


async def test_staff_who_withdrew_do_not_enter_once_play_has_begun(serving) -> None:
    """Staff who have withdrawn may rule, so they may not enter again."""
    async with serving() as api:
        owner, director, path, people = await night(api, "director", entry=LATE)
        await enter(director, path)
        rivals = [await enter(each, path) for each in people[:2]]
        assert (await director.post(f"{path}/withdrawals")).status_code == 200
        await start(owner, path)
        warned = await director.post(f"{path}/warnings", WHY | {"entrant": rivals[0]}, key="w")
        assert warned.status_code == 201, warned.text
        answer = await director.post(f"{path}/registrations", key="late")
        assert (answer.status_code, answer.json()["code"]) == (409, "office_held")


@pytest.mark.parametrize("role", ["owner", "director", "referee", "scorer", "auditor"])
async def test_staff_who_never_entered_do_not_enter_once_play_has_begun(serving, role: str) -> None:
    async with serving() as api:
        owner, officer, path, people = await night(api, role, entry=LATE)
        for each in people[:2]:
            await enter(each, path)
        await start(owner, path)
        answer = await officer.post(f"{path}/registrations", key="late")
        assert (answer.status_code, answer.json()["code"]) == (409, "office_held")
        await enter(people[2], path)


async def test_an_office_that_is_given_after_entering_takes_no_entry_away(serving) -> None:
    async with serving() as api:
        owner, _, path, people = await night(api, "scorer", entry=LATE)
        rivals = [await enter(each, path) for each in people[:2]]
        await start(owner, path)
        league = (await owner.get(path)).json()["league"]
        await api.http.put(
            f"/v1/leagues/{league}/members/{people[0].player}",
            json={"role": "referee"},
            headers=owner.headers | ANY,
        )
        answer = await people[0].post(f"{path}/warnings", WHY | {"entrant": rivals[1]}, key="w")
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
        again = await people[0].post(f"{path}/registrations", key="again")
        assert (again.status_code, again.json()["code"]) == (409, "already_entered")


async def test_whoever_gives_up_an_office_in_play_does_not_come_late(serving) -> None:
    """Otherwise a director could make an invitation and come back with it as a player."""
    async with serving() as api:
        owner, director, path, people = await night(api, "director", entry=LATE)
        league = (await owner.get(path)).json()["league"]
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {"uses": 9})).json()["code"]
        for each in people[:2]:
            await enter(each, path)
        await start(owner, path)
        for each in (director, people[2]):
            assert (await each.post(f"/v1/leagues/{league}/leave")).status_code == 200
            back = await each.post(f"/v1/invitations/{code}/accept")
            assert (back.status_code, back.json()["role"]) == (201, "player")
        answer = await director.post(f"{path}/registrations", key="late")
        assert (answer.status_code, answer.json()["code"]) == (409, "office_held")
        await enter(people[2], path)
        # The founder has an office without ever being added. A new owner demotes them.
        for person, role in ((people[2], "owner"), (owner, "player")):
            given = await api.http.put(
                f"/v1/leagues/{league}/members/{person.player}",
                json={"role": role},
                headers=owner.headers | ANY,
            )
            assert given.status_code == 200, given.text
        answer = await owner.post(f"{path}/registrations", key="founder")
        assert (answer.status_code, answer.json()["code"]) == (409, "office_held")
