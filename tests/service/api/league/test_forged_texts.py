"""Texts are stored outside the log. A change to them is detected, and they are not served."""

import asyncpg
import pytest

from engine.values import number_of
from service.audit.run.league import audit_league
from service.base.addresses import asyncpg_dsn
from service.base.database import async_engine
from service.log.keys import Keys
from tests.service.api.nights import project
from tests.support.databases import SECRET_KEY

pytestmark = pytest.mark.anyio

WRITTEN, FORGED = "He hid a card.", "He did nothing."

OTHER = "body = $1"
WITH_DIGEST = """
    body = $1, salt = decode(repeat('00', 32), 'hex'),
    digest = sha256(decode(repeat('00', 32), 'hex') || convert_to($1, 'UTF8'))
"""
LATER = f"{WITH_DIGEST}, written_at = written_at + interval '1 day'"
GONE = "body = NULLIF($1, $1), salt = NULL, erased_at = written_at"


async def forge(database, change: str) -> None:
    """Change every text, as the owner of the database could."""
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    await connection.execute("ALTER TABLE text DISABLE TRIGGER ALL")
    await connection.execute(f"UPDATE text SET {change}", FORGED)
    await connection.close()


async def erased(database) -> None:
    """Add an erased account for each text, with the text's identifier."""
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    await connection.execute("INSERT INTO account (id, created_at) SELECT id, now() FROM text")
    await connection.close()


async def audited(database, league: str):
    await project(database)
    engine = async_engine(database.url("holotable_audit"), 1)
    async with engine.connect() as connection:
        report = await audit_league(connection, Keys(SECRET_KEY), league)
    await engine.dispose()
    return report


async def banned(api) -> tuple:
    """Ban a player. Return the owner, the league and the ban's event."""
    owner, league = await api.league()
    player = await api.join(owner, league)
    path = f"/v1/leagues/{league}/bans/{player.player}"
    done = await api.http.put(path, json={"reason": WRITTEN}, headers=owner.headers)
    assert done.is_success, done.text
    events = (await owner.get(f"/v1/leagues/{league}/events")).json()["items"]
    (event,) = [each for each in events if each["type"] == "player_banned"]
    return owner, league, event


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (OTHER, "are not those that were written"),
        (WITH_DIGEST, "are not those that were written"),
        (LATER, "are not those that were written"),
        (GONE, "are gone, and neither an erasure nor an operator took them"),
    ],
)
async def test_forged_words_are_not_served_and_the_audit_names_their_event(
    serving, database, change: str, said: str
) -> None:
    async with serving() as api:
        owner, league, event = await banned(api)
        name = event["data"]["reason"]["text"]
        assert (await owner.get(f"/v1/texts/{name}")).json()["text"] == WRITTEN
        assert (await audited(database, league)).passed

        await forge(database, change)
        archive = await owner.get(f"/v1/leagues/{league}/archive")
        alone = await owner.get(f"/v1/texts/{name}")
        listed = await owner.get(f"/v1/leagues/{league}/bans")
        assert FORGED not in alone.text + listed.text
        if change == GONE:
            assert archive.status_code == 200
            assert (alone.json()["text"], listed.status_code) == (None, 200)
        else:
            assert (listed.status_code, listed.json()["code"]) == (409, "text_forged")
            assert (archive.status_code, archive.json()["code"]) == (409, "text_forged")
            code = "not_found" if change == LATER else "text_forged"
            assert alone.json()["code"] == code
        report = await audited(database, league)
        (failed,) = [each for each in report.checks if each.failed]
        assert (failed.name, report.passed) == ("texts", False)
        (fault,) = failed.faults
        assert f"its words {name} {said}" in fault.what
        log = await api.app.shell.runtime.writer.store.league(number_of(league), -1, 100)
        (position,) = [each.position for each in log if each.type == "player_banned"]
        assert report.first_bad_position == fault.position == position


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (f"{GONE}, author = id", "are filed under another author"),
        (f"{GONE}, subject = id", "are filed under a person they are not about"),
    ],
)
async def test_words_filed_under_somebody_else_do_not_go_with_that_person(
    serving, database, change: str, said: str
) -> None:
    """Else the owner of the database could file a claim under an erased account and delete it."""
    async with serving() as api:
        owner, league = await api.league()
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "Night", "ruleset": "better"}
        )
        path = f"/v1/tournaments/{made.json()['id']}/announcements"
        assert (await owner.post(path, {"text": WRITTEN})).is_success
        assert (await audited(database, league)).passed
        await erased(database)
        await forge(database, change)
        report = await audited(database, league)
        (failed,) = [each for each in report.checks if each.failed]
        assert failed.name == "texts"
        assert said in failed.faults[0].what


async def test_why_a_tournament_was_cancelled_or_paused_is_proven_too(serving, database) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Night", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        path = f"/v1/tournaments/{made.json()['id']}"
        assert (await owner.post(f"{path}/cancel", {"reason": WRITTEN})).is_success
        events = (await owner.get(f"{path}/events")).json()["items"]
        (cancelled,) = [each for each in events if each["type"] == "tournament_cancelled"]
        await forge(database, WITH_DIGEST)
        refused = await owner.get(f"/v1/texts/{cancelled['data']['reason']}")
        assert (refused.status_code, refused.json()["code"]) == (409, "text_forged")
        report = await audited(database, league)
        assert [each.name for each in report.checks if each.failed] == ["texts"]
