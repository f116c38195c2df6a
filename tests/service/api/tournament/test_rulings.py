"""A director's rulings over HTTP: the rights, the effect on tables, and the audit."""

from typing import Any
from uuid import uuid4

import pytest

from tests.service.api.table.test_commands import answer_to, turn
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

WHY = {"reason": "As I saw it from the rail."}


async def events(person: Any, table: str) -> list[dict[str, Any]]:
    items = await person.get(f"/v1/tables/{table}/events", params={"limit": 200})
    return list(items.json()["items"])


async def seats(person: Any, table: str) -> dict[str, dict[str, Any]]:
    view = (await person.get(f"/v1/tables/{table}")).json()
    return {seat["entrant"]: seat for seat in view["seats"]}


async def entrants(owner: Any, tournament: str) -> list[str]:
    items = (await owner.get(f"/v1/tournaments/{tournament}/registrations")).json()["items"]
    return [each["entrant"] for each in items]


async def hands(owner: Any, table: str) -> list[dict[str, Any]]:
    """Return the data of each ``hand_opened`` of the table so far."""
    items = await events(owner, table)
    return [item["data"] for item in items if item["type"] == "hand_opened"]


async def act(person: Any, table: str, view: dict[str, Any]) -> Any:
    return await person.post(f"/v1/tables/{table}/actions", answer_to(view), key=str(uuid4()))


async def play_on(people: list[Any], tables: list[str], so: Any) -> None:
    """Check or call for everybody who must act, until *so* returns True."""

    async def answered() -> bool:
        for table in tables:
            for person in people:
                view = (await person.get(f"/v1/tables/{table}")).json()
                if view.get("my_turn"):
                    await act(person, table, view)
        return bool(await so())

    await until_awaited(answered, 40)


async def test_a_penalty_is_served_at_the_table_and_the_audit_agrees(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3, starting_stack=100)
        await turn(people, table)
        about = f"/v1/tournaments/{tournament}/penalties"
        who = next(iter(await seats(owner, table)))
        asked = {"entrant": who, "rounds": 1, **WHY}

        refused = await people[0].post(about, asked, key="p")
        tried = await owner.post(f"{about}?dry_run=true", asked, key="p")
        given = await owner.post(about, asked, key="p")
        again = await owner.post(about, asked, key="p")

        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        assert tried.json()["events"] == ["penalty_given", "penalty_imposed"]
        assert given.status_code == 201, given.text
        assert (given.json()["ruling"], given.json()["hands"]) == ("penalty_given", 3)
        assert again.json() == given.json()
        floor = (await owner.get(f"/v1/tournaments/{tournament}/floor")).json()["floor"]
        assert [seat["penalty"] for seat in floor["tables"][0]["seats"]].count(3) == 1

        async def third() -> bool:
            return len(await hands(owner, table)) >= 3

        await play_on(people, [table], third)
        served = [
            next(seat["penalty"] for seat in opened["seats"] if seat["entrant"] == who)
            for opened in (await hands(owner, table))[:3]
        ]
        assert served == [0, 3, 2]
        killed = [item for item in await events(owner, table) if item["type"] == "hand_killed"]
        assert {item["data"]["cause"] for item in killed} == {"penalty"}
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_who_is_disqualified_folds_and_the_chips_leave_play(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3, starting_stack=1000)
        person, view = await turn(people, table)
        who = next(s["entrant"] for s in view["seats"] if s["seat"] == view["me"]["seat"])
        about = f"/v1/tournaments/{tournament}/disqualifications"

        done = await owner.post(about, {"entrant": who, **WHY}, key="d")
        assert done.status_code == 201, done.text
        assert done.json()["ruling"] == "entrant_disqualified"
        answered = await act(person, table, view)
        assert answered.status_code == 409
        path = f"/v1/tournaments/{tournament}"
        entrants = (await owner.get(path)).json()["entrants"]
        assert [each["id"] for each in entrants if each["disqualified"]] == [who]
        floor = (await owner.get(f"{path}/floor")).json()["floor"]
        sitting = [each for at in floor["tables"] for each in at["seats"]]
        assert [each["entrant"] for each in sitting if each["disqualified"]] == [who]

        async def gone() -> bool:
            return who not in await seats(owner, table)

        others = [each for each in people if each is not person]
        await play_on(others, [table], gone)
        left = [item["data"] for item in await events(owner, table)]
        assert any(each.get("rule") == "disqualification" for each in left)
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_a_table_is_held_in_the_middle_of_a_hand_and_goes_on_with_its_full_time(
    serving,
) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing(3)
        person, view = await turn(people, table)

        held = await owner.post(f"/v1/tables/{table}/hold", WHY, key="h")
        refused = await act(person, table, view)
        released = await owner.post(f"/v1/tables/{table}/release", WHY, key="r")
        later = (await person.get(f"/v1/tables/{table}")).json()
        answered = await act(person, table, later)

        assert (held.status_code, released.status_code) == (200, 200), held.text
        assert held.json()["ruling"] == "table_hold_ordered"
        assert (refused.status_code, refused.json()["code"]) == (409, "table_held")
        assert later["decision"]["deadline"] > view["decision"]["deadline"]
        assert answered.is_success, answered.text


