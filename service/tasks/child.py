"""
One event loop and one desk for each child of a worker, made after the fork.

The loop runs on between tasks, in a thread of its own: opening the next hand goes
on while the child already waits for the next message.
"""

import asyncio
import threading
from collections.abc import Mapping
from contextlib import AsyncExitStack
from uuid import UUID

import structlog

from engine.errors import CommandRejected
from service import jobs
from service.desk import Desk, open_desk
from service.settings import Settings
from service.tasks.duties import DUTIES

_log = structlog.get_logger(__name__)


class Child:
    """
    What a worker's child does its tasks with.

    Args:
        settings: Those of the worker.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="duties", daemon=True)
        self._stack = AsyncExitStack()
        self._desk: Desk | None = None

    def start(self) -> None:
        """Start the loop; the desk is opened by the first task, when a database may be there."""
        self._thread.start()

    def perform(self, job_id: UUID, claim: int, task: str, args: Mapping[str, str]) -> None:
        """Do one claimed job in the loop and wait for it, but never past its lease."""
        future = asyncio.run_coroutine_threadsafe(
            self._perform(job_id, claim, task, args), self._loop
        )
        limit = self._settings.lease_seconds if DUTIES[task][0] != "long" else None
        future.result(limit)

    def stop(self) -> None:
        """Close the desk and end the loop."""
        asyncio.run_coroutine_threadsafe(self._stack.aclose(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    async def _perform(self, job_id: UUID, claim: int, task: str, args: Mapping[str, str]) -> None:
        if self._desk is None:
            self._desk = await self._stack.enter_async_context(open_desk(self._settings))
        await perform(self._desk, job_id, claim, task, args)


async def perform(desk: Desk, job_id: UUID, claim: int, task: str, args: Mapping[str, str]) -> None:
    """
    Do one claimed job and record what became of it.

    A refusal by the rules ends the job: asking again would be refused again.

    Raises:
        Exception: Whatever else went wrong, after the job was given back.
    """
    if not await jobs.begin(desk.pool, job_id, claim):
        return
    refused = again_at = None
    try:
        again_at = await DUTIES[task][1](desk, args)
    except CommandRejected as refusal:
        refused = refusal.code
        _log.info("job refused", task=task, code=refusal.code, **args)
    except Exception as error:
        await jobs.fail(desk.pool, job_id, claim, f"{type(error).__name__}: {error}")
        raise
    await jobs.finish(desk.pool, job_id, claim, again_at=again_at, refused=refused)
