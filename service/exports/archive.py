"""All data of a league in one file, read in chunks of positions and never in one snapshot."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.values import aggregate_of, identifier, number_of
from service.base.errors import NotCaughtUp, StreamNotFound
from service.base.pools import PACKING
from service.bundles.gathering import CODEC
from service.exports import tables
from service.exports.bundle import (
    CHECKPOINTS,
    EPOCHS,
    FORMAT,
    LOG,
    MANIFEST,
    PLAYERS,
    SCHEMAS,
    SIGNERS,
    TEXTS,
    Archive,
    ArchivedHead,
    Entry,
    Flow,
    Line,
    Manifest,
    Written,
)
from service.log import catalogue
from service.log.read import epoch_of, last_position, read_league, voided
from service.log.record import Recorded
from service.people.accounts import names
from service.people.schema import text
from service.people.text_refs import named_in, types_with_texts
from service.people.texts import demand_unchanged
from service.projections import schema
from service.projections.reads import queries
from service.projections.reads.progress import positions, wait_for
from service.transparency.tree import Frontier

CHUNK = 500
"""Events read in one step. They are few, so that other clients of the process do not wait."""

WAIT_SECONDS = 30.0

_REFUNDS = "refunds_awarded"

_HEADS = sa.text(
    "SELECT epoch, size, root, note, signed_at FROM checkpoint WHERE league = :league "
    "AND size <= :size ORDER BY epoch, size"
)
_EPOCHS = sa.text(
    "SELECT epoch, operator, reason, size, opened_at FROM epoch_opening WHERE league = :league "
    "ORDER BY epoch"
)
_NAMING = sa.text(
    "SELECT data::text AS data FROM events WHERE league = :league AND position <= :until "
    "AND type = ANY(CAST(:types AS text[])) ORDER BY position"
)
_SIGNERS = sa.text("SELECT verifier_key, event, at, reason FROM signer_key ORDER BY at, event")


@dataclass(frozen=True, slots=True)
class Taking:
    """A league that is ready for export, up to the end that its log had."""

    engine: AsyncEngine
    league: str
    until: int
    epoch: int
    name: str
    sandbox: bool
    named: Mapping[str, str | None]
    """The texts that the league's events name, with their digests (None if an event has none)."""


async def prepare(engine: AsyncEngine, league: str) -> Taking:
    """
    Wait for the read models, check the texts, and return the data to export.

    Args:
        engine: With the login of the API, because an archive holds names and texts.

    Raises:
        StreamNotFound: If the league is unknown.
        NotCaughtUp: If the read models do not reach the end of the log within 30 seconds.
        TextForged: If a text does not match the digest in the log.
    """
    async with engine.connect() as connection:
        until = await last_position(connection, league)
        epoch = await epoch_of(connection, league)
    if not await wait_for(positions(engine), "all", league, until, WAIT_SECONDS):
        raise NotCaughtUp("the read models have not reached the end of the log yet; try again")
    async with engine.connect() as connection:
        about = await queries.league(connection, league)
    if about is None:
        raise StreamNotFound("there is no such league", league=league)
    named = await _named(engine, league, until)
    async for row in _texts(engine, league, named):
        _demand_unchanged(row, named)
    return Taking(engine, league, until, epoch, about.name, about.sandbox, named)


async def _named(engine: AsyncEngine, league: str, until: int) -> dict[str, str | None]:
    """Return the texts that the events of *league* name, each with the first digest given."""
    asked = {"league": number_of(league), "until": until, "types": types_with_texts()}
    named: dict[str, str | None] = {}
    async for row in _rows(engine, _NAMING, asked):
        for name, digest in named_in(msgspec.json.decode(row["data"])).items():
            named[name] = named.get(name) or digest
    return named


async def _texts(
    engine: AsyncEngine, league: str, named: Mapping[str, str | None]
) -> AsyncIterator[sa.RowMapping]:
    """Yield only the texts that an event names. Nothing proves the author of any other text."""
    chosen = sa.select(text).where(text.c.league == number_of(league)).order_by(text.c.id)
    async for row in _rows(engine, chosen, {}):
        if identifier("txt", row["id"]) in named:
            yield row


