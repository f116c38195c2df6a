"""One damaged league, and the backups of the installation that holds it."""

import asyncio
import json
from pathlib import Path

import asyncpg
import psycopg

from engine.values import number_of
from service.backups.manifest import read
from service.base.settings import environment
from service.log.keys import Keys
from service.log.read import read_league
from tests.service.backups.test_restoring import holotable, log_of, target
from tests.service.cli.test_repair import a_wrong_hash, plant
from tests.service.league_night import played
from tests.support.commands import in_fork
from tests.support.databases import TestDatabase

__all__ = ["target"]


def test_a_damaged_league_does_not_keep_the_others_from_coming_back(
    target: TestDatabase, tmp_path: Path
) -> None:
    """The backup names the damage, so does the doctor, and the restore suspends that league."""
    damaged, other = (
        asyncio.run(played(target, name, steps_max=5)).league for name in ("damaged", "sound")
    )
    asyncio.run(_damage(target, damaged))
    place, folder = f"{damaged}: position {len(log_of(target, damaged)) - 1}: ", tmp_path / "night"

    taken = holotable(target, "backup", str(folder))
    assert (taken.returncode, f"so has its copy: {place}" in taken.stderr) == (0, True)
    assert f"the last one copied has {place}" in holotable(target, "doctor").stdout
    restored = holotable(target, "restore", str(folder), "--replace")
    assert restored.returncode == 0, restored.stderr
    assert f"the backup names a fault: {place}" in restored.stderr
    assert f"{damaged} is suspended" in restored.stderr
    assert log_of(target, other)
    assert _suspended(target) == [damaged]

    # Other versions named the same fault in other words, only in words, or not at all.
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert [name for name, each in manifest["leagues"].items() if each["faults"]] == [damaged]
    (fault,) = manifest["leagues"][damaged]["faults"]
    for named in (fault | {"said": "a fault"}, fault["said"]):
        manifest["leagues"][damaged]["faults"] = [named]
        (folder / "manifest.json").write_text(json.dumps(manifest))
        again = holotable(target, "restore", str(folder), "--replace")
        assert again.returncode == 0, again.stderr
    manifest["leagues"][damaged].pop("faults")
    (folder / "manifest.json").write_text(json.dumps(manifest))
    refused = holotable(target, "restore", str(folder), "--replace")
    assert (refused.returncode, "stays closed" in refused.stderr) == (1, True)
    assert place in refused.stderr
    forced = holotable(target, "restore", str(folder), "--even-so")
    assert (forced.returncode, place in forced.stderr) == (0, True)
    assert _suspended(target) == [damaged]

    # What the messages advise brings the league back.
    why = ("--reason", "a disk that lied")
    asked = ("repair", damaged, "--operator", "Bib", *why)
    repaired = in_fork(asked, environment(target.settings("holotable_api")))
    assert repaired.returncode == 0, repaired.stderr
    assert holotable(target, "league", "restore", damaged, *why).returncode == 0
    assert _suspended(target) == []
    sound = holotable(target, "backup", str(tmp_path / "sound"))
    assert (sound.returncode, sound.stderr) == (0, "")
    assert read(tmp_path / "sound").faults == []


def test_a_league_whose_key_does_not_open_does_not_keep_the_others_from_coming_back(
    target: TestDatabase, tmp_path: Path
) -> None:
    """No backup could be taken, so one league put all others at risk."""
    closed, other = (
        asyncio.run(played(target, name, steps_max=3)).league for name in ("closed", "sound")
    )
    made, wrapped = Keys("6b" * 32).new(number_of(closed))
    with psycopg.connect(target.url("postgres")) as connection:
        connection.execute(
            "UPDATE key SET key_id = %s, wrapped = %s WHERE league = %s",
            [made.key_id, wrapped, number_of(closed)],
        )
    said, folder = f"{closed}: HOLOTABLE_SECRET_KEY does not open", tmp_path / "night"

    taken = holotable(target, "backup", str(folder))
    assert (taken.returncode, f"so has its copy: {said}" in taken.stderr) == (0, True)
    # The login of the workers may not read the faults, and says so.
    asked = in_fork(("doctor",), environment(target.settings("holotable_worker"))).stdout
    assert "holotable_api also sees whether it names faults" in asked
    restored = holotable(target, "restore", str(folder), "--replace")
    assert restored.returncode == 0, restored.stderr
    assert _suspended(target) == [closed]
    assert log_of(target, other)

    # During a change of keys, the second one opens it.
    told = environment(target.settings("holotable_migrate", second_secret_key="6b" * 32))
    both = in_fork(("backup", str(tmp_path / "both")), told)
    assert (both.returncode, both.stderr.count("fault")) == (0, 0), both.stderr
    assert read(tmp_path / "both").faults == []

    # A backup that does not name it had another key.
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["leagues"][closed]["faults"] = []
    (folder / "manifest.json").write_text(json.dumps(manifest))
    refused = holotable(target, "restore", str(folder), "--replace")
    assert (refused.returncode, said in refused.stderr) == (1, True)
    assert "run the command again with the HOLOTABLE_SECRET_KEY of that time" in refused.stderr
    forced = holotable(target, "restore", str(folder), "--even-so")
    assert (forced.returncode, _suspended(target)) == (0, [closed])


async def _damage(database: TestDatabase, league: str) -> None:
    """Append an event with a wrong hash, as the owner of the relations can."""
    connection = await asyncpg.connect(database.url("holotable_migrate"))
    try:
        rows = await read_league(connection, league, limit=10_000)
    finally:
        await connection.close()
    last = [row for row in rows if row.stream.startswith("table")][-1]
    await plant(database, last, a_wrong_hash(last))


def _suspended(database: TestDatabase) -> list[str]:
    """Return the suspended leagues, by a login to which a closed database is closed."""
    with psycopg.connect(database.url("holotable_api")) as connection:
        found = connection.execute(
            "SELECT 'lge_' || replace(league::text, '-', '') FROM append_turn"
            " WHERE suspended_at IS NOT NULL"
        )
        return [row[0] for row in found]
