"""The differences between two rulesets."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine.rulesets.model import Ruleset


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """
    A parameter of rulesets, or a member of terms, with different values.

    Null may also mean that one of the two has no such member.
    """

    parameter: str
    """The path of the parameter or member, joined by full stops: ``roll.when``."""

    one: Any
    """The value in the first ruleset, or before a change, any JSON."""

    other: Any
    """The value in the second ruleset, or after a change, any JSON."""


def differences(one: Ruleset, other: Ruleset) -> tuple[Difference, ...]:
    """
    Return the differences between *one* and *other*, by parameter.

    A parameter with a ``kind`` is one value. If the kinds differ, it differs as a whole.

    >>> from engine.rulesets import preset
    >>> [each.parameter for each in differences(preset("halcyon_10"), preset("holo"))]
    ['discard', 'roll.by']
    """
    return between(one, other)


def between(one: msgspec.Struct, other: msgspec.Struct) -> tuple[Difference, ...]:
    """Return the differences between two structs of one kind, by the paths of their members."""
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
