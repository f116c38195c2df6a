"""What can have happened to a result that is disputed."""

import msgspec

from engine.values import DisputeId


class _Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    dispute: DisputeId
    rule: str


class ResultFrozen(_Event, frozen=True, kw_only=True, tag="result_frozen"):
    """Prizes and points wait for the outcome of a dispute."""


class ResultReleased(_Event, frozen=True, kw_only=True, tag="result_released"):
    """They wait no longer for this one."""


Event = ResultFrozen | ResultReleased
