"""A fault that finds no target is left out, and the run goes on."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.chaos.faults import Missed, disturb_queue
from tests.chaos.rabbit import Broker
from tests.chaos.room import Room


def test_messages_of_a_broker_that_is_starting_are_left_alone(tmp_path: Path) -> None:
    """Its process runs, and nobody listens yet."""
    broker = Broker(tmp_path / "rabbit")
    room = Room(tmp_path, broker=broker)
    idle = [sys.executable, "-c", "input()"]
    with room.sockets, subprocess.Popen(idle, stdin=subprocess.PIPE) as starting:
        broker._running = starting
        with pytest.raises(Missed, match="the broker does not answer"):
            disturb_queue(room, Random(1))
