"""The service's log in a benchmark, without its debug lines."""

import logging

import structlog


def quiet() -> None:
    """Write no debug lines in this process. They are no part of what is measured."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