async def test_a_table_that_is_held_goes_on_with_its_hand_after_a_cancellation(
    serving, database: TestDatabase
) -> None:
    """Nobody could release it any more."""
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3)
        person, view = await turn(people, table)
        assert (await owner.post(f"/v1/tables/{table}/hold", WHY, key="h")).is_success
        cancelled = await owner.post(f"/v1/tournaments/{tournament}/cancel", WHY, key="c")
        assert cancelled.is_success, cancelled.text

        later = (await person.get(f"/v1/tables/{table}")).json()
        assert later["decision"]["deadline"] > view["decision"]["deadline"]
        types = [each["type"] for each in await events(owner, table)]
        assert types[-2:] == ["table_held", "table_resumed"]
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_the_players_of_a_hand_play_it_on_after_a_cancellation(
    serving, database: TestDatabase
) -> None:
    """Else only the clock could end it, and each of them would see a stranger's table."""
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3)
        person, view = await turn(people, table)
        cancelled = await owner.post(f"/v1/tournaments/{tournament}/cancel", WHY, key="c")
        assert cancelled.is_success, cancelled.text
        later = (await person.get(f"/v1/tables/{table}")).json()
        assert (later["me"], later["legal"]) == (view["me"], view["legal"])

        async def over() -> bool:
            return bool((await owner.get(f"/v1/tables/{table}")).json()["closed"])

        await play_on(people, [table], over)
        types = [each["type"] for each in await events(owner, table)]
        assert types[-2:] == ["hand_settled", "table_closed"]
        timeouts = [
            each for each in await events(owner, table) if each["data"].get("timed_out") is True
        ]
        assert timeouts == []
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_an_ordered_move_is_made_between_hands(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, tournament, people, first = await api.playing(
            7, table_seats=4, starting_stack=100_000
        )
        tables = [
            each["id"]
            for each in (await owner.get(f"/v1/tournaments/{tournament}")).json()["tables"]
        ]
        other = next(each for each in tables if each != first)
        mover = next(iter(await seats(owner, first)))
        asked = {"entrant": mover, "table": other, **WHY}

        done = await owner.post(f"/v1/tournaments/{tournament}/moves", asked, key="m")
        nowhere = await owner.post(
            f"/v1/tournaments/{tournament}/moves", asked | {"table": first}, key="n"
        )
        assert done.status_code == 201, done.text
        assert (nowhere.status_code, nowhere.json()["code"]) == (409, "ruling_not_possible")

        async def moved() -> bool:
            return mover in await seats(owner, other)

        await play_on(people, tables, moved)
        assert mover not in await seats(owner, first)
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_in_a_break_no_hand_is_opened_until_it_is_ended(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing(2, starting_stack=1000)
        await turn(people, table)
        about = f"/v1/tournaments/{tournament}/breaks"

        begun = await owner.post(about, {"seconds": 600, **WHY}, key="b")
        twice = await owner.post(about, {"seconds": 600, **WHY}, key="c")
        assert begun.status_code == 201, begun.text
        assert (twice.status_code, twice.json()["code"]) == (409, "ruling_not_possible")

        async def waiting() -> bool:
            items = await events(owner, table)
            return [i["data"]["reason"] for i in items if i["type"] == "table_waiting"] == ["break"]

        await play_on(people, [table], waiting)
        shown = (await owner.get(f"/v1/tournaments/{tournament}/floor")).json()["floor"]
        assert shown["break_ends"] is not None
        assert shown["tables"][0]["why"] == "break"
        opened = len(await hands(owner, table))
        ended = await owner.post(f"{about}/end", WHY, key="e")
        assert ended.status_code == 200, ended.text

        async def more() -> bool:
            return len(await hands(owner, table)) > opened

        await until_awaited(more)


async def test_an_ordered_move_is_made_in_a_break(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, tournament, people, first = await api.playing(
            7, table_seats=4, starting_stack=100_000
        )
        path = f"/v1/tournaments/{tournament}"
        tables = [each["id"] for each in (await owner.get(path)).json()["tables"]]
        other = next(each for each in tables if each != first)
        begun = await owner.post(f"{path}/breaks", {"seconds": 600, **WHY}, key="b")
        assert begun.status_code == 201, begun.text

        async def waiting() -> bool:
            floor = (await owner.get(f"{path}/floor")).json()["floor"]
            return {each["why"] for each in floor["tables"]} == {"break"}

        await play_on(people, tables, waiting)
        giver, taker = (first, other) if len(await seats(owner, first)) == 4 else (other, first)
        mover = next(iter(await seats(owner, giver)))
        asked = {"entrant": mover, "table": taker, **WHY}
        done = await owner.post(f"{path}/moves", asked, key="m")
        assert done.status_code == 201, done.text

        async def moved() -> bool:
            return mover in await seats(owner, taker)

        await until_awaited(moved)
        assert (await owner.get(f"{path}/floor")).json()["floor"]["break_ends"] is not None
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_the_last_hands_end_the_night_with_the_hand_in_play(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3, starting_stack=1000)
        await turn(people, table)
        about = f"/v1/tournaments/{tournament}/last_hands"
        called = await owner.post(about, WHY, key="l")
        assert called.status_code == 200, called.text

        async def finished() -> bool:
            shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
            return bool(shown["state"] == "finished")

        await play_on(people, [table], finished)
        assert len(await hands(owner, table)) == 1
    report = await audited(database, league)
    assert faults(report) == {}, report.text()
