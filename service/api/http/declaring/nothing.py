"""The empty body, for operations without arguments."""

import msgspec


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """An empty object. The body may also be left out."""
