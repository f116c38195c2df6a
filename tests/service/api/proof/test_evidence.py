"""Signed heads and proofs over HTTP, checked by a client that trusts only the public key."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from engine.values import number_of
from service.base.database import async_engine
from service.cli.signer.revoke import revoke
from service.process.signer import signing_app
from service.projections.following.runner import Runner
from service.transparency.note import SigningKey, open_note, parse_checkpoint, signers_of
from service.transparency.signer import Memory, Signer
from service.transparency.signing import sign_head
from service.transparency.tree import consistent, root_by_inclusion
from tests.service.api.conftest import Person
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

KEY = SigningKey("holotable.example", bytes(range(32)))


@pytest.fixture
def signing(tmp_path: Path, database: TestDatabase) -> Callable[[], Any]:
    """Return a context manager that opens a signer and yields a function that signs a head."""

    @asynccontextmanager
    async def signing() -> AsyncIterator[Callable[[str], Any]]:
        connection = await asyncpg.connect(database.url("holotable_worker"))
        with Memory(tmp_path / "signer") as memory:
            transport = httpx.ASGITransport(app=signing_app(Signer(KEY, memory)))
            async with httpx.AsyncClient(transport=transport, base_url="http://signer") as client:
                yield lambda league: sign_head(connection, client, number_of(league))
        await connection.close()

    return signing


async def project(database: TestDatabase) -> None:
    """Bring every read model up to date with the log."""
    engine = async_engine(database.url("holotable_project"))
    try:
        await Runner(engine).catch_up()
    finally:
        await engine.dispose()


async def heads(person: Person, league: str) -> list[dict[str, Any]]:
    answer = await person.get(f"/v1/leagues/{league}/checkpoints")
    assert answer.status_code == 200, answer.text
    return list(answer.json()["items"])


async def test_a_client_checks_that_nothing_signed_was_changed(
    serving: Callable[[], Any], signing: Callable[[], Any]
) -> None:
    async with serving() as api, signing() as sign:
        owner, league = await api.league()
        await sign(league)
        await api.join(owner, league)
        await sign(league)

        (signer,) = (await api.http.get("/v1/signers")).json()["items"]
        newer, older = [
            parse_checkpoint(open_note(head["note"], signer["verifier_key"]))
            for head in await heads(owner, league)
        ]
        asked = f"/v1/leagues/{league}/proofs/consistency?old={older.size}&new={newer.size}"
        proof = [bytes.fromhex(each) for each in (await owner.get(asked)).json()["path"]]
        assert 0 < older.size < newer.size
        assert consistent(older.size, older.root, newer.size, newer.root, proof)


async def test_a_hand_comes_with_a_receipt_that_the_signature_covers(
    serving: Callable[[], Any], signing: Callable[[], Any], database: TestDatabase
) -> None:
    async with serving() as api, signing() as sign:
        owner, league, _, _, table = await api.playing()
        await project(database)
        (hand,) = (await owner.get(f"/v1/tables/{table}/hands")).json()["items"]
        early = await owner.get(f"/v1/hands/{hand['hand']}/receipt")
        await sign(league)
        receipt = (await owner.get(f"/v1/hands/{hand['hand']}/receipt")).json()

        head = parse_checkpoint(open_note(receipt["head"]["note"], KEY.verifier_key()))
        assert (early.status_code, early.json()["code"]) == (409, "not_signed_yet")
        assert receipt["events"][0]["type"] == "hand_opened"
        assert receipt["events"][0]["index"] == hand["first_position"]
        for event in receipt["events"]:
            path = [bytes.fromhex(each) for each in event["path"]]
            leaf = bytes.fromhex(event["leaf"])
            assert root_by_inclusion(leaf, event["index"], head.size, path) == head.root


async def test_an_event_is_proven_alone(
    serving: Callable[[], Any], signing: Callable[[], Any]
) -> None:
    async with serving() as api, signing() as sign:
        owner, league = await api.league()
        head = await sign(league)
        asked = f"/v1/leagues/{league}/proofs/inclusion?index=0&size={head.size}"
        proof = (await owner.get(asked)).json()

        path = [bytes.fromhex(each) for each in proof["path"]]
        assert root_by_inclusion(bytes.fromhex(proof["leaf"]), 0, head.size, path) == head.root


async def test_a_new_epoch_is_told_and_older_heads_prove_nothing_more(
    serving: Callable[[], Any], signing: Callable[[], Any], database: TestDatabase
) -> None:
    async with serving() as api, signing() as sign:
        owner, league = await api.league()
        await sign(league)
        asked = f"/v1/leagues/{league}/proofs/inclusion?index=0&size=1"
        before = await owner.get(asked)
        operator = await asyncpg.connect(database.url("holotable_migrate"))
        await operator.execute("SELECT raise_epoch($1, 'Lobot', 'a drill')", number_of(league))
        await operator.close()

        after = await owner.get(asked)
        (epoch,) = (await owner.get(f"/v1/leagues/{league}/epochs")).json()["items"]
        await sign(league)
        again = await owner.get(asked)
        newer, older = await heads(owner, league)
        assert (before.status_code, after.status_code, again.status_code) == (200, 409, 200)
        assert (epoch["epoch"], epoch["operator"], epoch["reason"]) == (1, "Lobot", "a drill")
        assert (newer["epoch"], older["epoch"], epoch["size"]) == (1, 0, older["size"])


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("inclusion?index=0&size=99", 409, "not_signed_yet"),
        ("inclusion?index=1&size=1", 400, "validation_failed"),
        ("inclusion?index=-1&size=1", 400, "validation_failed"),
        ("inclusion?size=1", 400, "validation_failed"),
        ("inclusion?index=99999999999999999999&size=1", 400, "validation_failed"),
        ("consistency?old=0&new=1", 400, "validation_failed"),
        ("consistency?old=1&new=99", 409, "not_signed_yet"),
        ("consistency?old=x&new=1", 400, "validation_failed"),
    ],
)
async def test_what_cannot_be_proven_is_refused(
    serving: Callable[[], Any], signing: Callable[[], Any], query: str, status: int, code: str
) -> None:
    async with serving() as api, signing() as sign:
        owner, league = await api.league()
        await sign(league)
        answer = await owner.get(f"/v1/leagues/{league}/proofs/{query}")

        assert (answer.status_code, answer.json()["code"]) == (status, code)


async def cut(database: TestDatabase, league: str, position: int) -> None:
    """Delete a league's log from *position* on, as restoring an old copy would."""
    superuser = await asyncpg.connect(database.url("postgres"))
    try:
        await superuser.execute("ALTER TABLE events DISABLE TRIGGER USER")
        await superuser.execute(
            "DELETE FROM events WHERE league = $1 AND position >= $2", number_of(league), position
        )
    finally:
        await superuser.close()


