"""The differences between two rulesets."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine.rulesets.model import Ruleset


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter with different values. Null means that a ruleset has no such parameter."""

    parameter: str
    """The path of the parameter, joined by full stops: ``roll.when``."""

    one: Any
    """The value in the first ruleset, any JSON."""

    other: Any
    """The value in the second ruleset, any JSON."""


def differences(one: Ruleset, other: Ruleset) -> tuple[Difference, ...]:
    """
    Return the differences between *one* and *other*, by parameter.

    A parameter with a ``kind`` is one value. If the kinds differ, it differs as a whole.

    >>> from engine.rulesets import preset
    >>> [each.parameter for each in differences(preset("halcyon_10"), preset("holo"))]
    ['discard', 'roll.by']
    """
    return tuple(
        Difference(parameter=path, one=first, other=second)
        for path, first, second in members_that_differ(one, other)
    )


def members_that_differ(
    one: msgspec.Struct, other: msgspec.Struct
) -> Iterator[tuple[str, Any, Any]]:
    """
    Yield the path and both values, as JSON, of each member that differs in two structs of one kind.
    """
    return _differing("", msgspec.to_builtins(one), msgspec.to_builtins(other))


def _differing(path: str, one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    if one == other:
        return
    alike = isinstance(one, Mapping) and isinstance(other, Mapping)
    if not alike or one.get("kind") != other.get("kind"):
        yield path, one, other
        return
    for key in sorted({*one, *other}):
        yield from _differing(f"{path}.{key}" if path else key, one.get(key), other.get(key))
