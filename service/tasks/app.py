"""The Celery application: names, queues and the settings that were tried."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown

from service import telemetry
from service.jobs import Claimed
from service.settings import Settings
from service.tasks import broker
from service.tasks.child import Child
from service.tasks.duties import DUTIES, LONG, PLAY


class Application:
    """
    One worker's Celery, with the tasks of :data:`service.tasks.duties.DUTIES`.

    Args:
        settings: Those of the worker.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.celery = Celery("holotable", set_as_current=False)
        self.celery.conf.update(
            # Acknowledged on receipt: the job's lease, not the broker, brings a lost task
            # back.  With late acknowledgement, rejecting the message of a killed child
            # raised KeyError in kombu's pgmq transport and no further task came (ADR 0007).
            task_acks_late=False,
            task_ignore_result=True,
            task_serializer="json",
            accept_content=["json"],
            task_default_queue=PLAY,
            task_time_limit=None,
            worker_prefetch_multiplier=4,
            worker_enable_remote_control=False,
            worker_hijack_root_logger=False,
            worker_redirect_stdouts=False,
            broker_connection_retry_on_startup=True,
            broker_pool_acquire_timeout=10,
            **broker.transport(settings),
        )
        self._child: Child | None = None
        for name in DUTIES:
            self._register(name)
        # Celery keeps weak references to receivers; bound methods of self live as long as it does.
        worker_process_init.connect(self._start_child, weak=True)
        worker_process_shutdown.connect(self._stop_child, weak=True)

    def send(self, job: Claimed) -> None:
        """Publish a claimed job; the message holds identifiers and the claim only."""
        self.celery.send_task(
            job.task,
            kwargs={"job_id": str(job.job_id), "claim": job.claim, "args": job.args},
            task_id=str(job.job_id),
            queue=DUTIES[job.task][0],
            retry=False,
        )

    def arguments(self, queues: tuple[str, ...] = (PLAY, LONG)) -> list[str]:
        """Return the command line of a worker on *queues*."""
        return [
            "worker",
            "--pool=prefork",
            f"--concurrency={self.settings.worker_processes}",
            f"--queues={','.join(queues)}",
            "--without-heartbeat",
            "--without-gossip",
            "--without-mingle",
            "--loglevel=WARNING",
        ]

    def _register(self, name: str) -> None:
        def perform(job_id: str, claim: int, args: Mapping[str, str]) -> None:
            child = self._child
            if child is None:
                raise RuntimeError("a task came before the child's start")
            child.perform(UUID(job_id), claim, name, args)

        self.celery.task(name=name)(perform)

    def _start_child(self, **_: Any) -> None:
        telemetry.configure(self.settings, "worker")
        self._child = Child(self.settings)
        self._child.start()

    def _stop_child(self, **_: Any) -> None:
        if self._child is not None:
            self._child.stop()
