"""The drill: a night is backed up, play goes on, everything is lost, and the backup comes back."""

import asyncio
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import psycopg
import pytest
from psycopg import sql

from engine.values import identifier, number_of
from service.backups.losing import losses
from service.backups.manifest import Manifest, read
from service.base.database import UNFINISHED, drop_database
from service.base.embedded import Cluster, binaries
from service.base.settings import environment
from service.process import at_rest
from service.process.signer import make_key
from service.process.starting import StackFailed
from service.process.supervisor import Stack
from service.transparency.ledger import root_at
from service.transparency.note import Checkpoint, read_private_key
from service.transparency.signer import Memory, Signer
from service.transparency.signing import origin_of
from tests.service.audit.test_audit import audited
from tests.service.exports.test_archive import signed
from tests.service.league_night import Night, played
from tests.support.commands import begun, in_fork
from tests.support.databases import SECRET_KEY, TestDatabase, TestServer
from tests.support.waiting import until

STEPS = 30
"""Steps of play before the backup: a few hands at two tables, and one open hand."""

_LOG = "SELECT position, encode(hash, 'hex') FROM events WHERE league = %s ORDER BY position"


def holotable(database: TestDatabase, *asked: str, **changes: Any) -> CompletedProcess[str]:
    """Run a command with the login of ``holotable_migrate``."""
    return in_fork(asked, environment(database.settings("holotable_migrate", **changes)))


def log_of(database: TestDatabase, league: str) -> list[tuple[int, str]]:
    with psycopg.connect(database.url("postgres")) as connection:
        return connection.execute(_LOG, [number_of(league)]).fetchall()


@dataclass(frozen=True)
class Kept:
    """A backup, what the log held when it was taken, and the night that it holds."""

    folder: Path
    log: list[tuple[int, str]]
    night: Night


