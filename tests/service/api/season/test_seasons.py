"""A season over HTTP: its formula, ledger, standings, lots and ratings."""

from typing import Any

import pytest

from service.audit.play import generator
from tests.service.api.conftest import ANY
from tests.service.api.proof.test_evidence import project
from tests.service.api.season.test_past_seasons import bring_results
from tests.service.api.tournament.test_corrections import a_night, award, entrants
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

WHY = {"reason": "Counted twice at the table."}
PRESET = {"points": {"type": "points_preset", "name": "stockholm"}}


async def table(owner: Any, season: str) -> list[tuple[int, str, str]]:
    items = (await owner.get(f"/v1/seasons/{season}/standings")).json()["items"]
    return [(each["rank"], each["player"], each["points"]) for each in items]


async def ledger(owner: Any, season: str, query: str = "") -> list[dict[str, Any]]:
    answer = await owner.get(f"/v1/seasons/{season}/ledger{query}")
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def test_points_are_awarded_by_the_formula_that_a_season_was_opened_with(
    serving: Any, database: TestDatabase
) -> None:
    """The Stockholm formula: sqrt(9 / 3) * (3 / k + 1), in a season of one game."""
    async with serving() as api:
        owner, _, season, tournament, _ = await a_night(api, database, **PRESET)
        placed = await entrants(owner, tournament)
        shown = (await owner.get(f"/v1/seasons/{season}")).json()

        found = await table(owner, season)

    assert shown["points"] == {
        "type": "points_formula",
        "text": "sqrt(pool / n) * (n / k + 1)",
        "language": 1,
        "preset": "stockholm",
    }
    assert (shown["overall"], shown["state"]) == ("total / sqrt(played)", "open")
    assert shown["master"] is None and len(shown["master_commitment"]) == 64
    due = {}
    for each in placed:
        shared = sum(other["placing"] == each["placing"] for other in placed)
        places = range(each["placing"], each["placing"] + shared)
        due[each["player"]] = sum(3**0.5 * (3 / place + 1) for place in places) / shared
    assert {player: points for _, player, points in found} == {
        player: f"{points:.2f}" for player, points in due.items()
    }


@pytest.mark.parametrize(
    ("points", "code"),
    [
        ({"type": "points_formula", "text": "n *"}, "formula_invalid"),
        ({"type": "points_formula", "text": "__import__('os')"}, "formula_invalid"),
        ({"type": "points_formula", "text": "1 / (k - 1)"}, "season_terms_invalid"),
        ({"type": "points_preset", "name": "nobodys"}, "bad_request"),
        ({"type": "points_formula"}, "validation_failed"),
    ],
)
async def test_a_season_with_a_bad_formula_is_never_opened(
    serving: Any, points: dict[str, Any], code: str
) -> None:
    async with serving() as api:
        owner, league = await api.league()

        answer = await owner.post(
            f"/v1/leagues/{league}/seasons", {"name": "Spring", "points": points}
        )

    assert answer.json()["code"] == code
    assert answer.status_code in (400, 409)


async def test_formulas_are_listed_and_tried_before_they_are_used(serving: Any) -> None:
    """A preset carries the numbers that were published with it."""
    async with serving() as api:
        person = await api.person()
        listed = (await api.http.get("/v1/points-formulas")).json()["items"]
        stars = next(each for each in listed if each["name"] == "pokerstars")
        tried = []
        for worked in stars["numbers"]:
            asked = {"formula": stars["points"]["text"], **worked["values"]}
            answer = await person.post("/v1/points-formulas/try", asked)
            tried.append((answer.json()["points"], worked["points"]))
        none = await person.post("/v1/points-formulas/try", {"formula": "1 / k"})
        wrong = await person.post("/v1/points-formulas/try", {"formula": "1 +"})

    assert len(tried) == 4 and all(one == other for one, other in tried)
    assert none.json() == {"points": None, "failure": "division_by_zero", "language": 1}
    assert (wrong.status_code, wrong.json()["code"], wrong.json()["at"]) == (
        409, "formula_invalid", 4,
    )  # fmt: skip


