"""The rights of staff who are entered in a tournament: its terms, the clock and the seating."""

import json
from typing import Any

import asyncpg
import pytest

from tests.service.api.tournament.test_entering import at
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

WHY = {"reason": "I run the evening, and I play."}

CLOCK_AND_SEATING: list[tuple[str, dict[str, Any]]] = [
    ("start", {}),
    ("pause", {}),
    ("resume", {}),
    ("clock", WHY | {"seconds": 60}),
    ("breaks", WHY | {"seconds": 300, "after_level": 1}),
    ("hand_for_hand", WHY),
    ("hand_for_hand/end", WHY),
]
RULINGS: list[tuple[str, dict[str, Any]]] = [
    ("cancel", {}),
    ("last_hands", WHY),
    ("warnings", WHY),
    ("penalties", WHY | {"hands": 1}),
    ("disqualifications", WHY),
    ("seeds/publish", {}),
]
LEVELS = [{"small": 5, "big": 10, "length": 600}, {"small": 10, "big": 20, "length": None}]


async def night(api: Any, **terms: Any) -> tuple[Any, str, str]:
    """Announce a tournament that its owner enters. Return owner, path and an opponent's entry."""
    owner, league = await api.league()
    asked = {"name": "Night", "ruleset": "better", "table_seats": 3} | terms
    asked["overrides"] = {"escalation": {"kind": "levels", "by": "clock", "levels": LEVELS}}
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    assert made.status_code == 201, made.text
    path = f"/v1/tournaments/{made.json()['id']}"
    await owner.post(f"{path}/registrations")
    for _ in range(3):
        entered = await (await api.join(owner, league)).post(f"{path}/registrations")
    return owner, path, entered.json()["entrant"]


async def own_and_other(owner: Any, path: str) -> tuple[str, str]:
    """Return the table at which the owner sits, and the other table."""
    shown = (await owner.get(path)).json()
    (mine,) = (each["table"] for each in shown["entrants"] if each["player"] == owner.player)
    (other,) = (each["id"] for each in shown["tables"] if each["id"] != mine)
    return mine, other


async def test_terms_leave_staff_who_play_the_clock_and_the_seating_alone(serving) -> None:
    """The host of a home game plays in it, and nobody else is there to start it."""
    async with serving() as api:
        owner, path, entrant = await night(api, staff_may_play=True)
        for way, body in CLOCK_AND_SEATING:
            done = await owner.post(f"{path}/{way}", body, key=way)
            assert done.is_success, (way, done.text)
        _, table = await own_and_other(owner, path)
        for way in ("hold", "release"):
            assert (await owner.post(f"/v1/tables/{table}/{way}", WHY, key=way)).is_success
        for way, body in RULINGS:
            about = (
                {"entrant": entrant}
                if way in ("warnings", "penalties", "disqualifications")
                else {}
            )
            answer = await owner.post(f"{path}/{way}", body | about, key=way)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), way
        voided = await owner.post(
            f"/v1/tables/{table}/void", {"cause": "mis_deal", "reason": "card_shown"}, key="v"
        )
        assert (voided.status_code, voided.json()["code"]) == (403, "forbidden")


async def test_staff_who_play_check_an_opponent_in_but_undo_no_check_in(serving) -> None:
    """Otherwise a host could undo it, start play, and so take the opponent's place."""
    async with serving() as api:
        terms = {"starts_at": at(3600), "entry": {"check_in_opens_before_seconds": 7200}}
        owner, path, entrant = await night(api, staff_may_play=True, **terms)
        here = f"{path}/registrations/{entrant}/check-in"
        assert (await owner.post(here)).is_success
        undone = await owner.http.delete(here, headers=owner.headers)
        assert (undone.status_code, undone.json()["code"]) == (403, "forbidden")


