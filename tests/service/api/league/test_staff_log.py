"""The staff log: actions inside and outside the log, in one order, complete to the last page."""

from pathlib import Path
from typing import Any

import pytest

from service.cli import replay
from service.cli.bundle import write
from service.cli.epoch import open_epoch
from service.cli.player import erase_player
from service.cli.token import create_token
from service.people import operator_log
from tests.service.api.proof.test_disputes import with_office
from tests.service.api.proof.test_evidence import project, signing
from tests.service.api.tournament.test_corrections import a_night, entrants
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

__all__ = ["signing"]


async def audited_night(api: Any, database: TestDatabase) -> tuple[Any, ...]:
    """Return a night's owner, auditor, league, tournament, people and one of its hands."""
    owner, league, _, tournament, people = await a_night(api, database)
    auditor = await with_office(api, owner, league, "auditor")
    hand = await api.app.shell.pool.fetchval("SELECT hand FROM reads.hand")
    await project(database)
    return owner, auditor, league, tournament, people, hand


async def test_what_was_done_beside_the_log_stands_between_the_events_it_came_between(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, auditor, league, _, people, hand = await audited_night(api, database)
        assert (await owner.get(f"/v1/leagues/{league}/archive")).status_code == 200
        settings = database.settings("holotable_api")
        assert await replay.show(settings, hand, "auditor", None, "text/plain") == 0
        assert await replay.show(settings, hand, "public", None, "text/plain") == 0
        assert await create_token(settings, people[0].login, (), 1) == 0
        migrate = database.settings("holotable_migrate")
        assert await open_epoch(migrate, league, "Lobot", "a drill") == 0
        await with_office(api, owner, league, "scorer")
        await project(database)
        assert await erase_player(settings, people[1].player) == 0
        path = f"/v1/leagues/{league}/staff-log"
        whole = (await auditor.get(f"{path}?limit=200")).json()["items"]
        assert [
            (each["type"], each["actor"], each["about"])
            for each in whole
            if each["kind"] == "epoch"
        ] == [("a drill", "Lobot", None)]
        beside = [
            (each["type"], each["actor"], each["about"])
            for each in reversed(whole)
            if each["kind"] == "operator"
        ]
        me = operator_log.operator()
        assert beside == [
            ("archive_taken", owner.player, league),
            ("hand_opened_by_operator", me, hand),
            ("token_made", me, people[0].player),
            ("player_erased", me, people[1].player),
        ]
        assert all(each["actor"] and each["stream"] for each in whole if each["kind"] == "event")
        indexes = [each["index"] for each in whole]
        assert indexes == sorted(indexes, reverse=True)
        types = [each["type"] for each in whole]
        assert types.index("player_erased") < types.index("member_role_changed")
        assert await pages(auditor, path) == whole


async def test_what_was_done_beside_one_event_stands_in_the_order_of_its_instants(
    serving, database: TestDatabase
) -> None:
    """Epochs and actions keep it on pages of any size. The next event counts as newer."""
    async with serving() as api:
        owner, auditor, league, _, people, _ = await audited_night(api, database)
        settings = database.settings("holotable_api")
        migrate = database.settings("holotable_migrate")
        for number in (1, 2):
            assert await create_token(settings, people[0].login, (), 1) == 0
            assert await open_epoch(migrate, league, "Lobot", f"drill {number}") == 0
            assert await erase_player(settings, people[number].player) == 0
        await with_office(api, owner, league, "scorer")
        await project(database)
        path = f"/v1/leagues/{league}/staff-log"
        whole = (await auditor.get(f"{path}?limit=200")).json()["items"]
        last = next(index for index, each in enumerate(whole) if each["kind"] != "event")
        beside = whole[last : last + 6]
        assert {each["index"] for each in beside} == {whole[last - 1]["index"]}
        assert [each["type"] for each in reversed(beside)] == [
            *("token_made", "drill 1", "player_erased"),
            *("token_made", "drill 2", "player_erased"),
        ]
        assert await pages(auditor, path) == whole


async def pages(auditor: Any, path: str) -> list[dict[str, Any]]:
    """Return all items of a list, read one item a page."""
    paged, cursor = [], ""
    while cursor is not None:
        page = (await auditor.get(f"{path}?limit=1{cursor and '&cursor=' + cursor}")).json()
        paged, cursor = paged + page["items"], page["next_cursor"]
    return paged


async def test_a_bundle_with_others_cards_is_kept_before_it_is_written(
    serving, signing: Any, database: TestDatabase, tmp_path: Path
) -> None:
    """Public bundles, and bundles that cannot be made, leave no line."""
    async with serving() as api:
        owner, auditor, league, tournament, _, hand = await audited_night(api, database)
        settings, output = database.settings("holotable_audit"), str(tmp_path / "bundle")
        assert await write(settings, "tournament", tournament, "auditor", output) == 1
        async with signing() as sign:
            await sign(league)
        entrant = (await entrants(owner, tournament))[0]["id"]
        assert await write(settings, "hand", hand, "public", output) == 0
        assert await write(settings, "hand", hand, entrant, output) == 0
        assert await write(settings, "tournament", tournament, "auditor", output) == 0
        assert await write(settings, "hand", f"hnd_{0:032x}", "auditor", output) == 2
        log = (await auditor.get(f"/v1/leagues/{league}/staff-log?limit=200")).json()["items"]
        beside = [each for each in log if each["kind"] == "operator"]
        assert [(each["type"], each["actor"], each["about"]) for each in beside] == [
            ("bundle_taken", operator_log.operator(), tournament),
            ("bundle_taken", operator_log.operator(), hand),
        ]


async def test_an_event_of_a_season_names_the_evening_that_it_is_about(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})
        asked = {"name": "Thursday", "ruleset": "better", "season": made.json()["id"]}
        evening = (await owner.post(f"/v1/leagues/{league}/tournaments", asked)).json()["id"]
        await project(database)
        listed = (await owner.get(f"/v1/leagues/{league}/staff-log")).json()["items"]
        [added] = [each for each in listed if each["type"] == "tournament_added"]
        assert added["stream"].startswith("season-")
        assert (added["tournament"], added["tournament_name"]) == (evening, "Thursday")
        [founded] = [each for each in listed if each["type"] == "league_created"]
        assert founded["tournament"] is None
