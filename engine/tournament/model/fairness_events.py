"""What has happened to a tournament's entropy and seeds; stored for ever."""

from datetime import datetime

import msgspec

from engine.kit.beacon import Chain, Count, Pulse
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


class BeaconNamed(_Event, frozen=True, kw_only=True, tag="beacon_named"):
    """A public beacon that seats and decks will be mixed with; none takes back what was named."""

    chain: Chain | None
    rule: str


class BeaconAwaited(_Event, frozen=True, kw_only=True, tag="beacon_awaited"):
    """Whoever plays, and what they have committed to, is settled; this round draws the seats."""

    round: Count
    at: datetime
    rule: str


class BeaconRecorded(_Event, frozen=True, kw_only=True, tag="beacon_recorded"):
    """What the beacon said in the round that was named."""

    pulse: Pulse
    rule: str


Event = (
    EntropyCommitted | EntropyOpened | SeedsPublished | BeaconNamed | BeaconAwaited | BeaconRecorded
)
