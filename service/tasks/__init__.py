"""Celery wakes, Postgres remembers: duties, the clockwork that sends them, and the worker."""

from service.tasks.worker import run_worker

__all__ = ["run_worker"]
