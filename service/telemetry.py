"""Structured logs.  Bodies, seeds, cards, tokens and passwords are never given to them."""

import logging
import sys
from typing import TextIO

import structlog

from service.settings import Settings, SignerSettings

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}

SECRET_FIELDS = frozenset(
    {"body", "request", "password", "token", "authorization", "seed", "seeds", "salt", "url"}
)
"""Names that no log line may carry; what stands under them is replaced."""


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
            _redact,
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[settings.log_level]),
        logger_factory=structlog.PrintLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )
    structlog.contextvars.bind_contextvars(process=process)
    logging.basicConfig(stream=stream, level=logging.WARNING, format="%(name)s: %(message)s")


def _redact(
    _logger: structlog.typing.WrappedLogger, _method: str, fields: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    for name in SECRET_FIELDS & fields.keys():
        fields[name] = "(withheld)"
    return fields
