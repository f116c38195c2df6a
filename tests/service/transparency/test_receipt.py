"""The text of a receipt: one form that cannot be mistaken, and the tree's contradictions to it."""

import json
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import asyncpg
import pytest
from msgspec.structs import replace

from engine.coordination import policies
from engine.coordination.aggregates import DECIDERS
from engine.league.commands import AddMember, CreateLeague
from engine.values import stream_of
from service.base.errors import CheckpointRefused
from service.log.batch import event_id
from service.log.read import read_command
from service.log.store import PostgresStore
from service.log.writer import Order, States, StreamEvents, Writer
from service.transparency.convicting import contradiction
from service.transparency.note import Checkpoint, SigningKey, open_note, parse_checkpoint
from service.transparency.receipt import CommandReceipt, PromisedEvent, parse_receipt
from service.transparency.tree import root_of
from tests.service.league_night import NAMES, named
from tests.support.databases import SECRET_KEY, TestDatabase
from tests.support.logs import utcnow
from tests.support.proofs import inclusion_proof

KEY = SigningKey("holotable.example", bytes(range(32)))
VECTORS = Path(__file__).parents[3] / "api-spec" / "vectors" / "receipt.json"
AT = datetime(2026, 11, 21, 20, 57, 44, 123456, UTC)
OF_COMMAND = "SELECT 1 FROM events WHERE metadata ->> 'command_id' = $1"
LEAVES = [sha256(bytes([number])).digest() for number in range(9)]
RECEIPT = CommandReceipt(
    league="5a5a5a5a-0000-4000-8000-000000000000",
    epoch=0,
    command="0f" * 16,
    actor="plr_" + "1a" * 16,
    received_at=AT,
    request=sha256(b'{"amount":40,"type":"raise_to"}').digest(),
    events=(
        PromisedEvent(position=4, stream="table-" + "2b" * 16, version=3, at=AT, hash=LEAVES[4]),
        PromisedEvent(
            position=5, stream="tournament-" + "3c" * 16, version=7,
            at=AT.replace(microsecond=0), hash=LEAVES[5],
        ),
    ),
)  # fmt: skip


def test_a_receipt_is_read_back_as_it_was_written() -> None:
    for receipt in (RECEIPT, replace(RECEIPT, request=None), replace(RECEIPT, actor="house")):
        assert parse_receipt(receipt.text()) == receipt


def test_every_character_of_a_receipt_counts() -> None:
    """Any character changed, left out or doubled makes it invalid or a different receipt."""
    text = RECEIPT.text()
    read = set()
    for place in range(len(text)):
        for other in (
            text[:place] + text[place + 1 :],
            text[:place] + text[place] * 2 + text[place + 1 :],
            text[:place] + ("0" if text[place] != "0" else "1") + text[place + 1 :],
        ):
            try:
                found = parse_receipt(other)
            except CheckpointRefused:
                continue
            assert found != RECEIPT or other == text
            read.add(found.text() == other)
    assert read == {True}


def test_a_receipt_is_taken_for_no_head_and_a_head_for_no_receipt() -> None:
    head = Checkpoint(origin="holotable/receipt/1", size=9, root=root_of(LEAVES))
    with pytest.raises(CheckpointRefused):
        parse_checkpoint(RECEIPT.text())
    with pytest.raises(CheckpointRefused):
        parse_receipt(head.text())


def test_what_a_signed_tree_says_of_a_promise() -> None:
    head = Checkpoint(origin="holotable/x/0", size=9, root=root_of(LEAVES))
    promised = RECEIPT.events[0]

    def proof(at: int) -> dict[str, Any]:
        path = inclusion_proof(at, 9, lambda first, end: root_of(LEAVES[first:end]))
        return {"leaf": LEAVES[at].hex(), "path": [each.hex() for each in path]}

    short = proof(4) | {"path": proof(4)["path"][:-1]}
    other = replace(promised, hash=LEAVES[8])
    assert contradiction(promised, head, proof(4)) is None
    assert contradiction(other, head, proof(4)) == "another event stands there in the signed tree"
    assert "does not lead" in str(contradiction(promised, head, proof(5)))
    assert "wrong length" in str(contradiction(promised, head, short))
    assert "no proof" in str(contradiction(promised, head, None))


def test_the_vectors_of_receipts_hold() -> None:
    vectors = json.loads(VECTORS.read_text())
    key = SigningKey(vectors["name"], bytes.fromhex(vectors["secret"]))
    assert key.verifier_key() == vectors["verifier_key"]
    for each in vectors["receipts"]:
        text = open_note(each["note"], vectors["verifier_key"])
        found = parse_receipt(text)
        assert (text, key.sign(text)) == (each["text"], each["note"])
        assert found.league == each["league"]
        assert [event.position for event in found.events] == each["positions"]
        assert (found.request and found.request.hex()) == each["request"]
        if each["request"] is not None:
            assert sha256(each["body"].encode()).hexdigest() == each["request"]
    for refused in vectors["refused"]:
        with pytest.raises(CheckpointRefused):
            parse_receipt(refused["text"])


@pytest.mark.anyio
async def test_all_events_of_a_command_are_found_however_many_they_are(
    database: TestDatabase,
) -> None:
    """This also holds if the events fill a whole fetch, at the end of the log or before."""
    writer = Writer(PostgresStore(database.url(), SECRET_KEY), DECIDERS, utcnow)
    await writer.start()
    connection = await asyncpg.connect(database.url())
    league = named("lge", "receipts")
    try:
        for number, many in enumerate((1, 63, 64, 65, 128, 3)):
            players = [named("plr", f"{number} {each}") for each in range(many)]
            founding = CreateLeague(league=league, name="City", owner=players[0], sandbox=True)
            joining = [AddMember(player=player, now=utcnow()) for player in players]
            command = Order(
                command_id=uuid5(NAMES, f"receipts {number}"),
                actor="test",
                received_at=utcnow(),
                request=b"{}",
            )
            asked = joining if number else [founding]

            async def decide(states: States, asked: Any = asked) -> list[StreamEvents]:
                loaded = await states.load(stream_of(league))
                events, _ = policies.decide_in_turn(DECIDERS["league"], loaded.state, asked)
                return [StreamEvents(stream_of(league), events)]

            done = await writer.submit(league, command, decide)
            first = event_id(command.command_id, 0)
            found = await read_command(connection, league, first)
            assert len(done.recorded) >= many
            assert [each.event_id for each in found] == [
                each.row.event_id for each in done.recorded
            ]
            early = await read_command(connection, league, event_id(uuid5(NAMES, "receipts 0"), 0))
            assert len(early) == len(
                await connection.fetch(OF_COMMAND, str(early[0].about().command_id))
            )
        assert await read_command(connection, league, UUID(int=0)) == []
    finally:
        await connection.close()
        await writer.aclose()
