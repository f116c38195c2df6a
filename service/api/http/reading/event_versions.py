"""``Accept-Event-Version``: the set of event versions that a client pins."""

from typing import Annotated

from service.api.http.declaring.by import By
from service.api.http.shell import Asked
from service.base.errors import BadRequest
from service.log.event_sets import NEWEST, known

HEADER = "Accept-Event-Version"
_DIGITS_MAX = 6


async def event_set(request: Asked) -> int:
    """
    Return the set of event versions that *request* asks for, by default the newest.

    Raises:
        BadRequest: ``event_version_unknown`` if there is no such set.
    """
    given = request.headers.get(HEADER)
    if given is None:
        return NEWEST
    number = given.strip()
    if not (number.isascii() and number.isdigit() and len(number) <= _DIGITS_MAX):
        raise _unknown()
    if not known(int(number)):
        raise _unknown()
    return int(number)


Events = Annotated[int, By(event_set)]
"""Annotation of a handler's parameter: the set of event versions for the answer."""


def _unknown() -> BadRequest:
    return BadRequest(
        "event_version_unknown",
        f"there is no such set of event versions; the newest is {NEWEST}",
        newest=NEWEST,
    )
