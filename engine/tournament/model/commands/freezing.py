"""The commands of a dispute to the tournament that it is about."""

from datetime import datetime

import msgspec

from engine.values import DisputeId


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    dispute: DisputeId
    now: datetime


class FreezeResult(_Command, frozen=True, kw_only=True, tag="freeze_result"):
    """Freeze prizes and points until the dispute is decided."""


class ReleaseResult(_Command, frozen=True, kw_only=True, tag="release_result"):
    """Release prizes and points from this dispute."""


Command = FreezeResult | ReleaseResult
