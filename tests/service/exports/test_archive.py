"""An archive of a whole league proves itself, and shows any change that was made to it."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4
from zipfile import ZIP_DEFLATED, ZipFile

import asyncpg
import pytest

from engine.coordination.aggregates import DECIDERS
from engine.league.bans import BanPlayer
from engine.values import BanId, identifier, number_of, stream_of
from service.base.addresses import asyncpg_dsn
from service.base.database import async_engine
from service.base.pools import PACKING
from service.exports import archive
from service.exports.archive import Taking, prepare, streamed
from service.exports.bundle import LOG, MANIFEST, Archive, Flow
from service.exports.checking import check_archive
from service.log.store import PostgresStore
from service.log.writer import Order, States, StreamEvents, Writer
from service.people.texts import NewText, erase_texts, keep_text
from service.projections.following.runner import Runner
from service.transparency import ledger
from service.transparency.note import Checkpoint, SigningKey
from tests.service.league_night import Night, played
from tests.support.databases import SECRET_KEY, TestDatabase
from tests.support.logs import utcnow

pytestmark = pytest.mark.anyio

KEY = SigningKey("holotable.example", bytes(range(32)))


async def signed(database: TestDatabase, night: Night, size: int) -> None:
    """Store a signed head of the league's first *size* events."""
    league = number_of(night.league)
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    root = await ledger.root_at(connection, league, size)
    text = Checkpoint(origin=f"holotable/{league}/0", size=size, root=root).text()
    await connection.execute(
        "INSERT INTO signer_key (verifier_key, event) VALUES ($1, 'published') "
        "ON CONFLICT DO NOTHING",
        KEY.verifier_key(),
    )
    await connection.execute(
        "INSERT INTO checkpoint (league, epoch, size, root, note) VALUES ($1, 0, $2, $3, $4)",
        league,
        size,
        root,
        KEY.sign(text),
    )
    await connection.close()


async def archived(database: TestDatabase, night: Night, target: Path) -> Taking:
    projecting = async_engine(database.url("holotable_project"), 2)
    await Runner(projecting).catch_up()
    await projecting.dispose()
    engine = async_engine(database.url(), 2)
    try:
        taking = await prepare(engine, night.league)
        parts = [part async for part in streamed(taking, datetime.now(UTC))]
        kept(target, b"".join(parts))
        assert len(parts) >= taking.until // archive.CHUNK
        return taking
    finally:
        await engine.dispose()


async def banned(database: TestDatabase, night: Night, author: UUID, body: str) -> str:
    """Ban the last player of *night* for a reason in *author*'s words. Return the text's name."""
    api = async_engine(database.url(), 1)
    draft = NewText(night.league, author, body)
    ref = await keep_text(api, uuid4(), draft, salt=bytes(32), now=datetime.now(UTC))
    await api.dispose()
    ban = BanPlayer(
        ban=BanId(identifier("ban", uuid4())),
        player=night.players[-1],
        until=None,
        reason=ref,
        salt="44" * 32,
        now=datetime.now(UTC),
    )
    writer = Writer(PostgresStore(database.url(), SECRET_KEY), DECIDERS, utcnow)
    await writer.start()
    try:
        order = Order(
            command_id=uuid4(), actor="test", received_at=datetime.now(UTC), request=b"{}"
        )

        async def decide(states: States) -> list[StreamEvents]:
            state = (await states.load(stream_of(night.league))).state
            return [StreamEvents(stream_of(night.league), DECIDERS["league"].decide(state, ban))]

        await writer.submit(night.league, order, decide)
    finally:
        await writer.aclose()
    return ref.text


