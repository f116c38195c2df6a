"""
Structured logs, the same in every process. They never receive bodies, seeds, cards or secrets.

A line belongs to a request if it has its ``request_id``: the lines of the API, of the job that the
request's event asked for, and of the projection of that event (ADR 0045).
"""

import logging
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO, cast
from uuid import UUID

import msgspec
import structlog

from service.base.settings import Settings, SignerSettings

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}

_OF_BROKER = frozenset({"amqp", "celery", "kombu", "psycopg", "py"})
"""Loggers that print a traceback or a page of advice each time the broker is away."""

SECRET_FIELDS = frozenset(
    {"body", "request", "password", "token", "authorization", "seed", "seeds", "salt", "url"}
)
"""Fields that no log line may carry. Their values are replaced."""

REQUEST: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The request that is being served. Each line of the log carries its identifier."""

_DETAIL = re.compile(r"DETAIL:.*")
"""PostgreSQL's error details repeat whole rows, with hashes of passwords."""


class _Losing:
    """
    The log's stream. If it takes no lines, as on a full disk, they are lost and the work goes on.

    The next line that it takes again says so.

    Args:
      told: Writes the line that says it, from the error.
    """

    def __init__(self, stream: TextIO, told: Callable[[str], str]) -> None:
        self._stream = stream
        self._told = told
        self._lost: str | None = None

    def write(self, text: str) -> int:
        """Write *text*, or lose it."""
        try:
            return self._stream.write(text)
        except OSError as error:
            self._lost = str(error)
            return len(text)

    def flush(self) -> None:
        """Flush the stream. If lines were lost before, say so."""
        try:
            self._stream.flush()
            if self._lost is not None:
                self._stream.write(self._told(self._lost))
                self._stream.flush()
                self._lost = None
        except OSError as error:
            self._lost = str(error)


class Lines:
    """
    Writes the access log: many lines at once, in the form of all other lines.

    Args:
      renderer: Writes lines for people. Without it they are JSON.
    """

    def __init__(
        self, process: str, stream: TextIO, renderer: structlog.typing.Processor | None
    ) -> None:
        self._process = process
        self._stream = stream
        self._renderer = renderer

    def write(self, entries: Iterable[tuple[float, Mapping[str, object]]]) -> None:
        """Write a line for each pair of an instant, in seconds since 1970, and its fields."""
        self._stream.write("".join([self._line(at, fields) for at, fields in entries]))
        self._stream.flush()

    def lost(self, why: str) -> str:
        """Return the line that says that lines before it are missing."""
        said = {"event": "lines of the log before this one were lost", "error": why}
        return self._line(time.time(), said, "error")

    def _line(self, at: float, fields: Mapping[str, object], level: str = "info") -> str:
        whole: structlog.typing.EventDict = {
            **fields,
            "process": self._process,
            "level": level,
            "timestamp": _instant(at),
        }
        if self._renderer is not None:
            return str(self._renderer(None, level, whole)) + "\n"
        return msgspec.json.encode(whole).decode() + "\n"


def configure(
    settings: Settings | SignerSettings, process: str, stream: TextIO = sys.stderr
) -> Lines | None:
    """
    Send this process's logs to *stream*, each line marked with *process*.

    Returns:
      The access log, or None if the settings want none.
    """
    text = settings.log_format == "text" or (settings.log_format == "auto" and stream.isatty())
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(colors=stream.isatty())
        if text
        else structlog.processors.JSONRenderer()
    )
    level = _LEVELS[settings.log_level]
    as_text = renderer if text else None
    losing = cast(TextIO, _Losing(stream, Lines(process, stream, as_text).lost))
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            _requested,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _redact,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(file=losing),
        cache_logger_on_first_use=False,
    )
    structlog.contextvars.bind_contextvars(process=process)
    handler = logging.StreamHandler(losing)
    handler.setFormatter(_OfLibraries(renderer, process))
    root = logging.getLogger()
    for each in [it for it in root.handlers if isinstance(it.formatter, _OfLibraries)]:
        root.removeHandler(each)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("service").setLevel(level)
    if level > logging.INFO or not settings.access_log:
        return None
    return Lines(process, losing, as_text)


def request_id(text: str | None) -> str | None:
    """
    Return the identifier of a request that *text* names, or None if it is malformed.

    It is a UUID, with or without hyphens, as proxies make them.
    """
    if text is None or len(text) not in (32, 36):
        return None
    try:
        return str(UUID(text))
    except ValueError:
        return None


def given_id(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the identifier that a proxy or client gave a request, if it is well-formed."""
    for name, value in headers:
        if name == b"x-request-id":
            return request_id(value.decode("latin-1"))
    return None


@contextmanager
def working_for(request: str | None) -> Iterator[None]:
    """Mark every line of the block with the identifier of a request."""
    before = REQUEST.set(request)
    try:
        yield
    finally:
        REQUEST.reset(before)


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _requested(
    _logger: structlog.typing.WrappedLogger, _method: str, fields: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Add the request that the line belongs to, unless the line names one itself."""
    request = REQUEST.get()
    if request is not None:
        fields.setdefault("request_id", request)
    return fields


class _OfLibraries(logging.Formatter):
    """
    Writes the log lines of libraries in the form of our own.

    Args:
      renderer: Writes our own lines.
      process: Marks each line.
    """

    def __init__(self, renderer: structlog.typing.Processor, process: str) -> None:
        super().__init__()
        self._renderer = renderer
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """Return one line. For a broker's traceback it only names the error."""
        fields: structlog.typing.EventDict = {
            "event": record.getMessage(),
            "logger": record.name,
            "process": self._process,
            "level": record.levelname.lower(),
            "timestamp": _instant(record.created),
        }
        fields = _requested(None, "", fields)
        of_broker = record.name.partition(".")[0] in _OF_BROKER
        if of_broker:
            fields["event"] = fields["event"].strip().partition("\n")[0]
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            if of_broker:
                fields["error"] = f"{type(error).__name__}: {error}".partition("\n")[0]
            else:
                fields["exception"] = self.formatException(record.exc_info)
        return str(self._renderer(None, record.levelname, _redact(None, "", fields)))


def _redact(
    _logger: structlog.typing.WrappedLogger, _method: str, fields: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    for name, value in fields.items():
        if name in SECRET_FIELDS:
            fields[name] = "(withheld)"
        elif isinstance(value, str):
            fields[name] = _DETAIL.sub("DETAIL: (withheld)", value)
    return fields
