"""Results of past seasons, imported from a list over HTTP."""

import asyncio
from typing import Any

import httpx
import pytest

from service.people.result_lists import BYTES_MAX
from tests.service.api.conftest import Person
from tests.service.api.league.test_memberships import staff
from tests.service.api.league.turns import at, waiting_turn
from tests.service.api.nights import pages, project
from tests.service.api.season.test_fixtures import season_in
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

LIST = """\
tournament,date,name,email,place,points
Opening,2024-03-03,Han,han@falcon.example,1,12.5
Opening,2024-03-03,Leia,,2,8
Opening,2024-03-03,Jabba,,2,8
Final,2024-03-31,Leia,,1,12.5
Final,2024-03-31,Jabba,,3,6
"""


async def bring_results(
    person: Person, league: str, listed: str | bytes, key: str = "", **query: str
) -> httpx.Response:
    """Import a CSV list of results."""
    headers = {**person.headers, "Content-Type": "text/csv"}
    headers["Idempotency-Key"] = key or str(hash((listed, tuple(query.items()))))
    content = listed.encode() if isinstance(listed, str) else listed
    path = f"/v1/leagues/{league}/past-seasons"
    return await person.http.post(path, content=content, headers=headers, params=query)


async def a_league(api: Any) -> tuple[Person, str]:
    """Found a league with the players of :data:`LIST`."""
    owner, league = await api.league()
    for asked in ({"name": "Han", "email": "han@falcon.example"}, {"name": "Leia"}):
        made = await owner.post(f"/v1/leagues/{league}/players", asked)
        assert made.status_code == 201, made.text
    jabba = await api.join(owner, league)
    renamed = await api.person("Jabba")
    code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
    assert (await renamed.post(f"/v1/invitations/{code}/accept")).status_code == 201
    assert jabba.player != renamed.player
    return owner, league


