"""Structs with the same members."""

from typing import TypeVar

import msgspec

Shape = TypeVar("Shape", bound=msgspec.Struct)


def copied(shape: type[Shape], source: msgspec.Struct, **others: object) -> Shape:
    """
    Return a *shape* with the values that *source* has under the same names, and with *others*.

    Source and *others* together must have every member of *shape*. Mypy cannot check this.
    """
    names = (name for name in shape.__struct_fields__ if name not in others)
    return shape(**{name: getattr(source, name) for name in names}, **others)
