"""Ports for later are none that connections take, and whoever has a taken one is named."""

import os
import re
import socket
from pathlib import Path

import pytest

from service.base import metrics
from service.base.ports import free_ports, taken
from service.base.settings import SettingsInvalid

MINE = rf"process {os.getpid()} \([^)]+\); end it, or take another port"


def test_a_port_for_later_is_given_once_and_never_to_an_outgoing_connection() -> None:
    of_connections = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii")
    given = [free_ports() for _ in range(100)]
    assert len(set(given)) == 100
    assert max(given) < int(of_connections.split()[0])


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


def test_metrics_say_who_has_their_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(SettingsInvalid, match=f"port {port} is taken by {MINE}"):
            metrics.serve(f"127.0.0.1:{port}")
