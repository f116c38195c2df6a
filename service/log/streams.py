"""
The stream of each aggregate, by its identifier and with the type of its state.

>>> table_stream("tbl_00000000000000000000000000000007")
'table-00000000000000000000000000000007'
"""

from typing import Any

from engine.dispute import state as dispute
from engine.league import state as league
from engine.season import state as season
from engine.table.model import state as table
from engine.tournament.model import state as tournament
from engine.values import Stream, stream_of

__all__ = [
    "Stream",
    "dispute_stream",
    "league_stream",
    "season_stream",
    "table_stream",
    "tournament_stream",
]


def league_stream(identifier: str) -> Stream[league.State]:
    """Return the stream of a league. Raise ``ValueError`` if *identifier* is not a league's."""
    return _of("league", identifier)


def season_stream(identifier: str) -> Stream[season.State]:
    """Return the stream of a season. Raise ``ValueError`` if *identifier* is not a season's."""
    return _of("season", identifier)


def tournament_stream(identifier: str) -> Stream[tournament.State]:
    """Return a tournament's stream. Raise ``ValueError`` if *identifier* is not a tournament's."""
    return _of("tournament", identifier)


def table_stream(identifier: str) -> Stream[table.State]:
    """Return the stream of a table. Raise ``ValueError`` if *identifier* is not a table's."""
    return _of("table", identifier)


def dispute_stream(identifier: str) -> Stream[dispute.State]:
    """Return the stream of a dispute. Raise ``ValueError`` if *identifier* is not a dispute's."""
    return _of("dispute", identifier)


# The category decides the type of the state. The functions above declare it for mypy.
def _of(category: str, identifier: str) -> Stream[Any]:
    stream = stream_of(identifier)
    if not stream.startswith(category):
        raise ValueError(f"not the identifier of a {category}: {identifier!r}")
    return stream
