"""Every list: complete pages without duplicates, limits, and cursors that fit only one list."""

from typing import get_origin

import pytest

from service.api.http.reading.listing import Listing
from service.api.http.reading.paging import Page, parts_of, token
from service.api.routes import ROUTES
from tests.service.api.matrix import BODIES
from tests.service.api.nights import pages, project, visitor
from tests.service.league_night import played

pytestmark = pytest.mark.anyio

HOSTILE = (
    "", "x", "%00", "\x00", "é", "A" * 5000, "bnVsbA", "W10", "e30", "WzEsMl0", "W251bGxd", "====",
    token(), token(1), token("", 0, -1), token(-5, 0, 1, "x"), token("", 2**70, -1, "x", 1),
)  # fmt: skip


def lists() -> list[str]:
    """Return all routes for members that answer a page."""
    return sorted(
        path
        for handler in ROUTES
        for path in handler.paths
        if "GET" in handler.http_methods
        and "cursor" in handler.opt["operation"].query_names
        and not handler.opt["operation"].public
    )


def test_every_list_has_a_cursor_and_a_limit() -> None:
    for handler in ROUTES:
        described = handler.opt["operation"]
        if get_origin(described.answer) is Page and "GET" in handler.http_methods:
            assert {"limit", "cursor"} <= described.query_names, handler.paths
            assert "invalid_cursor" in described.problems, handler.paths


def test_a_page_cuts_where_its_cursor_says_and_nothing_falls_between() -> None:
    rows = [(number // 3, f"p{number:02}") for number in range(20)]
    for descending in (False, True):
        ordered = rows[::-1] if descending else rows
        for limit in range(1, 22):
            found, after = [], None
            while True:
                listing = Listing(
                    name="x", league="", epoch=0, position=-1, limit=limit, after=after
                )
                page = listing.cut(ordered, lambda row: row, descending=descending)
                found += page.items
                if page.next_cursor is None:
                    break
                after = tuple(parts_of(page.next_cursor, str, int, int, str, int, str)[4:])
            assert found == ordered


async def listed(api, night, database):
    """Return a member of a league with a finished tournament, and the paths of its lists."""
    person = await visitor(api, night, "owner")
    claim = {"kind": "payout", "claim": "Too little.", "tournament": night.tournament}
    disputed = await person.post("/v1/disputes", claim | {"rules": ["payouts"]}, key="claim")
    assert disputed.status_code == 201, disputed.text
    hooked = await person.post(f"/v1/leagues/{night.league}/webhooks", BODIES["make_webhook"])
    assert hooked.status_code == 201, hooked.text
    await project(database)
    names = {
        "league_id": night.league,
        "season_id": night.season,
        "tournament_id": night.tournament,
        "table_id": night.tables[0],
        "player_id": night.players[0],
        "dispute_id": disputed.json()["id"],
        "webhook_id": hooked.json()["id"],
    }
    return person, [path.replace(":str", "").format(**names) for path in lists()]


async def test_every_list_page_by_page_is_the_list(serving, database) -> None:
    night = await played(database, "paged")
    async with serving() as api:
        person, paths = await listed(api, night, database)
        long = 0
        for path in paths:
            if path.endswith(("/floor", "/record")):
                continue  # these answers hold a list and other members
            whole = await pages(person, path, limit=200)
            assert await pages(person, path, limit=1) == whole
            assert await pages(person, path, limit=3) == whole
            long += len(whole) > 3
        assert long > 4


async def test_hostile_cursors_are_refused_by_every_list(serving, database) -> None:
    night = await played(database, "hostile", steps_max=40)
    async with serving() as api:
        person, paths = await listed(api, night, database)
        assert len(paths) > 10
        for path in paths:
            for cursor in HOSTILE:
                answer = await person.get(path, params={"cursor": cursor})
                assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor"), (
                    path,
                    cursor,
                )
            for limit in ("0", "201", "x", "-1", "1.5", "1e9", "١", "9" * 40, ""):
                answer = await person.get(path, params={"limit": limit})
                assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_a_cursor_fits_only_its_own_list_and_league_and_epoch(serving, database) -> None:
    night, other = await played(database, "mine"), await played(database, "theirs")
    async with serving() as api:
        person, _ = await listed(api, night, database)
        path = f"/v1/tables/{night.tables[0]}/hands"
        cursor = (await person.get(path, params={"limit": 1})).json()["next_cursor"]
        assert (await person.get(path, params={"cursor": cursor})).status_code == 200
        stranger = await visitor(api, other)
        parts = parts_of(cursor, str, int, int, str, int)
        for elsewhere, asked in (
            (f"/v1/tables/{night.tables[1]}/hands", cursor),
            (f"/v1/tournaments/{night.tournament}/tables", cursor),
            (path, token(parts[0], parts[1] + 1, *parts[2:])),
            (path, token(other.league[4:], *parts[1:])),
        ):
            answer = await person.get(elsewhere, params={"cursor": asked})
            assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor")
        foreign = await stranger.get(path, params={"cursor": cursor})
        assert foreign.status_code == 404


async def test_a_forged_number_in_a_cursor_is_refused(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        cursor = token(league[4:], 0, -1, f"ratings {league}", "NaN or so", "plr_x")
        answer = await owner.get(f"/v1/leagues/{league}/ratings", params={"cursor": cursor})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor")


async def test_a_forged_instant_in_a_cursor_is_refused(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/audits"
        for forged in ("yesterday", "2026-11-29T00:00:00", "0001-01-01T00:00:00+23:59"):
            cursor = token(league[4:], 0, -1, f"audits {league}", forged, "aud_x")
            answer = await owner.get(path, params={"cursor": cursor})
            assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor"), forged
        whole = token(league[4:], 0, -1, f"audits {league}", "2026-11-29T00:00:00+00:00", "aud_x")
        assert (await owner.get(path, params={"cursor": whole})).status_code == 200


async def test_a_filter_is_part_of_the_cursor(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/tournaments"
        positions = []
        for number in range(3):
            made = await owner.post(path, {"name": f"{number}", "ruleset": "better"})
            positions.append(made.json()["position"])
        assert (await owner.get(path, params={"state": "running"})).status_code == 200
        cursor = token(league[4:], 0, -1, f"tournaments {league} None None", 3)
        assert (await owner.get(path, params={"cursor": cursor})).status_code == 200
        filtered = {"cursor": cursor, "state": "running"}
        assert (await owner.get(path, params=filtered)).status_code == 400


async def test_a_page_is_never_older_than_the_one_before(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/tournaments"
        # No projection runs here, so it has not reached the league's first event.
        cursor = token(league[4:], 0, 0, f"tournaments {league} None None", 3)
        answer = await owner.get(path, params={"cursor": cursor})
        assert (answer.status_code, answer.json()["code"]) == (503, "not_caught_up")
