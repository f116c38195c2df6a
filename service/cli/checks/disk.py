"""The check of the disks: of this folder, and of PostgreSQL's."""

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Final

import asyncpg

from service.base.settings import Settings
from service.cli.checks.finding import CheckFailed, Fault

DISK_FREE: Final = 0.1
"""The share of a disk that should be free."""

_FOLDER = """
    SELECT current_setting('data_directory') WHERE pg_has_role('pg_read_all_settings', 'USAGE')
"""
_SESSION = """
    SELECT pg_backend_pid(), format('%s %s', session_user, current_database())
     WHERE inet_server_addr() IS NULL OR inet_server_addr() << '127.0.0.0/8'
"""
_PROCESSES: Final = Path("/proc")


async def disk(connection: asyncpg.Connection, _settings: Settings) -> str:
    """Enough of the disk is free: for this folder, and for PostgreSQL if it is on this machine."""
    found = {"this folder": _free(Path.cwd())}
    if (folder := await _data_folder(connection)) is not None:
        found[str(folder)] = _free(folder)
    faults, seen = [], []
    for name, space in found.items():
        if space is None:  # PostgreSQL is on another machine, or this user may not look
            continue
        free, total = space
        seen.append(f"{free / 1e9:.1f} GB are free at {name}")
        if free < DISK_FREE * total:
            step = (
                "enlarge the disk, or look for what can go: `holotable prune --dry-run`; "
                "PostgreSQL stops when its disk is full"
            )
            faults.append(Fault(f"only {seen[-1]}, of {total / 1e9:.1f} GB", step))
    if faults:
        raise CheckFailed(faults)
    if folder is None or found[str(folder)] is None:
        seen.append("PostgreSQL's own disk was not found from here: look at it there, with `df`")
    return "; ".join(seen)


def _free(folder: Path) -> tuple[int, int] | None:
    """Return the free and all bytes of a folder's disk, or None if it cannot be seen."""
    try:
        total, _, free = shutil.disk_usage(folder)
    except OSError:
        return None
    return free, total


async def _data_folder(connection: asyncpg.Connection) -> Path | None:
    """
    Return the folder of PostgreSQL's data, or None if nothing shows it for certain.

    Few logins may ask the server. On its machine, the command line of the server shows the folder.
    """
    told = await connection.fetchval(_FOLDER)
    if told is not None:
        return Path(told)
    session = await connection.fetchrow(_SESSION)
    return None if session is None else _of_server(*session)


def _of_server(pid: int, title: str) -> Path | None:
    """Return the ``-D`` of the server whose process *pid* serves this session, as *title* says."""
    try:
        served = (_PROCESSES / str(pid) / "cmdline").read_bytes()
        # In a container the same number may be another process.
        if not served.startswith(b"postgres: ") or f"{title} ".encode() not in served:
            return None
        # The name in parentheses may hold anything.
        _, _, rest = (_PROCESSES / str(pid) / "stat").read_text().rpartition(")")
        parent = _PROCESSES / rest.split()[1]
        arguments = (parent / "cmdline").read_bytes().decode().split("\0")
    except (OSError, UnicodeDecodeError):
        return None
    folder = Path(dict(pairwise(arguments)).get("-D", ""))
    return folder if folder.is_absolute() and _may_be_data(folder) else None


def _may_be_data(folder: Path) -> bool:
    """Return whether *folder* may hold data, and not only settings. Data are closed to others."""
    try:
        return (folder / "PG_VERSION").exists()
    except PermissionError:
        return True
