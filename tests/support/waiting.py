"""Waits for effects of other processes, which do not report them to the test."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

SECONDS_MAX = 60.0
"""The seconds that a busy machine may need for slow work, such as the start of a process."""

_PAUSE_SECONDS = 0.05
"""The pause between two calls of ``ready``."""


def until(ready: Callable[[], Any], seconds: float = SECONDS_MAX) -> Any:
    """Call *ready* until its result is true, and return it. Fail after *seconds*."""
    end = time.monotonic() + seconds
    while not (found := ready()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(_PAUSE_SECONDS)
    return found


async def until_awaited(ready: Callable[[], Awaitable[Any]], seconds: float = SECONDS_MAX) -> Any:
    """Await *ready* until its result is true, and return it. Raise after *seconds*."""
    async with asyncio.timeout(seconds):
        while True:
            if found := await ready():
                return found
            await asyncio.sleep(_PAUSE_SECONDS)
