"""The events of a tournament's entropy and seeds. Their tags are stored for ever."""

from datetime import datetime

import msgspec

from engine.kit.beacon import Chain, Count, Pulse
from engine.values import EntrantId, HexDigest, PlayerId


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class EntropyCommitted(_Event, frozen=True, kw_only=True, tag="entropy_committed"):
    """An entrant committed to 32 bytes of entropy and can no longer choose others."""

    entrant: EntrantId
    commitment: HexDigest
    """SHA-256 of ``holotable/entropy/1`` and the 32 bytes."""

    rule: str


class EntropyOpened(_Event, frozen=True, kw_only=True, tag="entropy_opened"):
    """
    An entrant opened the committed 32 bytes. From now on they are part of every deck at the
    entrant's table.
    """

    entrant: EntrantId
    value: HexDigest
    rule: str


class SeedsPublished(_Event, frozen=True, kw_only=True, tag="seeds_published"):
    """The league published the seeds of a finished tournament. Anybody can repeat every card."""

    cards_master: HexDigest
    by: PlayerId
    rule: str


class BeaconNamed(_Event, frozen=True, kw_only=True, tag="beacon_named"):
    """A public beacon was named. Seats and decks will use it, and it cannot be replaced."""

    chain: Chain | None
    rule: str


class BeaconAwaited(_Event, frozen=True, kw_only=True, tag="beacon_awaited"):
    """The entrants and their commitments are fixed. The named pulse draws the seats."""

    round: Count
    at: datetime
    rule: str


class BeaconRecorded(_Event, frozen=True, kw_only=True, tag="beacon_recorded"):
    """The named pulse of the beacon was recorded."""

    pulse: Pulse
    rule: str


Event = (
    EntropyCommitted | EntropyOpened | SeedsPublished | BeaconNamed | BeaconAwaited | BeaconRecorded
)
