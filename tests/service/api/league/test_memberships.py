"""Joining, leaving and changing roles, by attackers and at awkward moments."""

import asyncio

import psycopg
import pytest

from engine.values import number_of
from tests.service.api.conftest import ANY, Api, Person
from tests.service.api.league.test_bans import another
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


async def staff(api: Api, owner: Person, league: str, role: str) -> Person:
    """Add a member with an office. An owner is added and then promoted."""
    code = {"role": "player" if role == "owner" else role}
    invited = await owner.post(f"/v1/leagues/{league}/invitations", code)
    person = await api.person()
    accepted = await person.post(f"/v1/invitations/{invited.json()['code']}/accept")
    assert accepted.status_code == 201, accepted.text
    if role == "owner":
        assert await become(owner, league, person, "owner") == (200, None)
    return person


async def become(asker: Person, league: str, whom: Person, role: str) -> tuple[int, str | None]:
    """Request a role for a member. Return status and code."""
    answer = await asker.http.put(
        f"/v1/leagues/{league}/members/{whom.player}",
        json={"role": role},
        headers=asker.headers | ANY,
    )
    return answer.status_code, answer.json().get("code")


async def removed(asker: Person, league: str, whom: Person) -> tuple[int, str | None]:
    """Request the removal of a member. Return status and code."""
    path = f"/v1/leagues/{league}/members/{whom.player}"
    answer = await asker.http.delete(path, headers=asker.headers)
    return answer.status_code, answer.json().get("code")


async def owners(person: Person, league: str) -> int:
    """Return the number of owners of a league."""
    items = (await person.get(f"/v1/leagues/{league}/members")).json()["items"]
    return sum(each["role"] == "owner" for each in items)


async def test_members_are_listed_by_office_and_by_name(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
        lando = await api.person("Lando Calrissian")
        await lando.post(f"/v1/invitations/{code}/accept")
        path = f"/v1/leagues/{league}/members"

        async def listed(**query: str) -> list[str]:
            answer = await owner.get(path, params=query)
            assert answer.status_code == 200, answer.text
            return [each["player"] for each in answer.json()["items"]]

        assert await listed(office="true") == [owner.player]
        assert await listed(name="CALRISS") == [lando.player]
        assert await listed(name=lando.player) == [lando.player]
        assert await listed(name="calriss", office="true") == []
        assert len(await listed(office="false")) == 2
        assert (await owner.get(f"{path}?name=")).status_code == 400
        cursor = (await owner.get(f"{path}?limit=1")).json()["next_cursor"]
        other = await owner.get(path, params={"name": "lando", "cursor": cursor})
        assert other.json()["code"] == "invalid_cursor"


async def test_who_was_removed_sees_and_does_nothing_from_then_on(serving) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3)
        gone = people[0]
        entries = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        (mine,) = (each["id"] for each in entries if each["player"] == gone.player)
        out = {"entrant": mine, "reason": "He threw the cards."}
        ruled = await owner.post(f"/v1/tournaments/{tournament}/disqualifications", out, key="d")
        assert ruled.status_code == 201, ruled.text
        assert await removed(owner, league, gone) == (200, None)
        action = {"type": "fold", "decision": "any"}
        answers = [
            await gone.get(f"/v1/leagues/{league}"),
            await gone.get(f"/v1/leagues/{league}/members"),
            await gone.get(f"/v1/leagues/{league}/events"),
            await gone.get(f"/v1/tournaments/{tournament}"),
            await gone.get(f"/v1/tables/{table}"),
            await gone.get(f"/v1/tables/{table}/events"),
            await gone.post(f"/v1/tables/{table}/actions", action, key="k"),
            await gone.post(f"/v1/tables/{table}/presence", {"away": False}),
            await gone.post(f"/v1/tournaments/{tournament}/registrations"),
            await gone.post(f"/v1/leagues/{league}/leave"),
        ]
        assert {(each.status_code, each.json()["code"]) for each in answers} == {(404, "not_found")}
        assert len({each.json()["detail"] for each in answers}) == 1


