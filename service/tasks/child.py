"""
One event loop and one desk for each process of a worker, made after the fork.

The loop runs on between tasks, in a thread of its own: opening the next hand goes
on while the process already waits for the next message.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from datetime import timedelta
from uuid import UUID

import structlog

from engine.errors import CommandRejected
from service import jobs
from service.desk import GONE, Desk, open_desk
from service.errors import CheckpointRefused
from service.settings import Settings
from service.tasks.duties import DUTIES, LONG

_log = structlog.get_logger(__name__)


class Child:
    """
    What a process of a worker does its tasks with.

    Args:
        settings: Those of the worker.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="duties", daemon=True)
        self._stack = AsyncExitStack()
        self._desk: Desk | None = None
        self.busy = False
        """Whether a task is being done; also between two lines of a signal's handler."""

    def start(self) -> None:
        """Start the loop; the desk is opened by the first task, when a database may be there."""
        self._thread.start()

    def perform(self, job_id: UUID, claim: int, task: str, args: Mapping[str, str]) -> None:
        """
        Do one claimed job in the loop and wait for it, but never past its lease.

        Raises:
            TimeoutError: If the lease ran out; the job is given up, and somebody else's.
        """
        self.busy = True
        future = asyncio.run_coroutine_threadsafe(
            self._perform(job_id, claim, task, args), self._loop
        )
        limit = self._settings.lease_seconds if DUTIES[task].queue != LONG else None
        try:
            future.result(limit)
        finally:
            future.cancel()
            self.busy = False

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

    A refusal, by the rules or by the signer, ends the job: asking again would be refused again.

    Raises:
        Exception: Whatever else went wrong, after the job was given back.
    """
    refused = again_at = None
    duty = DUTIES[task]
    lease = timedelta(seconds=desk.settings.lease_seconds)
    try:
        if not await jobs.begin(desk.pool, job_id, claim, lease):
            return
        async with _renewing(desk, job_id, claim, lease) if duty.queue == LONG else nullcontext():
            again_at = await duty.do(desk, args)
    except (CommandRejected, CheckpointRefused) as refusal:
        refused = refusal.code
        _log.info("job refused", task=task, code=refusal.code, **args)
    except Exception as error:
        # Whatever a duty met, its job goes back before the error goes on to the process.
        await _give_back(desk, job_id, claim, error)
        raise
    await jobs.finish(desk.pool, job_id, claim, again_at=again_at, refused=refused)


async def _give_back(desk: Desk, job_id: UUID, claim: int, error: Exception) -> None:
    what = f"{type(error).__name__}: {error}"
    try:
        await jobs.fail(desk.pool, job_id, claim, what, hopeless=isinstance(error, jobs.Hopeless))
    except GONE as away:
        _log.warning("a job waits for its lease to end", job=str(job_id), error=str(away))


@asynccontextmanager
async def _renewing(desk: Desk, job_id: UUID, claim: int, lease: timedelta) -> AsyncIterator[None]:
    """Keep a claim alive for as long as its work takes."""

    async def renew() -> None:
        while True:
            await asyncio.sleep(lease.total_seconds() / 3)
            try:
                await jobs.renew(desk.pool, job_id, claim, lease)
            except GONE as away:
                _log.warning("a lease was not renewed", job=str(job_id), error=str(away))

    renewal = asyncio.create_task(renew(), name="lease")
    try:
        yield
    finally:
        renewal.cancel()
        await asyncio.gather(renewal, return_exceptions=True)
