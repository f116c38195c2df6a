"""The archive of a repaired league proves itself, and a repair hides nothing that happened."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import asyncpg
import pytest

from service.cli import repair
from service.director.runtime import open_runtime
from service.exports.checking import Checked, check_archive
from service.log.read import read_league
from service.log.record import Recorded
from tests.service.cli.test_repair import Planting, a_leap_with_a_wrong_hash, a_wrong_hash, plant
from tests.service.exports.test_archive import archived
from tests.service.league_night import Night, played
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


async def checked(database: TestDatabase, night: Night, folder: Path) -> Checked:
    await archived(database, night, folder / "league.zip")
    return check_archive(folder / "league.zip")


async def last_of_a_table(database: TestDatabase, night: Night) -> Recorded:
    connection = await asyncpg.connect(database.url("holotable_migrate"))
    rows = await read_league(connection, night.league, limit=10_000)
    await connection.close()
    return [row for row in rows if row.stream.startswith("table") and row.sealed is None][-1]


def a_wrong_hash_of_refunds(_row: Recorded) -> Planting:
    return 1, "refunds_awarded", 1, sha256(b"wrong").digest()


@pytest.mark.parametrize(
    "damage", [a_leap_with_a_wrong_hash, a_wrong_hash, a_wrong_hash_of_refunds]
)
async def test_the_archive_of_a_repaired_league_holds(
    database: TestDatabase,
    tmp_path: Path,
    damage: Callable[[Recorded], Planting],
) -> None:
    """It was called damaged for ever, and nobody could take such a league away."""
    night = await played(database, steps_max=5)
    row = await last_of_a_table(database, night)
    await plant(database, row, damage(row))
    settings = database.settings("holotable_api")
    repaired = await repair.void_failing(settings, night.league, "Bib", "a disk", dry_run=False)
    assert repaired == 0
    found = await checked(database, night, tmp_path)
    assert (found.faults, found.voided) == ([], 1)


async def test_an_archive_names_a_well_formed_event_that_was_voided(
    database: TestDatabase, tmp_path: Path
) -> None:
    """Who may write to the log could void what really happened."""
    night = await played(database, steps_max=5)
    row = await last_of_a_table(database, night)
    sound = repair.VoidedPosition(
        position=row.position,
        stream=row.stream,
        version=row.stream_version,
        hash=row.hash.hex(),
        fails="hash",
    )
    async with open_runtime(database.settings("holotable_api")) as runtime:
        await repair._void(runtime, night.league, [sound])
    (fault,) = (await checked(database, night, tmp_path)).faults
    assert fault.startswith(f"position {row.position} ")
    assert "well formed" in fault
