"""Audits and the staff log: starting, progress, the report in words, and who may look."""

from collections.abc import Callable
from typing import Any, get_args

import psycopg
import pytest

from service.audit.report import TITLES
from service.console.deeds import AT_TABLE, DEEDS
from service.console.screens.league.audits import CHECKS, READ_MODELS
from service.log.catalogue import events_by_category, tag_of
from service.people.operator_log import Kind
from service.projections.models.all import ALL
from tests.service.api.proof.test_disputes import run_audits
from tests.service.api.proof.test_evidence import project
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_an_audit_is_started_and_its_report_is_told_in_words(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "<b>Thursday</b>", "ruleset": "better"}
        )
        await project(database)
        browser = await console.signed_in(owner.login)
        page = await browser.get(f"/leagues/{league}/audits")
        assert "No audit yet" in page.text
        assert "&lt;b&gt;Thursday&lt;/b&gt;" in page.text

        begun = await browser.submit(f"/leagues/{league}/audits/start", tournament="")
        assert "The audit has begun." in begun.text
        assert "<progress" in begun.text
        path = begun.url.path
        await run_audits(database)
        part = await browser.http.get(path, params={"part": "audit"})
        assert "Everything fits together" in part.text
        assert "No event is missing" in part.text
        assert "Passed" in (await browser.get(f"/leagues/{league}/audits")).text

        with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
            connection.execute(
                "UPDATE reads.checkpoint SET version = version - 1 WHERE name = 'standings'"
            )
        audits = f"/leagues/{league}/audits"
        await browser.get(audits)
        begun = await browser.submit(f"{audits}/start", tournament="")
        await run_audits(database)
        part = await browser.http.get(begun.url.path, params={"part": "audit"})
        assert "were not compared with the log: standings." in part.text
        assert "The log fits together" in part.text
        assert "Passed in part" in (await browser.get(audits)).text
        listed = (await owner.get(f"/v1/leagues/{league}/audits")).json()["items"]
        assert [(each["passed"], each["not_compared"]) for each in listed] == [
            (True, ["standings"]), (True, []),
        ]  # fmt: skip

        # A player may read audits but not start them. Another league's audit is reported as
        # missing.
        player = await console.api.join(owner, league)
        other = await console.signed_in(player.login)
        assert "Start the audit" not in (await other.get(f"/leagues/{league}/audits")).text
        _, elsewhere = await console.api.league()
        moved = path.replace(league, elsewhere)
        assert (await browser.http.get(moved)).status_code == 404

        evening = made.json()["id"]
        looked = await owner.post(f"/v1/tournaments/{evening}/cancel?dry_run=true", {})
        assert looked.is_success, looked.text
        log = await browser.get(f"/leagues/{league}/staff-log")
        assert f'href="/tournaments/{evening}">&lt;b&gt;Thursday&lt;/b&gt;</a>' in log.text
        assert "Evening announced" in log.text
        assert "Dry run of a command made" not in log.text
        whole = await browser.get(f"/leagues/{league}/staff-log?dry=yes")
        assert "Dry run of a command made" in whole.text
        named = f'href="/tournaments/{evening}">&lt;b&gt;Thursday&lt;/b&gt;</a>'
        assert whole.text.count(named) == log.text.count(named) + 1
        nobody = await browser.get(f"/leagues/{league}/staff-log?by={player.player}")
        assert "Evening announced" not in nobody.text
        assert (await other.http.get(f"/leagues/{league}/staff-log")).status_code == 403
        german = await browser.get(
            f"/leagues/{league}/staff-log", headers={"Accept-Language": "de"}
        )
        assert "Abend angekündigt" in german.text


async def test_a_fault_is_told_in_the_readers_language(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        await project(database)
        with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
            connection.execute("UPDATE reads.league SET name = 'Forged'")
        browser = await console.signed_in(owner.login)
        await browser.get(f"/leagues/{league}/audits")
        begun = await browser.submit(f"/leagues/{league}/audits/start", tournament="")
        await run_audits(database)
        said = (
            "relation league: 1 rows that the log does not give, 1 missing",
            "Tabelle league: 1 Zeilen, die nicht aus dem Protokoll folgen, 1 fehlen",
        )
        for language, there, gone in (("en", said[0], said[1]), ("de", said[1], said[0])):
            page = await browser.get(begun.url.path, headers={"Accept-Language": language})
            assert there in page.text
            assert gone not in page.text


def test_every_type_of_event_and_deed_has_its_words() -> None:
    by_staff = {"deal_voided", "table_held", "table_resumed"}  # of the tables' own events
    events = {
        tag_of(each)
        for category, types in events_by_category().items()
        for each in types
        if category != "table" or tag_of(each) in by_staff
    }
    assert set(DEEDS) == events | set(get_args(Kind))
    assert set(AT_TABLE) == {tag_of(each) for each in events_by_category()["table"]} - by_staff
    assert set(CHECKS) == set(TITLES)
    assert set(READ_MODELS) == {each.name for each in ALL}
