"""
Audit leagues on one core: decide every hand again, draw its deck, prove its chain and pots.

The first part audits whole seasons from ``holotable generate``: tables of all sizes, folds,
rebuys, moves. The second part plays and audits the longest hands: six seats, all to the
showdown, one append a command. The last part measures the bytes of a log alone: chains and tree
over many synthetic rows.
"""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from multiprocessing import get_context
from typing import Any, NamedTuple
from uuid import UUID, uuid4, uuid5

import asyncpg
import uvloop

from bench import hands
from bench.counting import PASSWORD, SECRET, Bench, bench, command
from bench.engine import Theirs, rate, spread
from bench.floors import Figure, figure
from bench.quiet import quiet
from engine.coordination.aggregates import DECIDERS
from engine.table.model.state import opened_of
from engine.values import identifier, number_of
from service.audit.bytes.chain import Links
from service.audit.bytes.chunks import read_places
from service.audit.bytes.tree import TreeAudit
from service.audit.report import Findings
from service.audit.run.plan import make_plan
from service.audit.run.units import Part, events_of, finish, perform
from service.base.database import async_engine
from service.base.sources import DatabaseClock
from service.director.runtime import settle
from service.log.canonical import leaf, microseconds
from service.log.keys import Keys, driver_of
from service.log.store import PostgresStore
from service.log.streams import table_stream
from service.log.writer import States, StreamEvents, Writer
from service.people.texts import digest_of
from service.projections.following.runner import Runner
from service.sandbox.generating.seasons import Season, made

TABLES = 64
HANDS = int(os.environ.get("BENCH_AUDIT_HANDS", "3200"))
EVENTS = int(os.environ.get("BENCH_AUDIT_EVENTS", "250000"))
SEEDS = range(1, int(os.environ.get("BENCH_AUDIT_SEASONS", "6")) + 1)
PLAYERS = 60
CHAOS = 0.2
ROUNDS = 3


class Audited(NamedTuple):
    """The figures of one audit: what it read, and its seconds of processor time."""

    hands: int
    events: int
    deciding: float
    """Tournaments: hands decided again, decks drawn, chains, pots and everything else."""

    proving: float
    """The same and the rest that an audit reads: positions, the tree, seasons, jobs."""

    comparing: float
    """The rebuild of the read models beside the live ones."""


def elsewhere(make: Callable[[str], list[str]], url: str) -> list[str]:
    """
    Return the result of *make* from a process of its own.

    This keeps the measuring process as small as one that only audits.
    """
    spawned = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawned, initializer=quiet) as pool:
        return pool.submit(make, url).result()


def store_seasons(url: str) -> list[str]:
    """Make up seasons, write them to the database, and return their leagues."""
    # This comes before any loop runs, because seasons are made on a loop of their own.
    seasons = [made(seed, PLAYERS, CHAOS) for seed in SEEDS]

    async def stored() -> list[str]:
        leagues = [await _stored(url, season) for season in seasons]
        engine = async_engine(url, 2)
        await Runner(engine).catch_up()
        await engine.dispose()
        return leagues

    return uvloop.run(stored())


def play_hands(url: str) -> list[str]:
    """Play hands of six seats in which nobody folds, and return their league."""
    league = f"lge_{uuid4().hex}"
    uvloop.run(play(url, league))
    return [league]


async def measure(server: Bench, leagues: list[str], name: str, about: str) -> Figure:
    """Print how many hands of *leagues* a second are audited, and what a peer plays."""
    settle()
    rates, all_rates, peer, wholes = [], [], [], []
    theirs = Theirs(("on",))
    for _ in range(ROUNDS):
        found = [await audited(server, league) for league in leagues]
        hands_found, events, deciding, proving, comparing = map(sum, zip(*found, strict=True))
        rates.append(hands_found / deciding)
        all_rates.append(hands_found / proving)
        wholes.append(events / comparing if comparing else 0.0)
        peer.append(rate(theirs.play)[0])
    ratio = [mine / its for mine, its in zip(rates, peer, strict=True)]
    print(
        f"audit of {about}: {hands_found:,.0f} hands, {events:,.0f} events, CPU time, "
        f"{ROUNDS} rounds, median (least to greatest)"
    )
    print(f"  decided, shuffled, chains and pots: hands/s {spread(rates)}")
    print(f"  with positions, tree and seasons: hands/s {spread(all_rates)}")
    print(f"  pokerkit plays {spread(peer)} hold'em hands/s here; ratio {spread(ratio, '.1f')}")
    print(f"  read models compared: {spread(wholes)} events/s more")
    return figure(f"audit: {name}", "hands/s", rates, peer, "hands that pokerkit plays")


async def _stored(url: str, season: Season) -> str:
    """Write a made-up league's log, its key and its texts into the database; return the league."""
    league, keys = season.keys.league, season.keys
    connection = await asyncpg.connect(url)
    secret = keys._secret
    await connection.execute(
        "INSERT INTO key (league, key_id, wrapped) VALUES ($1, $2, $3)",
        league, keys.key_id, Keys(SECRET).wrap(league, keys.key_id, secret),
    )  # fmt: skip
    rows = (
        (
            league, row.position, row.stream, row.stream_version, row.event_id, row.type,
            row.schema_version, row.at, row.data.decode(), row.sealed, row.metadata.decode(),
            row.hash,
        )
        for row in season.rows
    )  # fmt: skip
    await connection.copy_records_to_table("events", records=rows, columns=_COLUMNS)
    await connection.execute("ANALYZE events")
    at = season.rows[0].at
    texts = (
        (each.number, league, league, "members", digest_of(*each[1:]), each.salt, each.body, at)
        for each in season.texts
    )
    await connection.copy_records_to_table("text", records=texts, columns=_TEXT_COLUMNS)
    await connection.close()
    return identifier("lge", league)


