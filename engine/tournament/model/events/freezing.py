"""The events that freeze a disputed result."""

import msgspec

from engine.values import DisputeId


class _Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    dispute: DisputeId
    rule: str


class ResultFrozen(_Event, frozen=True, kw_only=True, tag="result_frozen"):
    """The result was frozen. Prizes and points wait for the outcome of a dispute."""


class ResultReleased(_Event, frozen=True, kw_only=True, tag="result_released"):
    """The result no longer waits for this dispute."""


Event = ResultFrozen | ResultReleased
