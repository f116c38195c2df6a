"""The wheel holds everything: ``holotable up`` runs from it in an empty folder."""

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]
UP_SECONDS = 90.0

pytestmark = pytest.mark.long


def tracked() -> list[str]:
    """Return the files of the checkout that git knows, and new ones that it would take."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in told.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def wheel() -> Iterator[Path]:
    """The wheel, built from a copy in which the build of an earlier version left a file."""
    with TemporaryDirectory(prefix="holotable-test-") as directory:
        source = Path(directory) / "source"
        for name in tracked():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
        earlier = source / "build" / "lib" / "engine" / "earlier.py"
        earlier.parent.mkdir(parents=True)
        earlier.touch()
        asked = "wheel --quiet --no-deps --no-build-isolation --disable-pip-version-check"
        subprocess.run(
            [sys.executable, "-m", "pip", *asked.split(), "--wheel-dir", directory, str(source)],
            check=True,
        )
        (built,) = Path(directory).glob("*.whl")
        yield built


def test_the_wheel_has_every_file_that_the_program_reads(wheel: Path) -> None:
    """A template, a text or a migration that is missing would be noticed at its first use."""
    inside = {"migrations/": "service/shipped/migrations/"}
    inside |= {"deploy/postgres/": "service/shipped/postgres/"}
    left_out = {"service/console/README.md"}
    read = re.compile(r"(engine|service|migrations|deploy/postgres)/")
    wanted = {
        re.sub(r"^(migrations|deploy/postgres)/", lambda found: inside[found[0]], name)
        for name in tracked()
        if read.match(name) and name not in left_out
    }
    with ZipFile(wheel) as opened:
        found = {name for name in opened.namelist() if ".dist-info/" not in name}
    assert found == wanted


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Iterator[Path]:
    """
    A new virtual environment with the wheel. It borrows the packages that Holotable needs.

    A folder that a ``.pth`` file names gives its packages, and not its own ``.pth`` files. So the
    checkout, which is installed there as editable, cannot be imported.
    """
    with TemporaryDirectory(prefix="holotable-test-") as directory:
        venv.create(directory, with_pip=False)
        python = Path(directory) / "bin" / "python"
        asked = "install --quiet --no-deps --no-index --disable-pip-version-check"
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", str(python), *asked.split(), str(wheel)],
            check=True,
        )
        told = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
        packages = subprocess.run(told, capture_output=True, text=True, check=True).stdout.strip()
        (Path(packages) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
        yield python


def test_up_in_an_empty_folder_founds_a_league(installed: Path, tmp_path: Path) -> None:
    """The two commands of the README's first page, and the first thing that an organiser does."""
    kept = {name: it for name, it in os.environ.items() if not name.startswith(("HOLO", "PYTHON"))}
    asked = [str(installed), "-c", "import service; print(service.__file__)"]
    where = subprocess.run(
        asked, cwd=tmp_path, env=kept, capture_output=True, text=True, check=True
    )
    assert Path(where.stdout).is_relative_to(installed.parent.parent)

    began = time.monotonic()
    with subprocess.Popen(
        [str(installed.parent / "holotable"), "up", "--port", "0"],
        cwd=tmp_path,
        env=kept,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        try:
            said = _said(running)
            took = time.monotonic() - began
            url = re.search(r"http://127\.0\.0\.1:\d+", said)
            token = re.search(r"holo_pat_\S+", said)
            assert url is not None, said
            assert token is not None, said
            _found_a_league(url[0], token[0])
            seen = subprocess.run(
                ["sh", "-c", f". .holotable/env/migrate; exec {installed.parent}/holotable doctor"],
                cwd=tmp_path, env=kept, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert (seen.returncode, "ok    logins" in seen.stdout) == (0, True), seen
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(60)
    print(f"\nthe wheel was up after {took:.1f} s")
    assert running.returncode == 130
    assert [each.name for each in tmp_path.iterdir()] == [".holotable"]


def _said(running: subprocess.Popen[str]) -> str:
    """Return what was printed until the organiser's token."""
    assert running.stdout is not None
    said = ""
    for line in running.stdout:
        said += line
        if "holo_pat_" in line:
            break
    return said


def _found_a_league(url: str, token: str) -> None:
    with httpx.Client(base_url=url, timeout=UP_SECONDS) as client:
        assert client.get("/readyz").status_code == 200
        assert client.get("/").status_code in {200, 303}
        asked = {"Authorization": f"Bearer {token}", "Idempotency-Key": "cloud-city-1"}
        made = client.post("/v1/leagues", json={"name": "Cloud City"}, headers=asked)
        assert made.status_code == 201, made.text
        shown = client.get("/docs", headers={"Accept": "text/html"}, follow_redirects=True)
        assert shown.status_code == 200
        german = client.get("/sign-in", headers={"Accept-Language": "de"})
        assert "Anmelden" in german.text
