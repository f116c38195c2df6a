"""Confidential claims of people who are merged or erased, handled twice at once, or damaged."""

import asyncio
import io
import json
import zipfile
from uuid import UUID

import psycopg
import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from engine.values import number_of
from service.people import confidential_claims
from service.people.schema import confidential_claim
from tests.service.api.conftest import ANY
from tests.service.api.league.test_merging import merge
from tests.service.api.me.test_erasing import erased
from tests.service.api.proof.test_confidential import SECRET, seen, told
from tests.service.api.proof.test_disputes import RULES, WHY, ask, claim, with_office
from tests.service.api.proof.test_evidence import project
from tests.service.api.tournament.test_corrections import a_night
from tests.support.databases import TestDatabase
from tests.support.holding import FAMILY, holding

pytestmark = pytest.mark.anyio


async def test_a_merged_player_is_a_party_to_what_was_claimed_before(
    serving, database: TestDatabase
) -> None:
    """Rulebook ``disputes.another_person``, for somebody who was there under another identifier."""
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        old = await api.join(owner, league)
        new, second = [await with_office(api, owner, league) for _ in range(2)]
        about = (await told(people[0], tournament, about=old.player)).json()["id"]
        by = (await told(old, tournament)).json()["id"]
        dispute = await claim(old, tournament=tournament)
        merged = await merge(owner, league, old.player, new.player)
        assert merged.status_code == 200, merged.text
        assert [each["id"] for each in await seen(new, league)] == [by]
        for name, code in ((about, "not_found"), (by, "another_person_needed")):
            refused = await ask(new, f"/v1/confidential-claims/{name}/dismiss", WHY)
            assert refused.json()["code"] == code, refused.text
        opened = await ask(second, f"/v1/confidential-claims/{about}/open", {"claim": "Look."})
        ruling = {"outcome": "for", "rules": RULES, **WHY}
        for each in (dispute, opened.json()["id"]):
            refused = await ask(new, f"/v1/disputes/{each}/rulings", ruling)
            assert refused.json()["code"] == "another_person_needed", refused.text
        assert (await ask(second, f"/v1/disputes/{dispute}/rulings", ruling)).status_code == 201
        appealed = await ask(new, f"/v1/disputes/{dispute}/appeals", WHY)
        assert appealed.status_code == 201, appealed.text


async def test_of_two_referees_at_once_one_handles_a_claim(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        referees = [await with_office(api, owner, league) for _ in range(2)]
        filed = (await told(people[0], tournament)).json()
        path = f"/v1/confidential-claims/{filed['id']}"
        async with holding(database, "LOCK TABLE events IN EXCLUSIVE MODE") as waiting:
            opening = asyncio.create_task(ask(referees[0], f"{path}/open", {"claim": "Look."}))
            await waiting(1)  # before its append
            dismissing = asyncio.create_task(ask(referees[1], f"{path}/dismiss", WHY))
            await waiting(2)
        assert (await opening).status_code == 201
        assert (await dismissing).json()["code"] == "claim_handled"
        (shown,) = await seen(owner, league)
        assert shown["state"] == "opened"


async def test_nothing_is_written_by_somebody_who_is_erased_meanwhile(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, tournament, _ = await a_night(api, database)
        outsider = await api.join(owner, league)
        player = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Han Solo"})).json()
        await project(database)
        words = {"kind": "payout", "tournament": tournament, "claim": "Too little."}
        async with holding(database, FAMILY, number_of(outsider.player)) as waiting:
            erasing = asyncio.create_task(erased(api, outsider))
            await waiting(1)
            writing = [
                asyncio.create_task(each)
                for each in (
                    told(outsider, tournament),
                    ask(outsider, "/v1/disputes", words),
                    outsider.post("/v1/me/claims", {"code": player["claim"]}),
                )
            ]
            await waiting(4)
        gone = await erasing
        assert gone.status_code == 200, gone.text
        for each in await asyncio.gather(*writing):
            assert (each.status_code, each.json()["code"]) == (401, "unauthenticated"), each.text
        assert await seen(owner, league) == []


async def test_a_claim_that_does_not_open_stops_no_other_claim_no_erasure_and_no_archive(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        outsider = await api.join(owner, league)
        broken, kept = [
            number_of((await told(each, tournament)).json()["id"]) for each in (people[0], outsider)
        ]
        damaged = (
            "UPDATE confidential_claim SET told = set_byte(told, 50, 255 - get_byte(told, 50))"
        )
        with psycopg.connect(database.url("postgres"), autocommit=True) as superuser:
            superuser.execute(f"{damaged} WHERE id = '{broken}'")
        own = [UUID(hex=each["id"][4:]) for each in await seen(outsider, league)]
        assert own == [kept]
        referee = await with_office(api, owner, league)
        third = await told(people[1], tournament)
        assert third.status_code == 201, third.text
        for_all = [UUID(hex=each["id"][4:]) for each in await seen(referee, league)]
        assert for_all == [kept, UUID(hex=third.json()["id"][4:])]
        left = await api.http.delete(
            f"/v1/leagues/{league}/members/{outsider.player}", headers=owner.headers | ANY
        )
        assert left.is_success, left.text
        await project(database)
        with capture_logs() as logged:
            answer = await outsider.get("/v1/me/archive")
        (line,) = [each for each in logged if each["event"] == "confidential_claim_unreadable"]
        assert line["claim"] and "exc_info" not in line, "a line for a caller, and no traceback"
        with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
            archived = json.loads(packed.read("confidential-claims.json"))
        assert [each["claim"] for each in archived["claims"]] == [SECRET]  # from a league left
        assert archived["unreadable"] == 1
        gone = await erased(api, outsider)
        assert (gone.status_code, gone.json()["unreadable"]) == (200, 1), gone.text
        shell = api.app.shell
        async with shell.engine.connect() as connection:
            keys = shell.runtime.writer.store.keys
            found = await confidential_claims.claim_of(connection, keys, kept)
            emptied = [
                await confidential_claims.empty_claim(connection, keys, broken) for _ in range(2)
            ]
            told_now = await connection.scalar(
                sa.select(confidential_claim.c.told).where(confidential_claim.c.id == broken)
            )
        assert found is not None and found.claim is None
        assert (emptied, told_now) == ([True, False], b"")
