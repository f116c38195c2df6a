"""Duties, the ticker that sends them, and the worker. Jobs are stored in PostgreSQL."""

from service.tasks.worker import run_worker

__all__ = ["run_worker"]
