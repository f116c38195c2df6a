"""Ports for later are none that connections take, and whoever has a taken one is named."""

import os
import re
import socket
from pathlib import Path

import pytest

from service.base import metrics, ports
from service.base.ports import free_ports, listens, taken
from service.base.settings import SettingsInvalid

MINE = rf"process {os.getpid()} \([^)]+\); end it, or take another port"


@pytest.mark.parametrize(
    ("of_connections", "below"),
    [
        ("12000\t60999\n", 12_000),
        ("32768\t60999\n", 32_768),
        # Too few are left below these.
        ("1024\t65535\n", 65_535),
        ("10100\t65535\n", 65_535),
        # Hidden from a process.
        (None, 65_535),
    ],
)
def test_a_port_for_later_is_given_once_and_never_to_an_outgoing_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_connections: str | None, below: int
) -> None:
    monkeypatch.setattr(ports, "_OF_CONNECTIONS", tmp_path / "range")
    if of_connections is not None:
        (tmp_path / "range").write_text(of_connections)
    given = [free_ports() for _ in range(100)]
    assert len(set(given)) == 100
    assert (10_000 + below) // 2 < max(given) < below


@pytest.mark.parametrize("host", ["192.0.2.7", "no such host"])
def test_a_host_that_is_not_of_this_machine_has_no_free_port(host: str) -> None:
    with pytest.raises(OSError, match=r"Cannot assign requested address|Name or service not known"):
        free_ports(host=host)


def test_a_taken_port_is_said_where_its_user_is_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped units hide all of /proc but processes. A table may also be refused."""
    assert all(table.is_relative_to("/proc/self") for table in ports._TABLES)
    monkeypatch.setattr(ports, "_TABLES", (tmp_path,))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert taken(port).startswith(f"port {port} is taken by another program; ")


def test_the_user_of_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as connection:
            assert re.fullmatch(f"port {port} is taken by {MINE}", taken(port))
            own = connection.getsockname()[1]
            assert re.fullmatch(f"port {own} is taken by a connection of {MINE}", taken(own))
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        assert "is taken by another program" in taken(bound.getsockname()[1])


def test_an_ended_connection_does_not_hide_the_user_of_a_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as first:
        own = ("127.0.0.1", free_ports())
        for _ in range(16):
            with socket.create_server(("127.0.0.1", 0)) as other:
                ended = connected(own, other)
                ended.close()  # before the other side, and so it is listed for a minute more
                other.accept()[0].close()
        with connected(own, first):
            assert re.fullmatch(f"port {own[1]} is taken by a connection of {MINE}", taken(own[1]))


def connected(own: tuple[str, int], listener: socket.socket) -> socket.socket:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    connection.bind(own)
    connection.connect(listener.getsockname())
    return connection


def test_metrics_say_who_has_their_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(SettingsInvalid, match=f"port {port} is taken by {MINE}"):
            metrics.serve(f"127.0.0.1:{port}")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user for a moment")
def test_a_process_whose_files_nobody_may_see_is_taken_at_its_word() -> None:
    """The API hides its files from its own user, for whom `up` would otherwise never be up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port, me = listener.getsockname()[1], os.getpid()
        assert listens(me, port)
        assert not listens(1, port)
        other = os.fork()
        if other == 0:
            os.setuid(65_534)
            os._exit(0 if listens(me, port) else 1)
        assert os.waitpid(other, 0)[1] == 0
