"""A result corrected over HTTP: a dry run, the correction, and the season that follows it."""

from typing import Any

import pytest

from service.director import submitting
from service.director.runtime import open_runtime
from tests.service.api.conftest import ANY
from tests.service.api.proof.test_evidence import project
from tests.service.api.tournament.test_casino import play_out
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

WHY = {"reason": "The clock was stopped too late."}


async def a_night(
    api: Any, database: TestDatabase, *, owner_plays: bool = False, **season_terms: Any
) -> tuple[Any, str, str, str, list[Any]]:
    """Play one hand of three in a season. Return owner, league, season, tournament, people."""
    owner, league = await api.league()
    asked = {"name": "Spring"} | season_terms
    made = await owner.post(f"/v1/leagues/{league}/seasons", asked)
    assert made.status_code == 201, made.text
    season = made.json()["id"]
    people = [await api.join(owner, league) for _ in range(2 if owner_plays else 3)]
    people += [owner] if owner_plays else []
    terms = {
        "name": "Night", "ruleset": "better", "hands_between_seconds": 0, "season": season,
        "hands_max": 1, "prize_pool": 900, "currency": "EUR", "payouts": [6, 3],
        "staff_may_play": owner_plays,
    }  # fmt: skip
    made = await owner.post(f"/v1/leagues/{league}/tournaments", terms)
    assert made.status_code == 201, made.text
    tournament = made.json()["id"]
    for person in people:
        await person.post(f"/v1/tournaments/{tournament}/registrations")
    started = await owner.post(f"/v1/tournaments/{tournament}/start")
    assert started.status_code == 202, started.text
    table = (await owner.get(f"/v1/tournaments/{tournament}")).json()["tables"][0]["id"]

    await play_out(owner, tournament, people, table)
    await award(database, league, tournament)
    return owner, league, season, tournament, people