async def test_an_adjustment_is_entered_shown_and_voided(
    serving: Any, database: TestDatabase
) -> None:
    """Members who report results may do so, after a dry run. The ledger shows reason and author."""
    async with serving() as api:
        owner, league, season, _, people = await a_night(api, database)
        before = await table(owner, season)
        player = before[-1][1]
        path = f"/v1/seasons/{season}/adjustments"
        asked = {"player": player, "points": "7.5", "kind": "high_hand", **WHY}
        refused = await people[0].post(path, asked, key="1")
        tried = await owner.post(f"{path}?dry_run=true", asked, key="2")

        made = await owner.post(path, asked, key="3")
        again = await owner.post(path, asked, key="3")
        await project(database)
        after = await table(owner, season)
        entry = (await ledger(owner, season, f"?player={player}"))[-1]
        why = (await owner.get(f"/v1/texts/{entry['reason']}")).json()
        name = made.json()["adjustment"]
        voided = await owner.post(f"{path}/{name}/void", WHY, key="4")
        await project(database)

        assert refused.status_code == 403
        assert tried.json()["events"] == ["points_adjusted"]
        assert tried.json()["seasons"][season][0]["player"] == player
        assert made.status_code == 201, made.text
        assert again.json() == made.json()
        assert after[0] == (1, player, f"{float(before[-1][2]) + 7.5:.2f}")
        assert (entry["kind"], entry["points"], entry["author"]) == (
            "high_hand", "7.50", owner.player,
        )  # fmt: skip
        assert why["text"] == WHY["reason"]
        assert voided.status_code == 200, voided.text
        assert await table(owner, season) == before
        mine = await ledger(owner, season, f"?player={player}")
        assert [each["kind"] for each in mine] == ["award", "high_hand", "void"]
        assert sum(float(each["points"]) for each in mine) == float(before[-1][2])
        nobodys = await owner.post(f"{path}/adj_{'0' * 32}/void", WHY, key="5")
        assert (nobodys.status_code, nobodys.json()["code"]) == (409, "adjustment_unknown")
        finer = await owner.post(path, asked | {"points": "0.001"}, key="6")
        assert finer.json()["code"] == "adjustment_invalid"
        report = await audited(database, league)
        assert faults(report) == {}, report.text()


async def test_points_go_to_members_and_to_players_whom_the_season_has_counted(
    serving: Any, database: TestDatabase
) -> None:
    """A former member keeps the counted points, so they can still be corrected."""
    async with serving() as api:
        owner, league, season, _, people = await a_night(api, database)
        stranger, newcomer = await api.person(), await api.join(owner, league)
        member = f"/v1/leagues/{league}/members/{people[0].player}"
        assert (await api.http.delete(member, headers=owner.headers)).status_code == 200
        answers = [
            await owner.post(
                f"/v1/seasons/{season}/adjustments",
                {"player": person.player, "points": "5", **WHY},
                key=person.player,
            )
            for person in (stranger, newcomer, people[0])
        ]
        assert [each.status_code for each in answers] == [409, 201, 201], answers[2].text
        assert answers[0].json()["code"] == "adjustment_invalid"


async def evenings(owner: Any, season: str) -> list[list[tuple[int, str, str]]]:
    """Return rank, player and points of the standings after each evening."""
    shown = (await owner.get(f"/v1/seasons/{season}/standings/series")).json()["items"]
    return [
        [(each["rank"], each["player"], each["points"]) for each in evening["standings"]]
        for evening in shown
    ]


