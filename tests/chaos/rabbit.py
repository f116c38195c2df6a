"""RabbitMQ as the broker of a run: a node that may be killed, and messages that go astray."""

import os
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

from kombu import Connection

from service.tasks.duties import PLAY
from tests.deploy.parts import START_SECONDS, Rabbit
from tests.support.waiting import until

_LOOK_SECONDS: Final = 0.005


class Broker:
    """
    A node of Debian's RabbitMQ, as a context manager.

    Args:
        folder: Gets its data and logs.
    """

    def __init__(self, folder: Path) -> None:
        self.rabbit = Rabbit(folder)
        self._names, self._node = ExitStack(), ExitStack()
        self._pid = 0

    @property
    def url(self) -> str:
        """The address for workers."""
        return self.rabbit.url

    def __enter__(self) -> Self:
        self._names.enter_context(self.rabbit.names())
        self.begin()
        until(self.rabbit.ready, START_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._node.close()
        self._names.close()

    def begin(self) -> None:
        """Start the node, and do not wait for it."""
        self._running = self._node.enter_context(self.rabbit.node())

    def ended(self) -> bool:
        """Return whether the node has ended."""
        return self._running.poll() is not None

    def kill(self) -> int:
        """Kill the node with all its processes. Return the process id of the first."""
        pid = self._running.pid
        os.killpg(pid, signal.SIGKILL)
        self._running.wait()
        self._node.close()
        return pid

    def disturb(self, seconds: float) -> tuple[int, int]:
        """
        Take messages that wait for a worker, lose every third one, and send all others twice.

        Returns:
            How many were lost, and how many doubled.
        """
        lost = doubled = 0
        end = time.monotonic() + seconds
        with Connection(self.url, connect_timeout=2) as connection:
            channel = connection.default_channel
            while time.monotonic() < end:
                found = channel.basic_get(PLAY)
                if found is None:
                    time.sleep(_LOOK_SECONDS)  # a queue tells a mere reader nothing
                    continue
                if (lost + doubled) % 3 == 2:
                    lost += 1
                else:
                    doubled += 1
                    for _ in range(2):
                        channel.basic_publish(found, "", PLAY)
                channel.basic_ack(found.delivery_tag)
        return lost, doubled
