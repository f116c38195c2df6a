"""An operator is told the actual reason of an error, and not a likely one."""

import errno
import socket

import pytest
import sqlalchemy as sa

from service.base.database import is_away
from service.process.failures import explained
from tests.support.commands import in_fork

GONE = FileNotFoundError(errno.ENOENT, "No such file or directory", "migrations/sql/append.sql")
FULL = OSError(errno.ENOSPC, "No space left on device")
CLOSED = PermissionError(errno.EACCES, "Permission denied", b"/run/holotable")
NO_SOCKET = FileNotFoundError(errno.ENOENT, "No such file or directory")
"""The error of asyncpg for a server whose socket is missing."""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (GONE, "migrations/sql/append.sql: No such file or directory"),
        (FULL, "the disk: No space left on device"),
        (CLOSED, "/run/holotable: Permission denied"),
    ],
)
def test_a_file_or_a_disk_is_not_called_the_database(error: OSError, said: str) -> None:
    """Nor does a process wait for the database to come back."""
    told = explained(error)
    assert told is not None
    assert told[:2] == (3, said)
    assert not is_away(error)


@pytest.mark.parametrize(
    "error",
    [
        NO_SOCKET,
        ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed"),
        socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
        OSError(errno.EHOSTUNREACH, "No route to host"),
        TimeoutError(),
    ],
)
def test_a_server_that_is_not_reached_is_the_database(error: OSError) -> None:
    told = explained(error)
    assert told is not None
    assert (told[0], "the database is not available" in told[1]) == (3, True)
    assert is_away(error)
    assert is_away(sa.exc.InterfaceError("SELECT 1", None, error))


def test_a_command_names_the_file_that_it_cannot_use() -> None:
    settings = {
        "HOLOTABLE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "HOLOTABLE_SECRET_KEY": "5a" * 32,
    }
    refused = in_fork(("backup", "/dev/null/backups/night"), settings)
    assert (refused.returncode, "database" in refused.stderr) == (3, False), refused.stderr
    assert "/dev/null" in refused.stderr
