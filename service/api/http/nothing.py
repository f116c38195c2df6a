"""The body of an operation that asks for nothing more."""

import msgspec


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """A body without members; may be left out."""
