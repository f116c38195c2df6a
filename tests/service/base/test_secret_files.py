"""A secret file is whole or as before, whenever its writer dies."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service.backups.taking import take
from service.base.secret_files import write_secret
from service.cli.common import plain
from service.cli.restore import write_all
from tests.support.commands import ROOT
from tests.support.databases import TestDatabase

DYING = """
    import os, signal, sys
    from pathlib import Path
    from service.base import secret_files
    at, real = sys.argv[2], getattr(os, sys.argv[2])
    def die(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(os, at, die)
    secret_files.write_secret(Path(sys.argv[1]), "the second")
"""


@pytest.mark.parametrize("at", ["fchmod", "fsync"])
def test_a_writer_that_is_killed_leaves_the_file_before_it(tmp_path: Path, at: str) -> None:
    file = tmp_path / "key"
    write_secret(file, "the first")
    program = "\n".join(line[4:] for line in DYING.splitlines())
    done = subprocess.run(
        [sys.executable, "-c", program, str(file), at], cwd=ROOT, check=False, timeout=60
    )
    assert done.returncode == -signal.SIGKILL
    assert file.read_text() == "the first"
    write_secret(file, "the third")
    assert file.read_text() == "the third"
    assert [each.name for each in tmp_path.iterdir()] == ["key"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_secret_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a power cut leaves an empty key beside a database that it sealed."""
    synced: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    write_secret(tmp_path / "key", "x")
    assert synced == [".key.new", tmp_path.name]


def test_every_file_of_a_backup_is_on_the_disk_before_it_has_its_name(
    database: TestDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest too, then the folder with their names, then the folder above it."""
    synced: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    take(database.settings("holotable_migrate"), tmp_path / "first", files={})
    *files, draft, beside = synced
    assert {"manifest.json", "keys.json", "database.dump"} <= set(files)
    assert (draft.startswith("first."), draft.endswith(".part")) == (True, True)
    assert beside == tmp_path.name


def test_a_restore_keeps_each_secret_that_it_replaces(tmp_path: Path) -> None:
    """It may be refused afterwards, and the old database needs the old key."""
    for content in ("one", "two", "three", "three"):
        write_all({"key": content}, tmp_path)
    found = {each.name: each.read_text() for each in tmp_path.iterdir()}
    assert found == {
        "key": "three", "key.before-restore": "one", "key.before-restore-2": "two",
    }  # fmt: skip


def test_what_others_wrote_does_not_command_the_operators_terminal() -> None:
    assert plain("league \x1b[2J\x07 Ähre 7\nnext") == "league \\x1b[2J\\x07 Ähre 7\nnext"
