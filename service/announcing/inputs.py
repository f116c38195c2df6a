"""Types of values in bodies. Nothing here needs a request."""

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from service.people.names import NO_INSTANT

Instant = Annotated[datetime, Meta(tz=True)]
"""An instant with the offset in which it was written. See :func:`in_utc`."""

YEAR_MIN, YEAR_MAX = 2000, 2199
Name = Annotated[str, Meta(min_length=1, max_length=120, pattern=NO_INSTANT)]
"""The name of a league, a season or a tournament."""


def in_utc(instant: datetime) -> datetime:
    """
    Return *instant* in the form that the log holds.

    Raises:
      ValueError: If the year is out of range. Instants computed from it, such as an hour
        earlier, would leave the calendar.
    """
    if not YEAR_MIN <= instant.year <= YEAR_MAX:
        raise ValueError(f"the year must be between {YEAR_MIN} and {YEAR_MAX}")
    return instant.astimezone(UTC)
