"""Structs with the same members."""

from typing import TypeVar

import msgspec

Shape = TypeVar("Shape", bound=msgspec.Struct)


def copied(shape: type[Shape], source: msgspec.Struct) -> Shape:
    """
    Return a *shape* with the values that *source* has under the same names.

    The source must have every member of *shape*. Mypy cannot check this.
    """
    return shape(**{name: getattr(source, name) for name in shape.__struct_fields__})