async def test_a_log_cut_short_refuses_the_proofs_it_can_no_longer_give(
    serving: Callable[[], Any], signing: Callable[[], Any], database: TestDatabase
) -> None:
    """Until an epoch is opened, the newest head still covers the lost events."""
    async with serving() as api, signing() as sign:
        owner, league, _, _, table = await api.playing()
        await project(database)
        (hand,) = (await owner.get(f"/v1/tables/{table}/hands")).json()["items"]
        head = await sign(league)
        await cut(database, league, hand["last_position"])
        asked = (
            f"/v1/leagues/{league}/proofs/inclusion?index=0&size={head.size}",
            f"/v1/leagues/{league}/proofs/inclusion?index={head.size - 1}&size={head.size}",
            f"/v1/leagues/{league}/proofs/consistency?old=1&new={head.size}",
            f"/v1/hands/{hand['hand']}/receipt",
        )
        answers = [await owner.get(each) for each in asked]

        assert [(each.status_code, each.json()["code"]) for each in answers] == [
            (409, "log_incomplete")
        ] * 4


async def test_a_receipt_is_refused_when_the_whole_hand_is_gone(
    serving: Callable[[], Any], signing: Callable[[], Any], database: TestDatabase
) -> None:
    """With no events left, an empty receipt would look valid, so the request is refused."""
    async with serving() as api, signing() as sign:
        owner, league, _, _, table = await api.playing()
        await project(database)
        (hand,) = (await owner.get(f"/v1/tables/{table}/hands")).json()["items"]
        await sign(league)
        await cut(database, league, hand["first_position"])
        answer = await owner.get(f"/v1/hands/{hand['hand']}/receipt")

        assert (answer.status_code, answer.json()["code"]) == (409, "log_incomplete")


async def test_a_foreign_league_proves_nothing(
    serving: Callable[[], Any], signing: Callable[[], Any]
) -> None:
    async with serving() as api, signing() as sign:
        _, league = await api.league()
        head = await sign(league)
        stranger = await api.person()
        for path in (
            "checkpoints",
            "epochs",
            f"proofs/inclusion?index=0&size={head.size}",
            f"proofs/consistency?old=1&new={head.size}",
        ):
            assert (await stranger.get(f"/v1/leagues/{league}/{path}")).status_code == 404


async def test_keys_are_published_rotated_and_revoked_for_everybody_to_see(
    serving: Callable[[], Any], tmp_path: Path, database: TestDatabase
) -> None:
    """Each key is listed from its first head on. A revoked key stays, with the time and reason."""
    rotated = SigningKey("holotable.example/2", bytes(range(1, 33)))
    worker = await asyncpg.connect(database.url("holotable_worker"))
    settings = database.settings("holotable_worker")

    async with serving() as api:
        owner, league = await api.league()
        none = (await api.http.get("/v1/signers")).json()["items"]
        for key in (KEY, rotated):
            with Memory(tmp_path / "signer") as memory:
                transport = httpx.ASGITransport(app=signing_app(Signer(key, memory)))
                async with httpx.AsyncClient(transport=transport, base_url="http://s") as signer:
                    await api.join(owner, league)
                    await sign_head(worker, signer, number_of(league))
        both = (await api.http.get("/v1/signers")).json()["items"]
        done = await revoke(settings, KEY.verifier_key(), "a laptop was stolen")
        again = await revoke(settings, KEY.verifier_key(), "twice")
        unknown = await revoke(settings, "holotable.example+00000000+AAAA", "never there")
        after = (await api.http.get("/v1/signers")).json()["items"]
        notes = [head["note"] for head in await heads(owner, league)]
    await worker.close()

    names = sorted(each.verifier_key() for each in (KEY, rotated))
    assert none == [] and [each["verifier_key"] for each in both] == names
    assert [each["revoked_at"] for each in both] == [None, None]
    assert (done, again, unknown) == (0, 1, 1)
    told = {each["verifier_key"]: each for each in after}
    assert told[KEY.verifier_key()]["reason"] == "a laptop was stolen"
    assert told[KEY.verifier_key()]["revoked_at"] >= told[KEY.verifier_key()]["since"]
    assert told[rotated.verifier_key()]["revoked_at"] is None
    # The old signatures stay valid, and the new key's head continues the old head.
    assert [signers_of(note) for note in notes] == [["holotable.example/2"], ["holotable.example"]]
