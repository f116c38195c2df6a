"""Who may enter, and how: see rulebook 2.5."""

import msgspec


class EntryTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who may enter, and how: see rulebook 2.5."""
