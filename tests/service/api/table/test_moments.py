"""Views as of an earlier position show what the viewer saw then, and nothing revealed later."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.values import number_of
from service.api.http.reading.paging import position_token, token
from service.log import past
from service.log.read import last_position
from tests.service.api.nights import pages, project, visitor
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.api.table.test_leaks import cards_in
from tests.service.league_night import played

pytestmark = pytest.mark.anyio

OFFERED = ("legal", "now")
"""Members that differ in a view of an earlier position: nobody can act there, and time went on."""


async def view_of(person, table, **query):
    answer = await person.get(f"/v1/tables/{table}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def without(view, *names):
    return {name: part for name, part in view.items() if name not in names}


async def play_hand(people, table, watch):
    """Play until a hand is settled, and pass the position after each action to *watch*."""
    settled = number = 0
    while not settled:
        person, view = await turn(people, table)
        done = await person.post(f"/v1/tables/{table}/actions", answer_to(view), key=f"n{number}")
        assert done.status_code == 200, done.text
        settled = sum(each["type"] == "hand_settled" for each in done.json()["events"])
        number += 1
        await watch(done.json()["position"])
        assert number < 60


async def test_a_table_as_of_each_action_is_what_everybody_saw_then(serving) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3)
        await turn(people, table)
        assert (await owner.post(f"/v1/tournaments/{tournament}/pause")).status_code == 200
        seen = []

        async def watch(_):
            pool = api.app.shell.pool
            after = None
            while after != (before := await last_position(pool, league)):
                # All views must show one position, so look again if the house appended in between.
                views = [await view_of(person, table) for person in (owner, *people)]
                floor = (await owner.get(f"/v1/tournaments/{tournament}/floor")).json()
                after = await last_position(pool, league)
                after = after if after == before else None
            seen.append((position_token(league, 0, before), views, floor))

        await play_hand(people, table, watch)
        own = [set() for _ in range(4)]
        for position, views, floor in seen:
            for number, (person, then) in enumerate(zip((owner, *people), views, strict=True)):
                again = await view_of(person, table, as_of=position)
                assert without(again, *OFFERED) == without(then, *OFFERED)
                assert again["legal"] == []
                own[number] |= cards_in(then["me"])
            path = f"/v1/tournaments/{tournament}/floor"
            answer = await owner.get(path, params={"as_of": position})
            assert without(answer.json(), "now") == without(floor, "now")
            assert answer.headers["holotable-as-of"] == position
        # The last view shows cards that were turned over at the end. No earlier view shows them.
        shown = cards_in(seen[-1][1][0])
        assert shown
        for position, _, _ in seen[:-1]:
            assert cards_in(await view_of(owner, table, as_of=position)) == set()
        assert own[0] == set()


async def test_who_came_later_sees_the_past_as_a_spectator(serving) -> None:
    async with serving() as api:
        owner, league, _, people, table = await api.playing(3)
        await turn(people, table)
        done = []

        async def watch(position):
            done.append(position)

        await play_hand(people, table, watch)
        later = await api.join(owner, league)
        spectator = await view_of(owner, table, as_of=done[0])
        assert await view_of(later, table, as_of=done[0]) == spectator
        assert spectator["me"] is None
        stranger = await api.person()
        answer = await stranger.get(f"/v1/tables/{table}", params={"as_of": done[0]})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_every_position_of_a_league_can_be_looked_at(serving, database) -> None:
    night = await played(database, "each", steps_max=120)
    async with serving() as api:
        shell = api.app.shell
        store = shell.runtime.writer.store
        number = number_of(night.league)
        rows = await store.league(number, -1, 1000)
        keys = await store.keys(number)
        for row in rows:
            fold = past.PastStates(shell.pool, number, keys, row.position)
            loaded = await fold.state(row.stream)
            assert (loaded.version, loaded.hash) == (row.stream_version, row.hash)


async def test_an_instant_is_the_last_position_dated_then(serving) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing()
        await turn(people, table)
        before, after = 0, 1
        while before != after:  # the house may still be dealing
            before = (await view_of(owner, table))["version"]
            between = datetime.now(UTC)
            after = (await view_of(owner, table))["version"]
        person, view = await turn(people, table)
        done = await person.post(f"/v1/tables/{table}/actions", answer_to(view), key="k")
        assert done.status_code == 200
        for written in (between.isoformat(), between.isoformat().replace("+00:00", "Z")):
            assert (await view_of(owner, table, as_of=written))["version"] == before
        long_ago = (between - timedelta(days=3650)).isoformat()
        for path in (f"/v1/tables/{table}", f"/v1/tournaments/{tournament}"):
            answer = await owner.get(path, params={"as_of": long_ago})
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("given", "status", "code"),
    [
        ("", 400, "invalid_cursor"),
        ("x", 400, "invalid_cursor"),
        ("10:00", 400, "invalid_as_of"),
        ("2026-01-01T10:00:00", 400, "invalid_as_of"),
        ("0001-01-01T00:00:00+23:59", 400, "invalid_as_of"),
        ("9999-01-01T00:00:00Z", 422, "as_of_ahead"),
        ("\x00:", 400, "invalid_as_of"),
        ("ahead", 422, "as_of_ahead"),
        ("elsewhere", 400, "invalid_cursor"),
        ("huge", 400, "invalid_cursor"),
        ("later epoch", 400, "invalid_cursor"),
        ("list", 400, "invalid_cursor"),
    ],
)
async def test_what_is_no_moment_of_this_league_is_refused(serving, given, status, code) -> None:
    async with serving() as api:
        owner, league, tournament, _, table = await api.playing()
        made = {
            "ahead": position_token(league, 0, 10_000),
            "elsewhere": position_token(f"lge_{'0' * 32}", 0, 1),
            "huge": position_token(league, 0, 2**63),
            "later epoch": position_token(league, 7, 1),
            "list": token(league[4:], 0, 3, "tables", 1),
        }
        season = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "One"})
        for path in (
            f"/v1/tables/{table}",
            f"/v1/tournaments/{tournament}",
            f"/v1/tournaments/{tournament}/floor",
            f"/v1/seasons/{season.json()['id']}/standings",
        ):
            answer = await owner.get(path, params={"as_of": made.get(given, given)})
            assert (answer.status_code, answer.json()["code"]) == (status, code), path


async def test_folding_too_much_is_refused(serving, monkeypatch) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing()
        await turn(people, table)
        person, view = await turn(people, table)
        done = await person.post(f"/v1/tables/{table}/actions", answer_to(view), key="k")
        position = done.json()["position"]
        monkeypatch.setattr(past, "FOLD_MAX", 3)
        answer = await owner.get(f"/v1/tables/{table}", params={"as_of": position})
        assert (answer.status_code, answer.json()["code"]) == (422, "as_of_too_far")
        assert answer.json()["events_max"] == 3


async def test_standings_as_of_the_head_are_the_live_ones_and_before_nobody_has_points(
    serving, database
) -> None:
    night = await played(database, "ranked")
    async with serving() as api:
        shell = api.app.shell
        person = await visitor(api, night)
        await project(database)
        rows = await shell.runtime.writer.store.league(number_of(night.league), -1, 5000)
        awarded = next(row.position for row in rows if row.type == "points_awarded")
        path = f"/v1/seasons/{night.season}/standings"
        live = (await person.get(path)).json()["items"]
        then, before = (position_token(night.league, 0, awarded - n) for n in (0, 1))
        assert len(live) == len(night.players)
        assert await pages(person, path, as_of=then, limit=2) == live
        assert await pages(person, path, as_of=before) == []
