"""How a tournament comes to its winner."""

import msgspec


class FormatTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a tournament comes to its winner."""
