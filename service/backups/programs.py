"""Finding and running PostgreSQL's own ``pg_dump`` and ``pg_restore``."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from psycopg.conninfo import make_conninfo

from service.backups.manifest import BackupRefused
from service.base.addresses import parts
from service.base.children import dying_with
from service.base.embedded import ClusterFailed, binaries

_DEBIAN = Path("/usr/lib/postgresql")
_SAID = 800
"""The number of characters of a program's last output that an error repeats."""


def find(name: str, least: int, best: int, environ: Mapping[str, str]) -> tuple[Path, int]:
    """
    Return a program of PostgreSQL and its major version.

    Args:
        name: ``pg_dump`` or ``pg_restore``.
        least: The lowest sufficient major version.
        best: The server's version. A program of this version is preferred, then the next newer one:
            ``pg_restore`` of a later version sends settings that an older server refuses.

    Raises:
        BackupRefused: If no such program is installed.
    """
    found = {version: file for file in _candidates(name, environ) if (version := _major(file))}
    able = sorted(version for version in found if version >= least)
    if not able:
        have = ", ".join(map(str, sorted(found))) or "none"
        raise BackupRefused(
            f"no {name} of PostgreSQL {least} or newer (found: {have})",
            f"install Debian's postgresql-client-{least} or holotable[embedded], or set "
            "HOLOTABLE_PG_BIN to the folder of the programs",
        )
    version = next((each for each in able if each >= best), able[-1])
    return found[version], version


def run(program: Path, arguments: Sequence[str], url: str) -> None:
    """
    Run *program* on the database at *url*. The password is given in the environment.

    Raises:
        BackupRefused: If the program fails. The message is the end of its output.
    """
    told = parts(url)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    if "password" in told:  # other users of the machine can read arguments
        kept["PGPASSWORD"] = told.pop("password")
    command = [str(program), "--no-password", f"--dbname={make_conninfo('', **told)}", *arguments]
    done = subprocess.run(
        command,
        check=False,
        env=kept | {"LC_ALL": "C"},
        capture_output=True,
        text=True,
        preexec_fn=dying_with(os.getpid(), signal.SIGKILL),  # it must not outlive this process
    )
    if done.returncode:
        raise BackupRefused(
            f"{program.name} failed: {done.stderr.strip()[-_SAID:]}", "see the server's log"
        )


def _candidates(name: str, environ: Mapping[str, str]) -> list[Path]:
    """Return the installed programs. Of two with the same version, the later one is used."""
    found = sorted(_DEBIAN.glob(f"*/bin/{name}"))
    if (on_path := shutil.which(name)) is not None:
        found.append(Path(on_path))
    with suppress(ClusterFailed):  # without an embedded PostgreSQL, the others may be enough
        found.append(binaries(environ) / name)
    return [file for file in found if file.is_file()]


def _major(file: Path) -> int:
    """Return the major version of a program, or 0 if it does not report one."""
    try:
        told = subprocess.run([file, "--version"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    version = re.search(r"\) (\d+)", told.stdout)
    return int(version[1]) if version else 0
