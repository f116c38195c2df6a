"""Running a worker: Celery's children, and the ticker beside them in the main process."""

from typing import Any

from celery.signals import worker_ready, worker_shutting_down

from service import telemetry
from service.settings import Settings, SettingsInvalid
from service.tasks import broker
from service.tasks.app import Application
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
    if settings.broker_url is not None and broker.is_postgres(settings.broker_url):
        broker.install(settings.broker_url)
    application = Application(settings)
    ticker = Ticker(settings, application.send)

    def begin(**_: Any) -> None:
        ticker.start()
        print(READY, flush=True)  # noqa: T201 - whoever started us waits for this line

    def end(**_: Any) -> None:
        ticker.stop()

    worker_ready.connect(begin, weak=False)
    worker_shutting_down.connect(end, weak=False)
    application.celery.worker_main(application.arguments())
