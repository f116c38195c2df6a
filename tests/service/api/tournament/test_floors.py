"""The floor: every table as a spectator sees it, and sums over all of them."""

import pytest

from service.cli.floor import print_floor
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.api.table.test_leaks import cards_in
from tests.service.api.tournament.test_clock import STRUCTURE

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
