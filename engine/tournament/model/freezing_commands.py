"""What a dispute asks of a tournament that it is about."""

from datetime import datetime

import msgspec

from engine.values import DisputeId


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    dispute: DisputeId
    now: datetime


class FreezeResult(_Command, frozen=True, kw_only=True, tag="freeze_result"):
    """Let prizes and points wait for the outcome."""


class ReleaseResult(_Command, frozen=True, kw_only=True, tag="release_result"):
    """Let them wait no longer for this dispute."""


Command = FreezeResult | ReleaseResult
