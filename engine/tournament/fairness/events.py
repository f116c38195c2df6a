"""What has happened to a tournament's entropy and seeds; stored for ever."""

import msgspec

from engine.values import EntrantId, HexDigest, PlayerId


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class EntropyCommitted(_Event, frozen=True, kw_only=True, tag="entropy_committed"):
    """An entrant will add 32 bytes to the entropy, and can choose no others any more."""

    entrant: EntrantId
    commitment: HexDigest
    """SHA-256 of ``holotable/entropy/1`` and the 32 bytes."""

    rule: str


class EntropyOpened(_Event, frozen=True, kw_only=True, tag="entropy_opened"):
    """The 32 bytes that were committed to: in every deck of this entrant's table from now on."""

    entrant: EntrantId
    value: HexDigest
    rule: str


class SeedsPublished(_Event, frozen=True, kw_only=True, tag="seeds_published"):
    """The league lets anybody repeat every card of a tournament that is over."""

    cards_master: HexDigest
    by: PlayerId
    rule: str


Event = EntropyCommitted | EntropyOpened | SeedsPublished
