"""
Threads for work that would block the event loop, with a pool for each kind of work.

A pool is bounded twice: by its threads, and by the work that may wait for one. Further work is
refused at once. A flood of one kind therefore delays nothing else and never fills the memory.
Nothing else in the service hands work to a thread, and a test enforces it.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from service.base.errors import Overloaded

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


class Pool:
    """
    A few threads, with a bounded queue.

    Args:
      name: The name of its threads. A refusal says that it is busy.
      threads: Pieces of work done at a time.
      waiting: Pieces of work that may wait for a thread.
      each: Pieces of work, waiting or under way, of one client. The default is the whole
        pool. The limit keeps a single client from filling the queue for all others.
    """

    def __init__(self, name: str, *, threads: int, waiting: int, each: int | None = None) -> None:
        self.name = name
        self._most = threads + waiting
        self._each = each or self._most
        self._held: Counter[str | None] = Counter()
        self._total = 0
        self._lock = threading.Lock()
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def run(
        self, client: str | None, work: Callable[_P, _Result], *args: _P.args, **kwargs: _P.kwargs
    ) -> _Result:
        """
        Run *work* in a thread of this pool and return its result.

        If the caller is cancelled, its place stays taken until the work is over.

        Args:
          client: The address or account that the work is for, or None for the house's own work,
            which only the pool bounds.

        Raises:
          Overloaded: If the queue is full, or this client's part of it.
        """

        def held() -> _Result:
            try:
                return work(*args, **kwargs)
            finally:
                self._leave(client)

        self._enter(client)
        try:
            future = asyncio.get_running_loop().run_in_executor(self._executor, held)
        except BaseException:
            self._leave(client)
            raise
        return await asyncio.shield(future)

    def _enter(self, client: str | None) -> None:
        with self._lock:
            own = client is not None and self._held[client] >= self._each
            if own or self._total >= self._most:
                raise Overloaded(
                    f"too much work is waiting for {self.name}; try again", busy=self.name
                )
            self._total += 1
            if client is not None:
                self._held[client] += 1

    def _leave(self, client: str | None) -> None:
        with self._lock:
            self._total -= 1
            if client is not None:
                self._held[client] -= 1
                if not self._held[client]:
                    del self._held[client]


HASHING = Pool("password hashing", threads=2, waiting=256, each=64)
"""Passwords: 20 MB and about 30 ms each. A full queue lasts about four seconds."""

EXPANSION = Pool("calendar expansion", threads=1, waiting=64, each=8)
"""Recurrence rules. Each is bounded in steps, see ``service.schedule.rules``."""

SIMULATION = Pool("simulated evenings", threads=1, waiting=16, each=3)
"""
Simulated evenings, invented seasons, and checks of formulas. Each is bounded to about a second.
"""

COUNTING = Pool("counting standings", threads=1, waiting=256, each=8)
"""Standings by a season's own formula: up to a millisecond a player."""

COMPRESSION = Pool("compression", threads=1, waiting=16)
"""Long answers. If the queue is full, an answer is sent as it is."""

PACKING = Pool("packing archives", threads=1, waiting=256)
"""Archives for people to take away. Each step packs a few hundred lines."""

LOOKING_UP = Pool("looking up names", threads=64, waiting=64, each=8)
"""Names of hosts that other people choose. A name server that does not answer holds a thread."""

MAILING = Pool("sending mail", threads=2, waiting=16)
"""Conversations with the operator's mail server. A worker has one at a time."""

PAGES = Pool("the document of the API", threads=1, waiting=256, each=16)
"""The document and its pages: about two seconds for the first request, then nothing."""

DRAWING = Pool("drawing codes", threads=1, waiting=256, each=128)
"""QR codes: 20 ms each. A page draws one after the other, or its images count for one account."""
