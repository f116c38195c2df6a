"""
The event loop and the runtime of one worker process, made after the fork.

The loop keeps running between tasks, in its own thread. The next hand can open while the process
already waits for the next message.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from datetime import timedelta
from uuid import UUID

import structlog

from engine.errors import CommandRejected
from service.base import metrics
from service.base.database import is_away, is_of_the_disk
from service.base.errors import (
    CheckpointRefused,
    LeagueKeyUnknown,
    LeagueSuspended,
    StoreUnavailable,
    UnderMaintenance,
)
from service.base.health import beating
from service.base.settings import Settings
from service.base.telemetry import request_id, working_for
from service.director.runtime import GONE, Runtime, open_runtime
from service.tasks import jobs
from service.tasks.duties import DUTIES, PLAY

_WAITS = StoreUnavailable, LeagueKeyUnknown, LeagueSuspended, UnderMaintenance

SUBJECTS = ("league", "season", "tournament", "table", "stream")
"""The arguments of a job that its line in the log names."""

_log = structlog.get_logger(__name__)


class Child:
    """
    The event loop, its thread and the runtime in which a worker process does its tasks.

    Args:
        settings: The worker's settings.
        broken: Called when the loop has ended unexpectedly.
    """

    def __init__(self, settings: Settings, broken: Callable[[], None] = lambda: None) -> None:
        self._settings = settings
        self._broken = broken
        self._stopping = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="duties", daemon=True)
        self._stack = AsyncExitStack()
        self._runtime: Runtime | None = None
        self.busy = False
        """True while a task is being done. A signal handler may read it at any time."""

    def start(self) -> None:
        """Start the loop. The first task opens the runtime, so the database may come later."""
        self._thread.start()
        pulse = self._stack.enter_async_context(beating("the loop of duties"))
        asyncio.run_coroutine_threadsafe(pulse, self._loop).result(10)

    def perform(self, job_id: UUID, claim: int, task: str, args: Mapping[str, str]) -> None:
        """
        Do one claimed job in the loop and wait for it, but no longer than its lease.

        Jobs outside of play renew their leases, so they have no limit. Errors are logged here, in
        one line if the database is away. Celery would print a traceback for each task of an outage.
        """
        # The message may be forged, but its arguments reach no duty, only the log.
        with working_for(request_id(args.get(jobs.REQUEST))):
            self._do(job_id, claim, task, args)

    def _do(self, job_id: UUID, claim: int, task: str, args: Mapping[str, str]) -> None:
        self.busy = True
        began, outcome = time.perf_counter(), "done"
        # The loop's task takes over this thread's context, and with it the request.
        future = asyncio.run_coroutine_threadsafe(self._perform(job_id, claim), self._loop)
        limit = self._settings.lease_seconds if DUTIES[task].queue == PLAY else None
        try:
            future.result(limit)
        except Exception as error:  # noqa: BLE001 - logged; the child takes the next job
            outcome = "failed"
            # The job was given back, or it is sent again when its lease runs out.
            if _waits(error):
                what = f"{type(error).__name__}: {error}".partition("\n")[0]
                _log.warning("a job waits for its next attempt", task=task, error=what)
            else:
                _log.exception("a job failed", task=task, job=str(job_id), args=dict(args))
        finally:
            future.cancel()
            self.busy = False
            seconds = time.perf_counter() - began
            metrics.JOBS.labels(task, outcome).inc()
            metrics.JOB_SECONDS.labels(task).observe(seconds)
            if self._settings.access_log:
                told = {name: args[name] for name in SUBJECTS if name in args}
                spent = round(seconds * 1000, 2)
                _log.info("job", task=task, outcome=outcome, milliseconds=spent, **told)

    def stop(self) -> None:
        """Close the runtime and end the loop."""
        self._stopping = True
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._stack.aclose(), self._loop).result(10)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
        if not self._thread.is_alive():
            self._loop.close()

    def _run(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            if not self._stopping:
                # Without the loop the process would take tasks and never do them.
                _log.error("the loop of the duties ended; its process is replaced")
                self._broken()

    async def _perform(self, job_id: UUID, claim: int) -> None:
        if self._runtime is None:
            self._runtime = await self._stack.enter_async_context(open_runtime(self._settings))
        await perform(self._runtime, job_id, claim)


async def perform(runtime: Runtime, job_id: UUID, claim: int) -> None:
    """
    Do one claimed job as the database describes it, and record the outcome.

    A refusal by the rules or by the signer ends the job, because a retry would be refused too.

    Raises:
        Exception: Any other error, after the job has been given back.
    """
    refused = again_at = None
    lease = timedelta(seconds=runtime.settings.lease_seconds)
    job: jobs.ClaimedJob | None = None
    try:
        job = await jobs.begin(runtime.pool, job_id, claim, runtime.clock.now() + lease)
        if job is None:
            return
        duty = DUTIES[job.task]
        async with (
            _renewing(runtime, job_id, claim, lease) if duty.queue != PLAY else nullcontext()
        ):
            args = {name: value for name, value in job.args.items() if name != jobs.REQUEST}
            again_at = await duty.do(runtime, args)
    except (CommandRejected, CheckpointRefused) as refusal:
        refused = refusal.code
        known = {} if job is None else {"task": job.task, **job.args}
        _log.info("job refused", code=refusal.code, **known)
    except Exception as error:
        # After any error, give the job back first. Then the process may handle the error.
        await _give_back(runtime, job_id, claim, error)
        raise
    await jobs.finish(runtime.pool, job_id, claim, again_at=again_at, refused=refused)


def _waits(error: Exception) -> bool:
    """Return whether a job that failed by *error* waits for the database or for an operator."""
    return isinstance(error, _WAITS) or is_away(error) or is_of_the_disk(error)


async def _give_back(runtime: Runtime, job_id: UUID, claim: int, error: Exception) -> None:
    what = f"{type(error).__name__}: {error}"
    cause: jobs.Cause = "waits" if _waits(error) else "job"
    if isinstance(error, jobs.Hopeless):
        cause = "hopeless"
    try:
        await jobs.fail(runtime.pool, job_id, claim, what, runtime.clock.now(), cause=cause)
    except GONE as away:
        _log.warning("a job waits for its lease to end", job=str(job_id), error=str(away))


@asynccontextmanager
async def _renewing(
    runtime: Runtime, job_id: UUID, claim: int, lease: timedelta
) -> AsyncIterator[None]:
    """Renew the lease of a claim at intervals of a third of it, until the work is done."""

    async def renew() -> None:
        while True:
            await asyncio.sleep(lease.total_seconds() / 3)
            try:
                await jobs.renew(runtime.pool, job_id, claim, runtime.clock.now() + lease)
            except GONE as away:
                _log.warning("a lease was not renewed", job=str(job_id), error=str(away))

    renewal = asyncio.create_task(renew(), name="lease")
    try:
        yield
    finally:
        renewal.cancel()
        await asyncio.gather(renewal, return_exceptions=True)
