"""Merging of players over HTTP: what counts, who may merge, and the refusals."""

import asyncio
from typing import Any
from uuid import UUID

import httpx
import pytest

from engine.values import number_of
from service.base.database import async_engine
from service.people.erasure import erase
from service.projections.rebuilding.comparing import compare_league
from tests.service.api.conftest import ANY, Api, Person
from tests.service.api.league.turns import at, waiting_turn
from tests.service.api.nights import pages, project
from tests.service.api.season.test_past_seasons import bring_results
from tests.service.api.tournament.test_corrections import a_night
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase
from tests.support.holding import FAMILY, holding

pytestmark = pytest.mark.anyio

WHY = {"reason": "Entered twice"}


async def merge(
    owner: Person, league: str, player: str, into: str, query: str = "", **more: Any
) -> httpx.Response:
    """Merge *player* into another player."""
    path = f"/v1/leagues/{league}/players/{player}/merge{query}"
    return await owner.post(path, WHY | {"into": into}, **more)


async def entered(owner: Person, league: str, name: str) -> dict[str, Any]:
    """Enter a player without an account."""
    made = await owner.post(f"/v1/leagues/{league}/players", {"name": name})
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


async def second_owner(api: Api, owner: Person, league: str) -> Person:
    """Add another owner, because nobody merges themselves."""
    person = await api.join(owner, league)
    path = f"/v1/leagues/{league}/members/{person.player}"
    put = await owner.http.put(path, json={"role": "owner"}, headers=owner.headers | ANY)
    assert put.status_code == 200, put.text
    return person


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def differences(database: TestDatabase, league: str) -> list[Any]:
    """Return the differences between the read models and ones rebuilt from the log."""
    engine = async_engine(database.url("holotable_audit"), 1)
    async with engine.connect() as connection:
        found = await compare_league(connection, league)
    await engine.dispose()
    return list(found)


async def by_player(person: Any, path: str) -> dict[str, Any]:
    """Return the rows of a list, by player."""
    return {each["player"]: each for each in await pages(person, path)}


async def with_two_twins(api: Any, database: TestDatabase) -> tuple[Any, str, str, str, list[Any]]:
    """
    Play a night, and import a list with a player who was entered by hand.

    Returns:
        The owner, the league, the season, that player, and the people who have played.
    """
    owner, league, season, _, people = await a_night(api, database)
    twin = (await entered(owner, league, "Han Solo"))["player"]
    rows = f"Opening,{twin},1,9\nOpening,{people[1].player},2,4\n"
    listed = "tournament,player,place,points\n" + rows
    imported = await bring_results(owner, league, listed, season=season)
    assert imported.status_code == 200, imported.text
    await project(database)
    return owner, league, season, twin, people


async def merged_both(owner: Any, league: str, old: Any, twin: str, new: Any) -> None:
    """Merge *old* and *twin* into *new*, with a retry, and once with an outdated version."""
    tag = {"If-Match": (await owner.get(f"/v1/leagues/{league}")).headers["etag"]}
    done = await merge(owner, league, old.player, new.player, key="merge", headers=tag)
    assert done.status_code == 200, done.text
    assert done.json() | {"position": None} == {
        "league": league, "player": old.player, "into": new.player, "position": None,
    }  # fmt: skip
    again = await merge(owner, league, old.player, new.player, key="merge", headers=tag)
    assert again.headers["Idempotent-Replayed"] == "true"
    stale = await merge(owner, league, twin, new.player, headers=tag)
    assert refused(stale) == (412, "stream_version_conflict")
    chained = await merge(owner, league, twin, new.player)
    assert chained.status_code == 200, chained.text
    assert (await merge(owner, league, twin, new.player)).status_code == 200


