"""
Drills: the owner of the database changes the log, and the audit names the first bad position.

One night is played once to its end with signed heads. Each drill gets a copy.
"""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from engine.coordination.aggregates import DECIDERS
from engine.league.commands import CreateLeague
from engine.values import number_of, stream_of
from service.audit.report import Report
from service.audit.run.league import audit_league
from service.base.database import async_engine
from service.director import closing_heads, season_ends
from service.director.runtime import open_runtime
from service.log.keys import Keys
from service.log.read import read_league
from service.log.record import Recorded
from service.log.writer import States, StreamEvents
from service.process.signer import signing_app
from service.projections.following.runner import Runner
from service.transparency.note import SigningKey
from service.transparency.signer import Memory, Signer
from service.transparency.signing import sign_head
from tests.service.league_night import Night, named, played
from tests.support.chains import rebuilt
from tests.support.databases import SECRET_KEY, TestDatabase, TestServer

pytestmark = pytest.mark.anyio

ASIDE = 1_000_000
"""A position that no event has."""

KEY = SigningKey("holotable.example", bytes(range(32)))


@dataclass(frozen=True)
class Scene:
    """A finished night, in a database and in the memory of a signer."""

    database: TestDatabase
    memory: Path
    league: str

    @asynccontextmanager
    async def signer(self) -> AsyncIterator[httpx.AsyncClient]:
        """Yield a client for the signer, which nobody has tampered with."""
        with Memory(self.memory) as memory:
            transport = httpx.ASGITransport(app=signing_app(Signer(KEY, memory)))
            async with httpx.AsyncClient(transport=transport, base_url="http://signer") as client:
                yield client

    async def sign(self) -> None:
        """Get the current log signed, and let the read models catch up."""
        connection = await asyncpg.connect(self.database.url("holotable_worker"))
        async with self.signer() as signer:
            await sign_head(connection, signer, number_of(self.league))
        await connection.close()
        engine = async_engine(self.database.url("holotable_project"), 2)
        await Runner(engine).catch_up()
        await engine.dispose()

    async def audited(self) -> Report:
        """Audit as the auditor's role, with the signer's memory."""
        engine = async_engine(self.database.url("holotable_audit"), 2)
        try:
            async with engine.connect() as connection, self.signer() as signer:
                return await audit_league(connection, Keys(SECRET_KEY), self.league, signer=signer)
        finally:
            await engine.dispose()

    @asynccontextmanager
    async def superuser(self) -> AsyncIterator[asyncpg.Connection]:
        """Yield a connection that no trigger, foreign key or role restricts."""
        connection = await asyncpg.connect(self.database.url("postgres"))
        try:
            await connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
            yield connection
        finally:
            await connection.close()

    async def change(self, statement: str, *values: Any) -> int:
        """Run *statement*, which names the league as $1. Return the position it returns."""
        async with self.superuser() as connection:
            row = await connection.fetchrow(statement, number_of(self.league), *values)
        assert row is not None, "the drill must change something"
        return int(row["position"])

    async def rows(self) -> list[Recorded]:
        """Return the whole log."""
        connection = await asyncpg.connect(self.database.url("postgres"))
        try:
            return await read_league(connection, self.league, limit=100_000)
        finally:
            await connection.close()

    async def forge(self, forged: list[Recorded]) -> None:
        """Replace the log by *forged*, with dense positions, versions and correct hashes."""
        league = number_of(self.league)
        async with self.superuser() as connection:
            await connection.execute("DELETE FROM events WHERE league = $1", league)
            await connection.executemany(
                "INSERT INTO events (league, position, stream, stream_version, event_id, type,"
                " schema_version, at, data, sealed, metadata, hash)"
                " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
                [
                    (
                        league, row.position, row.stream, row.stream_version, row.event_id,
                        row.type, row.schema_version, row.at, row.data.decode(), row.sealed,
                        row.metadata.decode(), row.hash,
                    )
                    for row in rebuilt(forged)
                ],
            )  # fmt: skip


@dataclass(frozen=True)
class Played:
    """The sources of all drills: the night at its end, and a backup from the end of play."""

    ended: Scene
    backup: str


