"""Commands that wait for their league's turn."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from service.base.errors import LeagueSuspended, UnderMaintenance
from service.log.batch import Receipt
from service.log.orders import Decide, Order
from service.log.record import Closed


@dataclass(slots=True)
class Waiting:
    """A command that waits for its answer."""

    order: Order
    decide: Decide
    answer: asyncio.Future[Receipt]
    attempts: int = 0


@dataclass(slots=True)
class League:
    """The writer's knowledge of one league."""

    name: str
    number: UUID
    waiting: deque[Waiting] = field(default_factory=deque)
    queued: bool = False
    epoch: int | None = None
    latest: datetime | None = None
    """The instant of the last event that this process knows of."""


def refuse(item: Waiting, error: Exception, cause: Exception | None = None) -> None:
    """Answer *item* with *error*, or the refusal that it stands for, unless its sender has gone."""
    if not item.answer.done():
        if cause is not None:
            error.__cause__ = cause
        item.answer.set_exception(_told(error))


def _told(error: Exception) -> Exception:
    """Return the refusal that *error* is for the sender of a command."""
    if not isinstance(error, Closed):
        return error
    why, _, seconds = error.why.partition(":")
    if why == "maintenance":
        return UnderMaintenance(int(seconds))
    return LeagueSuspended("an operator has suspended the league; it takes no commands")
