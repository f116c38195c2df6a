"""
Times that stand still during outages, because nobody can act in them.

Source: rulebook ``levels.outage``.
"""

from collections.abc import Iterable
from datetime import datetime


def lengthened(
    since: datetime, due: datetime, outages: Iterable[tuple[datetime, datetime]]
) -> datetime:
    """
    Return the end of a time from *since* to *due* that stood still during *outages*, oldest first.

    >>> at = [datetime(2026, 1, 1, hour) for hour in range(10)]
    >>> lengthened(at[1], at[3], [(at[0], at[2]), (at[1], at[2]), (at[3], at[5])]).hour
    6
    >>> lengthened(at[1], at[3], [(at[4], at[5])]).hour
    3
    """
    for begin, end in outages:
        if begin > due:
            break
        if end > since:
            due, since = due + (end - max(begin, since)), end
    return due