async def test_a_corrected_result_revises_the_award_and_a_revoked_one_counts_no_more(
    serving: Any, database: TestDatabase
) -> None:
    """The worker revises the award after a correction. The ledger keeps both awards and adds up."""
    bonuses = {"bonuses": [{"kind": "attendance", "points": "1"}]}
    async with serving() as api:
        owner, league, season, tournament, _ = await a_night(api, database, **bonuses)
        placed = await entrants(owner, tournament)
        order = [[each["id"]] for each in reversed(placed)]
        corrected = await owner.post(
            f"/v1/tournaments/{tournament}/corrections",
            {"order": order, **WHY},
            key="1",
            headers=ANY,
        )
        assert corrected.status_code == 201, corrected.text
        await award(database, league, tournament)
        await award(database, league, tournament)
        turned = await table(owner, season)
        series = [await evenings(owner, season)]
        awards = f"/v1/seasons/{season}/awards/{tournament}"

        revoked = await owner.post(f"{awards}/revoke", WHY, key="2")
        await project(database)
        empty = await table(owner, season)
        series.append(await evenings(owner, season))
        back = await owner.post(f"{awards}/revise", WHY, key="3")
        await project(database)
        series.append(await evenings(owner, season))

        assert series == [[turned], [], [turned]]
        assert [each[1] for each in turned] == [each["player"] for each in reversed(placed)]
        assert [each[2] for each in turned] == ["4.00", "3.00", "2.00"]
        assert (revoked.status_code, back.status_code) == (200, 200), (revoked.text, back.text)
        assert empty == []
        assert await table(owner, season) == turned
        entries = await ledger(owner, season, "?limit=200")
        assert {each["kind"] for each in entries} == {
            "award", "attendance", "revision", "revocation", "void",
        }  # fmt: skip
        for _, player, points in turned:
            own = [float(each["points"]) for each in entries if each["player"] == player]
            assert sum(own) == float(points)
        assert len(await ledger(owner, season, "?limit=2")) == 2
        path = f"/v1/seasons/{season}/awards/{tournament}/revise"
        elsewhere = await api.http.post(path, json=WHY, headers=owner.headers)
        assert elsewhere.json()["code"] == "idempotency_key_required"
        report = await audited(database, league)
        assert faults(report) == {}, report.text()


async def test_lots_at_the_close_can_be_repeated_by_anybody(
    serving: Any, database: TestDatabase
) -> None:
    """
    All players are equal: every place gives the same points, and the lot is the only tie-break.
    """
    terms = {
        "points": {"type": "points_formula", "text": "5"},
        "tie_breaks": ["standings.lot"],
    }
    async with serving() as api:
        owner, league, season, tournament, people = await a_night(api, database, **terms)
        before = await table(owner, season)

        closed = await owner.post(f"/v1/seasons/{season}/close")
        await project(database)
        after = await table(owner, season)
        shown = (await owner.get(f"/v1/seasons/{season}")).json()
        final = await owner.post(f"/v1/seasons/{season}/awards/{tournament}/revise", WHY, key="1")
        report = await audited(database, league)

    assert closed.status_code == 200, closed.text
    players = sorted(each.player for each in people)
    assert before == [(1, player, "5.00") for player in players]
    [lot] = shown["lots"]
    assert (shown["state"], lot["number"], lot["candidates"]) == ("closed", 1, players)
    master = bytes.fromhex(shown["master"])
    number = generator.UUID(hex=season[4:])
    committed = generator.master_commitment(number, "lots", master)
    seed = generator.seed(master, "draws", 0, 1, 1)
    order = generator.Draws(seed, "lot", 1, generator.openings_digest(())).order(players)
    assert committed == shown["master_commitment"]
    assert order == lot["order"] == [player for _, player, _ in after]
    assert [rank for rank, _, _ in after] == [1, 2, 3]
    assert (final.status_code, final.json()["code"]) == (409, "season_closed")
    assert faults(report) == {}, report.text()


