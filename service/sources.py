"""The only place where a process reads a clock or draws entropy."""

import os
import time
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from service.numbers import uuid4_of


class Clock(Protocol):
    """Says what time it is; everything with a deadline asks one of these."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        ...


class DatabaseClock:
    """
    The database's time: what it said when it was last asked, and what has gone by since.

    Deadlines are compared with instants that other processes wrote, so all of
    them must read one clock.  What has gone by is read from a clock that nobody can
    set: what this machine believes the time to be matters only until it is measured.
    """

    def __init__(self) -> None:
        self._then = datetime.now(UTC)
        self._measured = time.monotonic()

    def now(self) -> datetime:
        """Return the present instant in UTC, as the database would."""
        return self._then + timedelta(seconds=time.monotonic() - self._measured)

    async def measure(self, connection: Any) -> timedelta:
        """Measure anew, to half a round trip; return how far this machine's clock is behind."""
        before, here = time.monotonic(), datetime.now(UTC)
        there: datetime = await connection.fetchval("SELECT clock_timestamp()")
        after = time.monotonic()
        self._then, self._measured = there.astimezone(UTC), (before + after) / 2
        return there - (here + timedelta(seconds=(after - before) / 2))


class Entropy(Protocol):
    """Draws what nobody may foresee."""

    def bytes(self, count: int) -> bytes:
        """Return *count* unpredictable bytes."""
        ...

    def uuid(self) -> UUID:
        """Return an unpredictable version 4 UUID."""
        ...

    def token(self) -> str:
        """Return 32 bytes in lower-case hexadecimal."""
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
        """Return 32 bytes in lower-case hexadecimal."""
        return os.urandom(32).hex()
