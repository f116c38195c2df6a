"""The Celery application: its tasks, queues and settings."""

from collections.abc import Mapping
from uuid import UUID

from celery import Celery

from service.base.settings import Settings
from service.tasks import broker
from service.tasks.child import Child
from service.tasks.duties import DUTIES, PLAY
from service.tasks.jobs import ClaimedJob


class Application:
    """
    One process's Celery, with the tasks of :data:`service.tasks.duties.DUTIES`.

    Args:
        settings: The worker's settings.
        child: Performs the tasks.
    """

    def __init__(self, settings: Settings, child: Child) -> None:
        self._child = child
        self.celery = Celery("holotable", set_as_current=False)
        self.celery.conf.update(
            # The job's lease, not the broker, brings a lost task back (ADR 0007).
            task_acks_late=False,
            task_ignore_result=True,
            task_serializer="json",
            accept_content=["json"],
            task_default_queue=PLAY,
            task_time_limit=None,
            worker_prefetch_multiplier=1,
            worker_enable_remote_control=False,
            worker_hijack_root_logger=False,
            worker_redirect_stdouts=False,
            broker_connection_retry_on_startup=True,
            broker_pool_acquire_timeout=10,
            **broker.transport(settings),
        )
        for name in DUTIES:
            self._register(name)

    def send(self, job: ClaimedJob) -> None:
        """Publish a claimed job. The message holds only identifiers and the claim."""
        self.celery.send_task(
            job.task,
            kwargs={"job_id": str(job.job_id), "claim": job.claim, "args": job.args},
            task_id=str(job.job_id),
            queue=DUTIES[job.task].queue,
            retry=False,
        )

    def work(self, queue: str) -> None:
        """Take tasks from *queue* until SIGTERM, one at a time, inside this process."""
        self.celery.worker_main(
            [
                "--quiet",
                "worker",
                "--pool=solo",
                f"--queues={queue}",
                "--without-heartbeat",
                "--without-gossip",
                "--without-mingle",
                "--loglevel=WARNING",
            ]
        )

    def _register(self, name: str) -> None:
        def perform(job_id: str, claim: int, args: Mapping[str, str]) -> None:
            self._child.perform(UUID(job_id), claim, name, args)

        self.celery.task(name=name)(perform)
