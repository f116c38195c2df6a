"""The PostgreSQL servers that are tried: that of ``holotable[embedded]``, and Debian's."""

import os
import socket
from pathlib import Path

import pytest

from service.base.embedded import binaries

DEBIAN = Path("/usr/lib/postgresql/15/bin")

needs_debian = pytest.mark.skipif(
    not (DEBIAN / "initdb").exists(), reason="Debian's PostgreSQL 15 is not installed"
)

SERVERS = [
    pytest.param(None, id="embedded"),
    pytest.param(DEBIAN, id="15", marks=[needs_debian, pytest.mark.long]),
]


def programs(where: Path | None) -> Path:
    """Return the folder of a server's programs. None stands for the embedded server's."""
    return binaries(os.environ) if where is None else where


def free_port() -> int:
    """Return a port of loopback that nothing uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
