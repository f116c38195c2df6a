"""Heads of real logs are signed while they continue, and refused after tampering."""

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from uuid import UUID

import asyncpg
import httpx
import msgspec
import pytest

from engine.values import number_of
from service.audit.bytes.tree import TreeAudit, grown, leaves_of, nodes_of, vouched
from service.audit.report import Findings
from service.base.errors import CheckpointRefused
from service.log.store import PostgresStore
from service.log.writer import Writer
from service.process.signer import signing_app
from service.transparency import ledger
from service.transparency.memory import forgotten, memory_faults
from service.transparency.messages import SignRequest
from service.transparency.note import SigningKey, open_note, parse_checkpoint
from service.transparency.signer import Memory, Signer
from service.transparency.signing import SignerAway, SignerDamaged, sign_head
from service.transparency.tree import consistent, root_by_inclusion, root_of
from tests.support.counters import DECIDERS, command, counting, new_league, stream
from tests.support.databases import TestDatabase
from tests.support.logs import SECRET, writing

pytestmark = pytest.mark.anyio

KEY = SigningKey("holotable.example", bytes(range(32)))


@pytest.fixture
async def writer(database: TestDatabase) -> AsyncIterator[Writer]:
    """A writer on this test's log."""
    store = PostgresStore(database.url("holotable_api"), SECRET)
    async with writing(store, DECIDERS) as made:
        yield made