async def test_ratings_follow_results_and_their_corrections(
    serving: Any, database: TestDatabase
) -> None:
    """Three new players get the model's ratings for the current result."""
    async with serving() as api:
        owner, league, _, tournament, _ = await a_night(api, database)
        placed = await entrants(owner, tournament)
        before = (await owner.get(f"/v1/leagues/{league}/ratings")).json()["items"]
        order = [[each["id"]] for each in reversed(placed)]
        asked = {"order": order, **WHY}
        await owner.post(f"/v1/tournaments/{tournament}/corrections", asked, headers=ANY)
        await project(database)

        found = (await owner.get(f"/v1/leagues/{league}/ratings")).json()["items"]
        first = (await owner.get(f"/v1/leagues/{league}/ratings?limit=1")).json()
        rest = await owner.get(f"/v1/leagues/{league}/ratings?cursor={first['next_cursor']}")
        last = found[-1]["player"]
        history = (await owner.get(f"/v1/leagues/{league}/ratings/{last}")).json()["items"]
        report = await audited(database, league)

    assert [each["player"] for each in found] == [each["player"] for each in reversed(placed)]
    assert [each["played"] for each in found] == [1, 1, 1]
    assert [each["mu"] for each in found] == ["27.869049", "25.717262", "21.413689"]
    assert {each["player"] for each in before} == {each["player"] for each in found}
    assert [*first["items"], *rest.json()["items"]] == found
    assert history == [
        {
            "league": league,
            "tournament": tournament,
            "place": 3,
            **{name: found[-1][name] for name in ("mu", "sigma", "ordinal")},
        }
    ]
    assert faults(report) == {}, report.text()


async def test_an_adjustment_for_no_evening_counts_in_the_series_from_its_own_time(
    serving, database
) -> None:
    async with serving() as api:
        bonuses = [{"kind": "attendance", "points": "1"}]
        owner, _, season, first, people = await a_night(api, database, bonuses=bonuses)
        path = f"/v1/seasons/{season}/standings"
        await project(database)
        then = (await owner.get(path)).json()["items"]
        adjusted = {"player": people[0].player, "points": "50", "reason": "High hand"}
        done = await owner.post(f"/v1/seasons/{season}/adjustments", adjusted)
        assert done.is_success, done.text
        [evening] = (await owner.get(f"{path}/series")).json()["items"]
        assert evening["tournament"] == first
        shown = [(each["player"], each["rank"], each["points"]) for each in evening["standings"]]
        assert shown == [(each["player"], each["rank"], each["points"]) for each in then]
        names = {each.player: each.login for each in people}
        assert {each["player"]: each["name"] for each in evening["standings"]} == names


async def test_results_say_which_of_them_make_the_points(serving, database) -> None:
    """The better of two imported results counts, and the one played here, and an adjustment."""
    async with serving() as api:
        terms = {"aggregation": {"mode": "best", "results": 1}}
        owner, league, season, tournament, people = await a_night(api, database, **terms)
        player = people[0].player
        listed = f"tournament,place,player,points\nOpening,1,{player},90\nFinal,1,{player},80\n"
        imported = await bring_results(owner, league, listed, season=season)
        assert imported.is_success, imported.text
        adjusted = {"player": player, "points": "-2", "kind": "penalty", "reason": "Late"}
        await owner.post(f"/v1/seasons/{season}/adjustments", adjusted)
        await project(database)
        path = f"/v1/seasons/{season}/results"
        first, *others = (await owner.get(path)).json()["items"]
        [alone] = (await owner.get(f"{path}?player={people[1].player}")).json()["items"]
        refused = await (await api.person()).get(path)

    assert (first["player"], first["rank"], first["points"]) == (player, 1, "88.00")
    assert first["adjusted"] == "-2.00"
    assert [(each["name"], each["counts"]) for each in first["results"]] == [
        ("Opening", True), ("Final", False), ("Night", False),
    ]  # fmt: skip
    assert first["results"][2]["tournament"] == tournament
    assert first["results"][0]["starts_at"] is None
    assert all(each["results"][0]["counts"] for each in others) and len(others) == 2
    assert alone["player"] == people[1].player
    assert refused.status_code == 404
