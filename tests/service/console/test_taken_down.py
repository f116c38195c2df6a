"""Words and names that an operator has taken down stand in no page, answer, feed or export."""

import asyncio
import zipfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from service.base.database import async_engine
from service.base.settings import environment
from service.projections.runner import Runner
from tests.service.api.test_suspending import WHY, told
from tests.support.commands import in_fork
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

RUDE = "Jabba7391"
"""Nothing else has it in it."""


async def caught_up(database: TestDatabase) -> None:
    engine = async_engine(database.url("holotable_project"), 2)
    await Runner(engine).catch_up()
    await engine.dispose()


async def exported(database: TestDatabase, league: str, file: Path) -> str:
    """Return everything in an archive of the league."""
    settings = environment(database.settings("holotable_api"))
    done = await asyncio.to_thread(in_fork, ("league", "export", league, str(file)), settings)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(file) as archive:
        return "".join(archive.read(each).decode() for each in archive.namelist())


async def seen(
    read: Callable[..., Any], paths: tuple[str, ...], **more: Any
) -> AsyncIterator[tuple[str, str, str]]:
    for path in paths:
        answer = await read(path, **more)
        assert answer.status_code == 200, (path, answer.text)
        yield path, answer.text, answer.headers.get("etag", "")


async def test_what_was_taken_down_is_nowhere(
    serving: Callable[..., Any], database: TestDatabase, tmp_path: Path
) -> None:
    async with serving() as console:
        api = console.api
        owner, league = await api.league()
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {"uses": 3})).json()["code"]
        people = [await api.person(f"{RUDE} himself"), await api.person("Leia")]
        for each in people:
            assert (await each.post(f"/v1/invitations/{code}/accept")).status_code == 201
        terms = {"name": "Night", "ruleset": "better", "hands_between_seconds": 3600}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", terms)
        tournament = made.json()["id"]
        for each in people:
            await each.post(f"/v1/tournaments/{tournament}/registrations")
        await owner.post(f"/v1/tournaments/{tournament}/start")
        table = (await owner.get(f"/v1/tournaments/{tournament}")).json()["tables"][0]["id"]
        said = await owner.post(
            f"/v1/tournaments/{tournament}/announcements", {"text": f"{RUDE} smells"}
        )
        assert said.is_success, said.text
        key = (await owner.post(f"/v1/tournaments/{tournament}/screen-keys")).json()["key"]
        await caught_up(database)
        answers = (
            f"/v1/leagues/{league}/members",
            f"/v1/leagues/{league}/events",
            f"/v1/leagues/{league}/staff-log",
            f"/v1/tournaments/{tournament}",
            f"/v1/tournaments/{tournament}/floor",
            f"/v1/tournaments/{tournament}/registrations",
            f"/v1/tournaments/{tournament}/announcements",
            f"/v1/tournaments/{tournament}/events",
            f"/v1/tables/{table}",
            f"/v1/screen?key={key}",
            f"/v1/tournaments/{tournament}/happenings",
            f"/v1/tournaments/{tournament}/hands",
            "/v1/me/schedule",
        )
        pages = (
            f"/leagues/{league}/people",
            f"/leagues/{league}/staff-log",
            f"/tournaments/{tournament}",
            f"/tournaments/{tournament}/floor",
            f"/tournaments/{tournament}/clock",
            f"/tournaments/{tournament}/door",
            f"/tables/{table}",
            f"/screen/{key}",
        )
        browser = await console.signed_in(owner.login)

        async def everywhere() -> dict[str, tuple[bool, str]]:
            found = {
                path: (RUDE in text, tag) async for path, text, tag in seen(owner.get, answers)
            }
            for language in ("en", "de"):
                headers = {"Accept-Language": language}
                async for path, text, _ in seen(browser.get, pages, headers=headers):
                    found[f"{language} {path}"] = RUDE in text, ""
            return found

        before = await everywhere()
        assert {path for path, (shown, _) in before.items() if shown} >= {
            answers[0], answers[4], answers[6], f"/v1/screen?key={key}", f"de {pages[3]}",
        }  # fmt: skip
        assert RUDE in await exported(database, league, tmp_path / "before.zip")
        with psycopg.connect(database.url("postgres")) as connection:
            [text] = connection.execute(
                "SELECT 'txt_' || replace(id::text, '-', '') FROM text"
            ).fetchone()
        for named in (text, people[0].player):
            done = await told(database, "text", "take-down", named, *WHY)
            assert done.returncode == 0, done.stderr

        async def heard() -> bool:
            return RUDE not in (await owner.get(answers[0])).text

        await until_awaited(heard)
        after = await everywhere()
        assert [path for path, (shown, _) in after.items() if shown] == []
        # A browser or a proxy that holds the old answer is not told that it still holds.
        for path, (shown, tag) in before.items():
            if shown and tag:
                again = await owner.get(path, headers={"If-None-Match": tag})
                assert again.status_code == 200, path
        assert RUDE not in await exported(database, league, tmp_path / "after.zip")
