"""Confidential claims over HTTP: claimants read them, and members who rule on disputes."""

import asyncio
import json
from hashlib import sha256
from typing import Any
from uuid import uuid4, uuid5

import asyncpg
import msgspec
import psycopg
import pytest

from engine.values import number_of
from service.api.http.writing.submitting import NAMESPACE
from service.api.proof import claiming, confidential
from service.people import confidential_claims
from service.people.confidential_claims import dispute_of
from tests.service.api.conftest import ANY
from tests.service.api.me.test_erasing import erased
from tests.service.api.proof.test_disputes import RULES, WHY, ask, claim, with_office
from tests.service.api.proof.test_evidence import project
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.api.tournament.test_corrections import a_night
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

SECRET = "They folded to each other all night."


async def told(person: Any, name: str, *, key: str | None = None, **more: Any) -> Any:
    body: dict[str, Any] = {"kind": "payout", "tournament": name, "claim": SECRET} | more
    return await ask(person, "/v1/confidential-claims", body, key=key)


async def seen(person: Any, league: str) -> Any:
    found = await person.get(f"/v1/leagues/{league}/confidential-claims")
    assert found.status_code == 200, found.text
    return found.json()["items"]


async def test_a_claim_in_confidence_shows_to_its_claimant_and_referees_only(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        shell = api.app.shell
        referee = await with_office(api, owner, league)
        auditor = await with_office(api, owner, league, "auditor")
        accused = await with_office(api, owner, league)
        await project(database)
        count = "SELECT count(*) FROM events"
        before = await shell.pool.fetchval(count)
        filed = await told(people[0], tournament, about=accused.player, rules=RULES)
        assert (filed.status_code, filed.json()["state"]) == (201, "filed"), filed.text
        assert await shell.pool.fetchval(count) == before
        for person in (people[0], referee, owner):
            assert [each["claim"] for each in await seen(person, league)] == [SECRET]
        for person in (people[1], auditor, accused):
            assert await seen(person, league) == []
            for path in ("disputes", "openings"):
                assert (await person.get(f"/v1/leagues/{league}/{path}")).json()["items"] == []
        log = (await auditor.get(f"/v1/leagues/{league}/staff-log?limit=200")).text
        assert filed.json()["id"] not in log and "confidential" not in log
        name = filed.json()["id"]
        path = f"/v1/confidential-claims/{name}"
        for person, code in ((people[1], "forbidden"), (auditor, "forbidden")):
            refused = await ask(person, f"{path}/dismiss", WHY)
            assert (refused.status_code, refused.json()["code"]) == (403, code)
        refused = await ask(accused, f"{path}/dismiss", WHY)
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
        done = await ask(referee, f"{path}/dismiss", WHY, key="dismiss")
        assert (done.status_code, done.json()["state"]) == (200, "dismissed"), done.text
        again = await ask(referee, f"{path}/dismiss", WHY, key="dismiss")
        assert again.json() == done.json()
        late = await ask(owner, f"{path}/open", {"claim": "Look."})
        assert (late.status_code, late.json()["code"]) == (409, "claim_handled")
        words = "SELECT count(*) FROM text WHERE body = 'Look.'"
        assert await shell.pool.fetchval(words) == 0, "a refused opening stores no words"
        (mine,) = await seen(people[0], league)
        assert (mine["state"], mine["answer"]) == ("dismissed", WHY["reason"])


async def test_a_referee_opens_it_under_the_own_name_and_who_came_forward_does_not_rule(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        informant = await with_office(api, owner, league)
        referee, second = [await with_office(api, owner, league) for _ in range(2)]
        filed = (await told(informant, tournament)).json()
        path = f"/v1/confidential-claims/{filed['id']}"
        own = await ask(informant, f"{path}/open", {"claim": "Look."})
        assert (own.status_code, own.json()["code"]) == (409, "another_person_needed")
        words = {"claim": "Two entrants may have played together.", "rules": RULES}
        opened = await ask(referee, f"{path}/open", words, key="open")
        assert opened.status_code == 201, opened.text
        dispute = opened.json()["id"]
        assert dispute == dispute_of(number_of(filed["id"]))
        other = await ask(second, f"{path}/open", words)
        assert other.json()["id"] == dispute  # one claim gives one dispute
        attached = "SELECT count(*) FROM events WHERE type = 'evidence_attached'"
        pool = api.app.shell.pool
        assert await pool.fetchval(attached) == 1  # the attachment cannot be replaced
        shown = await people[1].get(f"/v1/disputes/{dispute}")
        assert shown.json()["claimant"] == referee.player
        assert informant.player not in shown.text and SECRET not in shown.text
        # As if the process had ended before it marked the claim.
        unmarked = (
            "UPDATE confidential_claim SET state = 'filed', dispute = NULL,"
            " handled_by = NULL, handled_at = NULL"
        )
        with psycopg.connect(database.url("postgres"), autocommit=True) as superuser:
            superuser.execute(unmarked)
        gone = await ask(second, f"{path}/dismiss", WHY)
        assert (gone.status_code, gone.json()["code"]) == (409, "claim_handled")
        ruling = {"outcome": "for", "rules": RULES, **WHY}
        granted = {"auditor": second.player, "until": "2031-01-01T00:00:00Z", **WHY}
        looked = await informant.get(f"/v1/disputes/{dispute}/evidence")
        let = await ask(informant, f"/v1/disputes/{dispute}/disclosures", granted)
        for refused in (looked, let):
            assert refused.json()["code"] == "another_person_needed", refused.text
        for person in (informant, referee):
            refused = await ask(person, f"/v1/disputes/{dispute}/rulings", ruling)
            assert refused.json()["code"] == "another_person_needed", refused.text
        done = await ask(second, f"/v1/disputes/{dispute}/rulings", ruling)
        assert done.status_code == 201, done.text
        assert (await ask(referee, f"{path}/open", words, key="open")).status_code == 201
        (mine,) = [each for each in await seen(informant, league) if each["id"] == filed["id"]]
        assert (mine["state"], mine["dispute"]) == ("opened", dispute)
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def dump(database: TestDatabase) -> str:
    """Return every row of every relation except the log's keys, as text and as hexadecimal."""
    connection = await asyncpg.connect(database.url("postgres"))
    relations = await connection.fetch(
        "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables "
        "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename <> 'key'"
    )
    rows = [
        str(row[0])
        for each in relations
        for row in await connection.fetch(f"SELECT t::text FROM {each['name']} t")
    ]
    await connection.close()
    return "\n".join(rows)


async def test_a_dump_shows_nothing_that_was_told_in_confidence(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        filed = await told(people[0], tournament, about=people[1].player, rules=RULES)
        path = f"/v1/confidential-claims/{filed.json()['id']}/dismiss"
        referee = await with_office(api, owner, league)
        answered = {"reason": "They sat at other tables."}
        assert (await ask(referee, path, answered)).status_code == 200
    found = await dump(database)
    claims = [
        each for each in found.splitlines() if filed.json()["id"][4:] in each.replace("-", "")
    ]
    assert claims
    for words in (SECRET, answered["reason"]):
        assert words not in found
        assert words.encode().hex() not in found
    for hidden in (people[0].player, people[1].player, tournament):
        assert all(hidden[4:] not in each.replace("-", "") for each in claims)


async def test_nobody_who_guesses_the_key_of_a_claim_finds_the_claimant_in_a_dump(
    serving, database: TestDatabase
) -> None:
    """Command numbers are plain digests of account, path and key, so anyone can compute them."""
    async with serving() as api:
        _, _, _, tournament, people = await a_night(api, database)
        filed = await told(people[0], tournament, key="claim-1")
        again = await told(people[0], tournament, key="claim-1")
        assert (filed.status_code, again.json()["id"]) == (201, filed.json()["id"])
    parts = [people[0].player, "POST", "/v1/confidential-claims", "claim-1"]
    command = uuid5(NAMESPACE, sha256(msgspec.json.encode(parts)).hexdigest())
    found = (await dump(database)).replace("-", "")
    for guessed in (command, uuid5(command, "id/0")):
        assert guessed.hex not in found


async def test_claims_from_before_are_sealed_when_the_service_starts(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        _, league, _, tournament, people = await a_night(api, database)
        told_by = number_of(people[0].player)
        connection = await asyncpg.connect(database.url())
        await connection.execute(
            "INSERT INTO confidential_claim "
            "(id, league, claimant, subject, rules, claim, state, filed_at) "
            "VALUES (gen_random_uuid(), $1, $2, $3, '{}', $4, 'filed', now())",
            number_of(league),
            told_by,
            json.dumps({"kind": "payout", "tournament": tournament}),
            SECRET,
        )
        await connection.close()
        assert SECRET in await dump(database)
        assert [each["claim"] for each in await seen(people[0], league)] == [SECRET]
    async with serving() as api:
        people[0].http = api.http
        assert [each["claim"] for each in await seen(people[0], league)] == [SECRET]
    assert SECRET not in await dump(database)


async def test_words_that_were_taken_down_while_a_referee_decided_stay_away(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, _, _, tournament, people = await a_night(api, database)
        number = number_of((await told(people[0], tournament)).json()["id"])
        shell = api.app.shell
        keys = shell.runtime.writer.store.keys
        async with shell.engine.begin() as connection:
            read_before = await confidential_claims.claim_of(connection, keys, number)
            assert read_before is not None and read_before.claim == SECRET
            assert await confidential_claims.empty_claim(connection, keys, number)
            by, now = number_of(owner.player), shell.now()
            assert await confidential_claims.handle(
                connection, keys, read_before, by, now, answer="No."
            )
            kept = await confidential_claims.claim_of(connection, keys, number)
        assert kept is not None and (kept.claim, kept.answer) == (None, "No.")


async def test_what_was_told_in_confidence_is_erased_with_who_told_it(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, tournament, _ = await a_night(api, database)
        outsider = await api.join(owner, league)
        assert (await told(outsider, tournament)).status_code == 201
        await project(database)
        gone = await erased(api, outsider)
        assert gone.is_success, gone.text
        (left,) = await seen(owner, league)
        assert left["claim"] is None


async def test_a_hand_may_be_disputed_until_the_next_begins_where_a_league_says_so(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(2)
        path, windows = f"/v1/leagues/{league}/dispute-windows", {"until_next_hand": True}
        said = await api.http.put(path, json=windows, headers=owner.headers | ANY)
        assert said.status_code == 200, said.text
        shown = (await people[0].get(path)).json()["windows"]
        assert shown.items() >= (windows | {"standing_hours": 336}).items()
        referee = await with_office(api, owner, league)
        _, view = await turn(people, table)
        first = view["hand"]
        while view["hand"] == first:
            person, view = await turn(people, table)
            if view["hand"] == first:
                await person.post(f"/v1/tables/{table}/actions", answer_to(view), key=str(uuid4()))
        await project(database)
        about = {"kind": "hand", "hand": first, "claim": "It was misread."}
        late = await ask(people[0], "/v1/disputes", about)
        assert (late.status_code, late.json()["code"]) == (409, "claim_too_late"), late.text
        pool = api.app.shell.pool
        opened = "SELECT at FROM events WHERE type = 'hand_opened' ORDER BY position DESC LIMIT 1"
        assert late.json()["until"] == (await pool.fetchval(opened)).isoformat()
        await claim(people[0], kind="hand", hand=view["hand"])
        await claim(people[0], tournament=tournament)
        await claim(referee, kind="hand", hand=first)
        claims = await pool.fetch(
            "SELECT data FROM events WHERE type = 'dispute_opened' ORDER BY position"
        )
        rules = [json.loads(each["data"])["rule"] for each in claims]
        assert rules == ["disputes.claim", "disputes.claim", "disputes.window"]
        slow = await told(people[0], tournament, kind="hand", hand=first, tournament=None)
        assert slow.status_code == 201, slow.text  # a confidential claim has no time limit


async def test_a_claim_names_known_rules_and_steps_that_there_are(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        _, _, _, tournament, people = await a_night(api, database)
        about = {"kind": "payout", "tournament": tournament, "claim": "Too little."}
        for path in ("/v1/disputes", "/v1/confidential-claims"):
            refused = await ask(people[0], path, about | {"rules": ["payouts", "payout"]})
            assert (refused.status_code, refused.json()["code"]) == (422, "rule_unknown")
            (unknown,) = refused.json()["unknown"]
            assert (unknown["rule"], unknown["nearest"][0]) == ("payout", "payouts")
        pool = api.app.shell.pool
        hand = await pool.fetchval("SELECT hand FROM reads.hand")
        replay = (await people[0].get(f"/v1/hands/{hand}/replay")).json()
        about = {"kind": "step", "hand": hand, "claim": "It was not so."}
        last = len(replay["steps"])
        beyond = await ask(people[0], "/v1/disputes", about | {"step": last + 1})
        assert (beyond.status_code, beyond.json()["code"]) == (404, "not_found")
        await claim(people[0], kind="step", hand=hand, step=last)
        for both in ({"kind": "payout"}, {"kind": "seating"}):
            mixed = await ask(people[0], "/v1/disputes", about | both)
            assert mixed.json()["code"] == "dispute_invalid", mixed.text


async def test_one_person_opens_only_so_many_disputes(serving, database: TestDatabase) -> None:
    async with serving() as api:
        _, _, _, tournament, people = await a_night(api, database)
        about = {"kind": "payout", "tournament": tournament, "claim": "Once more."}
        for _ in range(claiming.OPEN_MAX - 1):
            await claim(people[0], tournament=tournament)
        last = await ask(people[0], "/v1/disputes", about, key="last")
        await project(database)
        again = await ask(people[0], "/v1/disputes", about, key="last")
        assert (again.status_code, again.json()) == (201, last.json())
        refused = await ask(people[0], "/v1/disputes", about)
        assert (refused.status_code, refused.json()["code"]) == (409, "too_many_disputes")
        await claim(people[1], tournament=tournament)
        for number in range(confidential.WAITING_MAX):
            filed = await told(people[0], tournament, key=f"claim {number}")
            assert filed.status_code == 201
        again = await told(people[0], tournament, key=f"claim {number}")
        assert (again.status_code, again.json()) == (201, filed.json())
        refused = await told(people[0], tournament)
        assert (refused.status_code, refused.json()["code"]) == (409, "too_many_disputes")


async def test_claims_at_once_and_claims_not_projected_yet_count_too(
    serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claiming, "OPEN_MAX", 2)
    async with serving() as api:
        _, _, tournament, people, _ = await api.playing(2)
        about = {"kind": "payout", "tournament": tournament, "claim": "Once more."}
        wrong = {"kind": "payout", "tournament": tournament, "claim": "No.", "step": 1}
        refused = await ask(people[0], "/v1/disputes", wrong)
        assert refused.json()["code"] == "dispute_invalid", refused.text  # and takes no place
        answers = await asyncio.gather(
            *(ask(people[0], "/v1/disputes", about, key=f"claim {each}") for each in range(4))
        )
        assert sorted(each.status_code for each in answers) == [201, 201, 409, 409]
        late = await ask(people[0], "/v1/disputes", about)
        assert (late.status_code, late.json()["code"]) == (409, "too_many_disputes")
        await claim(people[1], tournament=tournament)
