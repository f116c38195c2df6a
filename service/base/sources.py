"""The only place where a process reads a clock or draws entropy."""

import os
import time
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol
from uuid import UUID

import psycopg
import sqlalchemy as sa
import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.drivers import Driver
from service.base.uuids import uuid4_of

_log = structlog.get_logger(__name__)


class Clock(Protocol):
    """A source of the current time. Everything with a deadline reads one."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        ...


STEP_MAX = timedelta(seconds=5)
"""A larger step of the database's clock is not believed at once."""

READ_CLOCK = "SELECT read_at, ahead_us, noticed_at, counted_since FROM measure_clock()"
_RECORD = "SELECT record_clock_step({}, {}, {})"
_BELIEVE_HELD = "SELECT believe_held_clock()"
_MICROSECOND = timedelta(microseconds=1)
_HELD = timedelta(minutes=10)


def _elapsed() -> float:
    """Return seconds by a clock that nobody can set. It also counts while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class ClockReading(NamedTuple):
    """One reading of the database's clock."""

    read_at: datetime
    ahead_us: int
    """The microseconds by which the clock is ahead of the service's time. It is 0 if believed."""

    noticed_at: datetime | None
    counted_since: datetime | None
    """The start of the process that noticed the step in doubt. None if that is not known."""

    @property
    def time(self) -> datetime:
        """The instant that the service uses."""
        return self.read_at.astimezone(UTC) - self.ahead_us * _MICROSECOND

    @property
    def held(self) -> bool:
        """True if a step in doubt has lasted long enough to be believed."""
        return self.noticed_at is not None and self.time - self.noticed_at >= _HELD


class _Step(NamedTuple):
    """A step of the clock in doubt, as the database records it."""

    ahead_us: int
    """The microseconds by which the clock was ahead before."""

    by_us: int
    counted_us: int
    """The time for which this process has counted."""


class DatabaseClock:
    """
    The database's time: its last reading, plus the time that has passed since.

    Deadlines are compared with instants that other processes wrote, so all processes must read the
    same clock. The time since the last reading comes from a clock that nobody can set. A reading
    that differs from the expected time by more than :data:`STEP_MAX` is a step. The database
    records for all processes that the step is in doubt. A process goes by the record unless it has
    seen the database's own clock step. Otherwise two processes would contradict each other.

    A process that started within a leap takes its end for a step. Every process that has counted
    for longer than the one that noticed a step, and has seen none, withdraws that step.
    """

    def __init__(self) -> None:
        self._then = datetime.now(UTC)
        self._began = self._measured = _elapsed()
        self._ahead_us: int | None = None

    def now(self) -> datetime:
        """Return the present instant in UTC, as the service counts it."""
        return self._then + timedelta(seconds=_elapsed() - self._measured)

    async def measure(self, connection: Driver) -> None:
        """
        Measure the clock, to half a round trip. Doubt a new step, and believe one that has lasted.
        """
        while True:
            before = _elapsed()
            [row] = await connection.fetch(READ_CLOCK)
            reading = ClockReading(*row)
            step = self._step(reading, before, _elapsed())
            if step is not None:
                await connection.fetchval(_RECORD.format("$1", "$2", "$3"), *step)
            elif reading.held:
                await connection.fetchval(_BELIEVE_HELD)
            else:
                return

    def measure_now(self, connection: psycopg.Connection) -> datetime:
        """Measure as :meth:`measure` does, but in a thread. Return the present instant."""
        while True:
            before = _elapsed()
            row = connection.execute(READ_CLOCK).fetchone()
            if row is None:
                raise psycopg.OperationalError("no answer")
            reading = ClockReading(*row)
            step = self._step(reading, before, _elapsed())
            if step is not None:
                connection.execute(_RECORD.format("%s", "%s", "%s"), step)
            elif reading.held:
                connection.execute(_BELIEVE_HELD)
            else:
                return self.now()

    def _step(self, reading: ClockReading, before: float, after: float) -> _Step | None:
        """Adopt *reading* and return None, or return the step if it is in doubt."""
        asked = (before + after) / 2
        step = reading.time - (self._then + timedelta(seconds=asked - self._measured))
        slack = STEP_MAX + timedelta(seconds=(after - before) / 2)
        # The part of the step that is the database's own, and not another process's record.
        recorded = reading.ahead_us - (self._ahead_us or 0)
        own = step + recorded * _MICROSECOND
        if self._ahead_us is None:
            self._began = asked
        elif abs(step) > slack and (abs(own) > slack or self._knows_better(reading)):
            what = (
                "the database's clock stepped" if abs(own) > slack else "a false step is withdrawn"
            )
            _log.error(what, seconds=step.total_seconds())
            return _Step(reading.ahead_us, step // _MICROSECOND, self._counted // _MICROSECOND)
        self._then, self._measured = reading.time, asked
        self._ahead_us = reading.ahead_us
        return None

    @property
    def _counted(self) -> timedelta:
        """The time since the first reading."""
        return timedelta(seconds=_elapsed() - self._began)

    def _knows_better(self, reading: ClockReading) -> bool:
        """Return whether this process has counted for longer than the one that noticed a step."""
        since = reading.counted_since
        return since is not None and reading.time - self._counted < since


async def service_now(connection: AsyncConnection) -> datetime:
    """Return the instant that the service uses, for a process that needs it only once."""
    asked = await connection.execute(sa.text("SELECT service_time()"))
    now: datetime = asked.scalar_one()
    return now.astimezone(UTC)


async def skew(connection: Driver) -> timedelta:
    """Return how far this machine's clock is behind the database's, to half a round trip."""
    before, here = _elapsed(), datetime.now(UTC)
    there: datetime = await connection.fetchval("SELECT clock_timestamp()")
    return there - (here + timedelta(seconds=(_elapsed() - before) / 2))


class Entropy(Protocol):
    """A source of unpredictable bytes."""

    def bytes(self, count: int) -> bytes:
        """Return *count* unpredictable bytes."""
        ...

    def uuid(self) -> UUID:
        """Return an unpredictable version 4 UUID."""
        ...

    def token(self) -> str:
        """Return 32 unpredictable bytes in lower-case hexadecimal."""
        ...


class SystemEntropy:
    """The operating system's entropy."""

    def bytes(self, count: int) -> bytes:
        """Return *count* unpredictable bytes."""
        return os.urandom(count)

    def uuid(self) -> UUID:
        """Return an unpredictable version 4 UUID."""
        return uuid4_of(os.urandom(16))

    def token(self) -> str:
        """Return 32 unpredictable bytes in lower-case hexadecimal."""
        return os.urandom(32).hex()
