"""The broker for Celery's messages: PGMQ in its own database, or an ``amqp://`` address."""

import time

import psycopg
import structlog
from pgmq.install import get_embedded_install_sql

from service.base.addresses import conninfo
from service.base.database import is_coming
from service.base.documents import Document
from service.base.settings import Settings, SettingsInvalid
from service.director.runtime import RETRY_SECONDS, START_SECONDS
from service.tasks.messages import TRANSPORT

_log = structlog.get_logger(__name__)


def is_postgres(url: str) -> bool:
    """Return whether *url* names a PostgreSQL database, and PGMQ is therefore the broker."""
    return url.startswith("postgres")


def install(url: str) -> None:
    """
    Install PGMQ in the broker's database, unless it is there. The login will own the schema.

    The SQL comes from the pinned package. Its authors do not support running it twice, so this
    function first looks for the schema, under a lock.
    """
    with psycopg.connect(url) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('holotable/pgmq', 0))")
        known = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'pgmq'").fetchone()
        if known is None:
            connection.execute(get_embedded_install_sql().encode())


def install_once_there(url: str) -> None:
    """
    Install PGMQ as soon as the broker's database answers.

    Raises:
        psycopg.Error: If the database does not answer within ``START_SECONDS``, or refuses.
    """
    until, told = time.monotonic() + START_SECONDS, False
    while True:
        try:
            install(url)
        except psycopg.Error as error:
            if not is_coming(error) or time.monotonic() >= until:
                raise
            if not told:
                _log.warning("waiting for the broker", error=first_line(error))
                told = True
            time.sleep(RETRY_SECONDS)
        else:
            return


def first_line(error: Exception) -> str:
    """Return the message of *error* in one line, for a log."""
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def take_turn(url: str) -> psycopg.Connection:
    """
    Wait for this process's turn to declare its queues. Closing the connection ends the turn.

    PGMQ drops and creates a trigger when a consumer begins. Two consumers at once would fail.

    Raises:
        psycopg.Error: If the turn does not come within 30 seconds.
    """
    connection = psycopg.connect(url, autocommit=True, connect_timeout=10)
    connection.execute("SET lock_timeout = '30s'")
    connection.execute("SELECT pg_advisory_lock(hashtextextended('holotable/pgmq', 0))")
    return connection


def transport(settings: Settings) -> Document:
    """
    Return Celery's broker settings.

    ``conn_string`` is always given. Otherwise a ``DATABASE_URL`` in the environment would
    silently win. With other values for waiting and throttling, the first message takes seconds
    and wake-ups are lost.

    Raises:
        SettingsInvalid: If no broker is set.
    """
    url = settings.broker_url
    if url is None:
        raise SettingsInvalid("HOLOTABLE_BROKER_URL is needed by workers")
    if not is_postgres(url):
        return {
            "broker_url": url,
            "task_default_queue_type": "quorum",
            "task_create_missing_queue_type": "quorum",  # a worker names its queues
            "worker_detect_quorum_queues": True,
            "broker_transport_options": {"confirm_publish": True},
        }
    return {
        "broker_url": "pgmq://",
        "broker_transport": TRANSPORT,
        "broker_transport_options": {
            "conn_string": conninfo(url),
            "init_extension": False,
            "use_notify": True,
            "wait_time_seconds": 0,
            "notify_throttle_interval_ms": 0,
            "polling_interval": 0.2,
            "visibility_timeout": settings.visibility_seconds,
        },
    }