async def test_a_list_becomes_an_open_season_that_closes_like_any_other(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league = await a_league(api)
        tried = await bring_results(owner, league, LIST, name="Spring", dry_run="true")
        assert tried.status_code == 200, tried.text
        assert {each["outcome"] for each in tried.json()["rows"]} == {"counted"}
        assert await pages(owner, f"/v1/leagues/{league}/seasons") == []
        done = await bring_results(owner, league, LIST, "first", name="Spring")
        assert done.status_code == 200, done.text
        shown = done.json()
        season = shown["season"]
        assert shown["standings"] == tried.json()["standings"]
        assert [(each["rank"], each["name"], each["points"]) for each in shown["standings"]] == [
            (1, "Leia", "20.5"), (2, "Jabba", "14.0"), (3, "Han", "12.5"),
        ]  # fmt: skip
        again = await bring_results(owner, league, LIST, "first", name="Spring")
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.json() == shown
        await project(database)
        ranks = await pages(owner, f"/v1/seasons/{season}/standings")
        assert [(each["name"], each["points"], each["wins"]) for each in ranks] == [
            ("Leia", "20.5", 1), ("Jabba", "14.0", 0), ("Han", "12.5", 1),
        ]  # fmt: skip

        shorter = "\n".join(LIST.splitlines()[:4])
        replaced = await bring_results(owner, league, shorter, name=" spring ")
        assert replaced.status_code == 200, replaced.text
        assert replaced.json()["season"] == season
        await project(database)
        ledger = await pages(owner, f"/v1/seasons/{season}/ledger")
        assert {each["kind"] for each in ledger} == {"import"}
        assert len(ledger) == 5 + 5 + 3
        by_player: dict[str, float] = {}
        for each in ledger:
            points = by_player.get(each["player"], 0) + float(each["points"])
            by_player[each["player"]] = points
        ranks = await pages(owner, f"/v1/seasons/{season}/standings")
        assert {each["player"]: float(each["points"]) for each in ranks} == by_player

        closed = await owner.post(f"/v1/seasons/{season}/close")
        assert closed.status_code == 200, closed.text
        late = await bring_results(owner, league, LIST, "late", name="Spring")
        assert (late.status_code, late.json()["code"]) == (409, "season_closed")
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_nobody_imports_own_results_into_a_season_of_this_server(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        member = await api.join(owner, league)
        season = await season_in(owner, league)

        def listed(points: int) -> str:
            lines = (f"Opening,{owner.player},1,{points}", f"Opening,{member.player},2,4")
            return "\n".join(("tournament,player,place,points", *lines))

        before = await bring_results(owner, league, listed(9), season=season)
        assert before.status_code == 200, before.text
        night = {"name": "Night", "ruleset": "better", "season": season}
        path = f"/v1/leagues/{league}/tournaments"
        alone = await owner.post(path, night)
        assert (alone.status_code, alone.json()["code"]) == (409, "own_points"), alone.text
        draft = (await owner.post(path, night | {"draft": True})).json()["id"]
        alone = await owner.post(f"/v1/tournaments/{draft}/announce")
        assert (alone.status_code, alone.json()["code"]) == (409, "own_points"), alone.text
        another = await staff(api, owner, league, "owner")
        brought = await bring_results(another, league, listed(9), "another", season=season)
        assert brought.status_code == 200, brought.text
        made = await owner.post(path, night)
        assert made.status_code == 201, made.text
        for query in ({}, {"dry_run": "true"}):
            more = await bring_results(owner, league, listed(10), season=season, **query)
            assert (more.status_code, more.json()["code"]) == (409, "own_points"), more.text
        others = listed(9).replace(",2,4", ",2,5")
        changed = await bring_results(owner, league, others, season=season)
        assert changed.status_code == 200, changed.text


async def test_house_bots_get_no_points_from_anybody(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        season = await season_in(owner, league)
        night = {"name": "Night", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", night)
        path = f"/v1/tournaments/{made.json()['id']}/house-bots"
        [bot] = (await owner.post(path, {"count": 1})).json()["bots"]
        for column, told in (("player", bot["player"]), ("name", bot["name"])):
            listed = f'tournament,{column},place,points\nOpening,"{told}",1,9\n'
            answer = await bring_results(owner, league, listed, season=season)
            assert (answer.status_code, answer.json()["code"]) == (409, "import_invalid")
        given = {"player": bot["player"], "kind": "manual", "points": "5", "reason": "Well played"}
        adjusted = await owner.post(f"/v1/seasons/{season}/adjustments", given)
        assert (adjusted.status_code, adjusted.json()["code"]) == (409, "adjustment_invalid")


@pytest.mark.parametrize("name", ["a\x00b", "a\u202eb", " ", "2024-03-31T20:00:00"])
async def test_names_of_imported_seasons_and_tournaments_are_names(serving, name: str) -> None:
    """The dry run refuses what the import would."""
    async with serving() as api:
        owner, league = await a_league(api)
        one = "tournament,name,place,points\nOpening,Leia,1,9\n"
        for query in ({}, {"dry_run": "true"}):
            season = await bring_results(owner, league, one, name=name, **query)
            assert (season.status_code, season.json()["code"]) == (400, "validation_failed")
        for column in ("Opening", "Leia"):
            listed = one.replace(column, f'"{name}"')
            tried = await bring_results(owner, league, listed, name="Spring", dry_run="true")
            outcomes = [each["outcome"] for each in tried.json()["rows"]]
            assert outcomes != ["counted"], column
            refused = await bring_results(owner, league, listed, name="Spring")
            assert (refused.status_code, refused.json()["code"]) == (400, "import_refused")
        listed = f'tournament,name,email,place,points\nOpening,Leia,"x@{name}x",1,9\n'
        answer = await bring_results(owner, league, listed, name="Spring", dry_run="true")
        assert answer.status_code == 200, answer.text


async def test_a_player_merged_while_a_list_waits_is_the_one_who_stays(serving) -> None:
    async with serving() as here, serving() as there:
        owner, league = await here.league()
        old, new = await here.join(owner, league), await here.join(owner, league)
        listed = f"tournament,player,place,points\nOpening,{old.player},1,9\n"
        async with waiting_turn(here, league) as waits:
            importing = asyncio.create_task(bring_results(owner, league, listed, name="Spring"))
            await waits(1)
            path = f"/v1/leagues/{league}/players/{old.player}/merge"
            why = {"into": new.player, "reason": "Twice"}
            done = await at(there, owner).post(path, why)
            assert done.status_code == 200, done.text
        answer = await importing
        assert answer.status_code == 200, answer.text
        assert [each["player"] for each in answer.json()["standings"]] == [new.player]


async def test_every_fault_of_a_list_is_told_with_its_line_and_nothing_is_imported(
    serving,
) -> None:
    async with serving() as api:
        owner, league = await a_league(api)
        listed = (
            "tournament,date,player,name,place,points\n"
            "Opening,,,Han,1,9\n"  # Han is known by the address only, but by name as a member
            "Opening,,,Greedo,2,4\n"
            "Opening,2024-02-30,,Leia,3,1\n"
            "Opening,,plr_1,,3,1\n"
            "Opening,,,Leia,0,1\n"
            "Opening,,,Leia,3,one\n"
            "Opening,,,,3,1\n"
            "Opening,2024-03-03,,Jabba,3,1\n"
            "Opening,,Leia,3,1\n"
        )
        tried = await bring_results(owner, league, listed, name="Spring", dry_run="true")
        assert tried.status_code == 200, tried.text
        outcomes = [(each["line"], each["outcome"]) for each in tried.json()["rows"]]
        assert outcomes == [
            (2, "counted"), (3, "unknown_player"), (4, "date"), (5, "player"), (6, "place"),
            (7, "points"), (8, "player"), (9, "date"), (10, "cells"),
        ]  # fmt: skip
        assert tried.json()["standings"] == []
        refused = await bring_results(owner, league, listed, name="Spring")
        assert (refused.status_code, refused.json()["code"]) == (400, "import_refused")
        assert [each["line"] for each in refused.json()["rows"]] == [3, 4, 5, 6, 7, 8, 9, 10]
        twice = "tournament,name,place,points\nOpening,Leia,1,9\nOpening,Leia,2,4\n"
        contradicted = await bring_results(owner, league, twice, name="Spring")
        assert (contradicted.status_code, contradicted.json()["code"]) == (409, "import_invalid")
        assert contradicted.json()["tournament"] == "Opening"
        two = await api.person("Leia")
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
        await two.post(f"/v1/invitations/{code}/accept")
        one = "tournament,name,place,points\nOpening,Leia,1,9\n"
        unclear = await bring_results(owner, league, one, name="Spring", dry_run="true")
        assert [each["outcome"] for each in unclear.json()["rows"]] == ["ambiguous_player"]


async def test_an_import_needs_one_season_an_owner_and_a_list(serving) -> None:
    async with serving() as api:
        owner, league = await a_league(api)
        player = await api.join(owner, league)
        season = "ssn_" + "0" * 32
        one = "tournament,name,place,points\nOpening,Leia,1,9\n"
        for query, status, code in (
            ({}, 400, "bad_request"),
            ({"name": "Spring", "season": season}, 400, "bad_request"),
            ({"season": season}, 404, "not_found"),
            ({"season": "one"}, 400, "validation_failed"),
        ):
            answer = await bring_results(owner, league, one, **query)
            assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
        forbidden = await bring_results(player, league, one, name="Spring")
        assert (forbidden.status_code, forbidden.json()["code"]) == (403, "forbidden")
        for listed, status, code in (
            (b"", 400, "invalid_csv"),
            (b"tournament,name,place\n", 400, "invalid_csv"),
            (b"tournament,name,place,points\n\xff", 400, "invalid_unicode"),
            (b"x" * (BYTES_MAX + 1), 413, "body_too_large"),
        ):
            answer = await bring_results(owner, league, listed, name="Spring")
            assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
        no_key = await owner.http.post(
            f"/v1/leagues/{league}/past-seasons?name=Spring",
            content=one,
            headers=owner.headers | {"Content-Type": "text/csv"},
        )
        assert no_key.json()["code"] == "idempotency_key_required"
