"""
The worker: a parent that only forks, and one child process for each post.

A child runs Celery's solo pool, which does one task at a time in the child itself. Children at
the queue ``play`` also run a ticker in a thread.
"""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial

import psycopg
import structlog
from celery.exceptions import CPendingDeprecationWarning, SecurityWarning, WorkerShutdown
from celery.signals import worker_ready, worker_shutting_down
from prometheus_client import REGISTRY

from service.base import metrics, telemetry
from service.base.database import is_coming
from service.base.health import Schema
from service.base.settings import Settings, SettingsInvalid
from service.tasks import broker
from service.tasks.app import Application
from service.tasks.child import Child
from service.tasks.crew import STOP_SECONDS, Crew
from service.tasks.duties import LONG, OUTSIDE, PLAY
from service.tasks.measuring import measured
from service.tasks.ticker import Ticker

_log = structlog.get_logger(__name__)

READY = "holotable worker ready"
"""The line that the worker prints once it takes tasks. Whatever starts a worker waits for it."""


def run_worker(settings: Settings) -> None:
    """
    Run a worker until SIGTERM or SIGINT. Tasks in progress are finished first.

    Raises:
        SettingsInvalid: If no broker is set, or a lease is longer than a message's invisibility.
    """
    telemetry.configure(settings, "worker")
    if settings.visibility_seconds < settings.lease_seconds:
        raise SettingsInvalid("HOLOTABLE_VISIBILITY_SECONDS is below HOLOTABLE_LEASE_SECONDS")
    broker.transport(settings)  # reports bad settings here, not in every process
    if settings.broker_url is not None and broker.is_postgres(settings.broker_url):
        broker.install_once_there(settings.broker_url)
    at_play = settings.worker_processes
    posts = [*[PLAY] * at_play, *[LONG] * (settings.worker_members - at_play - 1), OUTSIDE]

    def at_post(queue: str, ready: Callable[[], None]) -> None:
        schema = Schema(settings.database_url)
        port = metrics.serve(settings.metrics_address, len(posts), schema)
        if port is not None and queue == PLAY:
            signing = settings.signer_url is not None
            REGISTRY.register(
                metrics.DatabaseMetrics(settings.database_url, partial(measured, signing=signing))
            )
        work(settings, queue, ready)

    crew = Crew(posts, at_post)
    sys.exit(crew.run(lambda: print(READY, flush=True)))  # noqa: T201 - the caller waits


def work(settings: Settings, queue: str, ready: Callable[[], None]) -> None:
    """Do the tasks of *queue* in this process until SIGTERM."""
    # These warnings are about pickles taken as root and late acknowledgement, both unused here.
    warnings.simplefilter("ignore", SecurityWarning)
    warnings.simplefilter("ignore", CPendingDeprecationWarning)
    url = settings.broker_url or ""
    try:
        turn = broker.take_turn(url) if broker.is_postgres(url) else None
    except psycopg.Error as error:
        if not is_coming(error):
            raise
        _log.warning("the broker is away", post=queue, error=broker.first_line(error))
        sys.exit(1)  # the crew waits longer each time before it forks again
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
        # The kernel kills a process that does not end in time, even an orphan.
        signal.alarm(STOP_SECONDS)
        if ticker is not None:
            ticker.give_up()
        if not child.busy:
            # Otherwise Celery would wait two seconds for a message before it stops.
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
    Have this process replaced once it has finished its task.

    Celery looks for an absent broker only every half minute. A new process finds the broker at
    once, and players' deadlines depend on it.
    """
    os.kill(os.getpid(), signal.SIGTERM)
