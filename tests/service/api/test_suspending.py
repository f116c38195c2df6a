"""Suspended accounts, leagues and installations, seen by people and by other processes."""

import asyncio
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from service.api.table import my_stream
from service.base.settings import environment
from service.people import operator_log
from tests.service import league_night
from tests.service.api.conftest import PASSWORD
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.api.table.test_my_stream import announced, until
from tests.service.api.table.wire import Item
from tests.service.api.tournament.test_entering import at
from tests.service.upgrades.test_two_versions import audited
from tests.support.commands import Ended, in_fork
from tests.support.databases import TestDatabase
from tests.support.streams import following
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

WHY = ("--reason", "a drill")


async def told(database: TestDatabase, *arguments: str) -> Ended:
    """Run a command of an operator."""
    settings = environment(database.settings("holotable_migrate"))
    return await asyncio.to_thread(in_fork, arguments, settings)


async def log_of(database: TestDatabase) -> list[str]:
    """Return the kinds of the operators' log, oldest first."""
    ended = await told(database, "operators-log")
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert all(operator_log.operator() in each and each.endswith(": a drill") for each in lines)
    return [each.split(operator_log.operator())[1].split()[0] for each in reversed(lines)]


async def test_a_suspended_account_loses_tokens_and_streams_at_once_and_keeps_its_seat(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        _, _, tournament, people, table = await api.playing()
        gone, other = people
        async with following(api.app, "/v1/me/stream", gone.headers) as stream:
            await stream.until(1)
            tried = await told(database, "account", "suspend", gone.login, *WHY, "--dry-run")
            assert (tried.returncode, await log_of(database)) == (0, [])
            assert (await gone.get("/v1/me")).status_code == 200 and not stream.ended.is_set()
            done = await told(database, "account", "suspend", gone.login, *WHY)
            assert done.returncode == 0, done.stderr
            await asyncio.wait_for(stream.ended.wait(), 30)
        # Without a message this process would accept the token for some seconds more.
        assert (await gone.get("/v1/me")).status_code == 401
        asked = {"login": gone.login, "password": PASSWORD}
        refused = await api.http.post("/v1/tokens", json=asked)
        assert (refused.status_code, refused.json()["code"]) == (403, "account_suspended")
        wrong = await api.http.post("/v1/tokens", json=asked | {"password": "another one"})
        assert wrong.json()["code"] == "wrong_password"
        seats = (await other.get(f"/v1/tables/{table}")).json()["seats"]
        assert [each["entrant"] is not None for each in seats] == [True, True]
        assert (await other.get(f"/v1/tournaments/{tournament}")).json()["state"] == "running"
        assert (await told(database, "account", "suspend", gone.login, *WHY)).returncode == 1
        assert (await told(database, "account", "restore", gone.player, *WHY)).returncode == 0
        assert (await gone.get("/v1/me")).status_code == 401, "tokens stay ended"
        assert (await api.http.post("/v1/tokens", json=asked)).status_code == 201
        assert await log_of(database) == ["account_suspended", "account_restored"]
        assert (await told(database, "account", "suspend", "nobody", *WHY)).returncode == 2


async def test_a_suspended_league_is_read_and_audited_and_nothing_else(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing()
        person, view = await turn(people, table)
        tried = await told(database, "league", "suspend", league, *WHY, "--dry-run")
        assert tried.returncode == 0, tried.stderr
        assert (await told(database, "league", "suspend", league, *WHY)).returncode == 0
        refused = await person.post(f"/v1/tables/{table}/actions", answer_to(view))
        assert (refused.status_code, refused.json()["code"]) == (403, "league_suspended")

        async def known() -> bool:
            return league in api.app.shell.doors.suspended

        await until_awaited(known)
        # This one never reaches the log.
        hook = {"name": "Site", "url": "https://example.org/", "kinds": ["hand.settled"]}
        refused = await owner.post(f"/v1/leagues/{league}/webhooks", hook)
        assert (refused.status_code, refused.json()["code"]) == (403, "league_suspended")
        assert (await person.get(f"/v1/tables/{table}")).status_code == 200
        audit = await owner.post(f"/v1/leagues/{league}/audits", {"tournament": tournament})
        assert audit.status_code == 202, audit.text
        assert (await told(database, "league", "restore", league, *WHY)).returncode == 0
        assert (await person.post(f"/v1/tables/{table}/actions", answer_to(view))).is_success
        assert await log_of(database) == ["league_suspended", "league_restored"]


async def test_an_open_stream_tells_the_end_of_an_offer_that_a_suspension_has_moved(
    serving, database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No event of the league says so."""
    monkeypatch.setattr(my_stream, "OFFERS_SECONDS", 0.2)
    monkeypatch.setattr(my_stream, "PING_SECONDS", 0.2)
    async with serving() as api:
        terms = {"entrants_max": 2, "entry": {"waitlist": True, "offer_seconds": 600}}
        terms["starts_at"] = at(7200)
        _, league, tournament, people = await announced(api, 3, **terms)
        for person in people:
            await person.post(f"/v1/tournaments/{tournament}/registrations")
        async with following(api.app, "/v1/me/stream", people[2].headers) as stream:
            await until(stream, "caught_up")
            await people[0].post(f"/v1/tournaments/{tournament}/withdrawals")
            offer = await until(stream, "offer")
            for done in ("suspend", "restore"):
                ended = await told(database, "league", done, league, *WHY)
                assert ended.returncode == 0, ended.stderr

            async def moved() -> Item | None:
                last = [each for each in stream.items if each["type"] == "offer"][-1]
                return last if last["until"] != offer["until"] else None

            last = await until_awaited(moved)
            [waits] = (await people[2].get("/v1/me/waiting")).json()["items"]
            assert offer["until"] < last["until"] == waits["until"]


async def test_a_process_that_has_not_heard_of_a_suspension_accepts_nothing_beside_the_log(
    serving, database: TestDatabase
) -> None:
    """Such a row could be missing in a file that is packed a moment later."""
    async with serving() as api:
        owner, league, tournament, people, _ = await api.playing()
        hook = {"name": "Site", "url": "https://example.org/", "kinds": ["hand.settled"]}
        made = await owner.post(f"/v1/leagues/{league}/webhooks", hook)
        webhook = f"/v1/webhooks/{made.json()['id']}"
        with psycopg.connect(database.url("postgres")) as connection:
            connection.execute("UPDATE append_turn SET suspended_at = now()")  # and notify nobody
        claim = {"kind": "payout", "tournament": tournament, "claim": "Too little."}
        for person, path, body in (
            (owner, f"/v1/leagues/{league}/webhooks", hook),
            (owner, f"{webhook}/rotate", {"overlap_hours": 1}),
            (owner, f"{webhook}/try", {}),
            (owner, f"/v1/tournaments/{tournament}/screen-keys", {}),
            (owner, f"/v1/leagues/{league}/claims", {}),
            (people[0], "/v1/confidential-claims", claim | {"rules": []}),
        ):
            refused = await person.post(path, body)
            said = (refused.status_code, refused.json()["code"])
            assert said == (403, "league_suspended"), (path, refused.text)
        assert league not in api.app.shell.doors.suspended, "it has not heard of it"


async def test_maintenance_refuses_every_command_and_no_read(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        on = await told(database, "maintenance", "on", "--retry-after", "90", *WHY)
        assert on.returncode == 0, on.stderr

        async def known() -> bool:
            return api.app.shell.doors.maintenance is not None

        await until_awaited(known)
        asked = {"login": "newcomer", "password": PASSWORD}
        for refused in (
            await person.post(f"/v1/tables/{table}/actions", answer_to(view)),
            await api.http.post("/v1/accounts", json=asked),
        ):
            assert (refused.status_code, refused.json()["code"]) == (503, "maintenance")
            assert refused.headers["Retry-After"] == "90"
        assert (await person.get(f"/v1/tables/{table}")).status_code == 200
        assert (await told(database, "maintenance", "off", *WHY)).returncode == 0
        assert (await person.post(f"/v1/tables/{table}/actions", answer_to(view))).is_success
        assert await log_of(database) == ["maintenance_began", "maintenance_ended"]


async def test_a_text_that_is_taken_down_leaves_a_marker_and_a_name_too(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, people, _ = await api.playing()
        path = f"/v1/tournaments/{tournament}/pause"
        assert (await owner.post(path, {"reason": "rude words"})).is_success
        with psycopg.connect(database.url("holotable_migrate")) as connection:
            [text] = connection.execute(
                "SELECT 'txt_' || replace(id::text, '-', '') FROM text"
            ).fetchone()
        assert (await owner.get(f"/v1/texts/{text}")).json()["text"] == "rude words"
        assert (await told(database, "text", "take-down", text, *WHY)).returncode == 0
        after = (await owner.get(f"/v1/texts/{text}")).json()
        assert after["text"] is None and after["taken_down"]
        name = people[0].player
        assert (await told(database, "text", "take-down", name, *WHY)).returncode == 0
        members = (await owner.get(f"/v1/leagues/{league}/members")).json()["items"]
        [shown] = [each["name"] for each in members if each["player"] == name]
        assert shown == f"name taken down {name[-8:]}"
        assert (await told(database, "text", "take-down", name, *WHY)).returncode == 1
        assert await log_of(database) == ["text_taken_down", "text_taken_down"]


async def test_nothing_is_overdue_in_a_league_that_takes_no_commands(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(league_night, "utcnow", lambda: datetime.now(UTC) - timedelta(hours=1))
    league = (await league_night.played(database)).league
    assert (await told(database, "league", "suspend", league, *WHY)).returncode == 0
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        connection.execute(
            "UPDATE append_turn SET suspended_at = (SELECT max(at) FROM events) + interval '1 s'"
        )
        connection.execute(
            "INSERT INTO job (occurrence, task, args, due_at) VALUES ('late', 'table.watch',"
            " json_build_object('league', %s::text), now() - interval '10 minutes')",
            [league],
        )

    async def failed() -> list[str]:
        report = await audited(database, league)
        return [each.name for each in report.checks if each.failed]

    assert await failed() == []
    assert (await told(database, "league", "restore", league, *WHY)).returncode == 0
    assert await failed() == ["jobs"]
