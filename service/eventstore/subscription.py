"""
Waiting for a league to grow: woken after commits, and by a slow poll when no wake-up comes.

A wake-up is a hint and never carries an event; whoever waits reads by position.
"""

import asyncio
import contextlib
import logging
from typing import Any
from uuid import UUID

import asyncpg

from service.eventstore.append import GONE
from service.eventstore.record import league_number
from service.eventstore.store import CHANNEL

_log = logging.getLogger(__name__)


class Subscription:
    """
    One listening connection for a whole process; it reconnects by itself.

    Args:
        url: A direct connection; LISTEN does not work through a transaction pool.
        poll_seconds: After this a waiter looks for itself.
    """

    def __init__(self, url: str, poll_seconds: float = 2.0) -> None:
        self._dsn = "postgresql://" + url.partition("://")[2]
        self._poll = poll_seconds
        self._known: dict[UUID, int] = {}
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
            league: ``None`` for any league; then any news is enough.
            after: Last position the caller has read.
            timeout: Seconds; the poll's interval if shorter or not given.

        Returns:
            True if news came; False if it is merely time to look.
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

    async def _listen(self) -> None:
        told = False
        while True:
            try:
                await self._listen_once()
                told = False
            except GONE as error:
                if not told:
                    _log.warning("listening was interrupted: %s", type(error).__name__)
                told = True
                await asyncio.sleep(0.2)

    async def _listen_once(self) -> None:
        connection = await asyncpg.connect(
            self._dsn, server_settings={"application_name": "holotable-listen"}
        )
        heard: asyncio.Queue[str | None] = asyncio.Queue()

        def hear(_connection: Any, _pid: int, _channel: str, payload: Any) -> None:
            heard.put_nowait(str(payload))

        connection.add_termination_listener(lambda _connection: heard.put_nowait(None))
        try:
            await connection.add_listener(CHANNEL, hear)
            while (payload := await heard.get()) is not None:
                league, _, position = payload.partition(":")
                async with self._news:
                    number = UUID(hex=league)
                    self._known[number] = max(int(position), self._known.get(number, -1))
                    self._news.notify_all()
        finally:
            connection.terminate()
        await asyncio.sleep(0.05)  # the connection ended: listen again
