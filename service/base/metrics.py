"""
The metrics of a process for operators, and the port that shows them (ADR 0045).

Labels are bounded: names of operations, tasks, projections and outcomes of this program. No metric
names a league, a person or a card. ``docs/operating/monitoring.md`` explains each metric.
"""

import errno
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from socketserver import ThreadingMixIn
from typing import Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import psycopg
import structlog
from prometheus_client import Counter, Gauge, Histogram, make_wsgi_app
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from service.base import health
from service.base.ports import taken
from service.base.settings import SettingsInvalid

_QUICK: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_BELIEVED_SECONDS: Final = 10.0
_LONG: Final = (0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800)

REQUESTS: Final = Counter(
    "holotable_http_requests_total", "Requests answered.", ["operation", "status"]
)
REQUEST_SECONDS: Final = Histogram(
    "holotable_http_request_seconds",
    "Time from a request's head to its whole answer, without event streams.",
    ["operation"],
    buckets=_QUICK,
)
SHED: Final = Counter(
    "holotable_shed_total", "Requests and commands refused because of too many others.", ["what"]
)
HANDED: Final = Counter(
    "holotable_handed_requests_total",
    "Requests handed to another process of this machine, by their outcome.",
    ["outcome"],
)
STREAMS: Final = Gauge("holotable_http_streams", "Event streams that are open.")
CONNECTIONS: Final = Gauge("holotable_http_connections", "HTTP connections that are open.")
POOL: Final = Gauge(
    "holotable_database_connections", "Connections of the process's pool.", ["state"]
)

COMMANDS: Final = Counter("holotable_commands_total", "Commands that were answered.", ["outcome"])
CONFLICTS: Final = Counter(
    "holotable_command_conflicts_total",
    "Commands decided again, because another process was quicker.",
)
EVENTS: Final = Counter("holotable_events_appended_total", "Events appended to the log.")
BATCH: Final = Histogram(
    "holotable_batch_commands",
    "Commands in one append.",
    buckets=(1, 2, 4, 8, 16, 32, 64, 128, 500),
)
WAIT_SECONDS: Final = Histogram(
    "holotable_command_wait_seconds",
    "Time that a command waits for its turn to be decided.",
    buckets=_QUICK,
)
COMMIT_SECONDS: Final = Histogram(
    "holotable_commit_seconds", "Time of one append in the database.", buckets=_QUICK
)

JOBS: Final = Counter("holotable_jobs_total", "Jobs that this process did.", ["task", "outcome"])
JOB_SECONDS: Final = Histogram(
    "holotable_job_seconds", "Time that a job took.", ["task"], buckets=_LONG
)
TICKED: Final = Gauge("holotable_ticker_last_tick_timestamp_seconds", "Last tick of the ticker.")

PROJECTED: Final = Counter(
    "holotable_projected_positions_total", "Positions of the log applied.", ["projection"]
)
LOOKED: Final = Gauge(
    "holotable_projector_last_look_timestamp_seconds", "Last time the projector was caught up."
)

SIGNATURES: Final = Counter(
    "holotable_signatures_total", "Signatures asked for.", ["kind", "outcome"]
)
SIGNED_AT: Final = Gauge(
    "holotable_signer_last_head_timestamp_seconds", "Time of the last signed head."
)

BOT_ACTIONS: Final = Counter(
    "holotable_bot_turns_total", "Tables at which house bots played.", ["outcome"]
)

_log = structlog.get_logger(__name__)


class _Server(ThreadingMixIn, WSGIServer):
    """Answers each request in a thread of its own, so that a slow one delays no other."""

    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    timeout = 10.0
    """A client that sends nothing would otherwise hold its thread for ever."""

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing, because health is asked every few seconds."""


def serve(address: str | None, processes: int = 1, ready: health.Ready | None = None) -> int | None:
    """
    Show this process's metrics and health at *address*, from a thread of its own.

    Args:
        processes: How many processes share the address. Each takes the first free port from the
            address's own one up.
        ready: Returns why the process is not ready, for ``/readyz``.

    Returns:
        The port, or None without an address.

    Raises:
        SettingsInvalid: If no port is free, or the host is not this machine's.
    """
    if address is None:
        return None
    host, _, first = address.rpartition(":")
    shown = make_wsgi_app()

    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        return health.answer(environ, start, ready) or shown(environ, start)

    for port in range(int(first), int(first) + processes):
        try:
            _listen(host.strip("[]"), port, answer)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                what = f"HOLOTABLE_METRICS_ADDRESS cannot be used: {error.strerror}"
                raise SettingsInvalid(what) from error
        else:
            _log.info("metrics_shown", port=port)
            return port
    which = "" if processes == 1 else f"{processes} ports from {first} are taken, and the last: "
    raise SettingsInvalid(f"HOLOTABLE_METRICS_ADDRESS: {which}{taken(port)}")


def _listen(host: str, port: int, answer: WSGIApplication) -> None:
    family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]

    class Server(_Server):
        address_family = family

    server = make_server(host, port, answer, Server, _Quiet)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()


class DatabaseMetrics(Collector):
    """
    Metrics from the database, queried at most once in ten seconds, and only on request.

    Args:
        url: The database, with the login of this process.
        ask: Returns the metrics. It runs in a transaction that may only read, for five seconds.
    """

    def __init__(self, url: str, ask: Callable[[psycopg.Connection], Iterable[Metric]]) -> None:
        self._url = url
        self._ask = ask
        self._lock = threading.Lock()
        self._found: list[Metric] = []
        self._until = 0.0

    def describe(self) -> Iterable[Metric]:
        """Return nothing, because the database is not queried before the first request."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Return the metrics. Without a database there is only one that says so."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._found = self._answer()
                self._until = time.monotonic() + _BELIEVED_SECONDS
            return self._found

    def _answer(self) -> list[Metric]:
        up = GaugeMetricFamily("holotable_database_up", "1 if the database answers.")
        found: list[Metric] = [up]
        try:
            with psycopg.connect(
                self._url, connect_timeout=3, application_name="holotable metrics"
            ) as connection:
                connection.read_only = True
                connection.execute("SET LOCAL statement_timeout = '5s'")
                found += self._ask(connection)
        except psycopg.Error as error:
            _log.warning("metrics_not_answered", reason=type(error).__name__)
            up.add_metric([], 0)
            return [up]
        up.add_metric([], 1)
        return found


def gauge(
    name: str, documentation: str, samples: Mapping[str, float | None], label: str = ""
) -> Metric:
    """Return a metric with a sample for each value of *label*, or with a single sample."""
    made = GaugeMetricFamily(name, documentation, labels=[label] if label else [])
    for value, number in samples.items():
        if number is not None:
            made.add_metric([value] if label else [], number)
    return made
