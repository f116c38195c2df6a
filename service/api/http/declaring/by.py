"""The annotation of a parameter that a function provides."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class By:
    """
    Annotation of a parameter: the function that provides it.

    The function's own parameters are provided like a handler's. A parameter that the handler has
    further left is not provided a second time.
    """

    function: Callable[..., Awaitable[object]]
