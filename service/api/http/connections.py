"""
Connections: how many there are, and how long one may take over what it sends or reads.

Each connection notes until when it must go on; once a second all are looked through.  A
request costs a few assignments, and no timer of its own.
"""

import asyncio
from heapq import nlargest
from typing import Protocol

from service.api.http.proxies import Proxies
from service.base.limits import LimitSettings

HEADER_BYTES_MAX = 32 * 1024
"""Of a request's line and headers together."""

HEADERS_MAX = 100
"""Of one request."""

LOOK_SECONDS = 1.0

_BUSIEST = 4
"""Addresses with most connections, among which one is looked for that gives way."""


class Watched(Protocol):
    """A connection as it is looked through."""

    address: str
    deadline: float | None
    """When it must have gone on; None while the server is at work on its request."""

    @property
    def idle(self) -> bool:
        """Whether it waits for its client, and nothing is lost if it is closed."""

    def expire(self) -> None:
        """End it: its client took too long."""

    def give_way(self) -> None:
        """End it for another's sake."""


class Connections:
    """
    The open connections of one process.

    Args:
        settings: How many there may be, and for how long.
        proxies: Their connections are many people's: only the whole number bounds them.
    """

    def __init__(self, settings: LimitSettings, proxies: Proxies) -> None:
        self.settings = settings
        self._proxies = proxies
        self._open: dict[str, dict[Watched, None]] = {}
        self._number = 0
        self._looking: asyncio.TimerHandle | None = None

    def enter(self, connection: Watched) -> bool:
        """
        Count a connection; return whether there is room for it.

        If all are taken, the oldest idle connection of the address that holds most gives
        way, so that nobody can shut out others by holding connections.
        """
        own = self._open.get(connection.address)
        full = own is not None and len(own) >= self.settings.address_connections
        if full and not self._proxies.trusts(connection.address):
            return False
        if self._number >= self.settings.connections and not self._make_room():
            return False
        self._open.setdefault(connection.address, {})[connection] = None
        self._number += 1
        if self._looking is None:
            self._look_later()
        return True

    def leave(self, connection: Watched) -> None:
        """Count a connection no more; nothing happens if it was not counted."""
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
