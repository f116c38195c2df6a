"""Kinds of values that bodies hold; nothing here needs a request."""

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

Instant = Annotated[datetime, Meta(tz=True)]
"""With the offset it was written in; see :func:`in_utc`."""

# The log keeps no text that looks like an instant in another form than its own.
_NO_INSTANT = r"^(?!\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d)?$)"
Name = Annotated[str, Meta(min_length=1, max_length=120, pattern=_NO_INSTANT)]
"""What a league, a season or a tournament is called."""


def in_utc(instant: datetime) -> datetime:
    """
    Return *instant* as the log keeps it.

    Raises:
        ValueError: If no calendar has it there.
    """
    try:
        return instant.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("the year is out of range in UTC") from error
