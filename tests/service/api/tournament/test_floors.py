"""The floor: every table as a spectator sees it, and sums over all of them."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from service.cli.floor import print_floor
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.api.table.test_leaks import cards_in
from tests.service.api.tournament.test_clock import STRUCTURE
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio


async def floor_of(person, tournament, **query):
    answer = await person.get(f"/v1/tournaments/{tournament}/floor", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_the_floor_shows_every_table_as_a_spectator_sees_it(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, _ = await api.playing(5, table_seats=3)
        seen = await floor_of(owner, tournament)
        floor = seen["floor"]
        assert [each["number"] for each in floor["tables"]] == [1, 2]
        assert (floor["state"], floor["entrants"], floor["entrants_left"]) == ("running", 5, 5)
        for shown in floor["tables"]:
            view = (await owner.get(f"/v1/tables/{shown['table']}")).json()
            assert shown["seats"] and len(shown["seats"]) == len(view["seats"])
            for mine, theirs in zip(shown["seats"], view["seats"], strict=True):
                same = ("seat", "entrant", "stack", "wager", "dealt", "away")
                assert {name: mine[name] for name in same} == {name: theirs[name] for name in same}
            for name in ("hand", "hand_number", "button", "level", "amounts", "carry"):
                assert shown[name] == view[name]
        assert set(seen["names"]) == {each.player for each in people}


async def test_no_chip_is_missing_on_the_floor_and_the_average_is_of_those_who_sit(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing(3, starting_stack=100)
        for number in range(12):
            person, view = await turn(people, table)
            done = await person.post(
                f"/v1/tables/{table}/actions", answer_to(view), key=f"n{number}"
            )
            assert done.status_code == 200, done.text
            floor = (await floor_of(owner, tournament))["floor"]
            assert (floor["chips"], floor["average_stack"]) == (300, 100)


async def test_nobody_finds_a_card_on_the_floor(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing(3)
        await turn(people, table)
        for person in (owner, *people):
            assert cards_in(await floor_of(person, tournament)) == set()


async def test_a_held_table_says_why_and_a_pause_shows(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing()
        await turn(people, table)
        before = (await floor_of(owner, tournament))["floor"]["tables"][0]
        assert (before["doing"], before["why"]) == ("in_hand", None)
        assert (await owner.post(f"/v1/tournaments/{tournament}/pause")).status_code == 200
        assert (await floor_of(owner, tournament))["floor"]["state"] == "paused"


async def test_levels_by_the_clock_say_when_the_next_one_comes(serving) -> None:
    async with serving() as api:
        owner, _, tournament, _, _ = await api.playing(overrides=STRUCTURE)
        floor = (await floor_of(owner, tournament))["floor"]
        assert floor["level"]["number"] == 1
        assert floor["next_level"]["number"] == 2
        assert floor["next_level"]["amounts"]["big"] == 20
        assert floor["next_level"]["due"] is not None


async def test_the_floor_goes_by_pages_with_the_same_sums(serving) -> None:
    async with serving() as api:
        owner, _, tournament, _, _ = await api.playing(6, table_seats=2)
        whole = await floor_of(owner, tournament)
        numbers, cursor = [], None
        for _ in range(3):
            query = {"limit": 1} | ({} if cursor is None else {"cursor": cursor})
            page = await floor_of(owner, tournament, **query)
            assert page["floor"]["chips"] == whole["floor"]["chips"]
            numbers += [each["number"] for each in page["floor"]["tables"]]
            cursor = page["next_cursor"]
        assert (numbers, cursor) == ([1, 2, 3], None)


async def test_the_floor_before_play_and_of_a_stranger(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "Night", "ruleset": "better"}
        )
        tournament = made.json()["id"]
        floor = (await floor_of(owner, tournament))["floor"]
        assert (floor["state"], floor["tables"], floor["chips"]) == ("registering", [], 0)
        stranger = await api.person()
        answer = await stranger.get(f"/v1/tournaments/{tournament}/floor")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_a_terminal_shows_every_seat_and_takes_no_name_for_markup(serving, capsys) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing(4, overrides=STRUCTURE)
        await turn(people, table)
        page = await floor_of(owner, tournament)
        page["names"][people[0].player] = "[red]Lando[/] \x1b[31m"
        print_floor([page])
        shown = capsys.readouterr().out
        assert "Night: running, 4 of 4 left, 1800 chips, 450 on average" in shown
        assert "level 1, the next (10/20/0) at " in shown
        assert "in hand" in shown
        assert "[red]Lando[/]" in shown and "\x1b" not in shown
        assert all(str(seat["stack"]) in shown for seat in page["floor"]["tables"][0]["seats"])
        page["floor"]["state"] = "finished"
        print_floor([page])
        assert "Night: finished, 4 entrants\n" in capsys.readouterr().out


async def test_the_floor_tells_the_next_break_the_chips_and_the_servers_time(serving) -> None:
    async with serving() as api:
        breaks = {"floor": {"breaks": [{"level": 2, "seconds": 300}]}}
        owner, _, tournament, _, _ = await api.playing(overrides=STRUCTURE, **breaks)
        seen = await floor_of(owner, tournament)
        floor = seen["floor"]
        coming, due = floor["next_break"], datetime.fromisoformat(floor["next_level"]["due"])
        assert (coming["after_level"], coming["seconds"], coming["left_seconds"]) == (2, 300, None)
        assert datetime.fromisoformat(coming["due"]) == due + timedelta(seconds=900)
        assert datetime.fromisoformat(seen["now"]) < due
        assert [each["name"] for each in floor["denominations"]][:2] == ["bronze", "silver"]
        await owner.post(f"/v1/tournaments/{tournament}/pause")
        coming = (await floor_of(owner, tournament))["floor"]["next_break"]
        assert coming["due"] is None and 1900 < coming["left_seconds"] <= 2100


async def test_the_floor_tells_who_moved_where_and_who_is_out(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, _ = await api.playing(3, table_seats=2, starting_stack=100)
        before = await floor_of(owner, tournament)
        assert (before["seat_changes"], before["knocked_out"]) == ([], [])
        tables = before["floor"]["tables"]
        lone = next(each for each in tables if len(each["seats"]) == 1)["seats"][0]
        full = next(each for each in tables if len(each["seats"]) == 2)
        out = full["seats"][0]
        about = {"entrant": out["entrant"], "reason": "Marked cards."}
        path = f"/v1/tournaments/{tournament}"
        gone = await owner.post(f"{path}/disqualifications", about)
        assert gone.is_success, gone.text

        async def merged() -> Any:
            """Return the floor once the director has broken a table, which follows the answer."""
            found = await floor_of(owner, tournament)
            return found if len(found["floor"]["tables"]) == 1 else None

        seen = await until_awaited(merged)

        names = {each.player: each.login for each in people}
        assert seen["knocked_out"] == [
            {"entrant": out["entrant"], "name": names[out["player"]], "place": 3}
        ]
        left = {seat["entrant"]: names[seat["player"]] for seat in (lone, full["seats"][1])}
        numbers = {each["table"]: each["number"] for each in tables}
        assert "table_broken" in [each["why"] for each in seen["seat_changes"]]
        for moved in seen["seat_changes"]:
            assert moved["name"] == left[moved["entrant"]]
            for place in (moved["from"], moved["to"]):
                assert place["number"] == numbers[place["table"]]
        latest = {each["entrant"]: each["to"] for each in reversed(seen["seat_changes"])}
        [table] = seen["floor"]["tables"]
        seats = {each["entrant"]: each["seat"] for each in table["seats"]}
        assert {each: place["seat"] for each, place in latest.items()}.items() <= seats.items()
