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
from service.exports.checking import check_archive
from service.projections.following.runner import Runner
from service.webhooks.kinds import KINDS
from tests.service.api.proof.test_disputes import ask, claim
from tests.service.api.test_suspending import WHY, told
from tests.service.api.tournament.test_corrections import a_night, entrants
from tests.service.audit.test_audit import audited
from tests.support.commands import in_fork
from tests.support.databases import TestDatabase
from tests.support.receivers import LOOPBACK, receiving, working
from tests.support.waiting import until_awaited
from tests.support.webhooks import announce, hooked, json_of, log_of

pytestmark = pytest.mark.anyio

RUDE = "Jabba7391"
"""A word that occurs nowhere else."""

FORMS = ("v1", "discord")
"""The forms of messages to receivers."""


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
        # A browser or a proxy with the old answer gets the new one, and no 304.
        for path, (shown, tag) in before.items():
            if shown and tag:
                again = await owner.get(path, headers={"If-None-Match": tag})
                assert again.status_code == 200, path
        assert RUDE not in await exported(database, league, tmp_path / "after.zip")


def texts_of(database: TestDatabase) -> list[str]:
    """Return the texts with the word, by their identifiers."""
    asked = "SELECT 'txt_' || replace(id::text, '-', '') FROM text WHERE body LIKE %s"
    with psycopg.connect(database.url("postgres")) as connection:
        return [name for (name,) in connection.execute(asked, [f"%{RUDE}%"])]


async def test_claims_bans_and_corrections_lose_their_words(
    serving: Callable[..., Any], database: TestDatabase, tmp_path: Path
) -> None:
    """These are the texts of a dispute, a ban, a corrected result and a confidential claim."""
    async with serving() as console:
        api = console.api
        owner, league, _, tournament, people = await a_night(api, database)
        stranger = await api.person()
        dispute = await claim(people[0], tournament=tournament, claim=f"{RUDE} cheats")
        ban = f"/v1/leagues/{league}/bans/{stranger.player}"
        done = await api.http.put(ban, json={"reason": f"{RUDE} again"}, headers=owner.headers)
        assert done.status_code == 200, done.text
        [last, *_] = await entrants(owner, tournament)
        forfeit = {"entrant": last["id"], "reason": f"{RUDE} hid a card"}
        done = await ask(owner, f"/v1/tournaments/{tournament}/forfeits", forfeit)
        assert done.status_code == 201, done.text
        about = {"kind": "payout", "tournament": tournament, "claim": f"{RUDE} whispers"}
        filed = await ask(people[1], "/v1/confidential-claims", about)
        assert filed.status_code == 201, filed.text
        await caught_up(database)
        answers = (
            f"/v1/disputes/{dispute}",
            f"/v1/leagues/{league}/bans",
            f"/v1/tournaments/{tournament}/corrections",
            f"/v1/leagues/{league}/confidential-claims",
            f"/v1/leagues/{league}/disputes",
            f"/v1/disputes/{dispute}/evidence",
            f"/v1/leagues/{league}/staff-log",
            f"/v1/leagues/{league}/events?limit=200",
        )
        pages = (
            f"/disputes/{dispute}",
            f"/leagues/{league}/people",
            f"/leagues/{league}/disputes",
            f"/leagues/{league}/staff-log",
            f"/tournaments/{tournament}",
        )
        browser = await console.signed_in(owner.login)

        async def shown() -> set[str]:
            found = [each async for each in seen(owner.get, answers)]
            found += [each async for each in seen(browser.get, pages)]
            return {path for path, text, _ in found if RUDE in text}

        assert await shown() >= {*answers[:4], pages[0]}
        assert RUDE in await exported(database, league, tmp_path / "before.zip")
        words = texts_of(database)
        assert len(words) == 3
        for named in (*words, filed.json()["id"]):
            done = await told(database, "text", "take-down", named, *WHY, "--dry-run")
            assert done.returncode == 0, done.stderr
            assert named in done.stdout
        assert len(texts_of(database)) == 3
        for named in (*words, filed.json()["id"]):
            assert (await told(database, "text", "take-down", named, *WHY)).returncode == 0
            again = await told(database, "text", "take-down", named, *WHY)
            assert again.returncode == 1, "this is already the case"
        assert await shown() == set()
        assert RUDE not in await exported(database, league, tmp_path / "after.zip")
        # Others learn nothing about a confidential claim, even if it is taken down.
        log = (await owner.get(answers[6])).text
        assert filed.json()["id"] not in log
        assert words[0] in log
        report = await audited(database, league)
        assert not [each for each in report.checks if each.failed]
        assert check_archive(tmp_path / "after.zip", ()).holds


async def test_no_calendar_and_no_message_to_a_receiver_holds_a_name_or_words(
    serving: Callable[..., Any], database: TestDatabase
) -> None:
    """So they need no correction. A repeated message is the same as before."""
    async with (
        serving(webhook_networks=LOOPBACK) as console,
        receiving() as receiver,
        working(database) as worker,
    ):
        api = console.api
        owner, league = await api.league()
        hooks = [await hooked(owner, league, receiver.url, *KINDS, form=form) for form in FORMS]
        tournament = await announce(owner, league)
        rude = await api.person(f"{RUDE} himself")
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {"uses": 9})).json()["code"]
        assert (await rude.post(f"/v1/invitations/{code}/accept")).status_code == 201
        at = f"/v1/tournaments/{tournament}"
        assert (await rude.post(f"{at}/registrations")).is_success
        words = {"text": f"{RUDE} smells"}
        assert (await owner.post(f"{at}/announcements", words)).is_success
        assert (await owner.post(f"{at}/cancel", {"reason": f"{RUDE} came"})).is_success
        await caught_up(database)
        receiver.answers = [500]
        await worker.work()
        keys = [(await each.post("/v1/me/calendar-keys")).json()["key"] for each in (owner, rude)]
        calendars = (
            f"/v1/leagues/{league}/calendar.ics?key={keys[0]}",
            f"/v1/me/calendar.ics?key={keys[1]}",
        )
        before = [text async for _, text, _ in seen(api.http.get, calendars)]
        assert all(text.count("BEGIN:VEVENT") == 1 for text in before)

        for named in (rude.player, *texts_of(database)):
            assert (await told(database, "text", "take-down", named, *WHY)).returncode == 0
        assert [text async for _, text, _ in seen(api.http.get, calendars)] == before
        deliveries = [each for hook in hooks for each in await log_of(owner, hook)]
        for each in deliveries:
            again = await owner.post(f"/v1/webhook-deliveries/{each['id']}/redeliver")
            assert again.is_success, again.text
        first = len(receiver.got)
        await worker.work()
        kinds = {each["type"] for each in map(json_of, receiver.got) if "type" in each}
        assert kinds >= {"entrant.registered", "tournament.cancelled"}
        assert len(receiver.got) > first
        everything = str([each.body for each in receiver.got]) + str(before) + str(deliveries)
        assert RUDE not in everything
