"""Folders in the place for temporary files: those of killed processes go, and no others."""

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from service.base.scratch import Scratch

PROCESS = """
import signal, sys
from service.base.scratch import Scratch
scratch = Scratch("drill-")
(scratch.folder / "kept").touch()
if sys.argv[1] == "keep":
    scratch.keep()
print(scratch.folder, flush=True)
signal.pause()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for temporary files that is this test's own."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def begun(how: str) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROCESS, how], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_a_killed_process_left_goes_and_nothing_else(place: Path) -> None:
    """The folder of a running process, a folder to be kept, and the target of a link stay."""
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "in-use").touch()
    (place / "drill-link").symlink_to(elsewhere)
    (place / "drill-without-mark").mkdir()
    (place / "other-1").mkdir()
    (place / "other-1" / "in-use").touch()
    running, runs = begun("run")
    killed, left = begun("run")
    keeping, kept = begun("keep")
    for each in (killed, keeping):
        each.send_signal(signal.SIGKILL)
        each.communicate()
    own = Scratch("drill-")
    try:
        names = {elsewhere, place / "drill-link", place / "drill-without-mark", place / "other-1"}
        assert set(place.iterdir()) == names | {runs, kept, own.folder}
        assert (runs / "kept").exists()
        assert not left.exists()
    finally:
        running.kill()
        running.communicate()
        own.close()
    Scratch("drill-").close()
    assert not runs.exists()
    assert not own.folder.exists()
