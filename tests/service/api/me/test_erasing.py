"""An erased person leaves only a number, and all proofs in the log stay valid."""

import asyncio
from uuid import uuid4

import asyncpg
import pytest

from engine.league.merging import MergePlayers
from engine.values import number_of
from service.audit.run.league import audit_league
from service.base.addresses import asyncpg_dsn
from service.base.database import async_engine
from service.base.errors import NotCaughtUp
from service.director.uniting import merge_players
from service.log.keys import Keys
from service.log.orders import Order
from service.people.accounts import ERASED
from service.people.erasure import erase
from service.people.texts import NewText, keep_text
from service.projections.rebuilding.comparing import compare_league
from tests.service.api.conftest import ANY
from tests.service.api.nights import project
from tests.support.databases import SECRET_KEY
from tests.support.holding import FAMILY, holding

pytestmark = pytest.mark.anyio

PASSWORD = "correct horse"


async def erased(api, person, player=None, password=PASSWORD):
    body = {"player": player or person.player, "password": password}
    return await api.http.request("DELETE", "/v1/me", json=body, headers=person.headers)


async def log_of(api, league):
    return await api.app.shell.runtime.writer.store.league(number_of(league), -1, 5000)


async def everything(database):
    """Return all values of all relations outside the log, as text."""
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    found = []
    for row in await connection.fetch(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_schema IN ('public', 'reads', 'reads_next') AND table_type = 'BASE TABLE'"
    ):
        name = f'"{row["table_schema"]}"."{row["table_name"]}"'
        found += [each[0] for each in await connection.fetch(f"SELECT t::text FROM {name} t")]
    await connection.close()
    return "\n".join(found)


async def test_nothing_but_a_number_is_left_and_the_audit_passes(serving, database) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await api.http.post(
            "/v1/accounts",
            json={"login": "greedo", "password": PASSWORD, "name": "Greedo the Elder"},
        )
        person = type(owner)(api.http, made.json())
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
        assert (await person.post(f"/v1/invitations/{code}/accept")).status_code == 201
        again = {"login": "greedo", "password": PASSWORD, "name": "Greedo's laptop"}
        await api.http.post("/v1/tokens", json=again)
        calendar = (await person.post("/v1/me/calendar-keys")).json()["path"]
        assert (await api.http.get(calendar)).status_code == 200
        banned = await api.http.put(
            f"/v1/leagues/{league}/bans/{person.player}",
            json={"reason": "Greedo shot first"},
            headers=owner.headers,
        )
        assert banned.is_success, banned.text
        await project(database)
        before = await log_of(api, league)
        assert "Greedo shot first" in await everything(database)

        answer = await erased(api, person)

        assert answer.status_code == 200, answer.text
        counted = {"tokens": 2, "calendars": 1, "texts": 1, "unreadable": 0}
        assert answer.json() == {"player": person.player} | counted
        assert await log_of(api, league) == before
        assert "greedo" not in (await everything(database)).lower()
        assert (await person.get("/v1/me")).status_code == 401
        assert (await api.http.get(calendar)).status_code == 401
        again = await api.http.post("/v1/tokens", json={"login": "greedo", "password": PASSWORD})
        assert (again.status_code, again.json()["code"]) == (401, "wrong_password")
    engine = async_engine(database.url("holotable_audit"), 2)
    async with engine.connect() as connection:
        report = await audit_league(connection, Keys(SECRET_KEY), league)
        assert report.passed, report.text()
    await engine.dispose()


async def test_views_call_who_is_erased_by_a_placeholder(serving, database) -> None:
    async with serving() as api:
        owner, league = await api.league()
        person = await api.join(owner, league)
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "Night", "ruleset": "better"}
        )
        path = f"/v1/tournaments/{made.json()['id']}"
        await person.post(f"{path}/registrations")
        assert (await owner.post(f"{path}/cancel")).status_code == 200
        await project(database)
        assert (await erased(api, person)).status_code == 200
        members = (await owner.get(f"/v1/leagues/{league}/members")).json()["items"]
        named = {each["player"]: each["name"] for each in members}
        assert named[person.player] == ERASED
        record = await owner.get(f"/v1/leagues/{league}/players/{person.player}/record")
        assert record.json()["name"] == ERASED
        entrants = (await owner.get(f"{path}/registrations")).json()["items"]
        assert [each["name"] for each in entrants] == [ERASED]
        exported = await owner.get(f"{path}/results.csv")
        assert exported.text.count(ERASED) == 1


async def test_who_is_entered_is_not_erased_until_they_are_out(serving, database) -> None:
    async with serving() as api:
        owner, league = await api.league()
        person = await api.join(owner, league)
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "Night", "ruleset": "better"}
        )
        path = f"/v1/tournaments/{made.json()['id']}"
        await person.post(f"{path}/registrations")
        await project(database)
        refused = await erased(api, person)
        assert (refused.status_code, refused.json()["code"]) == (409, "still_entered")
        assert refused.json()["tournaments"] == [made.json()["id"]]
        assert (await person.get("/v1/me")).status_code == 200
        await person.post(f"{path}/withdrawals")
        await project(database)
        assert (await erased(api, person)).status_code == 200


