"""Dry runs show everything certain and nothing hidden, and leave a trace in the staff log."""

from typing import Any

import pytest

from engine.league.roles import LOST_WHEN_ENTERED
from service.api.routes import ROUTES
from tests.service.api.proof.test_disputes import RULES, ask, claim, with_office
from tests.service.api.proof.test_evidence import project
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.api.tournament.test_corrections import a_night, entrants, standings
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

WHY = {"reason": "As I saw it from the rail."}

REACH_NO_TABLE = {
    "replan_fixtures", "end_fixtures", "change_fixture", "close_season", "merge_players",
}  # fmt: skip
"""
Dry runs that entered staff may make. They concern tournaments without entries, the end of a season,
which follows from results, or players who sit at no table.
"""


async def seated(person: Any, table: str) -> list[dict[str, Any]]:
    return list((await person.get(f"/v1/tables/{table}")).json()["seats"])


async def tried(person: Any, path: str, body: dict[str, Any], method: str = "POST") -> Any:
    answer = await person.http.request(
        method,
        f"{path}?dry_run=true",
        json=body,
        headers={**person.headers, "Idempotency-Key": f"try {path}"},
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_dry_run_stops_before_hidden_cards_decide(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing(3)
        views = [await turn([person], table) for person in people]
        assert {view["phase"] for _, view in views} == {"select"}
        for number, (person, view) in enumerate(views[:2]):
            done = await person.post(
                f"/v1/tables/{table}/actions", answer_to(view), key=f"s{number}"
            )
            assert done.status_code == 200, done.text
        mine = views[2][1]["me"]["seat"]
        who = next(each["entrant"] for each in await seated(owner, table) if each["seat"] == mine)
        about = f"/v1/tournaments/{tournament}/disqualifications"

        found = await tried(owner, about, {"entrant": who, **WHY})

        assert found["events"] == ["entrant_disqualified", "entrant_eliminated", "hand_quit"]
        (open_,) = found["depends_on"]
        assert (open_["on"], open_["table"]) == ("hand_in_play", table)
        assert "depends on the hand in play" in open_["detail"]
        (change,) = found["tournaments"].values()
        assert [(each["entrant"], each["after"]) for each in change["placings"]] == [(who, 3)]
        assert [(each["entrant"], each["after"]) for each in change["seats"]] == [(who, None)]


async def test_a_dry_run_shows_what_is_certain_of_the_hand_in_play(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing(2, starting_stack=100)
        await turn(people, table)
        first, other = await seated(owner, table)
        about = f"/v1/tournaments/{tournament}/disqualifications"
        found = await tried(owner, about, {"entrant": first["entrant"], **WHY})
        assert found["events"][-1] in ("hand_settled", "tournament_finished")
        assert found["depends_on"] == []
        won = {each["entrant"]: each["after"] for each in found["tables"][table]["stacks"]}
        assert won[other["entrant"]] > 100


async def test_dry_runs_of_penalties_and_breaking_orders_show_what_changes(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing(5, table_seats=3)
        await turn(people, table)
        who = (await seated(owner, table))[0]["entrant"]
        about = f"/v1/tournaments/{tournament}"

        penalty = await tried(owner, f"{about}/penalties", {"entrant": who, "hands": 3, **WHY})
        orders = [
            await tried(owner, f"{about}/breaking_order", {"order": order, **WHY}, "PUT")
            for order in ([2, 1], [1, 2])
        ]

        assert penalty["tables"][table]["penalties"] == [{"entrant": who, "before": 0, "after": 3}]
        assert penalty["depends_on"] == []
        changes = [each["tournaments"].get(tournament) for each in orders]
        told = [each["breaking_order"] for each in changes if each is not None]
        assert told in ([[2, 1]], [[1, 2]])


async def test_a_dry_run_names_everybody_and_shows_what_the_place_is_worth(serving) -> None:
    """While play goes on, a place is worth what the pool as it stands gives for it."""
    async with serving() as api:
        money = {"prize_pool": 900, "currency": "EUR", "payouts": [6, 3]}
        owner, _, tournament, people, table = await api.playing(3, **money)
        await turn(people, table)
        about = f"/v1/tournaments/{tournament}"
        entries = (await owner.get(f"{about}/registrations")).json()["items"]
        names = {each["entrant"]: each["name"] for each in entries}
        last, second, _ = names
        done = await owner.post(f"{about}/disqualifications", {"entrant": last, **WHY})
        assert done.is_success, done.text

        found = await tried(owner, f"{about}/disqualifications", {"entrant": second, **WHY})

        change = found["tournaments"][tournament]
        paid = {each["entrant"]: (each["before"], each["after"]) for each in change["payouts"]}
        assert paid[second] == (0, 300)
        assert {each["entrant"]: each["after"] for each in change["placings"]}[second] == 2
        assert second in [each["entrant"] for each in change["seats"] if each["after"] is None]
        assert found["names"][second] == names[second]
        penalty = {"entrant": second, "hands": 2, **WHY}
        tried_penalty = await tried(owner, f"{about}/penalties", penalty)
        assert tried_penalty["names"] == {second: names[second]}


async def test_a_dry_run_under_a_used_key_is_done_only_for_the_same_request(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing(2)
        await turn(people, table)
        who = (await seated(owner, table))[0]["entrant"]
        penalties = f"/v1/tournaments/{tournament}/penalties"
        given = {"entrant": who, "hands": 2, **WHY}
        assert (await owner.post(penalties, given, key="once")).is_success

        same = await owner.post(f"{penalties}?dry_run=true", given, key="once")
        other = await owner.post(f"{penalties}?dry_run=true", given | {"hands": 3}, key="once")
        sent = await owner.post(penalties, given | {"hands": 3}, key="once")

        assert (same.status_code, same.json()["done"], same.json()["events"]) == (200, True, [])
        assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
        assert (sent.status_code, sent.json()["code"]) == (422, "idempotency_key_reused")


async def test_a_dry_run_of_a_move_shows_the_seat_that_is_ordered(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing(5, table_seats=3)
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        tables = [each["id"] for each in shown["tables"]]
        await turn(people, table)
        larger, smaller = sorted(tables, key=lambda each: each != table)
        who = (await seated(owner, larger))[0]
        wanted = {"entrant": who["entrant"], "table": smaller, **WHY}
        found = await tried(owner, f"/v1/tournaments/{tournament}/moves", wanted)
        (change,) = found["tournaments"][tournament]["seats"]
        assert change == {
            "entrant": who["entrant"],
            "before": {"table": larger, "seat": who["seat"]},
            "after": {"table": smaller, "seat": None},
        }


async def test_a_ruling_on_a_frozen_result_shows_what_it_does_to_the_season(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, season, tournament, people = await a_night(api, database)
        referee = await with_office(api, owner, league)
        dispute = await claim(people[0], tournament=tournament)
        frozen = await ask(referee, f"/v1/disputes/{dispute}/freeze", WHY)
        assert frozen.json()["frozen"] is True
        winner = (await entrants(owner, tournament))[0]
        acts = [{"act": "forfeit", "entrant": winner["id"]}]
        ruling = {"outcome": "for", "rules": RULES, "acts": acts, **WHY}

        found = await tried(referee, f"/v1/disputes/{dispute}/rulings", ruling)

        ranks = {each["player"]: each["rank_after"] for each in found["seasons"][season]}
        assert ranks[winner["player"]] == 3
        before = await standings(owner, season)
        assert before[winner["player"]] == 1
        assert found["tournaments"][tournament]["frozen"] == []
        done = await ask(
            referee, f"/v1/disputes/{dispute}/rulings", ruling | {"dry_run": found["digest"]}
        )
        assert done.status_code == 201, done.text


async def test_a_dry_run_leaves_a_line_in_the_staff_log(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3)
        await turn(people, table)
        who = (await seated(owner, table))[0]["entrant"]
        about = f"/v1/tournaments/{tournament}/penalties"
        await tried(owner, about, {"entrant": who, "hands": 1, **WHY})
        await project(database)
        log = (await owner.get(f"/v1/leagues/{league}/staff-log")).json()["items"]
        assert [
            (each["actor"], each["about"]) for each in log if each["type"] == "command_rehearsed"
        ] == [(owner.player, f"give_penalty {tournament}")]


def test_nobody_who_is_entered_may_try_what_reaches_a_table() -> None:
    declared = [each.opt["operation"] for each in ROUTES if each.opt["operation"].dry_run]
    open_to_players = {each.name for each in declared if each.capability not in LOST_WHEN_ENTERED}
    assert open_to_players <= REACH_NO_TABLE
