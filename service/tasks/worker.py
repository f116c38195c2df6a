"""
Running a worker: a parent that only forks, and below it one process for each post.

A process runs Celery's solo pool: it is the task's own process, and takes one task
at a time.  Those at the queue ``play`` have a ticker beside them, in a thread.
"""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable

from celery.exceptions import CPendingDeprecationWarning, SecurityWarning, WorkerShutdown
from celery.signals import worker_ready, worker_shutting_down

from service.base import telemetry
from service.base.settings import Settings, SettingsInvalid
from service.tasks import broker
from service.tasks.app import Application
from service.tasks.child import Child
from service.tasks.crew import STOP_SECONDS, Crew
from service.tasks.duties import LONG, PLAY
from service.tasks.ticker import Ticker

READY = "holotable worker ready"
"""Printed on a line of its own once tasks are taken; who starts a worker waits for it."""


def run_worker(settings: Settings) -> None:
    """
    Run a worker until it is told to stop (SIGTERM: tasks in progress are finished).

    Raises:
        SettingsInvalid: If no broker is set, or its lease outlives a message's invisibility.
    """
    telemetry.configure(settings, "worker")
    if settings.visibility_seconds < settings.lease_seconds:
        raise SettingsInvalid("HOLOTABLE_VISIBILITY_SECONDS is below HOLOTABLE_LEASE_SECONDS")
    broker.transport(settings)  # says now, not in every process, what is wrong with it
    if settings.broker_url is not None and broker.is_postgres(settings.broker_url):
        broker.install(settings.broker_url)
    crew = Crew(
        [PLAY] * settings.worker_processes + [LONG] * max(1, settings.worker_processes // 2),
        lambda queue, ready: work(settings, queue, ready),
    )
    sys.exit(crew.run(lambda: print(READY, flush=True)))  # noqa: T201 - whoever started us waits


def work(settings: Settings, queue: str, ready: Callable[[], None]) -> None:
    """Do the tasks of *queue* in this process until SIGTERM."""
    # Advice for whoever takes pickles as root, or acknowledges late; we do neither.
    warnings.simplefilter("ignore", SecurityWarning)
    warnings.simplefilter("ignore", CPendingDeprecationWarning)
    url = settings.broker_url or ""
    turn = broker.take_turn(url) if broker.is_postgres(url) else None
    broken = threading.Event()

    def break_down() -> None:
        broken.set()
        _make_way()

    child = Child(settings, break_down)
    application = Application(settings, child)
    ticker = Ticker(settings, application.send, _make_way, break_down) if queue == PLAY else None

    def begin(**_: object) -> None:
        if turn is not None:
            turn.close()
        if ticker is not None:
            ticker.start()
        ready()

    def end(**_: object) -> None:
        # The kernel ends a process that does not come to its end, even an orphan.
        signal.alarm(STOP_SECONDS)
        if ticker is not None:
            ticker.give_up()
        if not child.busy:
            # Celery would look at its flag only after waiting two seconds for a message.
            raise WorkerShutdown(0)

    worker_ready.connect(begin, weak=False)
    worker_shutting_down.connect(end, weak=False)
    child.start()
    try:
        application.work(queue)
    finally:
        if ticker is not None:
            ticker.stop()
        child.stop()
        if broken.is_set():
            sys.exit(1)  # the crew waits longer each time before it forks again


def _make_way() -> None:
    """
    Have this process replaced, once it has finished what it is at.

    Celery looks for a broker that was away at intervals of up to half a minute; a new
    process finds it at once, and players' deadlines wait for that.
    """
    os.kill(os.getpid(), signal.SIGTERM)
