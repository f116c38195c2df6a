"""Signed receipts over HTTP: their access rights, their contents, and their match with the log."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import asyncpg
import httpx
import pytest
from msgspec.structs import replace

from engine.values import number_of
from service.transparency.note import open_note
from service.transparency.receipt import CommandReceipt, parse_receipt
from service.transparency.signing import sign_head
from tests.service.api.conftest import ANY, Api, Person
from tests.service.api.proof.test_evidence import project
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.process.test_signer_process import KEY, signer
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

NAMESPACE = UUID("5abacc00-0000-5000-8000-686f6c6f7461")
"""The namespace that the guide gives for the numbers of commands."""


@pytest.fixture
def house(serving: Callable[..., Any], database: TestDatabase, tmp_path: Path) -> Any:
    """
    Return a context manager that opens the API and a signer's process.

    It yields the API, a function that signs a league's head, and the signer's process id.
    """

    @asynccontextmanager
    async def opened() -> AsyncIterator[tuple[Api, Callable[[str], Any], int]]:
        connection = await asyncpg.connect(database.url("holotable_worker"))
        with signer(tmp_path / "signer") as (client, pid):
            url, known_by = str(client.base_url), client.headers
            async with (
                httpx.AsyncClient(base_url=url, headers=known_by) as asking,
                serving(signer_url=url) as api,
            ):
                yield api, lambda league: sign_head(connection, asking, number_of(league)), pid
        await connection.close()

    return opened


async def receipt(person: Person, league: str, command: str, **more: Any) -> CommandReceipt:
    answer = await person.post(f"/v1/leagues/{league}/receipts", {"command": command, **more})
    assert answer.status_code == 200, answer.text
    return parse_receipt(open_note(answer.json()["note"], KEY.verifier_key()))


def leaf(league: str, line: dict[str, Any], previous: str | None) -> str:
    """Return an event's hash from its line, by section 3 of ``api-spec/bundle.md``."""

    def digest(value: bytes) -> bytes:
        return sha256(value).digest()

    at = datetime.fromisoformat(line["at"].replace("Z", "+00:00"))
    epoch = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    passed = at - epoch
    micros = (passed.days * 86400 + passed.seconds) * 10**6 + passed.microseconds
    data = json.dumps(line["data"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    entry = b"".join(
        (
            b"holotable/1",
            bytes.fromhex(league.removeprefix("lge_")),
            bytes.fromhex(previous or "00" * 32),
            digest(line["stream"].encode()),
            line["version"].to_bytes(8, "big"),
            bytes.fromhex(line["id"]),
            micros.to_bytes(8, "big"),
            digest(line["type"].encode()),
            line["schema_version"].to_bytes(2, "big"),
            digest(data.encode()),
            bytes.fromhex(line["metadata"]),
            bytes.fromhex(line["sealed"] or "00" * 32),
        )
    )
    assert len(entry) == 253
    return sha256(b"\0" + entry).hexdigest()


async def test_a_player_proves_what_was_asked_when_and_what_came_of_it(house: Any) -> None:
    async with house() as (api, sign, _):
        owner, league, _, people, table = await api.playing()
        await sign(league)
        actor, view = await turn(people, table)
        asked = answer_to(view)
        path = f"/v1/tables/{table}/actions"
        done = await actor.post(path, asked, key="mine")
        command = done.headers["command-id"]
        asking = {"command": command, "request": asked}
        answer = await actor.post(f"/v1/leagues/{league}/receipts", asking)
        found = parse_receipt(open_note(answer.json()["note"], KEY.verifier_key()))
        bare = await receipt(actor, league, command)
        lied = await actor.post(
            f"/v1/leagues/{league}/receipts", {**asking, "request": {**asked, "type": "show"}}
        )
        head = await sign(league)
        proofs = [
            (
                await owner.get(
                    f"/v1/leagues/{league}/proofs/inclusion?index={each.position}&size={head.size}"
                )
            ).json()
            for each in found.events
        ]

    assert done.status_code == 200, done.text
    parts = json.dumps([actor.player, "POST", path, "mine"], separators=(",", ":"))
    assert UUID(hex=command) == uuid5(NAMESPACE, sha256(parts.encode()).hexdigest())
    canonical = json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()
    assert (found.actor, found.command, found.epoch) == (actor.player, command, 0)
    assert f"lge_{UUID(found.league).hex}" == league
    assert (found.request, bare.request) == (sha256(canonical).digest(), None)
    assert (lied.status_code, lied.json()["code"]) == (409, "request_mismatch")
    positions = [each.position for each in found.events]
    assert positions == list(range(positions[0], positions[0] + len(positions)))
    heads: dict[str, str] = {}
    for event, line in zip(found.events, answer.json()["events"], strict=True):
        assert (line["previous"] is None) == (event.stream in heads)
        previous = line["previous"] or heads[event.stream]
        assert leaf(league, line, previous) == event.hash.hex()
        heads[event.stream] = event.hash.hex()
        assert (line["position"], line["version"]) == (event.position, event.version)
    assert [each["leaf"] for each in proofs] == [each.hash.hex() for each in found.events]
    assert found.received_at <= found.events[0].at


async def test_receipts_are_for_who_acted_and_for_auditors_who_do_not_play(
    house: Any, database: TestDatabase
) -> None:
    async with house() as (api, sign, _):
        owner, league = await api.league()
        people = [await api.join(owner, league) for _ in range(3)]
        for person in people[:2]:
            role = f"/v1/leagues/{league}/members/{person.player}"
            given = await person.http.put(
                role, json={"role": "auditor"}, headers=owner.headers | ANY
            )
            assert given.is_success, given.text
        terms = {"name": "Night", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", terms)
        entering = f"/v1/tournaments/{made.json()['id']}/registrations"
        entered = await people[1].post(entering)
        assert entered.status_code == 201, entered.text
        await sign(league)
        await project(database)
        command = made.headers["command-id"]
        asked = f"/v1/leagues/{league}/receipts"
        stranger = await api.person()
        answers = [
            (await person.post(asked, {"command": command})).status_code
            for person in (owner, *people, stranger)
        ]
        own = await people[1].post(asked, {"command": entered.headers["command-id"]})
        unknown = await owner.post(asked, {"command": "0" * 32})
        malformed = await owner.post(asked, {"command": "no command"})

    # the owner acted, the first audits, the second audits and plays, the third only plays
    assert answers == [200, 200, 404, 404, 404]
    assert own.status_code == 200, own.text
    assert (unknown.status_code, malformed.status_code) == (404, 400)


async def test_an_auditor_learns_nothing_of_what_somebody_else_asked(
    house: Any, database: TestDatabase
) -> None:
    """A selection has few possible bodies, so a digest of the body would give away the cards."""
    async with house() as (api, sign, _):
        owner, league, _, people, table = await api.playing()
        await sign(league)
        actor, view = await turn(people, table)
        asked = answer_to(view)
        done = await actor.post(f"/v1/tables/{table}/actions", asked, key="theirs")
        await project(database)
        path = f"/v1/leagues/{league}/receipts"
        bodies: list[dict[str, Any]] = [
            {"command": done.headers["command-id"], **more}
            for more in ({}, {"request": asked}, {"request": {**asked, "type": "show"}})
        ]
        bare, right, wrong = [await owner.post(path, body) for body in bodies]
        own = await actor.post(path, bodies[1])

    assert (bare.status_code, own.status_code) == (200, 200), bare.text
    assert (right.status_code, right.json()["code"]) == (403, "forbidden")
    assert (wrong.status_code, wrong.json()["detail"]) == (403, right.json()["detail"])


async def test_a_receipt_waits_for_a_published_key_and_for_a_signer_that_answers(
    house: Any, database: TestDatabase
) -> None:
    async with house() as (api, sign, pid):
        person = await api.person()
        made = await person.post("/v1/leagues", {"name": "Cloud City"})
        league, asked = made.json()["id"], {"command": made.headers["command-id"]}
        path = f"/v1/leagues/{league}/receipts"
        early = await person.post(path, asked)
        await sign(league)
        many = await asyncio.gather(*(receipt(person, league, **asked) for _ in range(30)))
        worker = await asyncpg.connect(database.url("holotable_worker"))
        await worker.execute(
            "INSERT INTO signer_key (verifier_key, event) VALUES ($1, 'revoked')",
            KEY.verifier_key(),
        )
        await worker.close()
        revoked = await person.post(path, asked)
        os.kill(pid, signal.SIGKILL)
        away = await person.post(path, asked)

    for refused in (early, revoked, away):
        assert (refused.status_code, refused.json()["code"]) == (503, "signer_away")
        assert int(refused.headers["retry-after"]) > 0
    assert {each.command for each in many} == {asked["command"]}


async def test_receipts_of_the_largest_commands_refuse_no_others(house: Any) -> None:
    async with house() as (api, sign, _):
        _, league, _, people, table = await api.playing()
        await sign(league)
        actor, view = await turn(people, table)
        done = await actor.post(f"/v1/tables/{table}/actions", answer_to(view), key="mine")
        assert done.status_code == 200, done.text
        small = await receipt(actor, league, done.headers["command-id"])
        large = replace(small, events=small.events * (2_000 // len(small.events)))
        runtime = api.app.shell.receipts
        notes = await asyncio.gather(*map(runtime.signed, [large] * 30 + [small]))

    assert [parse_receipt(open_note(each, KEY.verifier_key())) for each in notes[-2:]] == [
        large,
        small,
    ]


async def test_a_server_without_a_signer_gives_no_receipts(serving: Callable[..., Any]) -> None:
    async with serving() as api:
        person = await api.person()
        made = await person.post("/v1/leagues", {"name": "Cloud City"})
        asked = {"command": made.headers["command-id"]}
        refused = await person.post(f"/v1/leagues/{made.json()['id']}/receipts", asked)
    assert (refused.status_code, refused.json()["code"]) == (503, "signer_away")
