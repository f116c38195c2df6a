"""Waking those who wait for an event: one listener for the whole process."""

import asyncio

from service.eventstore.subscription import Subscription

POLL_SECONDS = 2.0


class News:
    """
    Lets any number of requests wait for the log's next event.

    A waiter is released by news of any league, by the slow poll, or when the
    process stops; what there is to read it finds out itself.
    """

    def __init__(self, subscription: Subscription, stopping: asyncio.Event) -> None:
        self._subscription = subscription
        self._stopping = stopping
        self._mark = 0
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def mark(self) -> int:
        """How much news there has been; :meth:`after` returns at once if it has grown."""
        return self._mark

    async def start(self) -> None:
        """Begin to listen."""
        await self._subscription.start()
        self._tasks = [
            asyncio.create_task(self._listen(), name="news"),
            asyncio.create_task(self._end(), name="news-end"),
        ]

    async def aclose(self) -> None:
        """Stop listening."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._subscription.aclose()

    async def after(self, mark: int, seconds: float) -> None:
        """Wait for news after *mark*, at most *seconds* and never longer than the poll."""
        if self._mark != mark or self._stopping.is_set():
            return
        try:
            async with asyncio.timeout(min(seconds, POLL_SECONDS)):
                await self._changed.wait()
        except TimeoutError:
            return

    async def _listen(self) -> None:
        while True:
            if await self._subscription.wait_for(None):
                self._tell()

    async def _end(self) -> None:
        await self._stopping.wait()
        self._tell()

    def _tell(self) -> None:
        self._mark += 1
        told, self._changed = self._changed, asyncio.Event()
        told.set()
