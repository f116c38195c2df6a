"""Events with damaged bytes are voided without rewriting the log, and the league plays on."""

from collections.abc import Callable
from hashlib import sha256

import asyncpg
import pytest

from engine.tournament.model.state import Finished, Running
from engine.values import identifier, number_of, stream_of
from service.base.errors import EventUnreadable
from service.cli import repair
from service.director import submitting
from service.director.next_hand import open_next_hand
from service.director.runtime import Runtime, open_runtime
from service.log.past import PastStates
from service.log.read import last_position, read_league, voided
from service.log.record import Recorded
from service.projections.rebuilding.rebuild import rebuild
from tests.service.audit.test_audit import audited
from tests.service.director.test_directing import announced, at, played
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

_PLANT = """
    INSERT INTO events (league, position, stream, stream_version, event_id, type, schema_version,
                        at, data, metadata, hash)
    SELECT $1, max(position) + 1, $2, $3, gen_random_uuid(), $4, $5, max(at), $6, '{}', $7
      FROM events WHERE league = $1
"""


Planting = tuple[int, str, int, bytes]
"""The number of versions that are skipped, the type, the schema version and the hash."""


def a_leap_with_a_wrong_hash(row: Recorded) -> Planting:
    return 100, row.type, row.schema_version, sha256(b"wrong").digest()


def a_wrong_hash(row: Recorded) -> Planting:
    return 1, "table_resumed", 1, sha256(b"wrong").digest()


def an_opening_hand_after_a_leap(_row: Recorded) -> Planting:
    return 7, "hand_opened", 1, sha256(b"wrong").digest()


async def plant(database: TestDatabase, row: Recorded, made: Planting) -> None:
    """Write an event that the append function would refuse, as the owner of the relations can."""
    leap, type_, schema, hash_ = made
    connection = await asyncpg.connect(database.url("holotable_migrate"))
    version = row.stream_version + leap
    await connection.execute(
        _PLANT, row.league, row.stream, version, type_, schema, '{"type":"x"}', hash_
    )
    await connection.close()


async def begun(runtime: Runtime) -> tuple[str, str, str]:
    """Open a first hand. Return the league, the tournament and the table."""
    league, name = await announced(runtime, 3, hands_between_seconds=0, hands_max=3)
    await submitting.start_tournament(runtime, league, name, runtime.clock.now())
    state = await at(runtime, league, name)
    assert isinstance(state, Running)
    table = str(state.tables[0].table)
    await open_next_hand(runtime, league, table)
    return league, name, table


async def last_of(runtime: Runtime, league: str, stream: str) -> Recorded:
    async with runtime.pool.acquire() as connection:
        rows = await read_league(connection, league, limit=10_000)
    return [row for row in rows if row.stream == stream][-1]


@pytest.mark.parametrize(
    "damage", [a_leap_with_a_wrong_hash, a_wrong_hash, an_opening_hand_after_a_leap]
)
async def test_a_damaged_league_plays_on_after_its_repair(
    database: TestDatabase,
    damage: Callable[[Recorded], Planting],
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = database.settings("holotable_api")
    asked = (settings, "Bib", "a disk that lied")
    async with open_runtime(settings) as runtime:
        league, name, table = await begun(runtime)
        stream = stream_of(table)
        before = (await runtime.writer.load(league, stream)).state
        row = await last_of(runtime, league, stream)
        await plant(database, row, damage(row))
        with pytest.raises(EventUnreadable):
            await runtime.writer.load(league, stream)
        damaged = await audited(database, league)
        assert not damaged.passed

        assert await repair.void_failing(settings, league, *asked[1:], dry_run=True) == 1
        with pytest.raises(EventUnreadable):
            await runtime.writer.load(league, stream)
        assert await repair.void_failing(settings, league, *asked[1:], dry_run=False) == 0

        after = await runtime.writer.load(league, stream)
        planted = await last_of(runtime, league, stream)
        assert after.state == before
        assert (after.version, after.hash) == (planted.stream_version, planted.hash)
        assert await voided(runtime.pool, league) == {planted.position}
        assert isinstance(await played(runtime, league, name), Finished)

        async def closed() -> bool:
            return bool((await runtime.writer.load(league, stream)).state.closed)

        await until_awaited(closed)
        number = number_of(league)
        end = await last_position(runtime.pool, league)
        fold = PastStates(runtime.pool, number, await runtime.writer.store.keys(number), end)
        assert (await fold.state(stream)).state == (await runtime.writer.load(league, stream)).state
        assert await repair.void_failing(settings, league, *asked[1:], dry_run=True) == 0
        [deed] = await runtime.pool.fetch("SELECT actor, kind, about FROM operator_deed")
        assert tuple(deed) == ("Bib", "positions_voided", f"{planted.position}: a disk that lied")
    await rebuild(database.settings("holotable_project"))
    report = await audited(database, league)
    assert report.passed, report.text()
    assert f"1 events are out of folding, at positions {planted.position}." in report.text()
    assert f"position {planted.position} ({stream}" in capsys.readouterr().out


async def test_a_fresh_process_reads_a_repaired_table_as_the_one_that_played_it(
    database: TestDatabase,
) -> None:
    settings = database.settings("holotable_api")
    async with open_runtime(settings) as runtime:
        league, _, table = await begun(runtime)
        stream = stream_of(table)
        row = await last_of(runtime, league, stream)
        await plant(database, row, a_leap_with_a_wrong_hash(row))
        await repair.void_failing(settings, league, "Bib", "a disk that lied", dry_run=False)
        known = await runtime.writer.load(league, stream)
    async with open_runtime(settings) as other:
        assert await other.writer.load(league, stream) == known


async def test_a_sound_league_is_left_as_it_is(database: TestDatabase) -> None:
    settings = database.settings("holotable_api")
    async with open_runtime(settings) as runtime:
        league, _, _ = await begun(runtime)
        end = await last_position(runtime.pool, league)
        assert await repair.void_failing(settings, league, "Bib", "to see", dry_run=False) == 0
        assert await last_position(runtime.pool, league) == end
        nobody = identifier("lge", runtime.entropy.uuid())
        for named in (nobody, "lge_x", "trn_" + "0" * 32):
            assert await repair.void_failing(settings, named, "Bib", "to see", dry_run=True) == 2
        assert await repair.void_failing(settings, league, " ", "to see", dry_run=True) == 2


async def test_an_audit_fails_where_a_well_formed_event_was_voided(database: TestDatabase) -> None:
    """Someone with access to the log could void a valid event, and every reader would skip it."""
    settings = database.settings("holotable_api")
    async with open_runtime(settings) as runtime:
        league, _, table = await begun(runtime)
        row = await last_of(runtime, league, stream_of(table))
        sound = repair.VoidedPosition(
            position=row.position,
            stream=row.stream,
            version=row.stream_version,
            hash=row.hash.hex(),
            fails="hash",
        )
        await repair._void(runtime, league, [sound])
    failed = {check.name for check in (await audited(database, league)).checks if check.failed}
    assert "voided" in failed