async def to_its_end(scene: Scene, night: Night, keep: Callable[[], None]) -> None:
    """Close the season of a played night. Call *keep* when play has ended and a head is signed."""
    await scene.sign()
    keep()
    async with open_runtime(scene.database.settings("holotable_worker")) as runtime:
        assert await closing_heads.record_tables(runtime, night.league, night.tournament) is None

        async def close(states: States) -> list[StreamEvents]:
            now = runtime.clock.now()
            return await season_ends.decided(states, night.season, known, leave_out=None, now=now)

        known = await season_ends.announced_before(runtime, night.league, night.season)

        await runtime.writer.submit(night.league, runtime.order("close"), close)
        assert await closing_heads.record_tournaments(runtime, night.league, night.season) is None
    await scene.sign()


@pytest.fixture(scope="module")
def night(cluster: TestServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    database = cluster.copy("tampering_played")
    backup = "tampering_backup"
    scene = Scene(database, tmp_path_factory.mktemp("signer") / "memory", named("lge", "night"))

    def keep() -> None:
        cluster.copy(backup, template=database.name)

    async def play() -> None:
        await to_its_end(scene, await played(database), keep)

    asyncio.run(play())
    yield Played(scene, backup)
    for name in (database.name, backup):
        cluster.drop(name)


@pytest.fixture
def copied(night: Played, tmp_path: Path) -> Iterator[Callable[[str], Scene]]:
    """Return a function that copies a database together with the signer's final memory."""
    server = night.ended.database.server
    made: list[str] = []

    def copy(source: str) -> Scene:
        name = f"drill_{len(made)}"
        made.append(name)
        database = server.copy(name, template=source)
        if night.ended.memory.is_dir():
            shutil.copytree(night.ended.memory, tmp_path / "memory")
        else:
            shutil.copy(night.ended.memory, tmp_path / "memory")
        return Scene(database, tmp_path / "memory", night.ended.league)

    yield copy
    for name in made:
        server.drop(name)


@pytest.fixture
def scene(night: Played, copied: Callable[[str], Scene]) -> Scene:
    """The finished night, for one drill to tamper with."""
    return copied(night.ended.database.name)


def faults(report: Report) -> dict[str, list[int]]:
    """Return the positions at which each failed check found faults."""
    return {
        check.name: [fault.position for fault in check.faults]
        for check in report.checks
        if check.failed
    }


async def test_the_night_as_it_was_played_passes_with_its_ends_recorded(scene: Scene) -> None:
    report = await scene.audited()

    assert faults(report) == {}, report.text()
    made = {check.name: check.checked for check in report.checks}
    assert made["heads"] >= 6  # two tables, their hands, their number, one tournament
    assert made["tree"] >= 3


async def test_one_chip_changed_is_found_where_it_was_changed(scene: Scene) -> None:
    position = await scene.change(
        """
        UPDATE events SET data = replace(data::text, '"paid":2', '"paid":3')::json
         WHERE league = $1 AND position = (SELECT min(position) FROM events
            WHERE league = $1 AND type = 'seat_acted' AND data::text LIKE '%"paid":2,%')
        RETURNING position
        """
    )

    report = await scene.audited()

    assert report.first_bad_position == position
    assert {"chains", "decisions"} <= faults(report).keys()


async def test_a_relabelled_schema_version_is_found(scene: Scene) -> None:
    position = await scene.change(
        """
        UPDATE events SET schema_version = schema_version + 1
         WHERE league = $1 AND position = (SELECT max(position) FROM events
            WHERE league = $1 AND type = 'hand_settled')
        RETURNING position
        """
    )

    report = await scene.audited()

    assert report.first_bad_position == position
    assert faults(report)["chains"] == [position]


async def test_two_events_that_changed_places_are_found(scene: Scene) -> None:
    rows = await scene.rows()
    one = next(
        row.position
        for row, after in pairwise(rows)
        if row.type == "seat_acted" and after.stream == row.stream
    )
    async with scene.superuser() as connection:
        for a, b in ((one, ASIDE), (one + 1, one), (ASIDE, one + 1)):
            await connection.execute(
                "UPDATE events SET position = $3 WHERE league = $1 AND position = $2",
                number_of(scene.league), a, b,
            )  # fmt: skip

    report = await scene.audited()

    assert report.first_bad_position == one
    assert one in faults(report)["chains"]


async def test_an_event_moved_beyond_all_others_is_found_without_a_walk_to_it(
    scene: Scene,
) -> None:
    far = await scene.change(
        """
        UPDATE events SET position = 1::bigint << 62
         WHERE league = $1 AND position = (SELECT max(position) FROM events WHERE league = $1)
        RETURNING position
        """
    )

    async with asyncio.timeout(60):  # a walk would take years
        report = await scene.audited()

    assert set(faults(report)["positions"]) == {far}, report.text()


async def test_a_stream_moved_to_another_league_is_missed_here_and_foreign_there(
    scene: Scene,
) -> None:
    other = await _other_league(scene)
    stream = stream_of(named("tbl", "night 2"))
    async with scene.superuser() as connection:
        first = await connection.fetchval(
            "SELECT min(position) FROM events WHERE league = $1 AND stream = $2",
            number_of(scene.league), stream,
        )  # fmt: skip
        await connection.execute(
            """
            UPDATE events SET league = $3, position = moved.place
              FROM (SELECT position AS old, row_number() OVER (ORDER BY position) AS place
                      FROM events WHERE league = $1 AND stream = $2) AS moved
             WHERE league = $1 AND stream = $2 AND position = moved.old
            """,
            number_of(scene.league), stream, number_of(other),
        )  # fmt: skip

    here = await scene.audited()
    there = await Scene(scene.database, scene.memory, other).audited()

    assert here.first_bad_position == first + 1  # the first after the gap
    assert {"positions", "heads", "tree"} <= faults(here).keys()
    assert there.first_bad_position == 1
    assert 1 in faults(there)["chains"]


async def _other_league(scene: Scene) -> str:
    async with open_runtime(scene.database.settings("holotable_api")) as runtime:
        other = named("lge", "other")
        stream = stream_of(other)
        create = CreateLeague(
            league=other, name="Other", owner=named("plr", "night 0"), sandbox=True
        )

        async def decide(states: States) -> list[StreamEvents]:
            state = (await states.load(stream)).state
            return [StreamEvents(stream, DECIDERS["league"].decide(state, create))]

        await runtime.writer.submit(other, runtime.order("found"), decide)
    return other


async def test_a_table_dropped_from_a_log_made_whole_again_is_missed(scene: Scene) -> None:
    """There is no gap and every hash is right, but the tournament recorded the table's end."""
    rows = await scene.rows()
    stream = stream_of(named("tbl", "night 2"))
    kept = [row for row in rows if row.stream != stream]
    await scene.forge(kept)
    recorded = next(at for at, row in enumerate(kept) if row.type == "tables_recorded")
    first = next(row.position for row in rows if row.stream == stream)

    report = await scene.audited()

    assert recorded in faults(report)["heads"]
    assert report.first_bad_position is not None
    assert first <= report.first_bad_position <= recorded
    assert "tree" in faults(report)


async def test_the_last_hand_dropped_from_a_closed_table_is_missed(scene: Scene) -> None:
    rows = await scene.rows()
    stream = stream_of(named("tbl", "night 1"))
    opened = max(row.position for row in rows if row.stream == stream and row.type == "hand_opened")
    settled = max(
        row.position for row in rows if row.stream == stream and row.type == "hand_settled"
    )
    kept = [row for row in rows if row.stream != stream or not opened <= row.position <= settled]
    await scene.forge(kept)
    recorded = next(at for at, row in enumerate(kept) if row.type == "tables_recorded")

    report = await scene.audited()

    said = next(check for check in report.checks if check.name == "heads")
    assert recorded in faults(report)["heads"]
    assert any("hands are recorded for" in fault.what for fault in said.faults)
    assert report.first_bad_position is not None
    assert opened <= report.first_bad_position <= recorded


async def test_a_tournament_dropped_whole_is_missed_by_its_season(scene: Scene) -> None:
    rows = await scene.rows()
    gone = {stream_of(named("trn", "night"))}
    gone |= {stream_of(named("tbl", f"night {number}")) for number in (1, 2)}
    kept = [row for row in rows if row.stream not in gone]
    await scene.forge(kept)
    recorded = next(at for at, row in enumerate(kept) if row.type == "tournaments_recorded")

    report = await scene.audited()

    assert recorded in faults(report)["heads"]
    assert report.first_bad_position is not None and report.first_bad_position <= recorded


async def test_deleted_sealed_evidence_is_found_where_it_stood(scene: Scene) -> None:
    position = await scene.change(
        """
        UPDATE events SET sealed = NULL
         WHERE league = $1 AND position = (SELECT max(position) FROM events
            WHERE league = $1 AND type = 'cards_dealt')
        RETURNING position
        """
    )

    report = await scene.audited()

    assert report.first_bad_position == position
    assert "chains" in faults(report)


async def test_a_hand_not_shown_at_a_showdown_is_missed(scene: Scene) -> None:
    rows = await scene.rows()
    at = next(index for index, row in enumerate(rows) if row.type == "hands_revealed")
    shown = json.loads(rows[at].data)
    shown["hands"].pop()
    data = json.dumps(shown, sort_keys=True, separators=(",", ":"))
    rows[at] = rows[at]._replace(data=data.encode())
    await scene.forge(rows)
    settled = next(
        row.position for row in rows[at:]
        if row.type == "hand_settled" and row.stream == rows[at].stream
    )  # fmt: skip

    report = await scene.audited()

    assert faults(report)["opened"] == [settled]
    assert report.first_bad_position is not None and report.first_bad_position <= at


async def test_a_cut_tail_is_known_to_the_signer(scene: Scene) -> None:
    """The signed heads are cut off too, so only the signer's own memory is left."""
    size = len(await scene.rows())
    async with scene.superuser() as connection:
        await connection.execute("ALTER TABLE checkpoint DISABLE TRIGGER ALL")
        await connection.execute(
            "DELETE FROM checkpoint WHERE league = $1 AND size > $2",
            number_of(scene.league), size - 1,
        )  # fmt: skip
    await scene.change(
        "DELETE FROM events WHERE league = $1 AND position = $2 RETURNING position", size - 1
    )

    report = await scene.audited()

    assert faults(report)["tree"] == [size - 1]
    assert report.first_bad_position == size - 1


async def test_an_old_copy_restored_is_known_to_the_signer(
    night: Played, copied: Callable[[str], Scene]
) -> None:
    """Everything in the copy fits together, but it ends before the last signed head."""
    old = copied(night.backup)
    size = len(await old.rows())

    report = await old.audited()

    assert faults(report) == {"tree": [size]}, report.text()
    assert report.first_bad_position == size


async def test_a_chain_rebuilt_behind_a_change_is_found_at_the_change(scene: Scene) -> None:
    """Every hash is right again. Deciding again finds the chip, and the signed heads the rest."""
    rows = await scene.rows()
    at = next(
        index
        for index, row in enumerate(rows)
        if row.type == "seat_acted" and b'"paid":2,' in row.data
    )
    rows[at] = rows[at]._replace(data=rows[at].data.replace(b'"paid":2,', b'"paid":3,'))
    await scene.forge(rows)

    report = await scene.audited()

    assert "chains" not in faults(report)
    assert report.first_bad_position == at
    assert {"decisions", "tree", "heads"} <= faults(report).keys()


async def test_a_log_rebuilt_behind_a_change_no_rule_sees_contradicts_what_was_signed(
    scene: Scene,
) -> None:
    """A league's name decides nothing, but its hash is signed."""
    rows = await scene.rows()
    rows[0] = rows[0]._replace(data=rows[0].data.replace(b"Cloud City", b"Cloud Town"))
    await scene.forge(rows)

    report = await scene.audited()

    assert "decisions" not in faults(report)
    assert faults(report)["tree"]
    assert report.first_bad_position is not None
