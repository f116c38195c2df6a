"""
The database of the simulation, and each process's connection to it.

The log, the relations and the read models are in memory, and never lose a commit. A way is a
process's connection. It takes time, breaks before or after the database has done its work, and ends
with its process.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from service.log.keys import LeagueKeys
from service.log.read import CHUNK
from service.log.record import Append, Disconnected, Outcome, Recorded
from service.log.subscription import Subscription
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.world import SeededEntropy, SeededStore
from tests.simulation.loop import SimulatedLoop
from tests.simulation.reads import Reads
from tests.simulation.relations import Given, Relations

Watch = Callable[[UUID, list[Recorded]], None]
"""Called after each append, with the league and the new events."""


class Chaos:
    """
    The faults, and how often they happen.

    Args:
        dice: The source of every choice.
    """

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.on = True
        self.away = False
        """True while the database answers no process."""

        self.counts: dict[str, int] = {}
        """The number of times that each fault has happened."""

    def happens(self, fault: str, chance: float) -> bool:
        """Return whether *fault* happens now, and count it."""
        if not self.on or not self.dice.happens(chance):
            return False
        self.counts[fault] = self.counts.get(fault, 0) + 1
        return True

    async def pause(self, most: float = 0.03) -> None:
        """Take some time: usually little, sometimes much."""
        slow = self.happens("delay", 0.02)
        await asyncio.sleep(self.dice.below(1000) / 1000 * (3.0 if slow else most))

    async def reach(self) -> None:
        """
        Reach the database.

        Raises:
            OSError: If the connection breaks.
        """
        await self.pause(0.004)
        if self.away or self.happens("database lost before", 0.003):
            raise ConnectionResetError("the connection broke before the statement")

    async def come_back(self) -> None:
        """
        Bring the answer back.

        Raises:
            OSError: If the connection breaks, although the statement was done.
        """
        await self.pause(0.004)
        if self.happens("database lost after", 0.01):
            raise ConnectionResetError("the connection broke after the statement")


class Server(SeededStore):
    """
    The database's log.

    Args:
        entropy: The source of keys and IVs.
        now: The database's clock.
        loop: The loop, whose trace notes each append.
    """

    def __init__(
        self, entropy: SeededEntropy, now: Callable[[], datetime], loop: SimulatedLoop
    ) -> None:
        super().__init__(entropy)
        self._now = now
        self.now = now
        self._loop = loop
        self.relations = Relations(self, now)
        self.reads = Reads(self, now)
        self.watch: Watch = lambda _league, _rows: None
        self.listeners: dict[object, Listener] = {}

    @property
    def leagues(self) -> list[UUID]:
        """The leagues that have a log."""
        return list(self._events)

    def rows(self, league: UUID) -> list[Recorded]:
        """Return a league's whole log."""
        return self._events.get(league, [])

    def made(self, league: UUID) -> LeagueKeys:
        """Return the keys of a league that has a log."""
        return self._made[league]

    async def append(
        self, league: UUID, epoch: int, appends: Sequence[Append], checked: bool = False
    ) -> Outcome:
        """Append, note the append in the trace, and call the watch."""
        before = len(self.rows(league))
        outcome = await super().append(league, epoch, appends, checked)
        new = self.rows(league)[before:]
        if new:
            self._loop.note("commit", new[-1].position, new[-1].hash.hex())
            self.watch(league, new)
        return outcome


class Listener(Subscription):
    """A process's wake-ups. They come late, twice, or never."""

    def __init__(self, chaos: Chaos) -> None:
        super().__init__("postgresql://nobody@nowhere/nothing", 1.0)
        self._chaos = chaos
        self._heard: asyncio.Queue[str] = asyncio.Queue()

    async def _listen_once(self) -> None:
        while True:
            payload = await self._heard.get()
            await self._chaos.pause()
            await self._hear(payload)

    def notify(self, payload: str) -> None:
        """Send a wake-up on its way."""
        if not self._chaos.happens("wake-up lost", 0.1):
            self._heard.put_nowait(payload)
        if self._chaos.happens("wake-up doubled", 0.05):
            self._heard.put_nowait(payload)