async def test_staff_who_play_cancel_nothing_by_a_start_with_too_few(serving) -> None:
    """They may not cancel, but their early start used to do it."""
    async with serving() as api:
        terms = {"starts_at": at(3600), "entry": {"check_in_opens_before_seconds": 7200}}
        owner, path, entrant = await night(api, staff_may_play=True, **terms)
        await owner.post(f"{path}/registrations/{entrant}/check-in")
        no = await owner.post(f"{path}/start", {}, key="s")
        assert (no.status_code, no.json()["code"], no.json()["entrants"]) == (
            409, "too_few_entrants", 1,
        )  # fmt: skip
        assert (await owner.get(path)).json()["state"] == "registering"


async def test_staff_who_play_order_nothing_about_their_own_table_or_seat(serving) -> None:
    """Each release gives the seat to act its full time again."""
    async with serving() as api:
        owner, path, _ = await night(api, staff_may_play=True)
        await owner.post(f"{path}/start", {}, key="s")
        mine, other = await own_and_other(owner, path)
        shown = (await owner.get(path)).json()["entrants"]
        (me,) = (each["id"] for each in shown if each["player"] == owner.player)
        moved = WHY | {"entrant": me, "table": other}
        for way, body in (
            (f"/v1/tables/{mine}/hold", WHY),
            (f"/v1/tables/{mine}/release", WHY),
            (f"{path}/moves", moved),
            (f"{path}/moves?dry_run=true", moved),
        ):
            answer = await owner.post(way, body, key=way)
            assert (answer.status_code, answer.json()["code"]) == (409, "own_seat"), way


async def test_a_move_that_staff_who_play_try_out_reaches_no_hand(serving) -> None:
    """The dry run shows the new seat. The tables carry the move out between hands."""
    async with serving() as api:
        owner, path, entrant = await night(api, staff_may_play=True)
        await owner.post(f"{path}/start", {}, key="s")
        tables = [each["id"] for each in (await owner.get(path)).json()["tables"]]
        views = [(await owner.get(f"/v1/tables/{each}")).json() for each in tables]
        (table,) = (
            each["id"]
            for each in views
            if entrant not in {seat["entrant"] for seat in each["seats"]}
        )
        asked = WHY | {"entrant": entrant, "table": table}
        tried = await owner.post(f"{path}/moves?dry_run=true", asked, key="m")
        assert (tried.status_code, tried.json()["tables"]) == (200, {}), tried.text


async def test_the_log_marks_what_staff_who_play_have_done(serving, database: TestDatabase) -> None:
    """The mark is in the metadata of each of their commands, and of nobody else's."""
    async with serving() as api:
        owner, path, entrant = await night(api, staff_may_play=True)
        await owner.post(f"{path}/start", {}, key="s")
        await owner.post(f"{path}/clock", WHY | {"seconds": 60}, key="c")
        for own in ({"level": 2}, {"seconds": -60}):
            no = await owner.post(f"{path}/clock", WHY | own)
            assert (no.status_code, no.json()["code"]) == (409, "own_clock")
        no = await owner.post(f"{path}/warnings", WHY | {"entrant": entrant}, key="w")
        assert "who does not play" in no.json()["detail"]
    connection = await asyncpg.connect(database.url("holotable_project"))
    try:
        rows = await connection.fetch("SELECT type, metadata::text AS metadata FROM events")
    finally:
        await connection.close()
    marked = {row["type"] for row in rows if json.loads(row["metadata"]).get("entered")}
    assert {"play_started", "clock_set"} <= marked
    assert not marked & {"tournament_announced", "entrant_registered", "member_added"}
    assert not any('"entered":false' in row["metadata"] for row in rows)
    assert not any('"entered":null' in row["metadata"] for row in rows)


@pytest.mark.parametrize(("way", "body"), [*CLOCK_AND_SEATING, ("registration/close", {})])
async def test_without_it_staff_who_play_run_nothing(
    serving, way: str, body: dict[str, Any]
) -> None:
    async with serving() as api:
        owner, path, _ = await night(api)
        answer = await owner.post(f"{path}/{way}", body, key=way)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
        assert "`staff_may_play`" in answer.json()["detail"]
