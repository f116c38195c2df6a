"""Scheduled rounds over HTTP: announced, read, ended early, and seated by their job."""

import asyncio
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest

from engine.tournament import decider as aggregate
from engine.tournament.model.commands.freezing import FreezeResult
from engine.values import DisputeId
from service.director.runtime import open_runtime
from service.log.writer import Writer
from service.tasks.duties import DUTIES
from tests.service.api.table.test_commands import answer_to
from tests.service.director.test_directing import decided

pytestmark = pytest.mark.anyio

FORMAT = {"kind": "rounds", "rounds": 2, "seating": "round_robin", "hands_per_round": 1, "cut": 3}
TERMS = {"table_seats": 3, "format": FORMAT}


async def rounds_of(person: Any, tournament: str, **query: Any) -> Any:
    answer = await person.get(f"/v1/tournaments/{tournament}/rounds", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def play_out(owner: Any, people: list[Any], tournament: str) -> None:
    """Answer every open decision until no table of the round is open."""
    for step in range(400):
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        if not shown["tables"] or shown["state"] == "finished":
            return
        for table in shown["tables"]:
            for person in people:
                view = (await person.get(f"/v1/tables/{table['id']}")).json()
                if view["my_turn"]:
                    key = f"{tournament}{step}{table['id']}"
                    path = f"/v1/tables/{table['id']}/actions"
                    done = await person.post(path, answer_to(view), key=key)
                    assert done.status_code in (200, 409), done.text
                    break
    raise AssertionError(f"the round does not end: {shown}, {view}")


async def seat(runtime: Any, league: str, tournament: str, after: int) -> Any:
    """Run the round's job once, as a worker does."""
    ids = {"league": league, "tournament": tournament, "after": str(after)}
    return await DUTIES["tournament.round"].do(runtime, ids)


async def test_a_round_shows_who_meets_whom_and_how_it_ended(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, _ = await api.playing(6, **TERMS)
        before = await rounds_of(people[0], tournament)
        assert (before["number"], before["stage"], before["scores"]) == (1, "playing", [])
        (first,) = before["rounds"]
        assert first["results"] is None
        assert [len(each["seats"]) for each in first["tables"]] == [3, 3]
        assert first["meetings"] == {"fewest": 0, "most": 1, "again": 0}
        await play_out(owner, people, tournament)
        between = await rounds_of(owner, tournament)
        assert between["stage"] == "between"
        assert between["next_at"] is not None
        assert len(between["scores"]) == 6
        assert [len(each["scores"]) for each in between["rounds"][0]["results"]] == [3, 3]
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        assert shown["format"]["kind"] == "rounds"
        assert shown["round"]["number"] == 1
        assert shown["tables"] == []


async def test_the_job_seats_the_next_round_once_and_the_final_after_the_last(
    serving, database
) -> None:
    async with (
        serving() as api,
        open_runtime(database.settings("holotable_worker")) as runtime,
        open_runtime(database.settings("holotable_worker")) as other,
    ):
        owner, league, tournament, people, _ = await api.playing(6, **TERMS)
        await play_out(owner, people, tournament)
        asked = (seat(each, league, tournament, 1) for each in (runtime, other, runtime, other))
        assert await asyncio.gather(*asked) == [None] * 4
        shown = await rounds_of(owner, tournament)
        assert [each["number"] for each in shown["rounds"]] == [1, 2]
        assert [each["number"] for each in shown["rounds"][1]["tables"]] == [3, 4]
        await play_out(owner, people, tournament)
        cut = (await rounds_of(owner, tournament))["cut"]
        assert len(cut["going"]) == 3
        assert await seat(runtime, league, tournament, 2) is None
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        assert shown["round"]["stage"] == "final"
        assert [each["number"] for each in shown["tables"]] == [5]
        playing = {each["id"] for each in shown["entrants"] if each["status"] == "playing"}
        assert playing == set(cut["going"])


async def test_a_job_that_comes_too_early_comes_again_at_its_time(serving, database) -> None:
    async with serving() as api, open_runtime(database.settings("holotable_worker")) as runtime:
        terms = {**TERMS, "format": {**FORMAT, "between_seconds": 3_600}}
        owner, league, tournament, people, _ = await api.playing(6, **terms)
        await play_out(owner, people, tournament)
        due = (await rounds_of(owner, tournament))["next_at"]
        again = await seat(runtime, league, tournament, 1)
        assert again == datetime.fromisoformat(due)
        assert (await rounds_of(owner, tournament))["number"] == 1
        floor = await owner.get(f"/v1/tournaments/{tournament}/floor")
        assert (floor.status_code, floor.json()["floor"]["tables"]) == (200, [])


async def test_in_a_pause_the_job_comes_again(serving, database) -> None:
    async with serving() as api, open_runtime(database.settings("holotable_worker")) as runtime:
        owner, league, tournament, people, _ = await api.playing(6, **TERMS)
        await play_out(owner, people, tournament)
        assert (await owner.post(f"/v1/tournaments/{tournament}/pause")).status_code == 200
        assert await seat(runtime, league, tournament, 1) is not None
        assert (await rounds_of(owner, tournament))["number"] == 1
        assert (await owner.post(f"/v1/tournaments/{tournament}/resume")).status_code == 200
        assert await seat(runtime, league, tournament, 1) is None
        assert (await rounds_of(owner, tournament))["number"] == 2


async def test_a_result_that_is_frozen_while_the_job_decides_delays_the_round(
    serving, database, monkeypatch
) -> None:
    async with serving() as api, open_runtime(database.settings("holotable_worker")) as runtime:
        owner, league, tournament, people, _ = await api.playing(6, **TERMS)
        await play_out(owner, people, tournament)
        submit = Writer.submit

        async def after_a_freeze(writer: Writer, *asked: Any) -> Any:
            monkeypatch.undo()
            freeze = FreezeResult(dispute=DisputeId(f"dsp_{uuid4().hex}"), now=runtime.clock.now())
            await decided(runtime, league, tournament, aggregate, freeze)
            return await submit(writer, *asked)

        monkeypatch.setattr(Writer, "submit", after_a_freeze)
        assert await seat(runtime, league, tournament, 1) is not None
        assert (await rounds_of(owner, tournament))["number"] == 1


async def test_a_director_ends_a_round_early_and_says_why(serving) -> None:
    async with serving() as api:
        terms = {**TERMS, "format": {**FORMAT, "hands_per_round": 1_000}}
        owner, _, tournament, people, _ = await api.playing(6, **terms)
        path = f"/v1/tournaments/{tournament}/rounds/end"
        refused = await people[0].post(path, {"reason": "Tired"}, key="e0")
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        ended = await owner.post(path, {"reason": "The hall closes"}, key="e1")
        assert ended.status_code == 200, ended.text
        assert ended.json()["round"] == 1
        await play_out(owner, people, tournament)
        assert (await rounds_of(owner, tournament))["stage"] == "between"
        late = await owner.post(path, {"reason": "The hall closes"}, key="e2")
        assert (late.status_code, late.json()["code"]) == (409, "no_round_in_play")


async def test_a_tournament_without_rounds_says_so(serving) -> None:
    async with serving() as api:
        owner, _, tournament, _, _ = await api.playing()
        shown = await rounds_of(owner, tournament)
        assert (shown["stage"], shown["rounds"]) == (None, [])
        assert (await owner.get(f"/v1/tournaments/{tournament}")).json()["round"] is None


async def test_a_format_with_an_instant_is_kept_in_utc(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        plan = {**FORMAT, "starts_at": ["2099-05-04T20:00:00+02:00"]}
        asked = {"name": "Rounds", "ruleset": "better", "table_seats": 3, "format": plan}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        assert made.status_code == 201, made.text
        shown = (await owner.get(f"/v1/tournaments/{made.json()['id']}")).json()
        assert shown["format"]["starts_at"] == ["2099-05-04T18:00:00Z"]
        wrong = {**asked, "format": {**FORMAT, "cut": 1}}
        refused = await owner.post(f"/v1/leagues/{league}/tournaments", wrong)
        assert refused.json()["code"] == "terms_invalid"
