"""Structured logs. They never receive bodies, seeds, cards, tokens or passwords."""

import logging
import re
import sys
from datetime import UTC, datetime
from typing import TextIO

import structlog

from service.base.settings import Settings, SignerSettings

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}

_OF_BROKER = frozenset({"amqp", "celery", "kombu", "psycopg", "py"})
"""Loggers that print a traceback, or a page of advice, each time the broker is away."""

SECRET_FIELDS = frozenset(
    {"body", "request", "password", "token", "authorization", "seed", "seeds", "salt", "url"}
)
"""Fields that no log line may carry. Their values are replaced."""


_DETAIL = re.compile(r"DETAIL:.*")
"""PostgreSQL repeats whole rows in its details, hashes of passwords among them."""


def configure(
    settings: Settings | SignerSettings, process: str, stream: TextIO = sys.stderr
) -> None:
    """Send this process's logs to *stream*, each line marked with *process*."""
    text = settings.log_format == "text" or (settings.log_format == "auto" and stream.isatty())
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if text else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _redact,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[settings.log_level]),
        logger_factory=structlog.PrintLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )
    structlog.contextvars.bind_contextvars(process=process)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_OfLibraries(renderer, process))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


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
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(),
        }
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
