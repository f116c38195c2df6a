"""Expanding recurrence rules beside the event loop, within the share of whoever asks."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from service.api.http.shell import Asked, principal_of
from service.base.pools import EXPANSION

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


async def expanded(
    request: Asked, work: Callable[_P, _Result], *args: _P.args, **kwargs: _P.kwargs
) -> _Result:
    """
    Return what *work* returns.

    Raises:
        Overloaded: If too much is waiting to be expanded, in all or from this account.
    """
    client = principal_of(request).account.player
    return await EXPANSION.run(client, work, *args, **kwargs)
