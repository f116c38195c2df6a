"""
The leagues of the standing sandbox: one for each month, so that no log grows for ever.

The identifier of each follows from its month in UTC. So every process names the same league, and
the identifier shows that the league belongs to the standing sandbox.
"""

import re
from datetime import datetime, timedelta
from typing import Final

from engine.values import LeagueId, identifier
from service.base.uuids import uuid5
from service.director.runtime import NAMESPACE

# A UUID of version 8: "sandbx" in ASCII, and the month. Other leagues have versions 4 and 5.
_MARK: Final = b"sandbx".hex()
_FORM: Final = re.compile(rf"lge_{_MARK}80008000000000[0-9]{{6}}")

FIRST: Final = LeagueId(identifier("lge", uuid5(NAMESPACE, "sandbox")))
"""The sandbox's league from the time before each month had one."""


def league_of(now: datetime) -> LeagueId:
    """
    Return the league of the month of *now*, an instant in UTC.

    >>> from datetime import UTC
    >>> league_of(datetime(2026, 11, 23, tzinfo=UTC))
    'lge_73616e64627880008000000000202611'
    """
    return LeagueId(f"lge_{_MARK}80008{0:09d}{now:%Y%m}")


def earlier(now: datetime) -> tuple[LeagueId, ...]:
    """Return the leagues that may still have games at *now*, without the league of the month."""
    return (league_of(now.replace(day=1) - timedelta(days=1)), FIRST)


def is_sandbox(league: str) -> bool:
    """Return whether a league is one of the standing sandbox."""
    return league == FIRST or _FORM.fullmatch(league) is not None


def is_ended(league: str, now: datetime) -> bool:
    """
    Return whether the last game of a league of the standing sandbox was long ago.

    >>> from datetime import UTC
    >>> [is_ended(f"lge_73616e64627880008000000000{month}", datetime(2026, 2, 9, tzinfo=UTC))
    ...  for month in ("202512", "202601", "202602")]
    [True, False, False]
    """
    return is_sandbox(league) and league not in (league_of(now), *earlier(now))
