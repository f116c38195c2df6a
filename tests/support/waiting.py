"""Waiting for what another process does, which nothing here is told of."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

_PAUSE_SECONDS = 0.05
"""Between two questions."""


def until(ready: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Return the first true answer of *ready*; fail after *seconds*."""
    end = time.monotonic() + seconds
    while not (found := ready()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(_PAUSE_SECONDS)
    return found


async def until_awaited(ready: Callable[[], Awaitable[Any]], seconds: float = 20.0) -> Any:
    """Return the first true answer of *ready*; ``TimeoutError`` after *seconds*."""
    async with asyncio.timeout(seconds):
        while True:
            if found := await ready():
                return found
            await asyncio.sleep(_PAUSE_SECONDS)
