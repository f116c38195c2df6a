"""The job that sends notices to people."""

from datetime import datetime

import psycopg

from service.base.settings import Settings
from service.tasks.jobs import Job, come_again

_ANY_DUE = """
    SELECT EXISTS (SELECT FROM notice
                    WHERE state = 'waiting' AND next_at <= %s AND channel = 'mail')
        OR EXISTS (SELECT FROM reset_request)
"""


def arm_sending(connection: psycopg.Connection, now: datetime, settings: Settings) -> None:
    """Arm the job that sends notices, if any is due that this installation can send."""
    if settings.smtp_url is None:
        return
    due = connection.execute(_ANY_DUE, [now]).fetchone()
    if due is not None and due[0]:
        job = Job(occurrence="notice.send", task="notice.send", args={}, due_at=now)
        come_again(connection, job)
