"""Grouped queries: keys that arrive while one statement runs share the next one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

_Key = TypeVar("_Key")
_Answer = TypeVar("_Answer")

_GROUP_MAX = 500
_CLOSE_SECONDS = 2.0


class Grouped(Generic[_Key, _Answer]):
    """
    Looks up many keys at once.

    Args:
      ask: Returns the answers for keys, in the order of the keys.
    """

    def __init__(self, ask: Callable[[Sequence[_Key]], Awaitable[Sequence[_Answer]]]) -> None:
        self._ask = ask
        self._waiting: list[tuple[_Key, asyncio.Future[_Answer]]] = []
        self._asker: asyncio.Task[None] | None = None

    async def of(self, key: _Key) -> _Answer:
        """Return the answer for *key*, read at some moment after this call."""
        answer: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, answer))
        if self._asker is None or self._asker.done():
            self._asker = asyncio.create_task(self._ask_for_all(), name="grouped")
        return await answer

    async def aclose(self) -> None:
        """Wait until all callers have their answers, or for two seconds."""
        if self._asker is not None:
            await asyncio.wait((self._asker,), timeout=_CLOSE_SECONDS)

    async def _ask_for_all(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[:_GROUP_MAX], self._waiting[_GROUP_MAX:]
            keys = list(dict.fromkeys(key for key, _ in group))
            try:
                found = dict(zip(keys, await self._ask(keys), strict=True))
            except Exception as error:  # noqa: BLE001
                # One task asks for all callers. Each of them gets the error, and the next group is
                # still asked.
                for _, answer in group:
                    if not answer.done():
                        answer.set_exception(error)
            else:
                for key, answer in group:
                    if not answer.done():
                        answer.set_result(found[key])
