"""The only place where a process reads a clock or draws entropy."""

import secrets
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
    The database's time: this machine's clock plus a measured offset.

    Deadlines are compared with instants that other processes wrote, so all of
    them must read one clock.
    """

    def __init__(self) -> None:
        self._offset = timedelta()

    def now(self) -> datetime:
        """Return the present instant in UTC, as the database would."""
        return datetime.now(UTC) + self._offset

    async def measure(self, connection: Any) -> timedelta:
        """Measure the offset anew, to half a round trip, and return it."""
        before = time.monotonic()
        here = datetime.now(UTC)
        there: datetime = await connection.fetchval("SELECT clock_timestamp()")
        self._offset = there - (here + timedelta(seconds=(time.monotonic() - before) / 2))
        return self._offset


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
        return secrets.token_bytes(count)

    def uuid(self) -> UUID:
        """Return an unpredictable version 4 UUID."""
        return uuid4_of(secrets.token_bytes(16))

    def token(self) -> str:
        """Return 32 bytes in lower-case hexadecimal."""
        return secrets.token_hex(32)
