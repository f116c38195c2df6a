"""How tables are kept even, when play breaks, and how it is directed."""

import msgspec


class FloorTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How tables are kept even, when play breaks, and how it is directed."""
