"""Disputes over HTTP: claims, evidence, freezes, rulings, appeals and disclosures."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from engine.values import stream_of
from service.director.runtime import open_runtime
from service.tasks import arming, audits
from service.tasks.duties import DUTIES
from service.transparency.note import open_note, parse_checkpoint
from service.transparency.tree import root_by_inclusion
from tests.service.api.conftest import ANY
from tests.service.api.proof.test_evidence import project
from tests.service.api.test_suspending import WHY as REASON
from tests.service.api.test_suspending import told
from tests.service.api.tournament.test_corrections import a_night, award, entrants, standings
from tests.service.api.tournament.test_rounds import TERMS, play_out, seat
from tests.service.audit.test_audit import audited, faults
from tests.service.tasks.test_sign_jobs import KEY, signer  # noqa: F401 - a fixture
from tests.support.auditing import go_on
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

WHY = {"reason": "The river was dealt twice."}
RULES = ["betting.reopening"]


async def ask(person: Any, path: str, body: Any = None, *, key: str | None = None) -> Any:
    """Send a command with a new key, at any version."""
    return await person.post(path, body, key=key or str(uuid4()), headers=ANY)


async def with_office(api: Any, owner: Any, league: str, role: str = "referee") -> Any:
    """Bring a member into the league who has an office and does not play."""
    person = await api.join(owner, league)
    path = f"/v1/leagues/{league}/members/{person.player}"
    given = await api.http.put(path, json={"role": role}, headers=owner.headers | ANY)
    assert given.is_success, given.text
    return person


async def claim(person: Any, **about: Any) -> str:
    asked = {"kind": "payout", "claim": "The winner folded.", "rules": RULES} | about
    made = await ask(person, "/v1/disputes", asked)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def armed_since(database: TestDatabase, tournament: str, type_: str) -> set[str]:
    """Let the ticker follow the log. Return the tasks that events of *type_* armed."""
    stream = stream_of(tournament)
    follow(database)
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as worker:
        found = worker.execute(
            "SELECT task FROM job JOIN events ON job.occurrence = task || ':' || event_id"
            " WHERE stream = %s AND type = %s",
            [stream, type_],
        )
        return {task for (task,) in found}


def follow(database: TestDatabase) -> None:
    """Let the ticker arm what new events ask for."""
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as worker:
        arming.follow(worker, datetime.now(UTC), database.settings("holotable_worker"))


async def run_audits(database: TestDatabase) -> None:
    """Arm and run audits, as the worker does."""
    follow(database)
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        rows = await runtime.pool.fetch("SELECT args FROM job WHERE task = 'audit.run'")
        assert rows
        for row in rows:
            await audits.run_audit(runtime, json.loads(row["args"]))
        await go_on(runtime)


async def test_a_claim_brings_its_evidence_and_a_ruling_takes_a_result_away(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, season, tournament, people = await a_night(api, database)
        referee = await with_office(api, owner, league)
        hand = await api.app.shell.pool.fetchval("SELECT hand FROM reads.hand")
        dispute = await claim(people[0], kind="hand", hand=hand)
        await run_audits(database)
        shown = (await people[1].get(f"/v1/disputes/{dispute}")).json()
        assert (shown["state"], shown["claim"]) == ("open", "The winner folded.")
        assert [each["passed"] for each in shown["audits"]] == [True]
        evidence = (await referee.get(f"/v1/disputes/{dispute}/evidence")).json()["evidence"]
        types = [each["type"] for each in evidence["events"]]
        assert (types[0], types[-1], evidence["left_out"]) == ("hand_opened", "hand_settled", 0)
        assert any(each["received_at"] for each in evidence["events"])
        refused = await people[0].get(f"/v1/disputes/{dispute}/evidence")
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")

        winner = (await entrants(owner, tournament))[0]
        ruling = {
            "outcome": "for", "rules": RULES, **WHY,
            "acts": [{"act": "forfeit", "entrant": winner["id"]}],
        }  # fmt: skip
        path = f"/v1/disputes/{dispute}/rulings"
        tried = await ask(referee, f"{path}?dry_run=true", ruling, key="rule")
        assert tried.status_code == 200, tried.text
        assert tried.json()["events"] == ["dispute_ruled", "result_corrected"]
        assert set(tried.json()["tournaments"]) == {tournament}
        assert (await owner.get(f"/v1/disputes/{dispute}")).json()["rulings"] == []
        for digest, code in ((None, "dry_run_needed"), ("0" * 64, "dry_run_outdated")):
            blind = await ask(referee, path, ruling | {"dry_run": digest})
            assert (blind.status_code, blind.json()["code"]) == (409, code), blind.text
        shown = {"dry_run": tried.json()["digest"]}
        other = ruling | shown | {"rules": ["payouts"]}
        blind = await ask(referee, path, other)
        assert blind.json()["code"] == "dry_run_outdated", blind.text
        done = await ask(referee, path, ruling | shown, key="rule")
        assert (done.status_code, done.json()["state"]) == (201, "ruled"), done.text
        await award(database, league, tournament)
        assert (await entrants(owner, tournament))[-1]["id"] == winner["id"]
        assert (await standings(owner, season))[winner["player"]] == 3
        shown = (await owner.get(f"/v1/disputes/{dispute}")).json()
        (ruled,) = shown["rulings"]
        assert ruled["acts"] == [{"command": "forfeit", "subject": tournament}]
        assert (ruled["rules"], ruled["reason"]) == (RULES, WHY["reason"])
        listed = (await owner.get(f"/v1/leagues/{league}/disputes")).json()["items"]
        assert [(each["dispute"], each["state"]) for each in listed] == [(dispute, "ruled")]

        second = await claim(people[1], tournament=tournament)
        found = (await referee.get(f"/v1/disputes/{second}/evidence")).json()["evidence"]
        assert found["earlier"] == [dispute]
    report = await audited(database, league)
    assert faults(report) == {}, report.text()
    assert {each.name: each.checked for each in report.checks}["rulings"] >= 3


async def test_a_disputes_audit_waits_while_its_league_takes_no_commands(
    serving, database: TestDatabase
) -> None:
    async with serving() as api, open_runtime(database.settings("holotable_worker")) as runtime:
        _, league, _, tournament, people = await a_night(api, database)
        dispute = await claim(people[0], tournament=tournament)
        follow(database)
        armed = "SELECT args::text FROM job WHERE task = $1"
        about = json.loads(await runtime.pool.fetchval(armed, "audit.run"))
        await audits.run_audit(runtime, about)
        done: set[str] = set()
        while (
            units := {row["args"] for row in await runtime.pool.fetch(armed, "audit.unit")} - done
        ):
            for unit in units:
                await audits.audit_unit(runtime, json.loads(unit))
            done |= units
        ended = await told(database, "league", "suspend", league, *REASON)
        assert ended.returncode == 0, ended.stderr
        with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
            connection.execute("ALTER TABLE audit_unit RENAME TO hidden")
            assert await audits.close_audit(runtime, about) is not None  # without any work
            connection.execute("ALTER TABLE hidden RENAME TO audit_unit")
        shown = (await people[0].get(f"/v1/disputes/{dispute}")).json()
        assert shown["audits"] == []
        await told(database, "league", "restore", league, *REASON)
        assert await audits.close_audit(runtime, about) is None
        shown = (await people[0].get(f"/v1/disputes/{dispute}")).json()
        assert [each["passed"] for each in shown["audits"]] == [True]


async def test_an_act_that_changes_nothing_is_refused(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        referee = await with_office(api, owner, league)
        dispute = await claim(people[0], tournament=tournament)
        placed: dict[int, list[str]] = {}
        for each in await entrants(owner, tournament):
            placed.setdefault(each["placing"], []).append(each["id"])
        order = list(placed.values())
        acts = [{"act": "correct_result", "order": order}]
        ruling = {"outcome": "for", "rules": RULES, **WHY, "acts": acts}
        path = f"/v1/disputes/{dispute}/rulings?dry_run=true"
        refused = await ask(referee, path, ruling)
        assert refused.json()["code"] == "dispute_invalid", refused.text
        acts[0]["order"] = order[::-1]
        tried = await ask(referee, path, ruling)
        assert tried.json()["events"] == ["dispute_ruled", "result_corrected"], tried.text


async def test_a_freeze_holds_prizes_points_and_the_seasons_end_until_the_ruling(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, season, tournament, people = await a_night(api, database)
        referee = await with_office(api, owner, league)
        dispute = await claim(people[0], tournament=tournament)
        frozen = await ask(referee, f"/v1/disputes/{dispute}/freeze", WHY)
        assert (frozen.status_code, frozen.json()["frozen"]) == (200, True), frozen.text
        last = (await entrants(owner, tournament))[-1]
        player = people[0].player
        about = f"/v1/seasons/{season}"
        points = {"player": player, "points": "5", **WHY}
        forfeit = {"entrant": last["id"], **WHY}
        held = [
            await ask(owner, f"/v1/tournaments/{tournament}/forfeits", forfeit),
            await ask(owner, f"{about}/awards/{tournament}/revise", WHY),
            await ask(owner, f"{about}/adjustments", points),
        ]  # fmt: skip
        for refused in held:
            problem = refused.json()
            assert (problem["code"], problem.get("dispute")) == ("frozen", dispute), problem
        closing = await ask(owner, f"{about}/close")
        waits = {"tournament": tournament, "reason": "frozen", "dispute": dispute}
        assert closing.json()["tournaments"] == [waits], closing.text
        ruling = {"outcome": "against", "rules": RULES, **WHY, "acts": []}
        done = await ask(referee, f"/v1/disputes/{dispute}/rulings", ruling)
        assert (done.status_code, done.json()["frozen"]) == (201, False), done.text
        assert "season.award_points" in armed_since(database, tournament, "result_released")
        assert (await ask(owner, f"{about}/adjustments", points)).status_code == 201
        assert (await ask(owner, f"{about}/close")).status_code == 200
        await project(database)
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_staff_who_play_do_not_rule(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database, owner_plays=True)
        referee = await with_office(api, owner, league)
        dispute = await claim(people[0], tournament=tournament)
        ruling = {"outcome": "for", "rules": RULES, **WHY}
        for path, body in (("freeze", WHY), ("rulings", ruling)):
            refused = await ask(owner, f"/v1/disputes/{dispute}/{path}", body)
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        assert (await ask(referee, f"/v1/disputes/{dispute}/rulings", ruling)).status_code == 201
        outside = await api.join(owner, league)
        refused = await ask(outside, f"/v1/disputes/{dispute}/appeals", WHY)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        appealed = await ask(people[1], f"/v1/disputes/{dispute}/appeals", WHY)
        assert appealed.json()["state"] == "appealed", appealed.text
        again = await ask(referee, f"/v1/disputes/{dispute}/rulings", ruling)
        assert (again.status_code, again.json()["code"]) == (409, "another_person_needed")
        second = await with_office(api, owner, league)
        final = await ask(second, f"/v1/disputes/{dispute}/rulings", ruling)
        assert final.json()["state"] == "final", final.text


async def test_an_auditor_opens_the_disputed_hand_until_the_time_is_over_and_it_shows(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, _, people = await a_night(api, database)
        shell = api.app.shell
        hand = await shell.pool.fetchval("SELECT hand FROM reads.hand")
        dispute = await claim(people[0], kind="hand", hand=hand)
        auditor = await with_office(api, owner, league, "auditor")
        other = await with_office(api, owner, league, "auditor")
        until = shell.now() + timedelta(hours=1)
        about = f"/v1/disputes/{dispute}"
        granted = {"auditor": auditor.player, "until": until.isoformat(), **WHY}
        refused = await ask(owner, f"{about}/disclosures", granted | {"auditor": people[1].player})
        assert (refused.status_code, refused.json()["code"]) == (409, "dispute_invalid")
        early = await ask(auditor, f"{about}/openings", {"what": "hand"})
        assert (early.status_code, early.json()["code"]) == (409, "not_disclosed")
        for what in ("hand", "masters"):
            made = await ask(owner, f"{about}/disclosures", granted | {"what": what})
            assert made.status_code == 201, made.text
        opened = await ask(auditor, f"{about}/openings", {"what": "hand"})
        assert opened.status_code == 201, opened.text
        values = opened.json()["values"]
        rows = await shell.pool.fetch(
            "SELECT position, data FROM events WHERE sealed IS NOT NULL AND stream LIKE 'table-%'"
        )
        assert {each["position"] for each in values} == {row["position"] for row in rows}
        assert all(len(each["salt"]) == 64 for each in values)
        (cards, _) = (await ask(auditor, f"{about}/openings", {"what": "masters"})).json()["values"]
        assert cards["type"] == "registration_opened"
        for person in (other, people[0]):
            refused = await ask(person, f"{about}/openings", {"what": "hand"})
            assert refused.json()["code"] in ("not_disclosed", "forbidden")
        shown = (await people[1].get(f"{about}/disclosures")).json()["items"]
        assert [(each["auditor"], len(each["used"])) for each in shown] == [
            (auditor.player, 1),
            (auditor.player, 1),
        ]
        await project(database)
        log = (await auditor.get(f"/v1/leagues/{league}/staff-log")).json()["items"]
        assert [(each["type"], each["actor"]) for each in log[:3]] == [
            ("disclosure_used", auditor.player),
            ("disclosure_used", auditor.player),
            ("disclosure_granted", owner.player),
        ]
        assert {"league_created", "tournament_announced"} <= {each["type"] for each in log}
        assert people[0].player not in {each["actor"] for each in log}
        first = (await auditor.get(f"/v1/leagues/{league}/staff-log?limit=2")).json()
        path = f"/v1/leagues/{league}/staff-log?limit=200&cursor={first['next_cursor']}"
        assert first["items"] + (await auditor.get(path)).json()["items"] == log
        assert (await people[0].get(f"/v1/leagues/{league}/staff-log")).status_code == 403
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_a_head_is_signed_for_a_dispute_and_proves_its_evidence(
    serving,
    database: TestDatabase,
    signer: str,  # noqa: F811
) -> None:
    """An outsider checks each event of the evidence with the public key alone."""
    async with serving() as api:
        owner, league, _, _, people = await a_night(api, database)
        hand = await api.app.shell.pool.fetchval("SELECT hand FROM reads.hand")
        dispute = await claim(people[0], kind="step", hand=hand, step=2)
        about = f"/v1/disputes/{dispute}"
        assert (await people[0].get(about)).json()["head"] is None
        assert (await people[0].get(f"{about}/proofs")).json()["items"] == []
        told = database.settings("holotable_worker", signer_url=signer)
        with psycopg.connect(database.url("holotable_worker"), autocommit=True) as worker:
            arming.follow(worker, datetime.now(UTC), told)
            armed = "SELECT args FROM job WHERE task = 'dispute.attach_head'"
            ((args,),) = worker.execute(armed).fetchall()
        async with open_runtime(told) as runtime:
            for _ in range(2):  # the second delivery changes nothing
                assert await DUTIES["dispute.attach_head"].do(runtime, args) is None
        shown = (await people[0].get(about)).json()["head"]
        head = parse_checkpoint(open_note(shown["note"], KEY.verifier_key()))
        assert (head.size, head.root.hex()) == (shown["size"], shown["root"])
        referee = await with_office(api, owner, league)
        evidence = (await referee.get(f"{about}/evidence")).json()["evidence"]
        assert evidence["replay"] == f"/v1/hands/{hand}/replay?step=2"
        assert (await referee.get(evidence["replay"])).json()["number"] == 2
        proofs = (await people[0].get(f"{about}/proofs?limit=200")).json()["items"]
        assert [(each["index"], each["leaf"]) for each in proofs] == [
            (each["position"], each["hash"]) for each in evidence["events"]
        ]
        for each in proofs:
            path, leaf = [bytes.fromhex(node) for node in each["path"]], each["leaf"]
            assert root_by_inclusion(bytes.fromhex(leaf), each["index"], head.size, path) == (
                head.root
            )
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_the_next_round_and_a_cancellation_wait_for_a_dispute(
    serving, database: TestDatabase
) -> None:
    async with (
        serving() as api,
        open_runtime(database.settings("holotable_worker")) as runtime,
    ):
        owner, league, tournament, people, _ = await api.playing(6, **TERMS)
        referee = await with_office(api, owner, league)
        dispute = await claim(people[0], kind="seating", tournament=tournament)
        assert (await ask(referee, f"/v1/disputes/{dispute}/freeze", WHY)).status_code == 200
        await play_out(owner, people, tournament)
        refused = await ask(owner, f"/v1/tournaments/{tournament}/cancel", WHY)
        assert (refused.status_code, refused.json()["code"]) == (409, "frozen"), refused.text
        assert refused.json()["dispute"] == dispute
        assert await seat(runtime, league, tournament, 1) > runtime.clock.now()
        assert (await owner.get(f"/v1/tournaments/{tournament}")).json()["tables"] == []
        assert (await ask(referee, f"/v1/disputes/{dispute}/unfreeze", WHY)).status_code == 200
        assert await seat(runtime, league, tournament, 1) is None
        assert (await owner.get(f"/v1/tournaments/{tournament}")).json()["tables"]
