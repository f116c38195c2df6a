"""What an entry costs and what is paid out."""

import msgspec


class FeeTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an entry costs and what is paid out."""
