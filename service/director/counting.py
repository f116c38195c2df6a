"""
The counting of a season's standings, beside the event loop where it takes long.

A season may count by an ``overall`` expression of its own, whose long forms take about a
millisecond a player. Everything else waits for the event loop.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from engine.season.state import Opened
from service.base.pools import COUNTING

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


async def count_aside(
    season: Opened,
    client: str | None,
    work: Callable[_P, _Result],
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> _Result:
    """
    Run *work*, which counts the standings of *season*, and return its result.

    Args:
        client: The account that asks, or None for the house.

    Raises:
        Overloaded: If too much is waiting to be counted, in total or for this client.
    """
    if season.terms.overall is None:
        return work(*args, **kwargs)
    return await COUNTING.run(client, work, *args, **kwargs)
