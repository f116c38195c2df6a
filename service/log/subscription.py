"""
Waiting for a league to grow: by wake-ups after commits, and by a slow poll without them.

A wake-up is a hint and never carries an event: waiters read by position. Anybody with a login to
the database can send a wake-up, so its content is not trusted.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from uuid import UUID

import asyncpg

from service.base.addresses import asyncpg_dsn
from service.base.drivers import Driver
from service.log.record import league_number
from service.log.store import CHANNEL

_log = logging.getLogger(__name__)

DOORS = "holotable_doors"
"""The channel that reports what an operator has closed or opened, for :class:`Subscription`."""

_POSITIONS = 2**63
_LEAGUES_MAX = 50_000
"""The number of leagues to remember. Beyond it, waiters fall back to polling."""

_AGAIN_SECONDS = 0.2


class Subscription:
    """
    One listening connection for a whole process. It reconnects by itself.

    Args:
      url: A direct connection. LISTEN does not work through a transaction pool.
      poll_seconds: The time after which a waiter looks for itself.
      doors: Called with each payload of :data:`DOORS`, and with None after every connection,
        because payloads may have been missed.
    """

    def __init__(
        self,
        url: str,
        poll_seconds: float = 2.0,
        doors: Callable[[str | None], None] | None = None,
    ) -> None:
        self._dsn = asyncpg_dsn(url)
        self._poll = poll_seconds
        self._doors = doors
        self._known: dict[UUID, int] = {}
        self._told: set[UUID] = set()
        self._news = asyncio.Condition()
        self._listener: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to listen."""
        self._listener = asyncio.create_task(self._listen(), name="log-listener")

    async def aclose(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)

    async def wait_for(
        self, league: str | UUID | None, after: int = -1, timeout: float | None = None
    ) -> bool:
        """
        Wait until a league may have events after a position.

        Args:
          league: ``None`` for any league. Any news is then enough.
          after: Last position the caller has read.
          timeout: The longest wait in seconds, or None. The poll's interval limits it further.

        Returns:
          True if news came. False if it is merely time to look.
        """
        number = league if league is None or isinstance(league, UUID) else league_number(league)
        limit = self._poll if timeout is None else min(timeout, self._poll)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit), self._news:
                if number is None:
                    await self._news.wait()
                else:
                    await self._news.wait_for(lambda: self._known.get(number, -1) > after)
                return True
        return False

    def told(self) -> frozenset[UUID]:
        """Return the leagues that have had news since the last call. Only one caller may use it."""
        told, self._told = self._told, set()
        return frozenset(told)

    async def heard(self) -> Mapping[UUID, int]:
        """
        Wait for news, and return the last positions by league. Only one caller may use it.

        Wake-ups are not trusted, so a position may be wrong.
        """
        async with self._news:
            await self._news.wait_for(lambda: self._told)
            return {league: self._known.get(league, _POSITIONS) for league in self.told()}

    async def _listen(self) -> None:
        told = False
        while True:
            try:
                await self._listen_once()
                told = False
            except Exception as error:  # noqa: BLE001
                # Whatever ended the connection, waiters need a new one. A process that no longer
                # listened would answer only after its slow poll, and nobody would notice.
                if not told:
                    _log.warning("listening was interrupted: %s", type(error).__name__)
                told = True
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _listen_once(self) -> None:
        connection = await asyncpg.connect(
            self._dsn, server_settings={"application_name": "holotable-listen"}
        )
        heard: asyncio.Queue[str | None] = asyncio.Queue()

        def hear(_connection: Driver, _pid: int, _channel: str, payload: object) -> None:
            heard.put_nowait(str(payload))

        connection.add_termination_listener(lambda _connection: heard.put_nowait(None))
        try:
            await connection.add_listener(CHANNEL, hear)
            if self._doors is not None:
                await self._listen_at(self._doors, connection)
            while (payload := await heard.get()) is not None:
                await self._hear(payload)
        finally:
            connection.terminate()
        await asyncio.sleep(0.05)  # the connection ended: listen again

    async def _listen_at(
        self, doors: Callable[[str | None], None], connection: asyncpg.Connection
    ) -> None:
        def heard(_connection: Driver, _pid: int, _channel: str, payload: object) -> None:
            doors(str(payload))

        await connection.add_listener(DOORS, heard)
        doors(None)

    async def _hear(self, payload: str) -> None:
        try:
            league, _, text = payload.partition(":")
            number, position = UUID(hex=league), int(text)
        except ValueError:
            position = -1
        if not 0 <= position < _POSITIONS:
            _log.warning("a malformed wake-up was ignored: %.80r", payload)
            return
        async with self._news:
            if len(self._known) >= _LEAGUES_MAX:
                self._known.clear()
            if len(self._told) >= _LEAGUES_MAX:
                self._told.clear()
            self._known[number] = max(position, self._known.get(number, -1))
            self._told.add(number)
            self._news.notify_all()