@pytest.fixture(scope="module")
def kept(cluster: TestServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """A backup of a night, taken before play went on in another league."""
    folder = tmp_path_factory.mktemp("backups") / "first"
    with cluster.fresh() as source:
        night = asyncio.run(played(source, steps_max=STEPS))
        asyncio.run(signed(source, night, 20))
        log = log_of(source, night.league)
        taken = holotable(source, "backup", str(folder))
        assert taken.returncode == 0, taken.stderr
        assert "guard it as the server" in taken.stdout
        asyncio.run(played(source, "afterwards", steps_max=5))
    yield Kept(folder, log, night)


@pytest.fixture
def target(cluster: TestServer) -> Iterator[TestDatabase]:
    """A prepared, empty database. A restore changes its relations, so it is thrown away."""
    made = cluster.copy("restored")
    yield made
    drop_database(cluster.cluster.url(), "restored")


def test_everything_up_to_the_backup_comes_back_and_play_goes_on(
    kept: Kept, target: TestDatabase
) -> None:
    """The log is the same byte for byte, the audit passes, and another night can be played."""
    done = holotable(target, "restore", str(kept.folder))

    assert done.returncode == 0, done.stderr
    assert "hash chains, trees and signed heads hold" in done.stdout
    assert "open an epoch of every league" in done.stdout
    assert log_of(target, kept.night.league) == kept.log
    report = asyncio.run(audited(target, kept.night.league))
    assert report.passed, report.text()
    later = asyncio.run(played(target, "afterwards", steps_max=5))
    assert log_of(target, later.league)
    # And the restored database can be backed up and restored as the first one was.
    again = kept.folder.with_name("second")
    assert holotable(target, "backup", str(again)).returncode == 0
    assert holotable(target, "restore", str(again), "--replace").returncode == 0
    assert log_of(target, kept.night.league) == kept.log


def test_the_rights_of_a_restored_database_are_those_of_a_migrated_one(
    kept: Kept, target: TestDatabase, database: TestDatabase
) -> None:
    """No process gains or loses a right, and no relation changes its owner."""
    rights = """
        SELECT n.nspname, c.relname, pg_get_userbyid(c.relowner),
               coalesce(c.relacl, acldefault('r', c.relowner))::text[]
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname IN ('public', 'reads', 'reads_next') AND c.relkind IN ('r', 'S', 'v')
         UNION ALL
        SELECT n.nspname, p.proname, pg_get_userbyid(p.proowner),
               coalesce(p.proacl, acldefault('f', p.proowner))::text[]
          FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
         WHERE n.nspname IN ('public', 'reads', 'reads_next')
         UNION ALL
        SELECT nspname, '', pg_get_userbyid(nspowner), nspacl::text[] FROM pg_namespace
         WHERE nspname IN ('public', 'reads', 'reads_next')
         UNION ALL
        SELECT 'database', '', pg_get_userbyid(datdba), datacl::text[] FROM pg_database
         WHERE datname = current_database()
    """
    assert holotable(target, "restore", str(kept.folder)).returncode == 0
    found = []
    for each in (target, database):
        with psycopg.connect(each.url("postgres")) as connection:
            rows = connection.execute(rights).fetchall()
        found.append(sorted((*row[:3], sorted(row[3] or ())) for row in rows))
    assert found[0] == found[1]


def test_a_database_with_people_or_events_is_not_overwritten(
    kept: Kept, target: TestDatabase
) -> None:
    """Only ``--replace`` removes what is there."""
    other = asyncio.run(played(target, "afterwards", steps_max=5))
    before = log_of(target, other.league)

    refused = holotable(target, "restore", str(kept.folder))

    assert (refused.returncode, "is not empty" in refused.stderr) == (1, True)
    assert log_of(target, other.league) == before
    replaced = holotable(target, "restore", str(kept.folder), "--replace")
    assert replaced.returncode == 0, replaced.stderr
    assert log_of(target, other.league) == []
    assert log_of(target, kept.night.league) == kept.log


def test_a_dry_run_says_what_the_target_would_lose(kept: Kept, target: TestDatabase) -> None:
    """First nothing, for an empty target and for the backup's own state. Then the later play."""
    rehearsed = ("restore", str(kept.folder), "--dry-run")
    nothing = "the target would lose 0 events of 0 leagues"
    assert nothing in holotable(target, *rehearsed).stdout
    assert holotable(target, "restore", str(kept.folder)).returncode == 0
    assert nothing in holotable(target, *rehearsed).stdout

    other = asyncio.run(played(target, "afterwards", steps_max=5))
    with psycopg.connect(target.url("postgres")) as connection:
        count = "SELECT count(*), max(at) AT TIME ZONE 'UTC' FROM events WHERE league = %s"
        found = connection.execute(count, [number_of(other.league)]).fetchone()
    assert found is not None
    told = holotable(target, *rehearsed)
    newest = f"{found[1]:%Y-%m-%dT%H:%M:%SZ}"
    line = (
        f"{other.league} would lose {found[0]} events, all that it has; the newest is of {newest}"
    )
    assert line in told.stdout
    assert f"the target would lose {found[0]} events of 1 leagues" in told.stdout
    assert len(log_of(target, other.league)) == found[0]

    # The same league, with two events more than the copy has, and then with other first events.
    manifest = read(kept.folder)
    end = manifest.leagues[kept.night.league]
    shorter = asyncio.run(_shortened(target, manifest, kept.night.league, end.events - 2))
    forged = msgspec.structs.replace(end, root="5a" * 32)
    foreign = msgspec.structs.replace(manifest, leagues={kept.night.league: forged})
    url = target.url("holotable_migrate")
    for copy, lost, left in ((shorter, 2, end.events - 2), (foreign, end.events, 0)):
        of_night = {each.league: each for each in asyncio.run(losses(url, copy))}
        loss = of_night[kept.night.league]
        assert (loss.events, loss.kept) == (lost, left)


async def _shortened(
    database: TestDatabase, manifest: Manifest, league: str, events: int
) -> Manifest:
    """Return the manifest of a backup that was taken when the log had so many events."""
    connection = await asyncpg.connect(database.url("holotable_migrate"))
    try:
        root = (await root_at(connection, number_of(league), events)).hex()
    finally:
        await connection.close()
    end = msgspec.structs.replace(manifest.leagues[league], events=events, root=root)
    return msgspec.structs.replace(manifest, leagues={league: end})


def test_a_database_in_use_is_not_restored(kept: Kept, target: TestDatabase) -> None:
    """The refusal names the login that is connected, and nothing is closed."""
    with psycopg.connect(target.url("holotable_api")):
        refused = holotable(target, "restore", str(kept.folder))

    assert (refused.returncode, "in use by holotable_api" in refused.stderr) == (1, True)
    with psycopg.connect(target.url("holotable_api")) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (0,)


def test_a_restore_that_ended_half_way_says_so_and_can_be_repeated(
    kept: Kept, target: TestDatabase, tmp_path: Path
) -> None:
    """The database stays closed to every process, and says why. The next run needs no option."""
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in kept.folder.iterdir():
        (broken / file.name).write_bytes(file.read_bytes())
    manifest = json.loads((broken / "manifest.json").read_bytes())
    manifest["leagues"][kept.night.league]["root"] = "5a" * 32
    (broken / "manifest.json").write_text(json.dumps(manifest))

    failed = holotable(target, "restore", str(broken))

    assert failed.returncode == 1
    assert "events are not those of the manifest" in failed.stderr
    assert "stays closed" in failed.stderr
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(target.url("holotable_api"))
    with psycopg.connect(target.url("postgres")) as connection:
        said = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s"
        assert connection.execute(said, [target.name]).fetchone() == (UNFINISHED,)
    again = holotable(target, "restore", str(kept.folder))
    assert again.returncode == 0, again.stderr
    assert log_of(target, kept.night.league) == kept.log
    with psycopg.connect(target.url("holotable_api")) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (len(kept.log),)


def test_a_changed_or_missing_part_is_refused_before_anything_is_touched(
    kept: Kept, target: TestDatabase, tmp_path: Path
) -> None:
    """One bit of the dump is another, and then the manifest is gone."""
    folder = tmp_path / "changed"
    folder.mkdir()
    for file in kept.folder.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    dump = bytearray((folder / "database.dump").read_bytes())
    dump[len(dump) // 2] ^= 1
    (folder / "database.dump").write_bytes(dump)

    changed = holotable(target, "restore", str(folder))
    (folder / "manifest.json").unlink()
    unfinished = holotable(target, "restore", str(folder))

    assert (changed.returncode, "database.dump is not the file" in changed.stderr) == (1, True)
    assert (unfinished.returncode, "not a finished one" in unfinished.stderr) == (1, True)
    with psycopg.connect(target.url("holotable_api")) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (0,)


def test_keys_are_for_their_owner_only_and_a_passphrase_seals_them(
    kept: Kept, target: TestDatabase, tmp_path: Path
) -> None:
    """Every file has mode 0600. A sealed copy shows no key, and opens with its passphrase only."""
    signer, passphrase, wrong = (tmp_path / name for name in ("signer", "passphrase", "wrong"))
    signer.write_text("PRIVATE+KEY+of a signer")
    passphrase.write_text("never tell me the odds\n")
    wrong.write_text("I know\n")
    sealed, keys = tmp_path / "sealed", tmp_path / "keys"
    sealing = ("--passphrase-file", str(passphrase))
    taken = holotable(target, "backup", str(sealed), "--with", str(signer), *sealing)
    assert taken.returncode == 0, taken.stderr
    secret = target.settings().secret_key.encode()

    for folder in (kept.folder, sealed):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        for file in folder.iterdir():
            private = file.name == "manifest.json" or stat.S_IMODE(file.stat().st_mode) == 0o600
            assert private, file
    assert secret in (kept.folder / "keys.json").read_bytes()
    assert not any(secret in file.read_bytes() for file in sealed.iterdir())
    asked = ("restore", str(sealed), "--keys", str(keys))
    none, other = (
        holotable(target, *asked),
        holotable(target, *asked, "--passphrase-file", str(wrong)),
    )
    assert (none.returncode, other.returncode, keys.exists()) == (1, 1, False)
    assert holotable(target, *asked, *sealing).returncode == 0
    assert (keys / "secret_key").read_bytes() == secret
    assert (keys / "signer").read_text() == "PRIVATE+KEY+of a signer"
    assert {stat.S_IMODE(file.stat().st_mode) for file in keys.iterdir()} == {0o600}


def test_two_secrets_of_one_name_are_refused_before_anything_is_copied(
    database: TestDatabase, tmp_path: Path
) -> None:
    """Only the last of them would be copied. One that holds the same is no loss."""
    folders = [tmp_path / name for name in ("a", "b", "c")]
    for folder, text in zip(folders, ("one", "another", "one"), strict=True):
        folder.mkdir()
        (folder / "signer").write_text(text)
    (folders[0] / "secret_key").write_text("7b" * 32)
    one, another, same = (str(folder / "signer") for folder in folders)
    target = str(tmp_path / "night")

    for others in ((one, another), (str(folders[0] / "secret_key"),)):
        asked = [part for each in others for part in ("--with", each)]
        refused = holotable(database, "backup", target, *asked)
        assert (refused.returncode, "the name of another" in refused.stderr) == (1, True)
        assert not Path(target).exists()
    taken = holotable(database, "backup", target, "--with", one, "--with", same)
    assert taken.returncode == 0, taken.stderr


def test_a_backup_with_another_settings_key_is_refused(
    kept: Kept, target: TestDatabase, tmp_path: Path
) -> None:
    """Such a copy could never be opened, so it is neither taken nor restored."""
    assert holotable(target, "restore", str(kept.folder)).returncode == 0
    folder = tmp_path / "other"

    refused = holotable(target, "backup", str(folder), secret_key="6b" * 32)
    closed = holotable(target, "restore", str(kept.folder), "--replace", secret_key="6b" * 32)

    assert refused.returncode == 1
    assert "HOLOTABLE_SECRET_KEY opens no league" in refused.stderr
    assert os.listdir(tmp_path) == []
    assert (closed.returncode, "stays closed" in closed.stderr) == (1, True)


def test_only_the_owners_login_can_back_up(target: TestDatabase, tmp_path: Path) -> None:
    """Another login is told which one can. Nothing is left behind."""
    told = environment(target.settings("holotable_audit"))
    refused = in_fork(("backup", str(tmp_path / "none")), told)
    assert (refused.returncode, "login of holotable_migrate" in refused.stderr) == (1, True)
    assert os.listdir(tmp_path) == []


@contextmanager
def named(target: TestDatabase) -> Iterator[psycopg.Connection]:
    """
    Hold the row with the comment on a database, from outside of it.

    A restore that closes the database waits for it.
    """
    with psycopg.connect(target.server.cluster.url()) as connection:
        about = sql.Identifier(target.name)
        connection.execute(sql.SQL("COMMENT ON DATABASE {} IS 'held'").format(about))
        yield connection
        connection.rollback()


def until_closing(target: TestDatabase) -> None:
    """Wait until a restore waits for that row."""
    with psycopg.connect(target.server.cluster.url(), autocommit=True) as connection:
        waits = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'"
        )
        until(lambda: connection.execute(waits, [target.name]).fetchone() == (1,))


def test_a_process_that_comes_while_the_database_is_closed_finds_everything_as_it_was(
    kept: Kept, target: TestDatabase, tmp_path: Path
) -> None:
    """The restore is refused, opens the database again, and has touched no secret."""
    other = asyncio.run(played(target, "afterwards", steps_max=5))
    before, key = log_of(target, other.league), tmp_path / "secret_key"
    key.write_text("7b" * 32)
    asked = ("restore", str(kept.folder), "--replace", "--keys", str(tmp_path))
    with begun(asked, environment(target.settings("holotable_migrate"))) as restore:
        with named(target):
            until_closing(target)
            process = psycopg.connect(target.url("holotable_api"))
        done = restore.end()
    assert (done.returncode, "in use by holotable_api" in done.stderr) == (1, True)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {key.name: "7b" * 32}
    process.close()
    with psycopg.connect(target.url("holotable_api")) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (len(before),)
    assert holotable(target, *asked).returncode == 0
    assert key.read_text() == target.settings().secret_key
    assert key.with_name("secret_key.before-restore").read_text() == "7b" * 32


def test_a_restore_that_is_killed_in_its_midst_is_repeated_by_the_same_command(
    kept: Kept, target: TestDatabase
) -> None:
    """A kill before the database is closed changes nothing. A later one leaves it closed."""
    other = asyncio.run(played(target, "afterwards", steps_max=5))
    before = log_of(target, other.league)
    asked = ("restore", str(kept.folder), "--replace")
    told = environment(target.settings("holotable_migrate"))
    with named(target), begun(asked, told) as restore:
        until_closing(target)
        restore.kill()
        restore.end()
    assert log_of(target, other.league) == before
    with psycopg.connect(target.url("holotable_api")):
        pass
    filling = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pg_restore'"
    with psycopg.connect(target.server.cluster.url(), autocommit=True) as connection:
        until(lambda: connection.execute(_IN, [target.name]).fetchone() == (0,))
        with begun(asked, told) as restore:
            until(lambda: connection.execute(filling).fetchone() == (1,))
            restore.kill()
            restore.end()
        # The program that fills the database does not outlive the command.
        until(lambda: connection.execute(_IN, [target.name]).fetchone() == (0,))
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(target.url("holotable_api"))
    again = holotable(target, *asked[:2])
    assert again.returncode == 0, again.stderr
    assert log_of(target, kept.night.league) == kept.log


_IN = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s"


def test_up_refuses_a_folder_whose_restore_did_not_end(tmp_path: Path) -> None:
    """The mark is made before the database, so a kill is seen at any moment."""
    assert at_rest.begin_restore(tmp_path, None)
    with pytest.raises(StackFailed, match="restore into it did not end"):
        Stack(tmp_path).start()
    at_rest.end_restore(tmp_path)
    assert not at_rest.unfinished(tmp_path)


def test_a_restore_into_the_folder_of_a_running_up_touches_no_secret(
    kept: Kept, tmp_path: Path
) -> None:
    """An earlier version refused it only after it had replaced the keys of the running parts."""
    key = tmp_path / at_rest.SECRETS / "key"
    key.parent.mkdir()
    key.write_text("7b" * 24)
    with Cluster(tmp_path / at_rest.CLUSTER, binaries(os.environ), durable=False):
        asked = ("restore", str(kept.folder), "--data", str(tmp_path), "--replace")
        done = in_fork(asked, {})
    assert (done.returncode, "is running" in done.stderr) == (1, True)
    assert {each.name: each.read_text() for each in key.parent.iterdir()} == {"key": "7b" * 24}


def test_a_backup_of_separate_processes_comes_back_into_a_folder_of_up(
    kept: Kept, tmp_path: Path
) -> None:
    """Its settings' key is no file of the backup, and ``up`` reads it from one."""
    data = tmp_path / "data"
    make_key(data / at_rest.SECRETS / "signer", "holotable", bytes(32))
    (data / "signer").mkdir()
    done = in_fork(("restore", str(kept.folder), "--data", str(data)), {})
    assert done.returncode == 0, done.stderr
    # An empty memory knows of nothing that is missing, and that proves nothing.
    assert "the signer does not remember the signed heads of 1 leagues: lge_" in done.stderr
    assert "no signer could say what is missing" in done.stdout
    assert (data / at_rest.SECRETS / "key").read_text() == SECRET_KEY


def test_a_signer_that_contradicts_one_league_and_has_forgotten_another_is_told_with_both(
    kept: Kept, tmp_path: Path
) -> None:
    """The epoch of one alone would leave the other where its lost events cannot be told apart."""
    data, gone = tmp_path / "data", UUID(int=7)
    make_key(data / at_rest.SECRETS / "signer", "holotable", bytes(32))
    key = read_private_key((data / at_rest.SECRETS / "signer").read_text())
    (data / "signer").mkdir()
    with Memory(data / "signer") as memory:
        head = Checkpoint(origin=origin_of(gone, 0), size=3, root=bytes(32))
        Signer(key, memory).sign(head, ())
    done = in_fork(("restore", str(kept.folder), "--data", str(data)), {})
    assert done.returncode == 0, done.stderr
    assert f"heads of 1 leagues: {kept.night.league}\n" in done.stderr
    assert f"{identifier('lge', gone)}: 3 events were signed" in done.stderr
    assert "contradicts some leagues and has forgotten others" in done.stdout
    assert (
        "open an epoch of every league named above, the forgotten ones too unless they had just "
        "come from another cell" in done.stdout
    )