async def test_who_was_removed_may_be_invited_again_and_an_old_code_is_used_up(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/invitations"
        old = (await owner.post(path, {})).json()["code"]
        player = await api.person()
        await player.post(f"/v1/invitations/{old}/accept")
        await removed(owner, league, player)
        assert (await player.post(f"/v1/invitations/{old}/accept")).status_code == 404
        new = (await owner.post(path, {})).json()["code"]
        assert (await player.post(f"/v1/invitations/{new}/accept")).status_code == 201


async def test_the_last_owner_stays_whatever_is_asked(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        assert await become(owner, league, owner, "player") == (409, "last_owner")
        assert await removed(owner, league, owner) == (409, "last_owner")
        left = await owner.post(f"/v1/leagues/{league}/leave")
        assert (left.status_code, left.json()["code"]) == (409, "last_owner")
        assert await owners(owner, league) == 1


async def test_an_owner_whom_an_earlier_version_erased_counts_as_no_owner(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        gone = await staff(api, owner, league, "owner")
        with psycopg.connect(database.url("postgres")) as connection:
            connection.execute(
                "UPDATE account SET login = NULL, name = NULL, password = NULL WHERE id = %s",
                (number_of(gone.player),),
            )
        assert await become(owner, league, owner, "player") == (409, "last_owner")
        assert await removed(owner, league, owner) == (409, "last_owner")
        left = await owner.post(f"/v1/leagues/{league}/leave")
        assert (left.status_code, left.json()["code"]) == (409, "last_owner")
        heir = await staff(api, owner, league, "owner")
        assert await become(owner, league, owner, "player") == (200, None)
        assert await removed(heir, league, gone) == (200, None)
        assert await removed(heir, league, heir) == (409, "last_owner")


async def test_two_owners_who_depose_each_other_in_two_processes_leave_one(serving) -> None:
    async with serving() as api, another(api) as second:
        for _ in range(5):
            one, league = await api.league()
            other = await staff(api, one, league, "owner")
            other.http = second
            outcomes = await asyncio.gather(
                become(one, league, other, "player"), become(other, league, one, "player")
            )
            assert sorted(status for status, _ in outcomes)[0] == 200
            assert (await owners(one, league)) == 1
            for status, code in outcomes:
                assert (status, code) in ((200, None), (409, "last_owner"), (403, "forbidden"))


async def test_an_owner_who_steps_down_cannot_step_up_again(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        other = await staff(api, owner, league, "owner")
        assert await become(owner, league, owner, "player") == (200, None)
        assert await become(owner, league, owner, "owner") == (403, "forbidden")
        assert await become(other, league, owner, "referee") == (200, None)


@pytest.mark.parametrize("role", ["director", "referee", "scorer", "auditor", "player"])
async def test_nobody_but_an_owner_gives_or_takes_an_office(serving, role: str) -> None:
    async with serving() as api:
        owner, league = await api.league()
        person = await staff(api, owner, league, role)
        other = await api.join(owner, league)
        for whom in (person, other):
            assert await become(person, league, whom, "owner") == (403, "forbidden")
        assert await become(person, league, owner, "player") == (403, "forbidden")
        assert await removed(person, league, owner) == (403, "forbidden")
        asked = await person.post(f"/v1/leagues/{league}/invitations", {"role": "director"})
        assert (asked.status_code, asked.json()["code"]) == (403, "forbidden")
        assert await owners(owner, league) == 1


async def test_no_code_makes_an_owner(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        answer = await owner.post(f"/v1/leagues/{league}/invitations", {"role": "owner"})
        assert (answer.status_code, answer.json()["code"]) == (409, "invitation_invalid")


async def test_a_directors_reach_ends_at_invitations_of_players(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        director = await staff(api, owner, league, "director")
        path = f"/v1/leagues/{league}/invitations"
        office = (await owner.post(path, {"role": "referee"})).json()["id"]
        entry = (await owner.post(path, {})).json()["id"]
        http, headers = director.http, director.headers
        assert (await http.delete(f"{path}/{office}", headers=headers)).status_code == 403
        assert (await http.delete(f"{path}/{entry}", headers=headers)).status_code == 200
        left = [each["id"] for each in (await director.get(path)).json()["items"]]
        assert left == [office]


async def test_a_revoked_code_opens_nothing_and_looks_like_none(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/invitations"
        made = (await owner.post(path, {"uses": 5})).json()
        await owner.http.delete(f"{path}/{made['id']}", headers=owner.headers)
        person = await api.person()
        answer = await person.post(f"/v1/invitations/{made['code']}/accept")
        nothing = await person.post(f"/v1/invitations/{'A' * 48}/accept")
        assert (answer.status_code, answer.json()["detail"]) == (404, nothing.json()["detail"])


async def test_a_code_for_one_lets_one_in_however_many_ask_at_once(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/invitations"
        code = (await owner.post(path, {})).json()["code"]
        people = [await api.person() for _ in range(6)]
        async with another(api) as second:
            for person in people[::2]:
                person.http = second
            answers = await asyncio.gather(
                *(each.post(f"/v1/invitations/{code}/accept") for each in people)
            )
        assert sorted(each.status_code for each in answers) == [201, 404, 404, 404, 404, 404]
        assert (await owner.get(path)).json()["items"] == []


async def test_a_members_role_is_not_changed_by_a_code(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        referee = await staff(api, owner, league, "referee")
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
        answer = await referee.post(f"/v1/invitations/{code}/accept")
        assert (answer.status_code, answer.json()["role"]) == (201, "referee")


async def test_members_who_are_none_and_leagues_of_others(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        stranger = await api.person()
        assert await become(owner, league, stranger, "referee") == (409, "member_unknown")
        assert await removed(owner, league, stranger) == (200, None)
        assert await become(stranger, league, stranger, "owner") == (404, "not_found")
        bad = await owner.http.put(
            f"/v1/leagues/{league}/members/plr_xyz",
            json={"role": "player"},
            headers=owner.headers | ANY,
        )
        assert (bad.status_code, bad.json()["code"]) == (404, "not_found")
        odd = await become(owner, league, owner, "emperor")
        assert odd == (400, "validation_failed")
