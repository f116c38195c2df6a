"""Where streams end: whoever asks while one question is under way shares the next one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

Head = tuple[int, bytes] | None
"""Version and hash of a stream's last event; None if it has none."""

_Place = tuple[UUID, str]

_GROUP_MAX = 500


class Heads:
    """
    Asks for many streams at once.

    Args:
        ask: Returns the heads of streams, in their order.
    """

    def __init__(self, ask: Callable[[Sequence[_Place]], Awaitable[list[Head]]]) -> None:
        self._ask = ask
        self._waiting: list[tuple[_Place, asyncio.Future[Head]]] = []
        self._asker: asyncio.Task[None] | None = None

    async def of(self, league: UUID, stream: str) -> Head:
        """Return a stream's head as it is at a moment after this was called."""
        answer: asyncio.Future[Head] = asyncio.get_running_loop().create_future()
        self._waiting.append(((league, stream), answer))
        if self._asker is None or self._asker.done():
            self._asker = asyncio.create_task(self._ask_for_all(), name="heads")
        return await answer

    async def aclose(self) -> None:
        """Answer whoever waits."""
        if self._asker is not None:
            await asyncio.gather(self._asker, return_exceptions=True)

    async def _ask_for_all(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[:_GROUP_MAX], self._waiting[_GROUP_MAX:]
            places = list(dict.fromkeys(place for place, _ in group))
            try:
                found = dict(zip(places, await self._ask(places), strict=True))
            except Exception as error:  # noqa: BLE001
                # One task asks for everybody who waits; whatever it met is raised in each
                # of them, and the next group is still asked for.
                for _, answer in group:
                    if not answer.done():
                        answer.set_exception(error)
            else:
                for place, answer in group:
                    if not answer.done():
                        answer.set_result(found[place])