class Way:
    """
    A process's way to the log, a ``service.log.store.Store``.

    Args:
        server: The log itself.
        chaos: The faults on the way.
    """

    def __init__(self, server: Server, chaos: Chaos) -> None:
        self._server = server
        self._chaos = chaos

    async def start(self) -> None:
        """Do nothing."""

    async def aclose(self) -> None:
        """Do nothing."""

    async def append(
        self, league: UUID, epoch: int, appends: Sequence[Append], checked: bool = False
    ) -> Outcome:
        """Append. If the way breaks afterwards, the log still has the events."""
        await self._there()
        outcome = await self._server.append(league, epoch, appends, checked)
        await self._back()
        return outcome

    @asynccontextmanager
    async def turn(self, _league: UUID) -> AsyncIterator[None]:
        """Do nothing, because no process may rely on a turn."""
        yield

    async def stream(
        self, league: UUID, stream: str, after_version: int = 0, limit: int = CHUNK
    ) -> list[Recorded]:
        """Return events of a stream, oldest first."""
        await self._there()
        return await self._server.stream(league, stream, after_version, limit)

    async def head(self, league: UUID, stream: str) -> tuple[int, bytes] | None:
        """Return the version and hash of a stream's last event."""
        await self._there()
        return await self._server.head(league, stream)

    async def books(
        self, league: UUID, stream: str, closing: str, limit: int = CHUNK
    ) -> list[Recorded]:
        """Return a stream's first event, and the events from the one before its last *closing*."""
        await self._there()
        return await self._server.books(league, stream, closing, limit)

    async def league(
        self, league: UUID, after_position: int = -1, limit: int = CHUNK
    ) -> list[Recorded]:
        """Return events of a league, in the order of their positions."""
        await self._there()
        return await self._server.league(league, after_position, limit)

    async def ends(self, leagues: Sequence[UUID]) -> dict[UUID, tuple[int, bytes]]:
        """Return the position and hash of the last event of each league that has one."""
        await self._there()
        return await self._server.ends(leagues)

    async def request_of(self, league: UUID, event: UUID) -> str | None:
        """Return the digest of the request that caused an event, or None without the event."""
        await self._there()
        return await self._server.request_of(league, event)

    async def epoch(self, league: UUID) -> int:
        """Return a league's epoch."""
        await self._there()
        return await self._server.epoch(league)

    async def time(self, league: UUID) -> tuple[datetime | None, datetime | None]:
        """Return the time by the log's clock, and the instant of a league's last event."""
        await self._there()
        return await self._server.time(league)

    async def voided(self, league: UUID) -> frozenset[int]:
        """Return the positions of a league's voided events."""
        await self._there()
        return await self._server.voided(league)

    async def keys(self, league: UUID) -> LeagueKeys:
        """Return a league's keys. Every process remembers them."""
        return await self._server.keys(league)

    def wake(self, league: UUID, position: int) -> None:
        """Send a wake-up to all listeners."""
        for listener in self._server.listeners.values():
            listener.notify(f"{league.hex}:{position}")

    async def _there(self) -> None:
        try:
            await self._chaos.reach()
        except OSError as error:
            raise Disconnected(str(error)) from error

    async def _back(self) -> None:
        try:
            await self._chaos.come_back()
        except OSError as error:
            raise Disconnected(str(error)) from error


class Pool:
    """A process's connections for jobs and heartbeats, as asyncpg offers them."""

    def __init__(self, relations: Relations, chaos: Chaos) -> None:
        self._relations = relations
        self._chaos = chaos

    async def fetch(self, statement: str, *given: Any, **_how: object) -> list[Any]:
        """Return the rows of *statement*."""
        return await self._ask(statement, given)

    async def fetchrow(self, statement: str, *given: Any, **_how: object) -> Any:
        """Return the first row of *statement*, or None."""
        rows = await self._ask(statement, given)
        return rows[0] if rows else None

    async def fetchval(self, statement: str, *given: Any, **_how: object) -> Any:
        """Return the first column of the first row of *statement*, or None."""
        rows = await self._ask(statement, given)
        return 1 if rows else None

    async def execute(self, statement: str, *given: Any, **_how: object) -> None:
        """Execute *statement*."""
        await self._ask(statement, given)

    async def close(self) -> None:
        """Do nothing."""

    async def _ask(self, statement: str, given: Given) -> list[Any]:
        await self._chaos.reach()
        rows = self._relations.ask(statement, given)
        await self._chaos.come_back()
        return rows
