"""
The ticker of a worker, a thread that arms, claims and sends jobs.

Any number of processes may each run a ticker, because occurrences are unique and claims skip
locked rows.
"""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import psycopg
import structlog
from kombu.exceptions import OperationalError

from service.base import heartbeats, metrics
from service.base.health import PULSE
from service.base.settings import Settings
from service.base.sources import DatabaseClock
from service.tasks import arming, audits, jobs, noticing, telling
from service.tasks.duties import DUTIES, GOING_ON, SHORT

_log = structlog.get_logger(__name__)

_STOP_SECONDS = 5.0

Send = Callable[[jobs.ClaimedJob], None]


class Ticker:
    """
    The thread beside a worker's tasks that arms, claims and sends jobs.

    Args:
        settings: The worker's settings.
        send: Publishes a claimed job. After a failure, the lease runs out and the job is retried.
        returned: Called when the database is back after it was away.
        broken: Called when a defect has ended the ticker.
    """

    def __init__(
        self,
        settings: Settings,
        send: Send,
        returned: Callable[[], None] = lambda: None,
        broken: Callable[[], None] = lambda: None,
    ) -> None:
        self._settings = settings
        self._send = send
        self._returned = returned
        self._broken = broken
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)
        self._connection: psycopg.Connection | None = None
        self._clock = DatabaseClock()
        self._away = False
        """True if the database has refused a connection since the last beat."""
        self._next_beat = self._next_night = datetime.min.replace(tzinfo=UTC)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def give_up(self) -> None:
        """Make the tick in progress the last. Do not wait for it, so a signal handler may call."""
        self._stopping.set()

    def stop(self) -> None:
        """End the thread after the tick in progress, and wait for it."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)
        else:
            self._disconnect()

    def _run(self) -> None:
        pause = self._settings.tick_milliseconds / 1000
        while not self._stopping.is_set():
            PULSE.beat("the ticker")
            try:
                busy = self.tick()
            except (psycopg.Error, OSError, OperationalError) as error:
                if not self._away:
                    _log.warning("tick failed", error=str(error))
                self._disconnect()
                busy = False
            except Exception:  # noqa: BLE001
                # Without its ticker the process would look alive, but no deadline would ever
                # run out. Therefore it ends, and the crew replaces it.
                _log.exception("the ticker broke; its process is replaced")
                self._broken()
                break
            self._stopping.wait(0 if busy else pause)
        PULSE.ended("the ticker")
        self._disconnect()

    def tick(self) -> bool:
        """Arm, claim and send once. Return whether there may be more to do at once."""
        connection = self._connected()
        now = self._clock.measure_now(connection)
        if self._away or now >= self._next_beat:
            self._beat(connection, now)
        armed = arming.follow(connection, now, self._settings)
        told = telling.follow(connection, now)
        telling.arm_delivery(connection, now)
        noticed = noticing.follow(connection, now, self._settings)
        noticing.arm_sending(connection, now, self._settings)
        if now >= self._next_night:
            arming.nightly(connection, now, self._settings)
            arming.sign_quarantined(connection, now, self._settings)
            self._next_night = now + timedelta(minutes=1)
        metrics.TICKED.set_to_current_time()
        lease = timedelta(seconds=self._settings.lease_seconds)
        claimed = jobs.claim(connection, lease, tasks=tuple(DUTIES), now=now, going_on=GOING_ON)
        for job in claimed:
            self._publish(job)
        return bool(armed or told or noticed or claimed)

    def _publish(self, job: jobs.ClaimedJob) -> None:
        try:
            self._send(job)
        except (OSError, OperationalError):
            raise  # the broker is away, so every job would fail
        except Exception:  # noqa: BLE001
            # A job that cannot be written as a message must not hold back the others.
            # It is tried again when its lease runs out.
            _log.exception("a job was not sent", job=str(job.job_id), task=job.task)

    def _beat(self, connection: psycopg.Connection, now: datetime) -> None:
        interval = timedelta(seconds=self._settings.heartbeat_seconds)
        # Beat before claiming, because the claimed jobs must know of the outage.
        if heartbeats.beat_now(connection, "worker", interval, returning=self._away):
            _log.warning("an outage ended; open decisions and level clocks get their time back")
            jobs.release(connection, SHORT)
            arming.wake_all(connection, now)
        audits.break_dead(connection)
        self._next_beat = now + interval
        if self._away:
            self._away = False
            self._returned()

    def _connected(self) -> psycopg.Connection:
        if self._connection is None or self._connection.closed:
            try:
                self._connection = psycopg.connect(
                    self._settings.database_url,
                    autocommit=True,
                    connect_timeout=5,
                    application_name="holotable ticker",
                )
            except psycopg.OperationalError:
                self._away = True
                raise
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