async def award(database: TestDatabase, league: str, tournament: str) -> None:
    """Award the result as the worker does, and bring the read models up to date."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        await submitting.award_points(runtime, league, tournament)
    await project(database)


async def standings(owner: Any, season: str) -> dict[str, int]:
    items = (await owner.get(f"/v1/seasons/{season}/standings")).json()["items"]
    return {each["player"]: each["rank"] for each in items}


async def entrants(owner: Any, tournament: str) -> list[dict[str, Any]]:
    shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
    return sorted(shown, key=lambda each: each["placing"])


async def head(owner: Any, tournament: str) -> str:
    return str((await owner.get(f"/v1/tournaments/{tournament}")).headers["ETag"])


async def test_a_forfeit_is_tried_then_done_and_points_and_standings_follow(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, season, tournament, _ = await a_night(api, database)
        before, version = await standings(owner, season), await head(owner, tournament)
        winner = (await entrants(owner, tournament))[0]
        asked = {"entrant": winner["id"], **WHY}
        path = f"/v1/tournaments/{tournament}/forfeits"

        tried = await owner.post(f"{path}?dry_run=true", asked, key="forfeit")
        assert tried.status_code == 200, tried.text
        assert tried.json()["dry_run"] is True
        assert tried.json()["events"] == ["result_corrected"]
        (change,) = tried.json()["tournaments"].values()
        promised = {each["entrant"]: each["after"] for each in change["placings"]}
        ranks = {each["player"]: each["rank_after"] for each in tried.json()["seasons"][season]}
        assert promised[winner["id"]] == 3
        assert await head(owner, tournament) == version
        assert await standings(owner, season) == before

        read = {"If-Match": (await owner.get(f"/v1/tournaments/{tournament}")).headers["etag"]}
        done = await owner.post(path, asked, key="forfeit", headers=read)
        assert done.status_code == 201, done.text
        placed = {each["entrant"]: each["place"] for each in done.json()["placings"]}
        assert placed.items() >= promised.items()
        assert sum(each["amount"] for each in done.json()["payouts"]) == 900
        await award(database, league, tournament)
        after = await standings(owner, season)
        assert after.items() >= ranks.items()
        assert after != before
        shown = (await owner.get(f"/v1/tournaments/{tournament}/corrections")).json()["items"]
        assert [(each["kind"], each["reason"]) for each in shown] == [("forfeit", WHY["reason"])]
        again = await owner.post(path, asked, key="forfeit", headers=read)
        assert again.headers["Idempotent-Replayed"] == "true"
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_places_and_prizes_are_set_right_by_hand(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, _, tournament, _ = await a_night(api, database)
        first, second, third = [each["id"] for each in await entrants(owner, tournament)]
        order = [[third], [second], [first]]
        done = await owner.post(
            f"/v1/tournaments/{tournament}/corrections", {"order": order, **WHY}, headers=ANY
        )
        assert done.status_code == 201, done.text
        paid = {each["entrant"]: each["amount"] for each in done.json()["payouts"]}
        assert paid == {third: 600, second: 300}
        awards = [{"entrant": third, "amount": 500}, {"entrant": first, "amount": 400}]
        path, asked = f"/v1/tournaments/{tournament}/awards", {"awards": awards, **WHY}
        anew = await owner.post(path, asked, headers=ANY)
        assert anew.status_code == 201, anew.text
        same = await owner.post(path, asked, headers=ANY)
        assert (same.status_code, same.json()["number"], same.json()["position"]) == (201, 0, None)
        assert same.json()["payouts"] == anew.json()["payouts"]
        await project(database)
        placings = [each["id"] for each in await entrants(owner, tournament)]
        assert placings == [third, second, first]
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_nobody_sets_right_a_result_of_their_own(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, _, _, tournament, people = await a_night(api, database, owner_plays=True)
        first = (await entrants(owner, tournament))[0]["id"]
        for person in (owner, *people):
            refused = await person.post(
                f"/v1/tournaments/{tournament}/forfeits", {"entrant": first, **WHY}, headers=ANY
            )
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


async def test_what_cannot_be_tried_says_so_and_does_nothing(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        refused = await owner.post(f"/v1/leagues/{league}/seasons?dry_run=true", {"name": "S"})
        assert (refused.status_code, refused.json()["code"]) == (400, "dry_run_unsupported")
        assert (await owner.get(f"/v1/leagues/{league}/seasons")).json()["items"] == []


async def test_a_result_that_a_closed_season_has_counted_stays(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, season, tournament, people = await a_night(api, database)
        assert (await owner.post(f"/v1/seasons/{season}/close", {}, key="close")).is_success
        first, second, third = [each["id"] for each in await entrants(owner, tournament)]
        path, version = f"/v1/tournaments/{tournament}", await head(owner, tournament)
        forfeit = {"entrant": first, **WHY}
        order = {"order": [[third], [second], [first]], **WHY}
        for query in ("?dry_run=true", ""):
            for refused in (
                await owner.post(f"{path}/forfeits{query}", forfeit, headers=ANY),
                await owner.post(f"{path}/corrections{query}", order, headers=ANY),
            ):
                assert (refused.status_code, refused.json()["code"]) == (409, "season_closed")
        assert await head(owner, tournament) == version
        awards = [{"entrant": second, "amount": 900}]
        anew = await owner.post(f"{path}/awards", {"awards": awards, **WHY}, headers=ANY)
        assert anew.status_code == 201, anew.text  # the season does not count money
        claimed = {"kind": "payout", "tournament": tournament, "claim": "He cheated."}
        dispute = (await people[1].post("/v1/disputes", claimed, key="claim")).json()["id"]
        promoted = await api.join(owner, league)
        office = f"/v1/leagues/{league}/members/{promoted.player}"
        await api.http.put(office, json={"role": "referee"}, headers=owner.headers | ANY)
        acts = [{"act": "forfeit", "entrant": first}]
        ruling = {"outcome": "for", "rules": ["payouts"], "acts": acts, **WHY}
        about = f"/v1/disputes/{dispute}/rulings?dry_run=true"
        refused = await promoted.post(about, ruling, key="rule")
        assert (refused.status_code, refused.json()["code"]) == (409, "season_closed")
    report = await audited(database, league)
    assert faults(report) == {}, report.text()