@pytest.fixture
async def worker(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    """A connection with the rights of the process that asks for signatures."""
    connection = await asyncpg.connect(database.url("holotable_worker"))
    yield connection
    await connection.close()


@pytest.fixture
async def superuser(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    """A connection without any restriction."""
    connection = await asyncpg.connect(database.url("postgres"))
    await connection.execute("ALTER TABLE events DISABLE TRIGGER USER")
    yield connection
    await connection.close()


@pytest.fixture
async def signer(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A signer with an empty memory, asked over HTTP."""
    with Memory(tmp_path / "signer") as memory:
        transport = httpx.ASGITransport(app=signing_app(Signer(KEY, memory)))
        async with httpx.AsyncClient(transport=transport, base_url="http://signer") as client:
            yield client


async def count(writer: Writer, league: str, events: int) -> None:
    """Append *events* events to *league*."""
    await asyncio.gather(
        *(writer.submit(league, command(), counting(stream(n % 3))) for n in range(events))
    )


async def signed(
    writer: Writer, worker: asyncpg.Connection, signer: httpx.AsyncClient, events: int
) -> tuple[str, UUID]:
    """Return a league with *events* events under one signed head, and its number."""
    league = new_league()
    await count(writer, league, events)
    assert await sign_head(worker, signer, number_of(league)) is not None
    return league, number_of(league)


async def leaves(connection: asyncpg.Connection, league: UUID) -> list[bytes]:
    rows = await connection.fetch(
        "SELECT hash FROM events WHERE league = $1 ORDER BY position", league
    )
    return [row[0] for row in rows]


async def notes(connection: asyncpg.Connection, league: UUID) -> list[str]:
    rows = await connection.fetch(
        "SELECT note FROM checkpoint WHERE league = $1 ORDER BY epoch, size", league
    )
    return [row[0] for row in rows]


async def test_each_signed_head_continues_the_one_before(
    writer: Writer, worker: asyncpg.Connection, signer: httpx.AsyncClient
) -> None:
    league = new_league()
    number = number_of(league)
    for events in (1, 2, 300, 7):
        await count(writer, league, events)
        assert await sign_head(worker, signer, number) is not None

    heads = [
        parse_checkpoint(open_note(note, KEY.verifier_key()))
        for note in await notes(worker, number)
    ]
    hashes = await leaves(worker, number)
    assert [head.size for head in heads] == [1, 3, 303, 310]
    assert [head.root for head in heads] == [root_of(hashes[: head.size]) for head in heads]
    assert {head.origin for head in heads} == {f"holotable/{number}/0"}
    for old, new in pairwise(heads):
        proof = await ledger.consistency(worker, number, old.size, new.size)
        assert consistent(old.size, old.root, new.size, new.root, proof)


async def test_every_event_is_proven_to_stand_in_a_signed_head(
    writer: Writer, worker: asyncpg.Connection, signer: httpx.AsyncClient
) -> None:
    league = new_league()
    number = number_of(league)
    await count(writer, league, 270)
    head = await sign_head(worker, signer, number)

    assert head is not None
    for position, leaf in enumerate(await leaves(worker, number)):
        path = await ledger.inclusion(worker, number, position, head.size)
        assert root_by_inclusion(leaf, position, head.size, path) == head.root


async def test_without_news_nothing_is_signed(
    writer: Writer, worker: asyncpg.Connection, signer: httpx.AsyncClient
) -> None:
    league = new_league()
    number = number_of(league)
    assert await sign_head(worker, signer, number) is None
    await count(writer, league, 3)
    assert await sign_head(worker, signer, number) is not None
    assert await sign_head(worker, signer, number) is None


async def test_a_head_signed_but_not_kept_is_signed_again(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
) -> None:
    _, number = await signed(writer, worker, signer, 3)
    kept = await notes(worker, number)
    await superuser.execute("ALTER TABLE checkpoint DISABLE TRIGGER USER")
    await superuser.execute("DELETE FROM checkpoint")

    assert await sign_head(worker, signer, number) is not None
    assert await notes(worker, number) == kept


async def test_a_changed_event_gets_no_signature(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
) -> None:
    league, number = await signed(writer, worker, signer, 20)
    await superuser.execute(
        "UPDATE events SET hash = sha256(hash) WHERE league = $1 AND position = 11", number
    )
    await count(writer, league, 5)

    with pytest.raises(CheckpointRefused, match="does not continue"):
        await sign_head(worker, signer, number)


async def test_a_cut_tail_gets_no_signature_until_an_operator_opens_an_epoch(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
) -> None:
    _, number = await signed(writer, worker, signer, 20)
    await superuser.execute("DELETE FROM events WHERE league = $1 AND position > 15", number)

    with pytest.raises(CheckpointRefused, match="does not continue"):
        await sign_head(worker, signer, number)

    await superuser.execute("SELECT raise_epoch($1, 'an operator', 'a drill')", number)
    head = await sign_head(worker, signer, number)
    assert head is not None
    assert (head.origin, head.size) == (f"holotable/{number}/1", 16)
    kept = await superuser.fetchrow("SELECT epoch, operator, reason, size FROM epoch_opening")
    assert tuple(kept) == (1, "an operator", "a drill", 16)


async def test_a_league_that_was_lost_whole_is_named_until_an_operator_answers_for_it(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
) -> None:
    """Nothing in the database shows it. An older copy was restored, or its rows were removed."""
    kept, _ = await signed(writer, worker, signer, 5)
    lost, number = await signed(writer, worker, signer, 20)
    await signer.post("/heads", content=junk())
    assert await memory_faults(worker, signer) == (2, [])
    await superuser.execute("ALTER TABLE checkpoint DISABLE TRIGGER USER")
    for relation in ("events", "checkpoint", "tree_node", "key"):
        await superuser.execute(f"DELETE FROM {relation} WHERE league = $1", number)

    said = f"{lost}: 20 events were signed, and the database has no such league"
    assert await memory_faults(worker, signer) == (1, [said])
    await superuser.execute("SELECT raise_epoch($1, 'an operator', 'a drill')", number)
    assert await memory_faults(worker, signer) == (1, [])
    await count(writer, kept, 1)
    assert await sign_head(worker, signer, number_of(kept)) is not None


async def test_a_signer_that_has_lost_its_memory_is_known_until_the_next_head_or_epoch(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
    tmp_path: Path,
) -> None:
    """A signer without memory signs any log. So does one whose memory is an old copy."""
    leagues = sorted([await signed(writer, worker, signer, 5) for _ in range(2)])
    copies = {file: file.read_bytes() for file in (tmp_path / "signer").glob("*.json")}
    for league, number in leagues:
        await count(writer, league, 1)
        assert await sign_head(worker, signer, number) is not None
    assert await forgotten(worker, signer) == []
    for remembered in (copies, {}):
        for file in copies:
            file.unlink()
        for file, content in remembered.items():
            file.write_bytes(content)
        assert await forgotten(worker, signer) == [league for league, _ in leagues]

    (one, its), (_, other) = leagues
    await superuser.execute("SELECT raise_epoch($1, 'an operator', 'a drill')", other)
    assert await forgotten(worker, signer) == [one]
    await count(writer, one, 1)
    assert await sign_head(worker, signer, its) is not None
    assert await forgotten(worker, signer) == []


@pytest.mark.parametrize("content", [b"", b"{}", bytes(range(192, 256)), b'{"origin": "\xff"}'])
async def test_a_damaged_file_of_the_memory_is_named_and_never_taken_for_a_missing_one(
    writer: Writer,
    worker: asyncpg.Connection,
    signer: httpx.AsyncClient,
    tmp_path: Path,
    content: bytes,
) -> None:
    league, number = await signed(writer, worker, signer, 5)
    await count(writer, league, 1)
    (file,) = (tmp_path / "signer").glob("*.json")
    file.write_bytes(content)
    for asked in (sign_head(worker, signer, number), memory_faults(worker, signer)):
        with pytest.raises(SignerDamaged, match=file.name):
            await asked
    file.unlink()
    assert await forgotten(worker, signer) == [league]


def junk() -> bytes:
    """Return a request about no league. Everybody who reaches the signer can send one."""
    return msgspec.json.encode(SignRequest(origin="holotable/x/0", size=1, root=b"", proof=()))


async def test_a_signer_that_is_away_is_said_to_be_away(
    writer: Writer, worker: asyncpg.Connection
) -> None:
    league = new_league()
    await count(writer, league, 1)
    async with httpx.AsyncClient(base_url="http://127.0.0.1:9") as nobody:
        with pytest.raises(SignerAway, match="signer"):
            await sign_head(worker, nobody, number_of(league))


async def test_ranges_of_a_long_log_are_hashed_from_stored_subtrees(
    worker: asyncpg.Connection, superuser: asyncpg.Connection
) -> None:
    league, size = UUID(int=7), 66_100
    await superuser.execute(
        """
        INSERT INTO events (league, position, stream, stream_version, event_id, type,
                            schema_version, at, data, metadata, hash)
        SELECT $1, n, 'table-' || md5('one'), n + 1, md5(n::text)::uuid, 'counted', 1, now(),
               '{}', '{}', sha256(n::text::bytea)
          FROM generate_series(0, $2 - 1) AS n
        """,
        league,
        size,
    )
    await ledger.grow(worker, league, 40_000)
    await ledger.grow(worker, league, size)
    hashes = await leaves(worker, league)

    for start, end in ((0, size), (0, 65_536), (0, 256), (65_536, size), (512, 515), (1024, 2048)):
        assert await ledger.range_hash(worker, league, start, end) == root_of(hashes[start:end])
    levels = await worker.fetch(
        "SELECT level, count(*) FROM tree_node GROUP BY level ORDER BY level"
    )
    assert [tuple(row) for row in levels] == [(8, size // 256), (16, 1)]


async def tree_faults(
    connection: asyncpg.Connection, signer: httpx.AsyncClient | None, league: UUID
) -> list[tuple[int, str]]:
    """Return the faults of an audit of the tree, with their positions."""
    findings = Findings()
    about = await vouched(connection, league, signer)
    nodes = await nodes_of(connection, league, await grown(connection, league))
    audit, hashes = TreeAudit(findings, about, nodes), await leaves(connection, league)
    for offset in range(0, len(hashes), ledger.TILE):
        sizes = (each.size for each in about if each.compared)
        audit.take(leaves_of(hashes[offset : offset + ledger.TILE], offset, sizes))
    audit.end()
    assert findings.checks["tree"].checked
    return [(fault.position, fault.what) for fault in findings.checks["tree"].faults]


async def test_an_audit_finds_every_signed_head_in_an_honest_log(
    writer: Writer, worker: asyncpg.Connection, signer: httpx.AsyncClient
) -> None:
    league = new_league()
    number = number_of(league)
    for events in (3, 300, 1):
        await count(writer, league, events)
        await sign_head(worker, signer, number)
    await count(writer, league, 2)

    assert await tree_faults(worker, signer, number) == []


async def test_an_audit_names_the_first_head_that_a_rewritten_log_contradicts(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
) -> None:
    league = new_league()
    number = number_of(league)
    for events in (10, 290):
        await count(writer, league, events)
        await sign_head(worker, signer, number)
    await superuser.execute(
        "UPDATE events SET hash = sha256(hash) WHERE league = $1 AND position = 11", number
    )

    assert await tree_faults(worker, None, number) == [
        (255, "the stored subtree 0 of 2^8 events has the wrong hash"),
        (299, "the first 300 events are not those of a signed head; 10 still are"),
    ]


async def test_an_audit_of_a_cut_log_names_what_is_gone(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
) -> None:
    _, number = await signed(writer, worker, signer, 20)
    await superuser.execute("DELETE FROM events WHERE league = $1 AND position > 15", number)

    assert await tree_faults(worker, signer, number) == [
        (16, "the log has 16 events, the signer's memory covers 20"),
        (16, "the log has 16 events, a signed head covers 20"),
    ]


async def test_an_audit_compares_the_heads_of_former_epochs(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
) -> None:
    """A new epoch gives up the heads beyond the log's end. Older heads are still compared."""
    league, number = await signed(writer, worker, signer, 10)
    await count(writer, league, 10)
    await sign_head(worker, signer, number)
    await superuser.execute("DELETE FROM events WHERE league = $1 AND position > 15", number)
    await superuser.execute("SELECT raise_epoch($1, 'an operator', 'a drill')", number)
    await sign_head(worker, signer, number)
    assert await tree_faults(worker, signer, number) == []

    await superuser.execute(
        "UPDATE events SET hash = sha256(hash) WHERE league = $1 AND position = 4", number
    )
    assert await tree_faults(worker, None, number) == [
        (9, "the first 10 events are not those of a signed head of an earlier epoch; 0 still are"),
        (15, "the first 16 events are not those of a signed head; 0 still are"),
    ]


async def test_an_epoch_that_nobody_opened_hides_no_tail_that_was_cut(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
) -> None:
    _, number = await signed(writer, worker, signer, 20)
    await superuser.execute("DELETE FROM events WHERE league = $1 AND position > 15", number)
    await superuser.execute("ALTER TABLE checkpoint DISABLE TRIGGER USER")
    await superuser.execute("DELETE FROM checkpoint")
    await superuser.execute(
        "INSERT INTO league_epoch (league, epoch, raised_by) VALUES ($1, 1, 'x')", number
    )

    assert await tree_faults(worker, signer, number) == [
        (-1, "epoch 1 is in the log, but no operator is named for it")
    ]


async def test_a_head_that_no_published_key_signed_is_found(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
) -> None:
    league = new_league()
    number = number_of(league)
    await count(writer, league, 4)
    head = await sign_head(worker, signer, number)
    assert head is not None
    forged = SigningKey("holotable.example", bytes(32)).sign(head.text())
    await superuser.execute("ALTER TABLE checkpoint DISABLE TRIGGER USER")
    await superuser.execute("UPDATE checkpoint SET note = $1", forged)

    assert await tree_faults(worker, signer, number) == [(3, "no published key signed head 4")]


async def test_a_revoked_key_signs_nothing_that_is_kept(
    writer: Writer,
    worker: asyncpg.Connection,
    superuser: asyncpg.Connection,
    signer: httpx.AsyncClient,
) -> None:
    league, number = await signed(writer, worker, signer, 3)
    await superuser.execute(
        "INSERT INTO signer_key (verifier_key, event, reason) VALUES ($1, 'revoked', 'stolen')",
        KEY.verifier_key(),
    )
    await count(writer, league, 1)

    with pytest.raises(CheckpointRefused, match="revoked"):
        await sign_head(worker, signer, number)
    assert len(await notes(worker, number)) == 1


async def test_a_rotated_key_goes_on_from_the_same_memory(
    writer: Writer, worker: asyncpg.Connection, superuser: asyncpg.Connection, tmp_path: Path
) -> None:
    league = new_league()
    number = number_of(league)
    rotated = SigningKey("holotable.example", bytes(range(1, 33)))
    for key in (KEY, rotated):
        await count(writer, league, 5)
        with Memory(tmp_path / "signer") as memory:
            transport = httpx.ASGITransport(app=signing_app(Signer(key, memory)))
            async with httpx.AsyncClient(transport=transport, base_url="http://signer") as client:
                assert await sign_head(worker, client, number) is not None

    old, new = await notes(worker, number)
    assert parse_checkpoint(open_note(old, KEY.verifier_key())).size == 5
    assert parse_checkpoint(open_note(new, rotated.verifier_key())).size == 10
    published = await worker.fetchval("SELECT count(*) FROM signer_key WHERE event = 'published'")
    assert published == 2


async def test_two_processes_that_ask_at_once_are_both_right(
    writer: Writer, database: TestDatabase, signer: httpx.AsyncClient
) -> None:
    league = new_league()
    number = number_of(league)
    pool = await asyncpg.create_pool(database.url("holotable_worker"), min_size=4, max_size=4)

    async def ask() -> None:
        async with pool.acquire() as connection:
            await sign_head(connection, signer, number)

    for events in (1, 5, 300, 2):
        await asyncio.gather(count(writer, league, events), *(ask() for _ in range(8)))
    await ask()
    faults = await tree_faults(await pool.acquire(), signer, number)
    pool.terminate()
    assert faults == []


@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE tree_node",
        "UPDATE tree_node SET hash = hash",
        "DELETE FROM checkpoint",
        "TRUNCATE checkpoint",
        "DELETE FROM signer_key",
        "TRUNCATE signer_key",
        "DELETE FROM epoch_opening",
        "TRUNCATE epoch_opening",
    ],
)
async def test_what_was_signed_cannot_be_changed(
    database: TestDatabase, worker: asyncpg.Connection, statement: str
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await worker.execute(statement)
    owner = await asyncpg.connect(database.url("postgres"))
    try:
        with pytest.raises(asyncpg.RestrictViolationError):
            await owner.execute(statement)
    finally:
        await owner.close()
