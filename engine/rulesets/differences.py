"""What two rulesets do not have in common."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine.rulesets.model import Ruleset


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter that has another value in each; null where one has no such parameter."""

    parameter: str
    """Its path, joined by full stops: ``roll.when``."""

    one: Any
    other: Any


def differences(one: Ruleset, other: Ruleset) -> tuple[Difference, ...]:
    """
    Return in what *one* and *other* differ, by parameter.

    A parameter with a ``kind`` is one value: if its kind is another, it differs as a whole.

    >>> from engine.rulesets import preset
    >>> [each.parameter for each in differences(preset("halcyon_10"), preset("holo"))]
    ['discard', 'roll.by']
    """
    return tuple(_between("", msgspec.to_builtins(one), msgspec.to_builtins(other)))


def _between(path: str, one: Any, other: Any) -> Iterator[Difference]:
    if one == other:
        return
    alike = isinstance(one, Mapping) and isinstance(other, Mapping)
    if not alike or one.get("kind") != other.get("kind"):
        yield Difference(parameter=path, one=one, other=other)
        return
    for key in sorted({*one, *other}):
        yield from _between(f"{path}.{key}" if path else key, one.get(key), other.get(key))