def _demand_unchanged(row: sa.RowMapping, named: Mapping[str, str | None]) -> None:
    name = identifier("txt", row["id"])
    demand_unchanged(name, named[name], row["salt"], row["body"])


async def take(taking: Taking, archive: Archive) -> AsyncIterator[tuple[int, int]]:
    """
    Write a league's archive. Yield the events written so far and the total, after each step.

    An archive that is given up before the end has no manifest and does not pass the check.
    """
    engine, league = taking.engine, taking.league
    tree, versions = Frontier(), Counter[tuple[str, int]]()
    cancelled: list[int] = []
    try:
        with archive.entry(LOG) as entry:
            async for rows in _log(taking):
                for row in rows:
                    tree.append(row.hash)
                    versions[row.type, row.schema_version] += 1
                    if row.type == _REFUNDS:
                        cancelled.append(row.position)
                await _packed(entry, [line_of(row) for row in rows])
                yield rows[-1].position + 1, taking.until + 1
        _schemas(archive, versions)
        await _proofs(archive, engine, league, taking.until + 1)
        await _people(archive, taking)
        await _tables(archive, engine, league)
        owed = _owed(engine, league, cancelled)
        await _csv(archive, "csv/refunds.csv", tables.refunds(engine, owed))
        with archive.entry(MANIFEST) as entry:
            entry.line(
                Manifest(
                    format=FORMAT,
                    league=league,
                    name=taking.name,
                    sandbox=taking.sandbox,
                    epoch=taking.epoch,
                    events=taking.until + 1,
                    root=tree.root().hex(),
                    made_at=archive.made_at,
                    files=tuple(archive.parts),
                )
            )
    finally:
        archive.close()
    yield taking.until + 1, taking.until + 1


async def streamed(taking: Taking, made_at: datetime) -> AsyncIterator[bytes]:
    """Yield the bytes of a league's archive as it grows, holding no more than one step of it."""
    flow = Flow()
    async for _ in take(taking, Archive(flow, made_at)):
        yield flow.take()


async def _log(taking: Taking) -> AsyncIterator[list[Recorded]]:
    after = -1
    while after < taking.until:
        async with taking.engine.connect() as connection:
            wanted = min(CHUNK, taking.until - after)
            rows = await read_league(connection, taking.league, after, wanted)
        if rows:  # none if somebody has removed them
            yield rows
        after += wanted


def line_of(row: Recorded) -> Line:
    """
    Return an event as an archive stores it: complete, with its values still sealed.

    An archive is for an owner, who may read every type of event but opens no sealed value.
    """
    return Line(
        position=row.position,
        stream=row.stream,
        stream_version=row.stream_version,
        event_id=str(row.event_id),
        type=row.type,
        schema_version=row.schema_version,
        at=row.at,
        data=row.data.decode(),
        sealed=None if row.sealed is None else row.sealed.hex(),
        metadata=row.metadata.decode(),
        hash=row.hash.hex(),
    )


def _schemas(archive: Archive, versions: Counter[tuple[str, int]]) -> None:
    with archive.entry(SCHEMAS) as entry:
        entry.line(
            [
                {"type": type_, "version": version, "events": count}
                for (type_, version), count in sorted(versions.items())
            ]
        )
    for type_, version in sorted(versions):
        document = catalogue.SCHEMAS / f"{type_}.v{version}.json"
        if document.exists():  # an installation may lack these documents
            with archive.entry(f"schemas/{document.name}") as entry:
                entry.write(document.read_bytes())


async def _proofs(archive: Archive, engine: AsyncEngine, league: str, size: int) -> None:
    number = number_of(league)
    with archive.entry(CHECKPOINTS) as entry:
        async for row in _rows(engine, _HEADS, {"league": number, "size": size}):
            entry.line(ArchivedHead(**{**row, "root": row["root"].hex()}))
    with archive.entry(EPOCHS) as entry:
        async for row in _rows(engine, _EPOCHS, {"league": number}):
            entry.line(dict(row))
    with archive.entry(SIGNERS) as entry:
        async for row in _rows(engine, _SIGNERS, {}):
            entry.line(dict(row))


