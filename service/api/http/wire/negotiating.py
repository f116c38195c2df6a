"""Content negotiation (RFC 9110, section 12): which media type and coding a client accepts."""

from collections.abc import Iterable
from functools import lru_cache

ALL = "*/*"

LENGTH_MAX = 1024
"""Characters of a header that are read. A longer header counts as if it had not been sent."""


def best(accept: str, produced: tuple[str, ...]) -> str | None:
    """
    Return the media type of *produced* that a client prefers, or None if it accepts none of them.

    If several are equally good, the first one wins. The most specific range decides on a type.

    Args:
        accept: The value of the header ``Accept``.

    >>> best("text/csv;q=0.5, application/*", ("text/csv", "application/json"))
    'application/json'
    >>> best("application/xml", ("application/json",)) is None
    True
    >>> best("*/*, application/json;q=0", ("application/json",)) is None
    True
    """
    return produced[0] if len(accept) > LENGTH_MAX else _best(accept, produced)


@lru_cache(maxsize=1024)
def _best(accept: str, produced: tuple[str, ...]) -> str | None:
    ranges = list(_weighed(accept)) or [(ALL, 1.0)]
    weights = {media: _weight(media, ranges) for media in produced}
    found = max(weights, key=lambda media: weights[media])
    return found if weights[found] > 0 else None


def takes_gzip(encodings: str) -> bool:
    """
    Return whether the value of ``Accept-Encoding`` allows gzip.

    >>> takes_gzip("br, gzip"), takes_gzip("gzip;q=0, *"), takes_gzip("identity")
    (True, False, False)
    """
    return len(encodings) <= LENGTH_MAX and _takes_gzip(encodings)


@lru_cache(maxsize=256)
def _takes_gzip(encodings: str) -> bool:
    found = dict(_weighed(encodings))
    return found.get("gzip", found.get("x-gzip", found.get("*", 0.0))) > 0


def _weighed(header: str) -> Iterable[tuple[str, float]]:
    """Yield the elements of a header in lower case, each with its weight. Bad weights are 0."""
    for element in header.split(","):
        name, *parameters = (each.strip().lower() for each in element.split(";"))
        weight = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip() == "q":
                weight = _number(value.strip())
        if name:
            yield name, weight


def _number(text: str) -> float:
    digits = text.replace(".", "", 1)
    return min(1.0, float(text)) if digits.isascii() and digits.isdigit() else 0.0


def _weight(media: str, ranges: list[tuple[str, float]]) -> float:
    found = dict(ranges)
    for each in (media, f"{media.partition('/')[0]}/*", ALL):
        if each in found:
            return found[each]
    return 0.0