async def test_a_merged_players_results_count_for_the_one_who_stays(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, season, twin, people = await with_two_twins(api, database)
        about, standings = f"/v1/leagues/{league}", f"/v1/seasons/{season}/standings"
        old, rival, new = people[0], people[1], await api.join(owner, league)
        before = await by_player(owner, standings)
        record = (await owner.get(f"{about}/players/{old.player}/record")).json()
        ratings = await by_player(owner, f"{about}/ratings")
        tried = await merge(owner, league, old.player, new.player, "?dry_run=true")
        assert tried.status_code == 200, tried.text
        assert tried.json()["events"] == ["players_merged", "member_removed", "results_merged"]
        assert {each["player"] for each in tried.json()["seasons"][season]} >= {new.player}
        assert before == await by_player(owner, standings)

        await merged_both(owner, league, old, twin, new)
        await project(database)

        after = await by_player(owner, standings)
        assert after.keys() == before.keys() - {old.player, twin} | {new.player}
        points = sum(float(before[each]["points"]) for each in (old.player, twin))
        assert float(after[new.player]["points"]) == points
        assert (after[new.player]["played"], after[rival.player]["played"]) == (2, 2)
        entries = await pages(owner, f"/v1/seasons/{season}/ledger", player=new.player)
        assert [(each["kind"], each["player"]) for each in entries] == [
            ("award", old.player), ("import", twin), ("merge", old.player), ("merge", twin),
        ]  # fmt: skip
        assert sum(float(each["points"]) for each in entries) == points
        moved = (await owner.get(f"{about}/players/{new.player}/record")).json()
        assert moved["games"] == record["games"]
        assert (await owner.get(f"{about}/players/{old.player}/record")).status_code == 404
        rated = await by_player(owner, f"{about}/ratings")
        assert rated.keys() == ratings.keys() - {old.player} | {new.player}
        assert rated[new.player]["ordinal"] == ratings[old.player]["ordinal"]
        tournaments = await pages(owner, f"{about}/tournaments")
        entrants = (await owner.get(f"/v1/tournaments/{tournaments[0]['id']}")).json()["entrants"]
        assert old.player in {each["player"] for each in entrants}  # as the log has it
        assert await differences(database, league) == []
        closed = await owner.post(f"/v1/seasons/{season}/close")
        assert closed.status_code == 200, closed.text
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_the_account_of_a_merged_player_stays_and_acts_no_more_in_the_league(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        about = f"/v1/leagues/{league}"
        old, new = await api.join(owner, league), await api.join(owner, league)
        done = await merge(owner, league, old.player, new.player)
        assert done.status_code == 200, done.text
        await project(database)

        mine = (await old.get("/v1/me")).json()
        assert (mine["id"], mine["leagues"]) == (old.player, [])
        assert mine["merged"] == [{"league": league, "into": new.player, "name": new.login}]
        assert (await old.get(about)).status_code == 404
        assert (await old.post("/v1/leagues", {"name": "Another"})).status_code == 201
        theirs = (await new.get("/v1/me")).json()
        assert ([each["id"] for each in theirs["leagues"]], theirs["merged"]) == ([league], [])

        code = (await owner.post(f"{about}/invitations", {})).json()["code"]
        back = await old.post(f"/v1/invitations/{code}/accept")
        assert refused(back) == (409, "merged_player")
        assert back.json()["into"] == new.player
        ban = await owner.http.put(f"{about}/bans/{old.player}", json=WHY, headers=owner.headers)
        assert refused(ban) == (409, "merged_player")


async def test_a_list_that_names_a_merged_player_finds_the_one_who_stays(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        old = await entered(owner, league, "Han Solo")
        new = await api.join(owner, league)
        assert (await merge(owner, league, old["player"], new.player)).status_code == 200
        claim = {"code": old["claim"], "login": "han", "password": "correct horse"}
        assert (await api.http.post("/v1/claims", json=claim)).status_code == 404
        again = await entered(owner, league, "Han Solo")
        assert (again["player"], again["claim"]) == (new.player, None)
        renewed = await owner.post(f"/v1/leagues/{league}/players/{old['player']}/claim")
        assert refused(renewed) == (409, "merged_player")
        issued = await owner.post(f"/v1/leagues/{league}/claims")
        assert issued.json()["claims"] == []


async def test_nobody_claims_a_player_while_or_after_the_player_is_merged(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        old, new = [await entered(owner, league, each) for each in ("Han Solo", "Solo, Han")]
        claim = {"code": old["claim"], "login": "han", "password": "correct horse"}
        async with holding(database, "LOCK TABLE events IN EXCLUSIVE MODE") as waiting:
            merging = asyncio.create_task(merge(owner, league, old["player"], new["player"]))
            await waiting(1)  # before its append
            claiming = asyncio.create_task(api.http.post("/v1/claims", json=claim))
            await waiting(2)  # for the merge
        assert (await merging).status_code == 200
        assert refused(await claiming) == (404, "not_found")
        # As if the process had ended before it ended the code.
        open_again = (
            "UPDATE entered_player SET claim = sha256($1), claim_until = now() + interval '1 day'"
            " WHERE account = $2 RETURNING account"
        )
        pool = api.app.shell.pool
        code = old["claim"].encode()
        assert await pool.fetchval(open_again, code, number_of(old["player"]))
        assert refused(await api.http.post("/v1/claims", json=claim)) == (404, "not_found")
        joined = await (await api.person()).post("/v1/me/claims", {"code": old["claim"]})
        assert refused(joined) == (404, "not_found")


@pytest.mark.parametrize("stated", ["adjustment", "past season"])
async def test_points_of_a_player_whom_somebody_has_claimed_can_still_be_merged(
    serving, database, stated: str
) -> None:
    """A player with points alone has entered nothing. The points are not lost by the claim."""
    async with serving() as api:
        owner, league = await api.league()
        entry = await entered(owner, league, "Han Solo")
        player, person = entry["player"], await api.join(owner, league)
        if stated == "adjustment":
            season = (await owner.post(f"/v1/leagues/{league}/seasons", {"name": "One"})).json()
            path = f"/v1/seasons/{season['id']}/adjustments"
            done = await owner.post(path, {"player": player, "points": "10", "reason": "Came"})
        else:
            done = await bring_results(
                owner,
                league,
                f"tournament,place,player,points\nOpening,1,{player},99\n",
                name="Past",
            )
        assert done.is_success, done.text
        claimed = await person.post("/v1/me/claims", {"code": entry["claim"]})
        assert claimed.status_code == 201, claimed.text

        merged = await merge(owner, league, player, person.player)
        assert merged.status_code == 200, merged.text
        if stated == "adjustment":
            await project(database)
            [line] = (await owner.get(f"/v1/seasons/{season['id']}/standings")).json()["items"]
            assert (line["player"], line["points"]) == (person.player, "10.00")
        assert faults(await audited(database, league)) == {}


async def test_a_merge_and_a_code_of_the_same_two_people_do_not_block_each_other(
    serving, database: TestDatabase
) -> None:
    """Both lock the accounts in the same order. The merge is tried, so no words wait first."""
    async with serving() as api:
        owner, league = await api.league()
        old, me = await entered(owner, league, "Han Solo"), await api.join(owner, league)
        while number_of(me.player) < number_of(old["player"]):  # the order that mattered
            me = await api.join(owner, league)
        async with holding(database, FAMILY, number_of(me.player)) as waiting:
            joining = asyncio.create_task(me.post("/v1/me/claims", {"code": old["claim"]}))
            await waiting(1)
            trying = merge(owner, league, old["player"], me.player, "?dry_run=true")
            merging = asyncio.create_task(trying)
            await waiting(2)
        assert (await joining).status_code == 201, (await joining).text
        assert refused(await merging) == (409, "member_unknown")


async def test_a_merge_is_refused_for_reasons_that_say_what_to_do(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        about = f"/v1/leagues/{league}"
        new = await api.join(owner, league)
        first, second = people[0].player, people[1].player

        met = await merge(owner, league, first, second)
        assert refused(met) == (409, "players_met")
        assert met.json()["tournaments"] == [tournament]
        assert refused(await merge(owner, league, first, first)) == (409, "merge_invalid")
        assert refused(await merge(owner, league, first, owner.player)) == (409, "merge_invalid")
        stranger = await api.person()
        gone = await merge(owner, league, stranger.player, first)
        assert refused(gone) == (409, "member_unknown")
        assert refused(await merge(owner, league, first, stranger.player)) == (
            409, "member_unknown",
        )  # fmt: skip
        nobody = "plr_" + "0" * 32
        assert refused(await merge(owner, league, nobody, first)) == (404, "not_found")
        director = await merge(people[0], league, second, new.player)
        assert refused(director) == (403, "forbidden")

        twin = (await entered(owner, league, "Han Solo"))["player"]
        wrong_way = await merge(owner, league, new.player, twin)
        assert refused(wrong_way) == (409, "merge_of_login")

        terms = {"name": "Later", "ruleset": "better"}
        later = await owner.post(f"{about}/tournaments", terms)
        entering = f"/v1/tournaments/{later.json()['id']}/registrations"
        entry = await new.post(entering)
        assert entry.status_code == 201, entry.text
        assert refused(await merge(owner, league, new.player, first)) == (
            409, "merge_of_entered",
        )  # fmt: skip
        assert (await merge(owner, league, twin, new.player)).status_code == 200

        for player, into in ((first, second), (second, first)):
            banned = await owner.http.put(f"{about}/bans/{first}", json=WHY, headers=owner.headers)
            assert banned.status_code == 200, banned.text
            found = await merge(owner, league, player, into)
            assert refused(found) == (409, "merge_of_banned")
            assert found.json()["player"] == first

        other = await second_owner(api, owner, league)
        office = await merge(owner, league, other.player, new.player)
        assert refused(office) == (409, "merge_of_office")

        again = await merge(owner, league, twin, second)
        assert refused(again) == (409, "merged_already")
        assert again.json()["into"] == new.player
        onto = await merge(owner, league, second, twin)
        assert refused(onto) == (409, "merged_player")
        words = "SELECT count(*) FROM text WHERE body = $1 AND subject <> ALL($2)"
        told = [number_of(each) for each in (first, new.player)]  # of the ban, and of the merge
        stored = await api.app.shell.pool.fetchval(words, WHY["reason"], told)
        assert stored == 0, "a refused merge stores no words"


async def test_an_entry_made_elsewhere_while_a_merge_waits_refuses_it(serving) -> None:
    """The same holds for a removal: the entry must end with the membership."""
    async with serving() as here, serving() as there:
        owner, league = await here.league()
        old, new, leaver = [await here.join(owner, league) for _ in range(3)]
        async with waiting_turn(here, league) as waits:
            merging = asyncio.create_task(merge(owner, league, old.player, new.player))
            path = f"/v1/leagues/{league}/members/{leaver.player}"
            removing = asyncio.create_task(owner.http.delete(path, headers=owner.headers))
            await waits(2)
            night = {"name": "Night", "ruleset": "better"}
            made = await at(there, owner).post(f"/v1/leagues/{league}/tournaments", night)
            assert made.status_code == 201, made.text
            entering = f"/v1/tournaments/{made.json()['id']}/registrations"
            for person in (old, leaver):
                assert (await at(there, person).post(entering)).status_code == 201
        assert refused(await merging) == (409, "merge_of_entered")
        gone = await removing
        assert gone.status_code == 200, gone.text
        entries = (await owner.get(entering)).json()["items"]
        assert [each["player"] for each in entries] == [old.player]


async def test_staff_do_not_rule_on_results_that_they_earned_under_another_name(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, season, tournament, people = await a_night(api, database)
        staff = await second_owner(api, owner, league)
        path = f"/v1/tournaments/{tournament}/forfeits?dry_run=true"
        entrants = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        asked = WHY | {"entrant": entrants[0]["id"]}
        revoking = f"/v1/seasons/{season}/awards/{tournament}/revoke?dry_run=true"
        assert (await staff.post(path, asked)).status_code == 200
        assert (await staff.post(revoking, WHY)).status_code == 200
        done = await merge(owner, league, people[0].player, staff.player)
        assert done.status_code == 200, done.text
        assert refused(await staff.post(path, asked)) == (403, "forbidden")
        assert refused(await staff.post(revoking, WHY)) == (403, "forbidden")
        own = {"player": people[0].player, "points": "5", "reason": "High hand"}
        points = await staff.post(f"/v1/seasons/{season}/adjustments", own)
        assert refused(points) == (409, "own_points")


async def test_an_erasure_locks_the_person_and_the_merged_in_one_order(
    serving, database: TestDatabase
) -> None:
    """Locks in two orders could block each other."""
    async with serving() as api:
        owner, league = await api.league()
        one, two = sorted([await api.join(owner, league) for _ in range(2)], key=_number)
        assert (await merge(owner, league, one.player, two.player)).status_code == 200
        await project(database)
        shell = api.app.shell
        async with holding(database, FAMILY, _number(one)) as waiting:
            erasing = asyncio.create_task(
                erase(shell.engine, shell.runtime.writer.store.keys, _number(two), shell.now())
            )
            await waiting(1)
            free = "SELECT id FROM account WHERE id = $1 FOR UPDATE SKIP LOCKED"
            assert await shell.pool.fetchval(free, _number(two)) is not None
        await erasing


def _number(person: Person) -> UUID:
    return number_of(person.player)


@pytest.mark.parametrize("known", [True, False])
async def test_erasing_the_one_who_stays_takes_the_names_of_merged_players_away(
    serving, database: TestDatabase, known: bool
) -> None:
    """No read model knows the last merge, and the one who stays has left the league."""
    async with serving() as api:
        owner, league = await api.league()
        first = (await entered(owner, league, "Solo, Han"))["player"]
        twin = (await entered(owner, league, "Han Solo"))["player"]
        new = await api.join(owner, league)
        assert (await merge(owner, league, first, twin)).status_code == 200
        if known:
            await project(database)
        assert (await merge(owner, league, twin, new.player)).status_code == 200
        left = await owner.http.delete(
            f"/v1/leagues/{league}/members/{new.player}", headers=owner.headers | ANY
        )
        assert left.is_success, left.text
        shell = api.app.shell
        await erase(
            shell.engine, shell.runtime.writer.store.keys, number_of(new.player), shell.now()
        )
        onto = await entered(owner, league, "Leia")
        for player, into in ((new.player, onto["player"]), (onto["player"], new.player)):
            found = await merge(owner, league, player, into)
            assert refused(found) == (409, "merge_of_erased")
        about = "SELECT count(body) FROM text WHERE subject = $1"
        words = await shell.pool.fetchval(about, number_of(new.player))
        assert words == 0, "a refused merge stores no words about somebody who was erased"
        # The list no longer knows the name, so it makes a new player.
        for name in ("Han Solo", "Solo, Han"):
            again = await entered(owner, league, name)
            assert again["player"] not in (first, twin, new.player)
