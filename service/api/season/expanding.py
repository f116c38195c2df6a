"""Expansion of recurrence rules outside the event loop, with a limit for each account."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from service.base.pools import EXPANSION
from service.people.tokens import Principal

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


async def expanded(
    principal: Principal, work: Callable[_P, _Result], *args: _P.args, **kwargs: _P.kwargs
) -> _Result:
    """
    Run *work* in the expansion pool and return its result.

    Raises:
        Overloaded: If too many expansions are waiting, in total or for this account.
    """
    client = principal.account.player
    return await EXPANSION.run(client, work, *args, **kwargs)
