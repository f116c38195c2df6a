"""The watch over the children of a stack: their ports, and the health checks there."""

import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Mapping
from typing import Final

from service.base.ports import free_ports, listens

_PLACES: Final = {"api": 0, "project": 1, "signer": 2, "bots": 3, "worker": 6}
"""Each process's offset from the first port, as in docs/operating/monitoring.md."""

_PORTS: Final = 16
_ASK_SECONDS: Final = 10.0
_PATIENCE: Final = 6
"""The number of health checks in a row without an answer after which a process hangs."""


def addresses(given: str | None) -> dict[str, str]:
    """
    Return where each process shows its metrics and its health.

    Args:
      given: The first address, for the API. Without it free ports of this machine are taken.
    """
    host, _, first = (given or f"127.0.0.1:{free_ports(_PORTS)}").rpartition(":")
    return {process: f"{host}:{int(first) + place}" for process, place in _PLACES.items()}


class ProcessWatch:
    """
    Checks now and then whether processes are alive.

    Args:
      addresses: Where each process shows its health. A worker watches its own processes.
    """

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self.addresses = dict(addresses)
        self._due: dict[str, float] = {}
        self._silent: Counter[str] = Counter()

    def hangs(self, process: str) -> bool:
        """Return whether *process* has not answered for a minute."""
        now = time.monotonic()
        if process == "worker" or process not in self.addresses:
            return False
        if now < self._due.setdefault(process, now + _ASK_SECONDS):
            return False
        self._due[process] = now + _ASK_SECONDS
        if answers(f"http://{self.addresses[process]}/livez"):
            self._silent.pop(process, None)
            return False
        self._silent[process] += 1
        if self._silent[process] < _PATIENCE:
            return False
        del self._silent[process]
        return True


def serves(url: str, process: int) -> bool:
    """Return whether *url* answers, and *process* is the one that listens there, not another."""
    port = urllib.parse.urlsplit(url).port
    return port is not None and answers(url) and listens(process, port)


def answers(url: str) -> bool:
    """Return whether *url* answers with 200 within two seconds."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - our own
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