def kept(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def lines_of(file: Path, name: str) -> list[dict]:
    with ZipFile(file) as opened:
        return [json.loads(line) for line in opened.read(name).splitlines()]


async def test_a_league_is_taken_away_whole_and_proves_itself(
    database: TestDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.exports.archive.CHUNK", 50)
    night = await played(database, "taken")
    api = async_engine(database.url(), 2)
    now = datetime.now(UTC)
    author, gone = uuid4(), uuid4()
    for person, body in ((author, "as the rules have it"), (gone, "never mind")):
        await banned(database, night, person, body)
    unnamed = NewText(night.league, uuid4(), "its command was refused, or nobody gave it")
    await keep_text(api, uuid4(), unnamed, salt=bytes(32), now=now)
    async with api.begin() as connection:
        await erase_texts(connection, gone, now)
    await api.dispose()
    await signed(database, night, 7)
    await signed(database, night, 100)
    file = tmp_path / "league.zip"

    taking = await archived(database, night, file)
    found = check_archive(file)

    assert found.faults == []
    assert found.events == taking.until + 1
    assert (found.heads, found.texts) == (2, 2)
    assert found.streams == 5
    assert check_archive(file, (KEY.verifier_key(),)).holds
    assert [each["body"] for each in lines_of(file, "texts.ndjson")].count(None) == 1
    assert len(lines_of(file, "players.ndjson")) == len(night.players) + 2
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    rows = await connection.fetch(
        "SELECT position, data::text, metadata::text, sealed, hash FROM events "
        "WHERE league = $1 ORDER BY position",
        number_of(night.league),
    )
    await connection.close()
    log = lines_of(file, LOG)
    assert len(log) == len(rows) > 100
    for line, row in zip(log, rows, strict=True):
        assert (line["data"], line["metadata"]) == (row["data"], row["metadata"])
        assert line["sealed"] == (row["sealed"] and row["sealed"].hex())
        assert line["hash"] == row["hash"].hex()
    with ZipFile(file) as opened:
        assert opened.read("csv/results.csv").count(b"\r\n") == 1 + len(night.players)
        assert opened.read("csv/payouts.csv").count(b"\r\n") == 3
        standings = opened.read(f"csv/standings-{night.season}.csv")
        assert standings.count(b"\r\n") == 1 + len(night.players)
        schemas = json.loads(opened.read("schemas.json"))
        assert sum(each["events"] for each in schemas) == len(rows)
        for each in schemas:
            assert f"schemas/{each['type']}.v{each['version']}.json" in opened.namelist()


def rewritten(source: Path, target: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """Copy an archive with changed files, and a manifest that agrees with them."""
    with ZipFile(source) as old, ZipFile(target, "w", ZIP_DEFLATED) as new:
        manifest = json.loads(old.read(MANIFEST))
        kept = []
        for part in manifest["files"]:
            content = change(part["name"], old.read(part["name"]))
            if content is None:
                continue
            new.writestr(part["name"], content)
            said = {"bytes": len(content), "rows": content.count(b"\n")}
            kept.append(part | said | {"sha256": hashlib.sha256(content).hexdigest()})
        manifest["files"] = kept
        new.writestr(MANIFEST, json.dumps(manifest))


def of_log(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[str, bytes], bytes]:
    return lambda name, content: (
        b"".join(change(content.splitlines(keepends=True))) if name == LOG else content
    )


def of_texts(change: Callable[[dict], dict]) -> Callable[[str, bytes], bytes]:
    return lambda name, content: (
        b"".join(
            json.dumps(change(json.loads(line))).encode() + b"\n"
            for line in content.split(b"\n")
            if line
        )
        if name == "texts.ndjson"
        else content
    )


OTHER = {
    "text": identifier("txt", UUID(int=7)),
    "author": identifier("plr", UUID(int=8)),
    "subject": None,
    "audience": "members",
    "digest": hashlib.sha256(bytes(32) + b"I saw it").hexdigest(),
    "salt": "00" * 32,
    "body": "I saw it",
    "written_at": "2026-01-01T00:00:00Z",
    "erased_at": None,
}


TAMPERED = {
    "a changed chip": of_log(lambda log: [log[0].replace(b"Cloud City", b"Sky City"), *log[1:]]),
    "a changed hash": of_log(lambda log: [log[0].replace(b"0", b"1"), *log[1:]]),
    "a lost event": of_log(lambda log: [*log[:9], *log[10:]]),
    "a lost end": of_log(lambda log: log[:-1]),
    "two events swapped": of_log(lambda log: [*log[:9], log[10], log[9], *log[11:]]),
    "a doubled event": of_log(lambda log: [*log, log[-1]]),
    "an opened box": of_log(
        lambda log: [line.replace(b'"sealed":"01', b'"sealed":"02') for line in log]
    ),
    "another actor": of_log(lambda log: [line.replace(b'"test', b'"rest') for line in log]),
    "a changed text": lambda name, content: (
        content.replace(b"rules", b"ruins") if name == "texts.ndjson" else content
    ),
    "words moved into the salt": of_texts(
        lambda each: {**each, "salt": each["salt"] + b"as ".hex(), "body": each["body"][3:]}
    ),
    "words and digest changed": of_texts(
        lambda each: {
            **each,
            "body": "no",
            "digest": hashlib.sha256(bytes.fromhex(each["salt"]) + b"no").hexdigest(),
        }
    ),
    "another name of a text": of_texts(lambda each: {**each, "text": identifier("txt", uuid4())}),
    "words gone, and nobody erased": of_texts(lambda each: {**each, "body": None, "salt": None}),
    "a text that no event names": lambda name, content: (
        content + json.dumps(OTHER).encode() + b"\n" if name == "texts.ndjson" else content
    ),
    "a text lost": lambda name, content: b"" if name == "texts.ndjson" else content,
    "a text twice": lambda name, content: content * (1 + (name == "texts.ndjson")),
    "a head of another tree": lambda name, content: (
        content.replace(b'"size":7', b'"size":8') if name == "checkpoints.ndjson" else content
    ),
    "no signer": lambda name, content: b"" if name == "signers.ndjson" else content,
}  # fmt: skip


@pytest.fixture
async def taken(database: TestDatabase, tmp_path: Path) -> Path:
    night = await played(database, "tampered", steps_max=30)
    await banned(database, night, uuid4(), "as the rules have it")
    await signed(database, night, 7)
    await archived(database, night, tmp_path / "taken.zip")
    assert check_archive(tmp_path / "taken.zip").holds
    return tmp_path / "taken.zip"


async def test_whatever_is_changed_is_found_although_the_manifest_agrees(taken: Path) -> None:
    forged = taken.with_name("forged.zip")
    rewritten(taken, forged, lambda _, content: content)
    assert check_archive(forged).holds
    for what, change in TAMPERED.items():
        rewritten(taken, forged, change)
        assert not check_archive(forged).holds, what


async def test_a_file_that_is_damaged_lost_or_besides_is_found(taken: Path) -> None:
    forged = taken.with_name("forged.zip")
    for name in ("players.ndjson", "csv/results.csv", LOG):
        with ZipFile(taken) as old, ZipFile(forged, "w") as new:
            for each in old.namelist():
                new.writestr(each, old.read(each) + (b"\n" if each == name else b""))
        assert not check_archive(forged).holds, name
        with ZipFile(taken) as old, ZipFile(forged, "w") as new:
            for each in old.namelist():
                if each != name:
                    new.writestr(each, old.read(each))
        assert not check_archive(forged).holds, name
    with ZipFile(forged, "w") as new, ZipFile(taken) as old:
        for each in [*old.namelist(), "besides.txt"]:
            new.writestr(each, b"" if each == "besides.txt" else old.read(each))
    assert not check_archive(forged).holds


async def test_a_signature_of_another_house_is_not_this_one(taken: Path) -> None:
    other = SigningKey("holotable.example", bytes(32)).verifier_key()
    found = check_archive(taken, (other,))
    assert found.faults == ["the head of 7 events is signed by no known key"]


def damaged(file: Path) -> Iterator[Path]:
    """Yield one file with several contents: parts of an archive, and an empty archive."""
    content, broken = file.read_bytes(), file.with_name("damaged.zip")
    for part in (b"", b"PK", content[: len(content) // 2], content[:-30], content[100:]):
        broken.write_bytes(part)
        yield broken
    with ZipFile(broken, "w"):
        pass
    yield broken


async def test_what_is_no_archive_does_not_hold(taken: Path) -> None:
    assert [check_archive(broken).holds for broken in damaged(taken)] == [False] * 6


async def test_an_archive_is_compressed_in_a_thread_of_its_own(database: TestDatabase) -> None:
    """A reader of an archive holds up nobody else in the process."""
    night = await played(database)
    projecting = async_engine(database.url("holotable_project"), 2)
    await Runner(projecting).catch_up()
    await projecting.dispose()
    engine = async_engine(database.url("holotable_api"), 2)
    threads: set[str] = set()

    class Noting(Flow):
        def write(self, content: bytes) -> int:
            threads.add(threading.current_thread().name)
            return super().write(content)

    taking = await prepare(engine, night.league)
    async for _ in archive.take(taking, Archive(Noting(), utcnow())):
        pass
    await engine.dispose()
    assert any(each.startswith(PACKING.name) for each in threads)
