"""A closed season becomes files that the verifier proves without a server, and the log stays."""

import asyncio
import json
import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import psycopg

from service.base.settings import environment
from tests.service.audit.test_tampering import Scene, to_its_end
from tests.service.league_night import named, played
from tests.support.commands import in_fork
from tests.support.databases import TestDatabase
from tests.verifier.loading import PROGRAM


def verified(folder: Path) -> int:
    """Run the verifier on an archive, with nothing but its files. Return its exit code."""
    asked = [str(folder / "season.bundle"), "--keys", str(folder / "signers.txt")]
    done = subprocess.run([sys.executable, PROGRAM, *asked], check=False, capture_output=True)
    return done.returncode


def test_a_closed_season_is_archived_and_the_log_is_as_before(
    database: TestDatabase, tmp_path: Path
) -> None:
    """It is refused before the season is closed. One changed byte fails the verifier."""
    scene = Scene(database, tmp_path / "memory", named("lge", "night"))
    night = asyncio.run(played(database))
    told = environment(database.settings("holotable_audit"))
    asked = ("archive", "season", night.season, str(tmp_path), "--viewer", "auditor")
    early = in_fork(asked, told)
    asyncio.run(to_its_end(scene, night, lambda: None))

    with psycopg.connect(database.url("postgres")) as connection:
        log = "SELECT count(*), max(position) FROM events"
        before = connection.execute(log).fetchone()
        done = in_fork(asked, told)
        again = in_fork(asked, told)
        after = connection.execute(log).fetchone()
        deeds = connection.execute("SELECT kind, about FROM operator_deed").fetchall()

    folder = tmp_path / night.season
    assert (early.returncode, "is not closed" in early.stderr) == (1, True)
    assert done.returncode == 0, done.stderr
    assert (again.returncode, "exists already" in again.stderr) == (1, True)
    assert (before, deeds) == (after, [("season_archived", night.season)])
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert manifest["sha256"] == {
        name: sha256((folder / name).read_bytes()).hexdigest()
        for name in ("season.bundle", "signers.txt")
    }
    assert verified(folder) == 0  # it opens everything, so everything could be checked
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700  # an auditor's bundle opens every card
    bundle = bytearray((folder / "season.bundle").read_bytes())
    bundle[bundle.index(b'"chips":') + 8] ^= 1
    (folder / "season.bundle").write_bytes(bundle)
    assert verified(folder) in (1, 2)  # it differs, or is no bundle any more
