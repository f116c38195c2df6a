"""
Sharing: strangers who ask for the same part at the same time get one rendering.

After a change, the pages of all spectators ask for the same part within a third of a second. Each
waits a moment for the others, and the part is made after the last of them has asked. So nobody gets
a part that is older than the change that they heard of, and no cache has to be invalidated.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

TOGETHER_SECONDS = 0.1

Made = TypeVar("Made")


class Sharing(Generic[Made]):
    """The parts that strangers are waiting for."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, asyncio.Task[Made]] = {}

    async def of(self, key: Hashable, make: Callable[[], Awaitable[Made]]) -> Made:
        """
        Return the result of *make*, which is called once for all who wait under *key*.

        Args:
            key: Everything that the result depends on, apart from the time.

        Raises:
            Exception: What *make* raised, for everybody who waited.
        """
        found = self._waiting.get(key)
        if found is None:
            found = self._waiting[key] = asyncio.create_task(self._made(key, make))
            found.add_done_callback(_noted)
        return await asyncio.shield(found)

    async def _made(self, key: Hashable, make: Callable[[], Awaitable[Made]]) -> Made:
        await asyncio.sleep(TOGETHER_SECONDS)
        del self._waiting[key]  # later callers may know of a later change
        return await make()


def _noted(task: asyncio.Task[Made]) -> None:
    """Take the error of a task whose readers have all gone away."""
    if not task.cancelled():
        task.exception()