async def _people(archive: Archive, taking: Taking) -> None:
    """Write texts and players' names, without logins. Texts of erased players are empty."""
    engine, league = taking.engine, taking.league
    players: set[str] = set()
    waiting: list[Written] = []
    with archive.entry(TEXTS) as entry:
        async for row in _texts(engine, league, taking.named):
            _demand_unchanged(row, taking.named)  # the text may have changed since the first check
            author, subject = (_player(row[name]) for name in ("author", "subject"))
            players |= {each for each in (author, subject) if each is not None}
            waiting.append(
                Written(
                    text=identifier("txt", row["id"]),
                    author=author or "",
                    subject=subject,
                    audience=row["audience"],
                    digest=row["digest"].hex(),
                    salt=None if row["salt"] is None else row["salt"].hex(),
                    body=row["body"],
                    written_at=row["written_at"],
                    erased_at=row["erased_at"],
                )
            )
            if len(waiting) >= CHUNK:
                await _packed(entry, waiting)
                waiting.clear()
        await _packed(entry, waiting)
    for relation in (schema.member, schema.record_game):
        chosen = sa.select(relation.c.player).where(relation.c.league == league).distinct()
        players |= {row["player"] async for row in _rows(engine, chosen, {})}
    with archive.entry(PLAYERS) as entry:
        ordered = sorted(players)
        for start in range(0, len(ordered), CHUNK):
            part = ordered[start : start + CHUNK]
            called = await names(engine, [number_of(each) for each in part])
            await _packed(
                entry, [{"player": player, "name": called.get(player)} for player in part]
            )


async def _tables(archive: Archive, engine: AsyncEngine, league: str) -> None:
    async with engine.connect() as connection:
        seasons = await queries.seasons(connection, league)
    for season in seasons:
        await _csv(
            archive, f"csv/standings-{season.season}.csv", tables.standings(engine, season.season)
        )
    await _csv(archive, "csv/results.csv", tables.results(engine, league))
    await _csv(archive, "csv/payouts.csv", tables.payouts(engine, league))


async def _owed(
    engine: AsyncEngine, league: str, positions: Sequence[int]
) -> AsyncIterator[tables.Owed]:
    """Yield each cancelled tournament's refunds. *positions* are those of the refund events."""
    async with engine.connect() as connection:
        passed = await voided(connection, league)
    for position in (each for each in positions if each not in passed):
        async with engine.connect() as connection:
            (row,) = await read_league(connection, league, position - 1, 1)
            tournament = aggregate_of(row.stream)
            about = await queries.tournament(connection, tournament)
        event = CODEC.decode(row, None)
        yield tables.Owed(
            tournament=tournament,
            name="" if about is None else about.name,
            currency=event.currency,
            policy=event.policy,
            refunds=event.refunds,
        )


async def _csv(archive: Archive, name: str, content: AsyncIterator[bytes]) -> None:
    with archive.entry(name) as entry:
        async for part in content:
            await _in_thread(entry, part)


async def _packed(entry: Entry, rows: Sequence[object]) -> None:
    """Append *rows* to a file as lines of JSON."""
    await _in_thread(entry, b"".join(msgspec.json.encode(each) + b"\n" for each in rows))


async def _in_thread(entry: Entry, content: bytes) -> None:
    """Append *content* to a file. It is compressed in a thread, so that other requests go on."""
    packing = asyncio.ensure_future(PACKING.run(None, entry.write, content))
    try:
        await asyncio.shield(packing)
    except asyncio.CancelledError:
        # The zip is closed next, so nothing may still be written to it.
        await packing
        raise


async def _rows(
    engine: AsyncEngine, statement: sa.Executable, values: Mapping[str, object]
) -> AsyncIterator[sa.RowMapping]:
    async with engine.connect() as connection:
        found = (await connection.execute(statement, values)).mappings().all()
    for row in found:
        yield row


def _player(number: UUID | None) -> str | None:
    return None if number is None else identifier("plr", number)
