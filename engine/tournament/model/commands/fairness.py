"""The commands of entrants about entropy, and of a league about its seeds."""

from datetime import datetime

import msgspec

from engine.values import EntrantId, HexDigest, PlayerId


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class CommitEntropy(_Command, frozen=True, kw_only=True, tag="commit_entropy"):
    entrant: EntrantId
    commitment: HexDigest
    now: datetime


class OpenEntropy(_Command, frozen=True, kw_only=True, tag="open_entropy"):
    entrant: EntrantId
    value: HexDigest
    in_time: bool
    """True if no hand has been opened yet at the table where the entrant was first seated."""

    now: datetime


class PublishSeeds(_Command, frozen=True, kw_only=True, tag="publish_seeds"):
    by: PlayerId
    now: datetime


Command = CommitEntropy | OpenEntropy | PublishSeeds