async def test_an_entry_that_the_read_models_do_not_know_yet_counts(
    serving, database, monkeypatch
) -> None:
    monkeypatch.setattr("service.people.erasure.WAIT_SECONDS", 0.2)
    async with serving() as api:
        owner, league = await api.league()
        person = await api.join(owner, league)
        await project(database)
        await owner.post(f"/v1/leagues/{league}/tournaments", {"name": "N", "ruleset": "better"})
        refused = await erased(api, person)
        assert (refused.status_code, refused.json()["code"]) == (503, "not_caught_up")


async def test_a_league_that_the_read_models_do_not_know_yet_keeps_its_only_owner(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        answer = await erased(api, owner)
        assert (answer.status_code, answer.json()["code"]) == (409, "still_owner")
        assert answer.json()["leagues"] == [league]


@pytest.mark.parametrize("known", [True, False])
async def test_an_entry_that_is_made_while_the_erasing_waits_counts(
    serving, database, known: bool
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        person = await api.join(owner, league)
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "Night", "ruleset": "better"}
        )
        await project(database)
        async with holding(database, FAMILY, number_of(person.player)) as waiting:
            erasing = asyncio.create_task(erased(api, person))
            await waiting(1)  # after the first look
            entered = await person.post(f"/v1/tournaments/{made.json()['id']}/registrations")
            assert entered.status_code == 201, entered.text
            if known:
                await project(database)
        refused = await erasing
        assert (refused.status_code, refused.json()["code"]) == (
            (409, "still_entered") if known else (503, "not_caught_up")
        )
        assert (await person.get("/v1/me")).status_code == 200


async def test_erasing_is_confirmed_by_id_and_password(serving) -> None:
    async with serving() as api:
        person, other = await api.person(), await api.person()
        wrong = await erased(api, person, player=other.player)
        assert (wrong.status_code, wrong.json()["code"]) == (400, "erasure_unconfirmed")
        guess = await erased(api, person, password="guess")
        assert (guess.status_code, guess.json()["code"]) == (401, "wrong_password")
        for each in (person, other):
            assert (await each.get("/v1/me")).status_code == 200


async def test_the_last_owner_of_a_league_hands_it_over_first(serving, database) -> None:
    async with serving() as api:
        owner, league = await api.league()
        heir = await api.join(owner, league)
        await project(database)
        refused = await erased(api, owner)
        assert (refused.status_code, refused.json()["code"]) == (409, "still_owner")
        path = f"/v1/leagues/{league}/members/{heir.player}"
        given = await api.http.put(path, json={"role": "owner"}, headers=owner.headers | ANY)
        assert given.status_code == 200, given.text

        # The log would count an erased owner, so that the other one could go too.
        await project(database)
        refused = await erased(api, owner)
        assert (refused.status_code, refused.json()["code"]) == (409, "still_owner")
        assert (await owner.post(f"/v1/leagues/{league}/leave")).is_success
        await project(database)
        assert (await erased(api, owner)).status_code == 200
        assert (await erased(api, heir)).json()["code"] == "still_owner"
        assert (await heir.post(f"/v1/leagues/{league}/leave")).json()["code"] == "last_owner"


async def test_read_models_of_somebody_erased_are_still_what_the_log_gives(
    serving, database
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        person = await api.join(owner, league)
        await project(database)
        assert (await erased(api, person)).status_code == 200
    engine = async_engine(database.url("holotable_project"), 1)
    async with engine.connect() as connection:
        assert await compare_league(connection, league) == []
    await engine.dispose()


async def test_an_account_merged_while_an_erasure_waits_is_not_locked_out_of_order(
    serving, database
) -> None:
    """The erasure ends at once, though somebody else holds the account that was merged."""
    async with serving() as api:
        owner, league = await api.league()
        staying = await api.join(owner, league)
        entered = await owner.post(f"/v1/leagues/{league}/players", {"name": "Han Solo"})
        going = entered.json()["player"]
        await project(database)
        shell, person = api.app.shell, number_of(staying.player)
        draft = NewText(league, number_of(owner.player), "Entered twice")
        reason = await keep_text(shell.engine, uuid4(), draft, salt=bytes(32), now=shell.now())
        merge = MergePlayers(
            player=going,
            into=staying.player,
            by=owner.player,
            reason=reason,
            known=False,
            now=shell.now(),
        )
        order = Order(
            command_id=uuid4(), actor=owner.player, received_at=shell.now(), request=b"{}"
        )
        async with holding(database, FAMILY, number_of(going)):
            async with holding(database, FAMILY, person) as waiting:
                keys = shell.runtime.writer.store.keys
                erasing = asyncio.create_task(erase(shell.engine, keys, person, shell.now()))
                await waiting(1)
                await merge_players(shell.runtime, league, merge, order)
            with pytest.raises(NotCaughtUp, match="merged"):
                await asyncio.wait_for(erasing, 30)
