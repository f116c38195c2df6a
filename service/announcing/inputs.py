"""Kinds of values that bodies hold; nothing here needs a request."""

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

Instant = Annotated[datetime, Meta(tz=True)]
"""With the offset it was written in; see :func:`in_utc`."""

# The log keeps no text that looks like an instant in another form than its own.
_NO_INSTANT = r"^(?!\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d)?$)"
YEAR_MIN, YEAR_MAX = 2000, 2199
Name = Annotated[str, Meta(min_length=1, max_length=120, pattern=_NO_INSTANT)]
"""What a league, a season or a tournament is called."""


def in_utc(instant: datetime) -> datetime:
    """
    Return *instant* as the log keeps it.

    Raises:
        ValueError: If the year is out of range: what is computed from the instant, such as an
            hour before it, would leave the calendar.
    """
    if not YEAR_MIN <= instant.year <= YEAR_MAX:
        raise ValueError(f"the year must be between {YEAR_MIN} and {YEAR_MAX}")
    return instant.astimezone(UTC)
