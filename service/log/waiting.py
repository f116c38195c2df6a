"""Commands that wait for their league's turn."""

import asyncio
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from engine.errors import CommandRejected
from service.base import metrics
from service.base.errors import (
    LeagueSuspended,
    Overloaded,
    ServiceError,
    StoreUnavailable,
    UnderMaintenance,
)
from service.log.batch import Receipt
from service.log.orders import HOUSE, Decide, Order
from service.log.record import LeagueClosed, league_number

LEAGUES_KEPT = 4096
"""The leagues remembered. Beyond it, those without commands are read again when they return."""

_ATTEMPTS_MAX = 100
PATIENT_SECONDS = 5.0
"""The longest time that a player's command waits for its first turn."""

_DECIDED = metrics.COMMANDS.labels("decided")
_REFUSED = metrics.COMMANDS.labels("refused")
_UNAVAILABLE = metrics.COMMANDS.labels("unavailable")
_FAILED = metrics.COMMANDS.labels("failed")


@dataclass(slots=True)
class Waiting:
    """A command that waits for its answer."""

    order: Order
    decide: Decide
    answer: asyncio.Future[Receipt]
    until: float
    """The loop's time after which the first turn would be too late."""

    attempts: int = 0
    since: float = field(default_factory=time.perf_counter)
    """The time at which the command began to wait, by the process's own clock."""


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

    seen: int = -1
    """The position up to which the copies of states hold every event, or are suspected."""

    shared: int = 0
    """The number of batches before which to look for events of other processes."""

    def enter(self, order: Order, decide: Decide, most: int) -> Waiting:
        """
        Add a command to the queue.

        Args:
            most: The number of commands that may wait. The house's own commands always may, because
                they finish what players have begun.

        Raises:
            Overloaded: If too many wait.
        """
        if len(self.waiting) >= most and order.actor != HOUSE:
            metrics.SHED.labels("queue").inc()
            raise Overloaded("too many commands wait in this league; nothing was done, try again")
        loop = asyncio.get_running_loop()
        item = Waiting(order, decide, loop.create_future(), loop.time() + PATIENT_SECONDS)
        self.waiting.append(item)
        return item

    def take(self, taken: list[Waiting], most: int) -> None:
        """
        Move up to *most* commands to *taken*.

        A command is refused if its sender is about to give up waiting. That happens only while the
        database is away or stalls.
        """
        now = asyncio.get_running_loop().time()
        while self.waiting and len(taken) < most:
            item = self.waiting.popleft()
            if item.until < now and not item.attempts and item.order.actor != HOUSE:
                refuse(item, StoreUnavailable("the database is too slow; nothing was done"))
            elif not item.answer.done():
                taken.append(item)

    def put_back(self, items: list[Waiting]) -> None:
        """Put *items* at the front of the next batch, because another process was quicker."""
        metrics.CONFLICTS.inc(len(items))
        for item in reversed(items):
            item.attempts += 1
            if item.attempts > _ATTEMPTS_MAX:
                refuse(item, StoreUnavailable("too many conflicting writes; try again"))
            else:
                self.waiting.appendleft(item)


class Leagues:
    """The leagues of one writer."""

    def __init__(self) -> None:
        self._known: dict[str, League] = {}

    def __iter__(self) -> Iterator[League]:
        return iter(self._known.values())

    def of(self, name: str) -> League:
        """Return the league *name*."""
        found = self._known.get(name)
        if found is None:
            if len(self._known) >= LEAGUES_KEPT:
                busy = [each for each in self if each.queued or each.waiting]
                self._known = {each.name: each for each in busy}
            found = self._known[name] = League(name, league_number(name))
        return found


def begin(items: Iterable[Waiting]) -> None:
    """Measure how long each command has waited for its first turn."""
    now = time.perf_counter()
    for item in items:
        if not item.attempts:
            metrics.WAIT_SECONDS.observe(now - item.since)


def requests_of(items: Iterable[Waiting]) -> list[str]:
    """Return the requests that the commands came with, for a line of the process's log."""
    return [each.order.correlation_id for each in items if each.order.correlation_id is not None]


def accept(item: Waiting, receipt: Receipt) -> None:
    """Answer *item* with its receipt. Its sender waits."""
    _DECIDED.inc()
    item.answer.set_result(receipt)


def refuse(item: Waiting, error: Exception, cause: Exception | None = None) -> None:
    """Answer *item* with *error*, or the refusal that it stands for, unless its sender has gone."""
    if not item.answer.done():
        error = _told(error)
        if isinstance(error, StoreUnavailable):
            _UNAVAILABLE.inc()
        elif isinstance(error, CommandRejected | ServiceError):
            _REFUSED.inc()
        else:
            _FAILED.inc()
        if cause is not None:
            error.__cause__ = cause
        item.answer.set_exception(error)


def _told(error: Exception) -> Exception:
    """Return the refusal that *error* is for the sender of a command."""
    if not isinstance(error, LeagueClosed):
        return error
    why, _, seconds = error.why.partition(":")
    if why == "maintenance":
        return UnderMaintenance(int(seconds))
    return LeagueSuspended("an operator has suspended the league; it takes no commands")