async def play(url: str, league: str) -> None:
    """Play the hands at so many tables at once, one append for every command."""
    clock = DatabaseClock()
    writer = Writer(PostgresStore(url, SECRET), DECIDERS, clock.now)
    await writer.start()
    begun = time.perf_counter()
    await asyncio.gather(
        *(_play_table(writer, clock, league, HANDS // TABLES) for _ in range(TABLES))
    )
    print(f"{HANDS:,} hands at {TABLES} tables played in {time.perf_counter() - begun:.0f} s")
    await writer.aclose()


async def _play_table(writer: Writer, clock: DatabaseClock, league: str, count: int) -> None:
    number = uuid4().hex
    stream = table_stream(f"tbl_{number}")
    decider = DECIDERS["table"]

    async def opening(_states: States) -> list[StreamEvents]:
        first = hands.opening(f"tbl_{number}", clock.now())
        return [StreamEvents(stream, decider.decide(decider.initial, first))]

    async def following(states: States) -> list[StreamEvents]:
        state = (await states.load(stream)).state
        return [StreamEvents(stream, decider.decide(state, hands.following(state, clock.now)))]

    await writer.submit(league, command(clock), opening)
    settled = 0
    while settled < count:
        await writer.submit(league, command(clock), following)
        state = opened_of((await writer.load(league, stream)).state)
        settled += state.decision is None


async def audited(server: Bench, league: str) -> Audited:
    """Audit the league, all units of its plan one after another."""
    engine = async_engine(server.cluster.url("ours", "holotable_audit", PASSWORD), 2)
    parts: list[Part] = []
    deciding = proving = comparing = 0.0

    async def told(_weight: int) -> None:
        pass

    async with engine.connect() as connection:
        driver = await driver_of(connection)
        opened = await Keys(SECRET).of(driver, number_of(league))
        plan = await make_plan(driver, league, None, None)
        await connection.rollback()
        for unit in plan.units:
            begun = time.process_time()
            parts.append(await perform(connection, opened, plan, unit, told))
            taken = time.process_time() - begun
            if unit.kind == "projection":
                comparing += taken
            else:
                proving += taken
                deciding += taken if unit.kind == "tournament" else 0.0
        report = await finish(connection, plan, parts, proving + comparing)
    await engine.dispose()
    if not report.passed:
        raise SystemExit(report.text())
    return Audited(report.hands, report.events, deciding, proving, comparing)


async def measure_bytes(server: Bench) -> None:
    """Print how long chains and tree of many events take, read from the log."""
    number = uuid4()
    connection = await asyncpg.connect(server.cluster.url("ours"))
    await connection.copy_records_to_table("events", records=_made(number), columns=_COLUMNS)
    await connection.execute("ANALYZE events")
    plan = await make_plan(connection, identifier("lge", number), None, None)
    findings = Findings()
    tree, links = TreeAudit(findings), Links(findings)
    begun, used = time.perf_counter(), time.process_time()
    for unit in plan.units:
        if unit.kind == "places":
            tree.take(await read_places(connection, number, plan, unit, findings))
        elif unit.streams:
            async for rows in events_of(connection, plan, unit.streams):
                for recorded in rows:
                    links.follow(recorded)
    events = plan.until + 1
    seconds, used = time.perf_counter() - begun, time.process_time() - used
    await connection.close()
    if failed := [check for check in findings.checks.values() if check.failed]:
        raise SystemExit(f"the audit of the bytes failed: {failed}")
    print(
        f"chains and tree of {events:,} events: {seconds:.1f} s, {used:.1f} s of processor "
        f"(a million at most 30 s)"
    )


_COLUMNS = (
    "league", "position", "stream", "stream_version", "event_id", "type", "schema_version",
    "at", "data", "sealed", "metadata", "hash",
)  # fmt: skip


_TEXT_COLUMNS = (
    "id", "league", "author", "audience", "digest", "salt", "body", "written_at"
)  # fmt: skip


def _made(league: UUID) -> Iterator[tuple[Any, ...]]:
    """Yield synthetic rows with correct hashes: two events a command, at many tables."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    streams = [f"table-{uuid4().hex}" for _ in range(TABLES)]
    heads = dict.fromkeys(streams, bytes(32))
    data = b'{"amount":5,"rule":"betting.raise","seat":1,"type":"wagered"}'
    for position in range(EVENTS):
        index = position % 2
        if index == 0:
            asked = uuid4()
            metadata = b'{"actor":"plr_%032x","command_id":"%s"}' % (1, str(asked).encode())
            digest = sha256(metadata).digest()
        stream = streams[position // 2 % TABLES]
        version = position // 2 // TABLES * 2 + index + 1
        event_id = uuid5(asked, str(index))
        entry = leaf(
            league, heads[stream], stream, version, event_id, microseconds(at), "wagered", 1,
            data, digest, None,
        )  # fmt: skip
        heads[stream] = sha256(entry).digest()
        yield (
            league, position, stream, version, event_id, "wagered", 1, at,
            data.decode(), None, metadata.decode(), heads[stream],
        )  # fmt: skip


def main() -> list[Figure]:
    """Play, audit, and print."""
    with bench() as server:
        about = f"{len(SEEDS)} seasons of {PLAYERS} players, chaos {CHAOS}"
        leagues = elsewhere(store_seasons, server.cluster.url("ours"))
        seasons = uvloop.run(measure(server, leagues, "seasons", about))
        about = f"a league of {TABLES} tables"
        leagues = elsewhere(play_hands, server.ours)
        longest = uvloop.run(measure(server, leagues, "six seats to the showdown", about))
        uvloop.run(measure_bytes(server))
    return [seasons, longest]


if __name__ == "__main__":
    main()
