"""
Limits on connections: their number, and the time a client may take.

Each connection keeps its own deadline, and one timer checks all of them every second. So a request
costs a few assignments and no timer of its own.
"""

import asyncio
from heapq import nlargest
from typing import Protocol

from service.api.http.wire.proxies import Proxies
from service.base.limits import LimitSettings

HEADER_BYTES_MAX = 32 * 1024
"""Largest size of a request's URL and headers together."""

HEADERS_MAX = 100
"""Largest number of headers in one request."""

LOOK_SECONDS = 1.0

_BUSIEST = 4
"""Number of busiest addresses searched for an idle connection to close."""


class Watched(Protocol):
    """A connection with a deadline."""

    address: str
    deadline: float | None
    """Loop time at which the client is too late, or None while the server works on the request."""

    @property
    def idle(self) -> bool:
        """True if the connection waits for its client and can be closed without loss."""

    def expire(self) -> None:
        """Close the connection of a client that was too slow."""

    def give_way(self) -> None:
        """Close the connection to make room for another."""


class Connections:
    """
    The open connections of one process.

    Args:
        settings: The limits on their number and duration.
        proxies: Trusted proxies. They serve many clients, so the limit per address does not apply.
    """

    def __init__(self, settings: LimitSettings, proxies: Proxies) -> None:
        self.settings = settings
        self.proxies = proxies
        self._open: dict[str, dict[Watched, None]] = {}
        self._number = 0
        self._looking: asyncio.TimerHandle | None = None

    @property
    def number(self) -> int:
        """The number of open connections."""
        return self._number

    def enter(self, connection: Watched) -> bool:
        """
        Count a connection. Return whether there is room for it.

        If the process has too many connections, the oldest idle connection of the busiest address
        is closed. So nobody can lock out others by holding connections.
        """
        own = self._open.get(connection.address)
        full = own is not None and len(own) >= self.settings.address_connections
        if full and not self.proxies.trusts(connection.address):
            return False
        if self._number >= self.settings.connections and not self._make_room():
            return False
        self._open.setdefault(connection.address, {})[connection] = None
        self._number += 1
        if self._looking is None:
            self._look_later()
        return True

    def leave(self, connection: Watched) -> None:
        """Stop counting a connection, if it was counted."""
        own = self._open.get(connection.address)
        if own is None or connection not in own:
            return
        del own[connection]
        self._number -= 1
        if not own:
            del self._open[connection.address]

    def _make_room(self) -> bool:
        for own in nlargest(_BUSIEST, self._open.values(), key=len):
            idle = next((each for each in own if each.idle), None)
            if idle is not None:
                self.leave(idle)
                idle.give_way()
                return True
        return False

    def _look_later(self) -> None:
        self._looking = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look)

    def _look(self) -> None:
        self._looking = None
        now = asyncio.get_running_loop().time()
        late = [
            each
            for own in self._open.values()
            for each in own
            if each.deadline is not None and each.deadline <= now
        ]
        for each in late:
            each.expire()
        if self._number:
            self._look_later()
